package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/curate"
)

type decideOptions struct {
	Title   string
	Because string
	DryRun  bool
}

func newDecideCommand(env *Env, run func(context.Context, *Env, decideOptions) error) *cli.Command {
	var opts decideOptions
	return &cli.Command{
		Name:      "decide",
		Category:  categoryRecord,
		Usage:     "write down a decision and its reason",
		ArgsUsage: "<title>",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "because", Usage: "the reason", Destination: &opts.Because},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			opts.Title = strings.Join(c.Args().Slice(), " ")
			return run(c.Context, env, opts)
		},
	}
}

func runDecide(ctx context.Context, env *Env, opts decideOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	res, _, err := curate.Decide(ctx, ws, caller, curate.DecideOptions{Title: opts.Title, Because: opts.Because, DryRun: opts.DryRun})
	return finishSave(env, res, err, opts.DryRun)
}
