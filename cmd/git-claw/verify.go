package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/curate"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type verifyOptions struct {
	Path     string
	Evidence string
	DryRun   bool
}

func newVerifyCommand(env *Env, run func(context.Context, *Env, verifyOptions) error) *cli.Command {
	var opts verifyOptions
	return &cli.Command{
		Name:      "verify",
		Category:  categoryRecord,
		Usage:     "say that a note was checked and still holds",
		ArgsUsage: "<file>",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "evidence", Usage: "what was looked at", Destination: &opts.Evidence},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 1, 1); err != nil {
				return err
			}
			opts.Path = c.Args().First()
			return run(c.Context, env, opts)
		},
	}
}

func runVerify(ctx context.Context, env *Env, opts verifyOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	rel, err := env.relPath(ws, opts.Path)
	if err != nil {
		return err
	}
	res, err := curate.Verify(ctx, ws, caller, curate.VerifyOptions{Path: rel, Evidence: opts.Evidence, DryRun: opts.DryRun})
	if err == nil && len(res.Commits) == 0 && len(res.Skipped) == 0 && !env.Opt.JSON {
		env.Confirm("'%s' was verified today already", term.Escape(rel))
		return nil
	}
	return finishSave(env, res, err, opts.DryRun)
}
