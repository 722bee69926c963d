package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/curate"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type trimOptions struct {
	Path   string
	DryRun bool
}

func newTrimCommand(env *Env, run func(context.Context, *Env, trimOptions) error) *cli.Command {
	var opts trimOptions
	return &cli.Command{
		Name:      "trim",
		Category:  categoryRecord,
		Usage:     "move what is too much in rule files to today's note",
		ArgsUsage: "[<file>]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would move", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			opts.Path = c.Args().First()
			return run(c.Context, env, opts)
		},
	}
}

func runTrim(ctx context.Context, env *Env, opts trimOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	rel := ""
	if opts.Path != "" {
		if rel, err = env.relPath(ws, opts.Path); err != nil {
			return err
		}
	}
	res, err := curate.Trim(ctx, ws, caller, curate.TrimOptions{Path: rel, DryRun: opts.DryRun})
	if res == nil || err != nil && res.Save == nil {
		return err
	}
	if terr := tellTrimmed(env, res); err == nil {
		err = terr
	}
	saved := res.Save != nil && (len(res.Save.Commits) > 0 || len(res.Save.Skipped) > 0)
	switch {
	case err != nil:
		return err
	case env.Opt.JSON:
		if saved {
			err = heldBack(res.Save)
		}
		return err
	case res.Proposal != nil:
		tellProposed(env, res.Proposal)
		return nil
	case saved:
		return finishSave(env, res.Save, nil, opts.DryRun)
	case len(res.Files) == 0 || res.Files[0].To == "":
		env.Confirm("nothing to trim: each rule file fits")
	}
	return nil
}

// tellTrimmed prints the sizes before and after.
func tellTrimmed(env *Env, res *curate.Trimmed) error {
	if env.Opt.JSON {
		return writeJSON(env.Out, "claw.trim/1", trimmedLine(res))
	}
	for _, f := range res.Files {
		if f.To == "" {
			fmt.Fprintf(env.Out, "%s: ~%d tokens, at most ~%d\n", f.Path, f.Before, f.Limit)
			continue
		}
		fmt.Fprintf(env.Out, "%s: ~%d → ~%d tokens, at most ~%d; the rest to %s\n", f.Path, f.Before, f.After, f.Limit, term.Escape(f.To))
	}
	if len(res.Files) > 0 {
		fmt.Fprintf(env.Out, "all rule files: ~%d → ~%d tokens, less than ~%d is the target\n", res.TotalBefore, res.TotalAfter, res.Target)
	}
	return nil
}

// trimJSON is the answer of 'trim --json'.
type trimJSON struct {
	Files    []trimmedJSON `json:"files"`
	Before   int           `json:"totalBefore"`
	After    int           `json:"totalAfter"`
	Target   int           `json:"target"`
	Commit   *string       `json:"commit"`
	Proposal string        `json:"proposal"`
}

type trimmedJSON struct {
	Path   string `json:"path"`
	Before int    `json:"before"`
	After  int    `json:"after"`
	Limit  int    `json:"limit"`
	To     string `json:"to"`
}

func trimmedLine(res *curate.Trimmed) trimJSON {
	line := trimJSON{Files: []trimmedJSON{}, Before: res.TotalBefore, After: res.TotalAfter, Target: res.Target}
	for _, f := range res.Files {
		line.Files = append(line.Files, trimmedJSON(f))
	}
	if res.Save != nil && len(res.Save.Commits) > 0 {
		line.Commit = savedLine(res.Save.Commits[len(res.Save.Commits)-1]).Commit
	}
	if res.Proposal != nil {
		line.Proposal = res.Proposal.ID
	}
	return line
}
