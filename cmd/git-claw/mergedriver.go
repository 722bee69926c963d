package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

// exitNoMerge tells git that there is no result at all: above 128 it ends the merge instead of leaving
// one side in the file.
const exitNoMerge = 255

type mergeDriverOptions struct {
	Marker int
	File   agent.MergeFile
}

// newMergeDriverCommand is called by git, by the line that init writes into the configuration.
func newMergeDriverCommand(env *Env, run func(context.Context, *Env, mergeDriverOptions) error) *cli.Command {
	var opts mergeDriverOptions
	return &cli.Command{
		Name:      "merge-driver",
		Category:  categoryWiring,
		Usage:     "merge one file of memory for git",
		ArgsUsage: "<base> <ours> <theirs> <path>",
		Hidden:    true,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "marker-size", Usage: "length of conflict markers", Destination: &opts.Marker},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 4, 4); err != nil {
				return err
			}
			a := c.Args().Slice()
			opts.File = agent.MergeFile{Base: a[0], Ours: a[1], Theirs: a[2], Path: a[3], Marker: opts.Marker}
			return run(c.Context, env, opts)
		},
	}
}

func runMergeDriver(ctx context.Context, env *Env, opts mergeDriverOptions) error {
	conflicts, overruled, err := agent.MergeDriver(ctx, env.Git(), opts.File)
	if n := len(overruled); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		env.Warn("both sides set a value, and the newer one stays: " + term.Escape(overruled[0].String()) + more)
	}
	var lost *agent.LostMergeError
	switch {
	case errors.As(err, &lost):
		env.Warn(oneLine(err))
		return exitStatus(exitNoMerge)
	case err != nil:
		where := "both sides are in '" + opts.File.Path + "', between conflict markers"
		if opts.File.Whole() {
			where = "one version stays in '" + opts.File.Path + "', unmerged"
		}
		env.Warn(oneLine(err), where)
		return exitStatus(exitNo)
	case conflicts && opts.File.Whole():
		env.Warn("'"+opts.File.Path+"' cannot be merged as JSON: one version stays in it, unmerged",
			"the other one: git show :3:"+shellQuote(opts.File.Path), "a merge is ended by: git claw sync")
		return exitStatus(exitNo)
	case conflicts:
		return exitStatus(exitNo) // git says where
	}
	return nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
