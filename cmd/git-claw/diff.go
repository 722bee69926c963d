package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type diffOptions struct {
	Paths    []string
	L1       bool
	Since    string
	To       string
	ExitCode bool
}

func newDiffCommand(env *Env, run func(context.Context, *Env, diffOptions) error) *cli.Command {
	var opts diffOptions
	return &cli.Command{
		Name:      "diff",
		Category:  categoryHistory,
		Usage:     "show changes by entry",
		ArgsUsage: "[<path>...]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "l1", Usage: "rule files only, since the last checkpoint", Destination: &opts.L1},
			&cli.StringFlag{Name: "since", Usage: "compare with this id, commit or date", Destination: &opts.Since},
			&cli.StringFlag{Name: "to", Usage: "compare up to this id or commit, not to the files", Destination: &opts.To},
			&cli.BoolFlag{Name: "exit-code", Usage: "exit with 1 when something differs", Destination: &opts.ExitCode},
		},
		Action: func(c *cli.Context) error {
			opts.Paths = c.Args().Slice()
			return run(c.Context, env, opts)
		},
	}
}

func runDiff(ctx context.Context, env *Env, opts diffOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	paths, err := env.relPaths(ws, opts.Paths)
	if err != nil {
		return err
	}
	res, err := agent.Diff(ctx, ws, agent.DiffOptions{
		Since: opts.Since, To: opts.To, L1: opts.L1, Paths: paths, Kind: env.Opt.SessionKind,
	})
	if err != nil {
		return err
	}
	some := false
	if env.Opt.JSON {
		for f, err := range res.Files {
			if err != nil {
				return err
			}
			some = true
			if err := writeJSON(env.Out, "claw.diff/1", fileLine(f)); err != nil {
				return err
			}
		}
	} else {
		notAdopted(env, ws)
		err = env.Page(ctx, config(ctx, ws), func(w io.Writer, style term.Style) error {
			if opts.L1 && opts.Since == "" {
				fmt.Fprintf(w, "%s\n\n", style.Dim("rules since "+res.Since+" "+res.Base.Short()))
			}
			var err error
			some, err = diffPrinter{w: w, style: style}.files(res.Files)
			return err
		})
	}
	withheld(env, res.Withheld)
	if err == nil && some && opts.ExitCode {
		err = exitStatus(exitNo)
	}
	return err
}

// withheld says that this kind of session does not see everything.
func withheld(env *Env, files int) {
	if files > 0 {
		env.Confirm("not shown in a session of kind '%[2]s': %[1]s", count(files, "private file"), term.Escape(env.Opt.SessionKind))
	}
}
