package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/curate"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type consolidateOptions struct {
	Since  string
	DryRun bool
}

func newConsolidateCommand(env *Env, run func(context.Context, *Env, consolidateOptions) error) *cli.Command {
	var opts consolidateOptions
	return &cli.Command{
		Name:     "consolidate",
		Category: categoryRecord,
		Usage:    "propose for MEMORY.md what daily notes say that should last",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "from this day on, not from the last time", Destination: &opts.Since},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be proposed", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			return run(c.Context, env, opts)
		},
	}
}

func runConsolidate(ctx context.Context, env *Env, opts consolidateOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	res, err := curate.Consolidate(ctx, ws, caller, curate.ConsolidateOptions{Since: opts.Since, DryRun: opts.DryRun})
	if err != nil {
		return err
	}
	if res.Failed != "" {
		env.Warn("claw.llmCommand was of no use: " + res.Failed)
	}
	switch {
	case res.Waiting != "":
		env.Confirm("the last consolidation waits: git claw proposal show %s", res.Waiting)
	case res.Proposal != nil:
		err = printProposal(ctx, env, ws, res.Proposal)
	case len(res.Lines) == 0 && res.Since != "":
		env.Confirm("nothing to consolidate since %s", res.Since)
	case len(res.Lines) == 0:
		env.Confirm("nothing to consolidate")
	case env.Opt.JSON:
		return writeJSON(env.Out, "claw.consolidate/1", consolidateJSON{res.Since, res.Notes, res.Lines, res.Left, res.Drafted})
	default:
		for _, l := range res.Lines {
			fmt.Fprintln(env.Out, term.Escape(l))
		}
	}
	if res.Left > 0 {
		env.Confirm("%s did not fit", count(res.Left, "more line"))
	}
	return err
}

// consolidateJSON is the answer of 'consolidate --dry-run --json'.
type consolidateJSON struct {
	Since   string   `json:"since"`
	Notes   int      `json:"notes"`
	Lines   []string `json:"lines"`
	Left    int      `json:"left"`
	Drafted bool     `json:"drafted"`
}
