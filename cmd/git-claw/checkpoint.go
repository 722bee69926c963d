package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/curate"
)

type checkpointOptions struct {
	Lines  []string // "-" alone, or nothing, is standard input
	DryRun bool
}

func newCheckpointCommand(env *Env, run func(context.Context, *Env, checkpointOptions) error) *cli.Command {
	var opts checkpointOptions
	return &cli.Command{
		Name:      "checkpoint",
		Category:  categoryRecord,
		Usage:     "route what a session leaves behind to where it belongs",
		ArgsUsage: "[<class>: <text>... | -]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			opts.Lines = c.Args().Slice()
			if len(opts.Lines) == 0 {
				if env.InTTY {
					return usagef("there is nothing to keep").hint("git claw checkpoint 'done: <text>' 'rule: <text>', or '-' for standard input")
				}
				opts.Lines = []string{"-"}
			}
			return run(c.Context, env, opts)
		},
	}
}

func runCheckpoint(ctx context.Context, env *Env, opts checkpointOptions) error {
	text := strings.Join(opts.Lines, "\n")
	if text == "-" {
		var err error
		if text, err = textOf(ctx, env, opts.Lines, "the checkpoint"); err != nil {
			return err
		}
	}
	entries, err := curate.ParseEntries(text)
	if err != nil {
		return err
	}
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	res, err := curate.Checkpoint(ctx, ws, caller, curate.CheckpointOptions{Entries: entries, DryRun: opts.DryRun})
	if res == nil {
		return err
	}
	if res.Proposal != nil {
		if perr := printProposal(ctx, env, ws, res.Proposal); err == nil {
			err = perr
		}
	}
	if opts.DryRun && len(res.Rules) > 0 && !env.Opt.JSON {
		fmt.Fprintf(env.Out, "would change rules: %s\n", escapeAll(res.Rules))
	}
	if res.Proposal != nil && len(res.Save.Commits) == 0 && len(res.Save.Skipped) == 0 {
		return err // all of it waits
	}
	return finishSave(env, res.Save, err, opts.DryRun)
}
