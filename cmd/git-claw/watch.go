package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type watchOptions struct {
	Poll time.Duration
}

func newWatchCommand(env *Env, run func(context.Context, *Env, watchOptions) error) *cli.Command {
	var opts watchOptions
	return &cli.Command{
		Name:     "watch",
		Category: categoryRecord,
		Usage:    "save after each quiet moment until interrupted",
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "poll", Usage: "look this often instead of being told by the system", Destination: &opts.Poll},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 0); err != nil {
				return err
			}
			if c.IsSet("poll") && opts.Poll <= 0 {
				return usagef("'%s' is no value of option '--poll'", opts.Poll)
			}
			return run(c.Context, env, opts)
		},
	}
}

// runWatch ends with 0 when a signal ends it: that is how a watch is meant to
// end.
func runWatch(ctx context.Context, env *Env, opts watchOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	if env.Opt.Actor == "" {
		caller.Actor = agent.Unknown // nobody said who writes (SPEC GN-07)
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := ws.RequireAdopted(); err != nil {
		return err
	}
	env.Confirm("watching '%s'; end it with Ctrl-C", term.Escape(ws.Root))
	return agent.Watch(ctx, ws, caller, agent.WatchOptions{
		Quiet: ws.Settings.Duration("watch.debounceMs"),
		Poll:  opts.Poll,
		Saved: func(res *agent.SaveResult, err error) { watched(env, res, err) },
		Told:  func(what string) { env.Warn(what) },
	})
}

// watched reports one save of a watch, which goes on whatever became of it.
func watched(env *Env, res *agent.SaveResult, err error) {
	if res != nil && (len(res.Commits) > 0 || len(res.Skipped) > 0) {
		_ = printSaved(env, res, false)
	}
	if err != nil {
		env.Warn(err.Error(), hintsOf(err)...)
	}
}
