package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type saveOptions struct {
	Paths   []string
	All     bool
	Message string
	DryRun  bool
}

func newSaveCommand(env *Env, run func(context.Context, *Env, saveOptions) error) *cli.Command {
	var opts saveOptions
	return &cli.Command{
		Name:      "save",
		Category:  categoryRecord,
		Usage:     "commit edits made in place",
		ArgsUsage: "[<path>...]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "every changed managed path, as without paths", Destination: &opts.All},
			&cli.StringSliceFlag{Name: "message", Aliases: []string{"m"}, Usage: "what was done, for the commit"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be saved", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			opts.Paths = c.Args().Slice()
			// As git commit joins them: each is a paragraph.
			opts.Message = strings.Join(c.StringSlice("message"), "\n\n")
			if c.IsSet("message") && strings.TrimSpace(opts.Message) == "" {
				return usagef("the message is empty").hint("leave '-m' out, and the files are named")
			}
			if opts.All && len(opts.Paths) > 0 {
				return usagef("option '--all' and paths exclude each other")
			}
			return run(c.Context, env, opts)
		},
	}
}

func runSave(ctx context.Context, env *Env, opts saveOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.WorkspaceToSave(ctx)
	if err != nil {
		return err
	}
	defer done()
	paths, err := env.relPaths(ws, opts.Paths)
	if err != nil {
		return err
	}
	res, err := agent.Save(ctx, ws, caller, agent.SaveOptions{Paths: paths, Message: opts.Message, DryRun: opts.DryRun, Propose: proposal.InPlace})
	if !opts.DryRun {
		autoPush(env, ws, res)
	}
	return finishSave(env, res, err, opts.DryRun)
}

// finishSave tells what became of a save, also of one that failed halfway:
// commits that were made stay made.
func finishSave(env *Env, res *agent.SaveResult, err error, dry bool) error {
	if res == nil || err != nil && len(res.Commits) == 0 && len(res.Skipped) == 0 && len(res.Proposed) == 0 {
		return err
	}
	if perr := printSaved(env, res, dry); err == nil {
		err = perr
	}
	return err
}

// savedJSON is a line of 'save --json': one for each commit. What was left out
// stands in the last line, or alone in a line without a commit.
type savedJSON struct {
	Commit  *string       `json:"commit"`
	ID      string        `json:"id"`
	Event   string        `json:"event"`
	Actor   string        `json:"actor"`
	Session string        `json:"session"`
	Subject string        `json:"subject"`
	Paths   []string      `json:"paths"`
	Skipped []skippedJSON `json:"skipped"`
	Came    []cameJSON    `json:"came,omitempty"`
	// Proposal is the id of what waits for a person now, in a line of its own.
	Proposal string `json:"proposal,omitempty"`
}

// cameJSON is a file that was written without what came into it meanwhile.
type cameJSON struct {
	Path   string `json:"path"`
	Source string `json:"source"`
	Kept   bool   `json:"kept"` // it is in the file
}

func cameLines(list []agent.Came) []cameJSON {
	var out []cameJSON
	for _, c := range list {
		out = append(out, cameJSON{c.Path, c.Source, c.Kept})
	}
	return out
}

