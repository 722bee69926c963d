package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/syncing"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type syncOptions struct {
	WithForeign bool
	NoPush      bool
	DryRun      bool
}

func newSyncCommand(env *Env, run func(context.Context, *Env, syncOptions) error) *cli.Command {
	var opts syncOptions
	return &cli.Command{
		Name:     "sync",
		Category: categoryRecord,
		Usage:    "bring the memory of all machines together",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "with-foreign", Usage: "push commits that reach outside of the workspace, too", Destination: &opts.WithForeign},
			&cli.BoolFlag{Name: "no-push", Usage: "only take what the remote has", Destination: &opts.NoPush},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would come and go", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			return run(c.Context, env, opts)
		},
	}
}

func runSync(ctx context.Context, env *Env, opts syncOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.WorkspaceToSave(ctx)
	if err != nil {
		return err
	}
	defer done()
	binary, err := env.Executable()
	if err != nil {
		return err
	}
	res, err := syncing.Sync(ctx, ws, caller, syncing.Options{
		WithForeign: opts.WithForeign, NoPush: opts.NoPush, DryRun: opts.DryRun, Ask: env.Person(), Binary: binary,
	})
	if res == nil {
		return err
	}
	if !opts.DryRun && ws.Adopted {
		recordSync(ws, res, err)
	}
	if res.Files > 0 && !opts.DryRun {
		// What cannot be indexed now is indexed by the next search.
		_ = agent.FollowIndex(ctx, env.Git(), agent.GitEvent{Hook: "post-merge"}, binary)
	}
	if perr := printSynced(env, res, opts.DryRun, err); err == nil {
		err = perr
	}
	return err
}

// recordSync keeps for the dashboard how a sync ended. One that was interrupted, or had
// to wait for another, says nothing of the remote.
func recordSync(ws *memory.Workspace, res *syncing.Result, failed error) {
	r := agent.SyncRecord{Remote: res.Remote, Branch: res.Branch, Code: exitCode(failed)}
	var busy *syncing.UnderWayError
	if r.Code == exitInterrupted || errors.As(failed, &busy) {
		return
	}
	if failed != nil {
		r.Message = failed.Error()
	}
	agent.RecordSync(ws, r)
}

// autoPush starts a sync that nobody waits for after something was saved
// (claw.autoPush). What goes wrong with it is told by 'git claw status', and the next
// one makes up for it.
func autoPush(env *Env, ws *memory.Workspace, res *agent.SaveResult) {
	if res == nil || len(res.Commits) == 0 || !ws.Settings.Bool("autoPush") {
		return
	}
	binary, err := env.Executable()
	if err == nil {
		err = ws.Repo.StartDetached(ws.Root, binary, "sync", "--quiet")
	}
	if err != nil {
		env.Warn("nothing is pushed by itself: "+err.Error(), "git claw sync")
	}
}

// syncedJSON is the answer of 'sync --json'.
type syncedJSON struct {
	Remote         string        `json:"remote"`
	Branch         string        `json:"branch"`
	Before         *string       `json:"before"`
	After          *string       `json:"after"`
	In             int           `json:"in"`
	Out            int           `json:"out"`
	Merged         bool          `json:"merged"`
	Files          int           `json:"files"`
	Contradictions int           `json:"contradictions"`
	Overruled      []valueJSON   `json:"overruled"`
	Mended         []string      `json:"mended"`
	Proposals      proposalsJSON `json:"proposals"`
	Verdicts       bool          `json:"verdicts"`
	NoVerdicts     int           `json:"noVerdicts"` // of refs/notes/claw, neither taken nor pushed
	Pushed         bool          `json:"pushed"`
	Saved          []string      `json:"saved"`
	Foreign        []foreignJSON `json:"foreign"`
	Follows        *string       `json:"follows"` // the upstream that the branch has from now on; null: as before
	Skipped        []skippedJSON `json:"skipped"`
	Came           []cameJSON    `json:"came"`
}

// valueJSON is a value that both sides set, of which one had to win.
type valueJSON struct {
	File string   `json:"file"` // from the top level
	Path []string `json:"path"`
	Kept string   `json:"kept"`
	Lost string   `json:"lost"`
}

type proposalsJSON struct {
	In          int `json:"in"`
	Out         int `json:"out"`
	Closed      int `json:"closed"`
	Quarantined int `json:"quarantined"`
	Ignored     int `json:"ignored"`
	Diverged    int `json:"diverged"`
	// Strangers are those that were quarantined, ignored or diverged.
	Strangers []strangerJSON `json:"strangers"`
}

type strangerJSON struct {
	Branch string `json:"branch"`
	What   string `json:"what"`
	Why    string `json:"why"`
}

type foreignJSON struct {
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
	Path    string `json:"path"`
}

