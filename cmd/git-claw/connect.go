package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

type connectOptions struct {
	Host   string // empty: list the hosts
	Print  bool
	Yes    bool
	Remove bool
	User   bool
}

func newConnectCommand(env *Env, run func(context.Context, *Env, connectOptions) error) *cli.Command {
	var opts connectOptions
	return &cli.Command{
		Name:      "connect",
		Category:  categoryStart,
		Usage:     "wire the host's events, so that nobody has to save",
		ArgsUsage: "[<host>]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "print", Usage: "only show what would be changed", Destination: &opts.Print},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask", Destination: &opts.Yes},
			&cli.BoolFlag{Name: "remove", Usage: "take it out again", Destination: &opts.Remove},
			&cli.BoolFlag{Name: "user", Usage: "Claude Code: in the user's settings, for all projects", Destination: &opts.User},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			opts.Host = c.Args().First()
			return run(c.Context, env, opts)
		},
	}
}

func runConnect(ctx context.Context, env *Env, opts connectOptions) error {
	if opts.Host == "" {
		return listHosts(ctx, env)
	}
	plan, err := planConnect(ctx, env, opts)
	if err != nil {
		return err
	}
	if len(plan.Edits) == 0 {
		env.Confirm("nothing to change for %s", plan.Host)
		return reportPlan(env, plan, false)
	}
	if opts.Print {
		if env.Opt.JSON {
			return reportPlan(env, plan, false)
		}
		if err := showPlan(env.Out, plan, env.Style(nil), 0); err != nil {
			return err
		}
		return printNextSteps(env.Out, plan)
	}
	if !env.Opt.JSON && !env.Opt.Quiet {
		if err := showPlan(env.Err, plan, term.Style{}, maxPlanLines); err != nil {
			return err
		}
	}
	if ok, err := agreed(ctx, env, plan, opts); err != nil || !ok {
		return err
	}
	if err := plan.Apply(); err != nil {
		return err
	}
	for _, e := range plan.Edits {
		verb := "changed"
		switch {
		case e.After == nil:
			verb = "removed"
		case e.Before == nil:
			verb = "wrote"
		}
		env.Confirm("%s '%s'", verb, term.Escape(e.Path))
	}
	return reportPlan(env, plan, true)
}

// agreed asks before something outside of the repository is changed.
func agreed(ctx context.Context, env *Env, plan *connect.Plan, opts connectOptions) (bool, error) {
	outside := false
	for _, e := range plan.Edits {
		outside = outside || e.Outside
	}
	switch {
	case opts.Yes || !outside:
		return true, nil
	case env.Person():
		return env.Ask(ctx, "Make these changes?")
	}
	command := "git claw connect " + plan.Host + " --yes"
	if opts.Remove {
		command += " --remove"
	}
	if opts.User {
		command += " --user"
	}
	return false, &refusal{msg: "files outside of the repository would change, and nobody is here to ask", hints: []string{command}}
}

func planConnect(ctx context.Context, env *Env, opts connectOptions) (*connect.Plan, error) {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if !opts.Remove && !opts.Print {
		if err := ws.RequireAdopted(); err != nil {
			return nil, err
		}
	}
	machine, err := env.machine(ctx, ws)
	if err != nil {
		return nil, err
	}
	plan, err := connect.Make(opts.Host, machine, connect.Options{Remove: opts.Remove, User: opts.User})
	var unknown *connect.UnknownHostError
	if errors.As(err, &unknown) {
		return nil, usagef("%s", unknown.Error()).hint("hosts are '%s'", strings.Join(connect.Hosts(), "', '"))
	}
	return plan, err
}

// machine is what a plan must know beside the workspace.
func (e *Env) machine(ctx context.Context, ws *memory.Workspace) (connect.Env, error) {
	binary, err := e.Executable()
	if err != nil {
		return connect.Env{}, err
	}
	settings := ws.Prefix + ".claude/settings.local.json"
	rules, err := ws.Repo.CheckIgnore(ctx, []string{settings})
	if err != nil {
		return connect.Env{}, err
	}
	_, ignored := rules[settings]
	return connect.Env{
		Environ: e.Environ, Home: e.home(), Binary: binary, Workspace: ws.Root,
		Exclude: filepath.Join(ws.Repo.CommonDir, "info", "exclude"), Prefix: ws.Prefix, Ignored: ignored,
	}, nil
}

// home is the home folder of the user.
func (e *Env) home() string {
	if home := e.Getenv("HOME"); home != "" {
		return home
	}
	return e.Getenv("USERPROFILE")
}

// maxPlanLines is how long a file of our own may be to be shown unasked: the
// plugin of OpenClaw would hide what is to be decided.
const maxPlanLines = 60

// showPlan prints each file with the lines that go and come. A file that comes
// or goes as a whole and has more than limit lines is counted instead; 0 is no
// limit.
func showPlan(w io.Writer, plan *connect.Plan, style term.Style, limit int) error {
	for _, e := range plan.Edits {
		if _, err := fmt.Fprintf(w, "%s: %s\n", style.Bold(term.Escape(e.Path)), term.Escape(e.Why)); err != nil {
			return err
		}
		before, after := doc.SplitLines(e.Before), doc.SplitLines(e.After)
		if n := len(before) + len(after); limit > 0 && n > limit && (e.Before == nil || e.After == nil) {
			sign, option := "+", ""
			if e.After == nil {
				sign, option = "-", " --remove"
			}
			fmt.Fprintf(w, "  %s %d lines; 'git claw connect %s%s --print' shows them\n", sign, n, plan.Host, option)
			continue
		}
		for _, h := range doc.LineDiff(e.Before, e.After) {
			for _, line := range before[h.OldFrom:h.OldTo] {
				fmt.Fprintf(w, "  %s\n", style.Red("- "+planLine(line)))
			}
			for _, line := range after[h.NewFrom:h.NewTo] {
				fmt.Fprintf(w, "  %s\n", style.Green("+ "+planLine(line)))
			}
		}
	}
	return nil
}

func planLine(line []byte) string { return show1(strings.TrimSuffix(string(line), "\n")) }

// printNextSteps prints what is left for the person.
func printNextSteps(w io.Writer, plan *connect.Plan) error {
	for _, note := range plan.Notes {
		fmt.Fprintf(w, "note: %s\n", term.Escape(note))
	}
	for _, command := range plan.Next {
		if _, err := fmt.Fprintf(w, "then run: %s\n", term.Escape(command)); err != nil {
			return err
		}
	}
	return nil
}

type connectJSON struct {
	Host    string            `json:"host"`
	Applied bool              `json:"applied"`
	Edits   []connectEditJSON `json:"edits"`
	Next    []string          `json:"next"`
	Notes   []string          `json:"notes"`
}

type connectEditJSON struct {
	Path    string  `json:"path"`
	Why     string  `json:"why"`
	Outside bool    `json:"outside"`
	Before  *string `json:"before"` // null: there was no file
	After   *string `json:"after"`  // null: it goes
}

func reportPlan(env *Env, plan *connect.Plan, applied bool) error {
	if !env.Opt.JSON {
		if env.Opt.Quiet {
			return nil
		}
		return printNextSteps(env.Err, plan)
	}
	line := connectJSON{Host: plan.Host, Applied: applied, Edits: []connectEditJSON{}, Next: list(plan.Next), Notes: list(plan.Notes)}
	for _, e := range plan.Edits {
		line.Edits = append(line.Edits, connectEditJSON{e.Path, e.Why, e.Outside, text(e.Before), text(e.After)})
	}
	return writeJSON(env.Out, "claw.connect/1", line)
}

func text(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}
