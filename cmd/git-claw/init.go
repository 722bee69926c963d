package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/memory"
)

type initOptions struct {
	Dir     string // empty: the workspace that the current directory lies in
	Host    string
	Layout  string
	Team    bool
	NoTags  bool
	Import  string
	DryRun  bool
	NoHooks bool
}

func newInitCommand(env *Env, run func(context.Context, *Env, initOptions) error) *cli.Command {
	var opts initOptions
	return &cli.Command{
		Name:      "init",
		Category:  categoryStart,
		Usage:     "make a workspace, or adopt one that is in use",
		ArgsUsage: "[<dir>]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "host", Usage: "for whom: openclaw, openclaw-classic, claude-code or generic", Destination: &opts.Host},
			&cli.StringFlag{Name: "layout", Usage: "also make the folders of this layout: canonical", Destination: &opts.Layout},
			&cli.BoolFlag{Name: "team", Usage: "keep personal memory out of the repository", Destination: &opts.Team},
			&cli.BoolFlag{Name: "no-tags", Usage: "no tag vocabulary with the layout", Destination: &opts.NoTags},
			&cli.StringFlag{Name: "import", Usage: "copy memory from this folder", Destination: &opts.Import},
			&cli.BoolFlag{Name: "no-hooks", Usage: "do not install git hooks", Destination: &opts.NoHooks},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			if opts.Layout != "" && opts.Layout != "canonical" {
				return usagef("unknown layout '%s'", opts.Layout).hint("the only layout is 'canonical'")
			}
			if _, ok := memory.HostNamed(opts.Host); !ok && opts.Host != "" && opts.Host != "auto" {
				return usagef("unknown host '%s'", opts.Host).hint("hosts are '%s'",
					strings.Join([]string{memory.OpenClaw, memory.OpenClawClassic, memory.ClaudeCode, memory.Generic}, "', '"))
			}
			opts.Dir = c.Args().First()
			return run(c.Context, env, opts)
		},
	}
}

func runInit(ctx context.Context, env *Env, opts initOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	dir, err := env.initDir(ctx, opts.Dir)
	if err != nil {
		return err
	}
	binary, err := env.Executable()
	if err != nil {
		return err
	}
	if opts.Import != "" {
		opts.Import = env.Abs(opts.Import)
	}
	res, err := agent.Init(ctx, env.Git(), caller, agent.InitOptions{
		Dir: dir, Host: opts.Host, Layout: opts.Layout, Team: opts.Team, NoTags: opts.NoTags, Import: opts.Import,
		Binary: binary, DryRun: opts.DryRun, NoHooks: opts.NoHooks,
	})
	if res == nil || res.Plan == nil {
		return err
	}
	if res.Workspace != nil {
		defer func() { _ = res.Workspace.Repo.Close() }()
	}
	if err != nil {
		return err
	}
	switch {
	case env.Opt.JSON:
		err = writeJSON(env.Out, "claw.init/1", initLine(dir, res))
	case opts.DryRun:
		printInitPlan(env, dir, res, opts.NoHooks)
	default:
		printInit(env, dir, res)
	}
	if err != nil || opts.DryRun || res.Baseline == nil {
		return err
	}
	return heldBack(res.Baseline)
}

// initDir is the folder to adopt: the one that was named, else the workspace
// that the current directory lies in, else the current directory. A repository
// without any sign of a workspace is not adopted from a folder deep inside it.
func (e *Env) initDir(ctx context.Context, named string) (string, error) {
	switch {
	case named != "":
		return e.Abs(named), nil
	case e.Opt.Workspace != "":
		return e.Opt.Workspace, nil
	}
	ws, done, err := e.Workspace(ctx)
	if errors.Is(err, gitops.ErrNotRepository) {
		return e.Dir, nil
	}
	if err != nil {
		return "", err
	}
	defer done()
	signs := []string{"AGENTS.md", "SOUL.md", "MEMORY.md", "CLAUDE.md"}
	if ws.Adopted || slices.ContainsFunc(signs, func(name string) bool {
		_, err := os.Stat(filepath.Join(ws.Root, name))
		return err == nil
	}) {
		return ws.Root, nil
	}
	return e.Dir, nil
}

// printInitPlan is the answer to --dry-run.
func printInitPlan(env *Env, dir string, res *agent.InitResult, hookless bool) {
	w := env.Out
	if res.NewRepo {
		fmt.Fprintf(w, "would make a git repository in '%s'\n", term.Escape(dir))
		if !res.Plan.Fresh {
			fmt.Fprintln(w, "would record what is here")
		}
	}
	if res.Baseline != nil {
		for _, s := range res.Baseline.Commits {
			fmt.Fprintf(w, "would record what is here (%s): %s\n", count(len(s.Paths), "file"), escapeAll(s.Paths))
		}
		for _, s := range res.Baseline.Skipped {
			fmt.Fprintf(w, "would leave out %s: %s\n", term.Escape(place(s)), term.Escape(s.Reason))
		}
	}
	for _, f := range res.Plan.Files {
		fmt.Fprintf(w, "would %s %s: %s\n", initVerb(f), term.Escape(f.Path), term.Escape(initWhy(res, f)))
		if f.Existed || strings.HasPrefix(path.Base(f.Path), ".") || strings.HasPrefix(f.Path, ".claw/") {
			for line := range strings.Lines(string(bytes.TrimPrefix(f.New, f.Old))) {
				fmt.Fprintf(w, "  + %s\n", show1(strings.TrimSuffix(line, "\n")))
			}
		}
	}
	for _, h := range res.Hooks {
		if h.Add != "" {
			fmt.Fprintf(w, "would leave hook '%s' as it is: %s\n", h.Hook, term.Escape(h.Reason))
		} else {
			fmt.Fprintf(w, "would install hook '%s'\n", h.Hook)
		}
	}
	if res.NewRepo && !hookless {
		fmt.Fprintln(w, "would install the git hooks")
	}
	for _, m := range res.Merge {
		fmt.Fprintf(w, "would add %s\n", term.Escape(m))
	}
	if res.NewRepo {
		fmt.Fprintln(w, "would have git merge memory by entry")
	}
	switch {
	case len(res.Plan.Files) == 0:
		fmt.Fprintln(w, "nothing to change")
	case res.Plan.Fresh:
		fmt.Fprintf(w, "would make '%s' a workspace for host %s\n", term.Escape(dir), res.Plan.Host)
	case res.Workspace == nil || !res.Workspace.Adopted:
		fmt.Fprintf(w, "would adopt '%s' for host %s\n", term.Escape(dir), res.Plan.Host)
	}
	printNotices(env, res)
}