type skippedJSON struct {
	Path   string `json:"path"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

// printSaved tells what became of a save and gives the exit code 1 when
// something was held back.
func printSaved(env *Env, res *agent.SaveResult, dry bool) error {
	if env.Opt.JSON {
		if err := printSavedJSON(env, res); err != nil {
			return err
		}
		if !dry {
			warnDetached(env, res.SwitchCommand())
		}
		return heldBack(res)
	}
	for _, s := range res.Commits {
		if dry {
			fmt.Fprintf(env.Out, "would save %s: %s\n", term.Escape(s.Subject), escapeAll(s.Paths))
			continue
		}
		env.Confirm("saved %s  %s", s.Commit.Short(), term.Escape(s.Subject))
	}
	warnCame(env, res.Commits, dry)
	if !dry {
		warnDetached(env, res.SwitchCommand())
	}
	for _, p := range res.Proposed {
		env.Confirm("proposed %s  %s (as it was until a person has seen it)", p.ID, escapeAll(p.Paths))
	}
	if len(res.Commits) == 0 && len(res.Skipped) == 0 && len(res.Proposed) == 0 {
		env.Confirm("nothing to save")
	}
	warnSkipped(env, res.Skipped)
	return heldBack(res)
}

func warnSkipped(env *Env, skipped []agent.Skipped) {
	for i, s := range skipped {
		if i == maxTold {
			env.Warn(fmt.Sprintf("%d more are not shown; with --json they are", len(skipped)-maxTold))
			return
		}
		env.Warn(place(s) + ": " + s.Reason)
	}
}

// warnCame tells of files that were written by somebody who did not know what came into
// them meanwhile.
func warnCame(env *Env, commits []agent.Saved, dry bool) {
	n := 0
	for _, c := range commits {
		for _, came := range c.Came {
			if n++; n > maxTold {
				env.Warn("more files were written while something came into them; with --json they are shown")
				return
			}
			what := fmt.Sprintf("what came from '%s' while it was being written", term.Escape(came.Source))
			file := term.Escape(came.Path)
			switch {
			case !came.Kept:
				diff := fmt.Sprintf("git diff %s %s -- %s", came.Before.Short(), came.After.Short(), shellQuote(":/"+came.Top))
				env.Warn(file+": takes out "+what, "to bring it back: "+diff+" | git apply --3way")
			case dry:
				env.Warn(file + ": would keep " + what)
			default:
				env.Warn(file + ": kept " + what)
			}
		}
	}
}

// warnDetached says that commits are on no branch; command is what mends it, ""
// when they are on one.
func warnDetached(env *Env, command string) {
	if command != "" {
		env.Warn("HEAD is on no branch: what was saved is lost to sight after the next switch", command)
	}
}

// place names a path and, where it is known, the line. A line break in a name would
// begin a message of its own.
func place(s agent.Skipped) string {
	switch {
	case s.Path == "":
		return "message"
	case s.Line > 0:
		return fmt.Sprintf("%s:%d", term.Escape(s.Path), s.Line)
	}
	return term.Escape(s.Path)
}

func escapeAll(paths []string) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = term.Escape(p)
	}
	return strings.Join(out, ", ")
}

func printSavedJSON(env *Env, res *agent.SaveResult) error {
	skipped := skippedLines(res.Skipped)
	lines := make([]savedJSON, 0, len(res.Commits)+1)
	for _, s := range res.Commits {
		lines = append(lines, savedLine(s))
	}
	for _, p := range res.Proposed {
		lines = append(lines, savedJSON{Proposal: p.ID, Paths: list(p.Paths)})
	}
	if len(lines) == 0 && len(skipped) > 0 {
		lines = append(lines, savedJSON{Paths: []string{}})
	}
	for i, line := range lines {
		line.Skipped = []skippedJSON{}
		if i == len(lines)-1 {
			line.Skipped = skipped
		}
		if err := writeJSON(env.Out, "claw.save/1", line); err != nil {
			return err
		}
	}
	return nil
}

func skippedLines(list []agent.Skipped) []skippedJSON {
	out := make([]skippedJSON, 0, len(list))
	for _, s := range list {
		out = append(out, skippedJSON{Path: s.Path, Line: s.Line, Reason: s.Reason})
	}
	return out
}

func savedLine(s agent.Saved) savedJSON {
	line := savedJSON{
		ID: s.ID, Event: s.Event, Actor: string(s.Actor), Session: s.Session, Subject: s.Subject,
		Paths: list(s.Paths), Came: cameLines(s.Came),
	}
	if !s.Commit.IsZero() {
		id := s.Commit.String()
		line.Commit = &id
	}
	return line
}

// list is never null in JSON.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// heldBack is the answer of a save that left out something that somebody should
// act on; what and where was told before.
func heldBack(res *agent.SaveResult) error {
	n := 0
	no := &refusal{}
	for _, s := range res.Skipped {
		if !s.Held {
			continue
		}
		if n++; s.Line > 0 && len(no.hints) == 0 {
			no.hints = []string{
				"to see it: git claw diff -- " + shellQuote(s.Path),
				"where it is no secret, write 'claw:allow' in the line and save again",
			}
		}
	}
	if n == 0 {
		return nil
	}
	no.msg = count(n, "change") + " held back from git; nothing is lost, it stays in the file"
	return no
}

// count says how many there are of what.
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shellQuote makes a path safe to paste.
func shellQuote(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+,:@%", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
