package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/hooks/payload"
)

type hooksOptions struct {
	Do   string   // install, uninstall, status or run
	Name string   // for run: a git hook or a host
	Args []string // for run: what git or the host calls it with
}

func newHooksCommand(env *Env, run func(context.Context, *Env, hooksOptions) error) *cli.Command {
	sub := func(name, usage string) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Category: categoryWiring,
			Action: func(c *cli.Context) error {
				if err := operands(c, 0, 0); err != nil {
					return err
				}
				return run(c.Context, env, hooksOptions{Do: name})
			},
		}
	}
	status := sub("status", "show the git hooks")
	return &cli.Command{
		Name:     "hooks",
		Category: categoryWiring,
		Usage:    "install or remove the git hooks",
		Action:   status.Action,
		Subcommands: []*cli.Command{
			sub("install", "install them beside those that are there"),
			sub("uninstall", "take them out again"),
			status,
			{
				Name: "run", Usage: "do the work of a hook", ArgsUsage: "<hook>|<host> [<argument>...]",
				Category: categoryWiring, Hidden: true,
				Action: func(c *cli.Context) error {
					if err := operands(c, 1, -1); err != nil {
						return err
					}
					return run(c.Context, env, hooksOptions{Do: "run", Name: c.Args().First(), Args: c.Args().Tail()})
				},
			},
		},
	}
}

func runHooks(ctx context.Context, env *Env, opts hooksOptions) error {
	if opts.Do == "run" {
		return runHook(ctx, env, opts.Name, opts.Args)
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	binary, err := env.Executable()
	if err != nil {
		return err
	}
	if opts.Do == "status" {
		list, err := agent.HookStatus(ctx, ws, binary)
		if err != nil {
			return err
		}
		return printHookStatus(env, list)
	}
	var results []githook.Result
	if opts.Do == "install" {
		if err := ws.RequireAdopted(); err != nil {
			return err
		}
		results, err = agent.InstallHooks(ctx, ws, binary)
	} else {
		results, err = agent.RemoveHooks(ctx, ws)
	}
	left := 0
	for _, r := range results {
		if r.Action == githook.Skipped {
			left++
		}
		if env.Opt.JSON {
			if werr := writeJSON(env.Out, "claw.hooks/1", hookResultLine(r)); err == nil {
				err = werr
			}
			continue
		}
		printHookResult(env, r)
	}
	if err == nil && left > 0 {
		err = &refusal{msg: "a hook was left as it is"}
	}
	return err
}

// printHookResult tells what was done with a hook, and what to do by hand where
// it was left alone.
func printHookResult(env *Env, r githook.Result) {
	if r.Action != githook.Skipped {
		env.Confirm("%s hook '%s'", r.Action, r.Hook)
		return
	}
	env.Warn(fmt.Sprintf("hook '%s' was left as it is: %s", r.Hook, r.Reason), advice(r.Status)...)
}

func advice(s githook.Status) []string {
	var out []string
	if s.Add != "" {
		out = append(out, fmt.Sprintf("add to '%s':\n%s", s.AddTo, s.Add))
	}
	if s.Next != "" {
		out = append(out, s.Next)
	}
	return out
}

func printHookStatus(env *Env, list []githook.Status) error {
	style := env.Style(nil)
	for _, s := range list {
		if env.Opt.JSON {
			if err := writeJSON(env.Out, "claw.hooks/1", hookResultLine(githook.Result{Status: s})); err != nil {
				return err
			}
			continue
		}
		text := string(s.State)
		if s.Chained {
			text += ", in a script of somebody else"
		}
		if s.Manager != "" {
			text += ", " + s.Manager
		}
		if s.Reason != "" {
			text += ": " + s.Reason
		}
		fmt.Fprintf(env.Out, "%s  %s\n", style.Bold(s.Hook), term.Escape(text))
		env.hints(advice(s))
	}
	return nil
}

// runHook does the work of a git hook, or of a hook of a host, which tells on
// standard input what happened. Where nothing was adopted it is silent, for
// hooks of a user's settings run everywhere. It prints nothing on standard
// output: Claude Code would take it for context.
func runHook(ctx context.Context, env *Env, name string, args []string) error {
	switch name {
	case githook.PreCommit:
		return runPreCommit(ctx, env)
	case githook.PrepareMsg:
		return runPrepareMsg(ctx, env, args)
	}
	if githook.After(name) {
		return runAfter(ctx, env, name, args)
	}
	if hosts := append(connect.Hosts(), "generic"); !slices.Contains(hosts, name) {
		return usagef("unknown hook or host '%s'", name).hint("hosts are '%s'", strings.Join(hosts, "', '"))
	}
	event, err := payload.Read(env.Stdin(ctx))
	if err != nil && event.Kind == payload.Unknown {
		if ws, done, werr := env.Workspace(ctx); werr == nil {
			defer done()
			if ws.Adopted {
				return err
			}
		}
		return nil // not ours: stay silent
	}
	if event.Idle && event.Kind != payload.Unknown {
		// A session that ends between turns: the agent's work was saved when its
		// turn ended, so this is somebody else's, as at the start of a turn.
		event.Kind = payload.TurnStart
	}
	res, err := agent.Turn(ctx, env.Git(), event, proposal.InPlace)
	if res != nil {
		warnSkipped(env, res.Skipped)
		warnCame(env, res.Commits, false)
		warnDetached(env, res.SwitchCommand())
	}
	return err
}

type hookResultJSON struct {
	Hook    string `json:"hook"`
	Path    string `json:"path"`
	State   string `json:"state"`
	Action  string `json:"action,omitempty"`
	Chained bool   `json:"chained"`
	Manager string `json:"manager"`
	Reason  string `json:"reason"`
	Next    string `json:"next"`
	Add     string `json:"add"`
	AddTo   string `json:"addTo"`
}

func hookResultLine(r githook.Result) hookResultJSON {
	return hookResultJSON{
		Hook: r.Hook, Path: r.Path, State: string(r.State), Action: string(r.Action), Chained: r.Chained,
		Manager: r.Manager, Reason: r.Reason, Next: r.Next, Add: r.Add, AddTo: r.AddTo,
	}
}