// initWhy says why a file is written, and when it stays out of git.
func initWhy(res *agent.InitResult, f memory.PlannedFile) string {
	if res.Plan.Ignores(f.Path) {
		return f.Why + "; the team's repository ignores it"
	}
	return f.Why
}

func initVerb(f memory.PlannedFile) string {
	if f.Existed {
		return "add lines to"
	}
	return "add"
}

func printInit(env *Env, dir string, res *agent.InitResult) {
	if res.NewRepo {
		env.Confirm("made a git repository in '%s'", term.Escape(dir))
	}
	if res.Baseline != nil {
		for _, s := range res.Baseline.Commits {
			env.Confirm("recorded what was here (%s) in %s", count(len(s.Paths), "file"), s.Commit.Short())
		}
		for _, s := range res.Baseline.Skipped {
			env.Warn(place(s) + ": " + s.Reason)
		}
	}
	for _, f := range res.Plan.Files {
		verb := "added"
		if f.Existed {
			verb = "added lines to"
		}
		env.Confirm("%s %s: %s", verb, term.Escape(f.Path), term.Escape(initWhy(res, f)))
	}
	switch {
	case res.Commit.IsZero() && len(res.Plan.Files) == 0:
		env.Confirm("'%s' is a workspace already; nothing changed", term.Escape(dir))
	case res.Plan.Fresh:
		env.Confirm("made '%s' a workspace for host %s, in %s", term.Escape(dir), res.Plan.Host, res.Commit.Short())
	case res.Updated:
		env.Confirm("brought '%s' up to date, in %s", term.Escape(dir), res.Commit.Short())
	default:
		env.Confirm("adopted '%s' for host %s, in %s", term.Escape(dir), res.Plan.Host, res.Commit.Short())
	}
	for _, h := range res.Hooks {
		if h.Action != githook.Unchanged {
			printHookResult(env, h)
		}
	}
	for _, m := range res.Merge {
		env.Confirm("added %s", term.Escape(m))
	}
	printNotices(env, res)
}

func printNotices(env *Env, res *agent.InitResult) {
	for _, s := range res.Plan.Skipped {
		env.Warn("not imported: " + s.Path + ": " + s.Reason)
	}
	for _, n := range res.Notices {
		env.Confirm("note: %s", term.Escape(n))
	}
}

type initJSON struct {
	Root     string           `json:"root"`
	NewRepo  bool             `json:"newRepo"`
	Fresh    bool             `json:"fresh"`
	Host     string           `json:"host"`
	Profiles []string         `json:"profiles"`
	Files    []initFileJSON   `json:"files"`
	Commit   *string          `json:"commit"`
	Baseline []savedJSON      `json:"baseline"`
	Hooks    []hookResultJSON `json:"hooks"`
	Merge    []string         `json:"merge"`
	Skipped  []skippedJSON    `json:"skipped"`
	Notices  []string         `json:"notices"`
}

type initFileJSON struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Why     string `json:"why"`
}

func initLine(dir string, res *agent.InitResult) initJSON {
	line := initJSON{
		Root: dir, NewRepo: res.NewRepo, Fresh: res.Plan.Fresh, Host: res.Plan.Host, Profiles: []string{},
		Files: []initFileJSON{}, Baseline: []savedJSON{}, Hooks: []hookResultJSON{}, Skipped: []skippedJSON{},
		Merge: list(res.Merge), Notices: list(res.Notices),
	}
	for _, p := range res.Plan.Profiles {
		line.Profiles = append(line.Profiles, string(p))
	}
	for _, f := range res.Plan.Files {
		line.Files = append(line.Files, initFileJSON{f.Path, f.Existed, f.Why})
	}
	if !res.Commit.IsZero() {
		id := res.Commit.String()
		line.Commit = &id
	}
	if res.Baseline != nil {
		for _, s := range res.Baseline.Commits {
			saved := savedLine(s)
			saved.Skipped = []skippedJSON{}
			line.Baseline = append(line.Baseline, saved)
		}
		for _, s := range res.Baseline.Skipped {
			line.Skipped = append(line.Skipped, skippedJSON{s.Path, s.Line, s.Reason})
		}
	}
	for _, s := range res.Plan.Skipped {
		line.Skipped = append(line.Skipped, skippedJSON{Path: s.Path, Reason: s.Reason})
	}
	for _, h := range res.Hooks {
		line.Hooks = append(line.Hooks, hookResultLine(h))
	}
	return line
}
