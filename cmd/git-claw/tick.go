package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/learn"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type tickOptions struct{}

func newTickCommand(env *Env, run func(context.Context, *Env, tickOptions) error) *cli.Command {
	return &cli.Command{
		Name:     "tick",
		Category: categoryWiring,
		Usage:    "do the periodic work",
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			return run(c.Context, env, tickOptions{})
		},
	}
}

// tickJSON is the answer of tick --json.
type tickJSON struct {
	OK      bool     `json:"ok"` // there was nothing to do
	Actions []string `json:"actions"`
	Commits []string `json:"commits"`
	Waiting int      `json:"waiting"` // candidates that can be asked about
	Ask     bool     `json:"ask"`     // so many that it is time to
	Broken  []string `json:"broken"`  // files that cannot be read
}

func runTick(ctx context.Context, env *Env, _ tickOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	got, err := learn.Tick(ctx, ws, caller)
	if got == nil {
		return err
	}
	if env.Opt.JSON {
		line := tickJSON{OK: len(got.Actions) == 0 && err == nil, Actions: list(got.Actions), Commits: []string{}, Waiting: got.Waiting, Ask: got.Full, Broken: list(got.Skipped)}
		for _, s := range got.Save.Commits {
			line.Commits = append(line.Commits, s.Commit.String())
		}
		if werr := writeJSON(env.Out, "claw.tick/1", line); err == nil {
			err = werr
		}
		return err
	}
	for _, s := range got.Save.Commits {
		tellSaved(env, s)
	}
	warnSkipped(env, got.Save.Skipped)
	for _, what := range got.Skipped {
		env.Warn("left as it is: "+what, "git claw health --only PRF-003,PRF-004")
	}
	for _, what := range got.Actions {
		fmt.Fprintln(env.Out, term.Escape(what))
	}
	if err != nil {
		return err
	}
	if len(got.Actions) == 0 {
		fmt.Fprintln(env.Out, "HEARTBEAT_OK")
	}
	if got.Full {
		env.Confirm("%d candidates came up often; to ask about them: git claw candidate ask", got.Waiting)
	}
	return nil
}