// printSynced tells what a sync did; failed is why it ended, if it did not finish.
func printSynced(env *Env, res *syncing.Result, dry bool, failed error) error {
	if env.Opt.JSON {
		if failed == nil || len(res.Foreign) > 0 {
			if err := writeJSON(env.Out, "claw.sync/1", syncedLine(res)); err != nil {
				return err
			}
		}
		return nil
	}
	warnSkipped(env, res.Save.Skipped)
	if res.Finished {
		env.Confirm("finished the merge that was under way")
	}
	warnCame(env, res.Save.Commits, dry)
	for _, p := range res.Mended {
		env.Confirm("united what conflict markers kept apart in '%s'", term.Escape(p))
	}
	for _, s := range res.Setup {
		env.Confirm("set up: %s", s)
	}
	if res.Follows != "" {
		env.Confirm("set up: git compares this branch with '%s' from now on", term.Escape(res.Follows))
	}
	warnStrange(env, res)
	if failed != nil {
		if n := len(res.Save.Commits); n > 0 && !dry {
			env.Confirm("saved before: %s", count(n, "commit"))
		}
		return nil
	}
	env.Confirm("%s", summary(res, dry))
	for i, o := range res.Overruled {
		if i == maxOverruledTold {
			env.hints([]string{fmt.Sprintf("and %s more", count(len(res.Overruled)-i, "value"))})
			break
		}
		env.hints([]string{"both sides set a value, and the newer one stays: " + term.Escape(o.String())})
	}
	if len(res.Overruled) > 0 && res.Contradictions == 0 {
		env.hints([]string{"to take the other value: git claw review"})
	}
	if n := res.Contradictions; n > 0 {
		env.hints([]string{"two versions of one entry wait for a choice: git claw review"})
	}
	env.hints(strangers(res))
	return nil
}

// maxOverruledTold is how many values that were overruled a sync lists.
const maxOverruledTold = 5

// summary is the one line of a sync.
func summary(res *syncing.Result, dry bool) string {
	other := term.Escape(res.Remote + "/" + res.Branch)
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, count(n, what))
		}
	}
	add(res.In, "commit")
	if res.In > 0 {
		parts[0] += " in"
	}
	if res.Out > 0 {
		parts = append(parts, count(res.Out, "commit")+" out")
	}
	add(res.Files, "file")
	if res.Files > 0 {
		parts[len(parts)-1] += " changed here"
	}
	add(res.Contradictions, "contradiction")
	add(len(res.Overruled), "value")
	if len(res.Overruled) > 0 {
		parts[len(parts)-1] += " set on both sides"
	}
	if res.Proposals.In > 0 {
		parts = append(parts, count(res.Proposals.In, "proposal")+" in")
	}
	if res.Proposals.Out > 0 {
		parts = append(parts, count(res.Proposals.Out, "proposal")+" out")
	}
	if res.Proposals.Closed > 0 {
		parts = append(parts, count(res.Proposals.Closed, "proposal")+" closed")
	}
	if res.Verdicts {
		parts = append(parts, "verdicts in")
	}
	if res.VerdictsOut {
		parts = append(parts, "verdicts out")
	}
	verb := "synced with"
	if dry {
		verb = "would sync with"
	}
	if len(parts) == 0 {
		return verb + " " + other + ": nothing to do"
	}
	return verb + " " + other + ": " + strings.Join(parts, ", ")
}

func syncedLine(res *syncing.Result) syncedJSON {
	p := res.Proposals
	line := syncedJSON{
		Remote: res.Remote, Branch: res.Branch, In: res.In, Out: res.Out, Merged: res.Merged, Files: res.Files, Contradictions: res.Contradictions,
		Mended: list(res.Mended), Verdicts: res.Verdicts, NoVerdicts: len(res.Strange), Pushed: res.Pushed, Saved: []string{}, Foreign: []foreignJSON{}, Skipped: skippedLines(res.Save.Skipped),
		Overruled: []valueJSON{}, Came: []cameJSON{},
		Proposals: proposalsJSON{p.In, p.Out, p.Closed, p.Quarantined, p.Ignored, p.Diverged, []strangerJSON{}},
	}
	for _, st := range p.Strangers {
		line.Proposals.Strangers = append(line.Proposals.Strangers, strangerJSON(st))
	}
	if res.Follows != "" {
		line.Follows = &res.Follows
	}
	if !res.Before.IsZero() {
		id := res.Before.String()
		line.Before = &id
	}
	if !res.After.IsZero() {
		id := res.After.String()
		line.After = &id
	}
	for _, c := range res.Save.Commits {
		line.Came = append(line.Came, cameLines(c.Came)...)
		if !c.Commit.IsZero() {
			line.Saved = append(line.Saved, c.Commit.String())
		}
	}
	for _, o := range res.Overruled {
		line.Overruled = append(line.Overruled, valueJSON{o.File, list(o.Path), string(o.Kept), string(o.Lost)})
	}
	for _, f := range res.Foreign {
		line.Foreign = append(line.Foreign, foreignJSON{f.Commit.String(), f.Subject, f.Path})
	}
	return line
}
