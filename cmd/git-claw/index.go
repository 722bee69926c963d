package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory/index"
)

type indexOptions struct {
	Do string // status, update, rebuild or drop
}

func newIndexCommand(env *Env, run func(context.Context, *Env, indexOptions) error) *cli.Command {
	sub := func(name, usage string) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Category: categoryFind,
			Action: func(c *cli.Context) error {
				if err := operands(c, 0, 0); err != nil {
					return err
				}
				return run(c.Context, env, indexOptions{Do: name})
			},
		}
	}
	status := sub("status", "show what the search index holds")
	return &cli.Command{
		Name:     "index",
		Category: categoryFind,
		Usage:    "show, update or drop the search index",
		Action:   status.Action,
		Subcommands: []*cli.Command{
			status,
			sub("update", "bring it up to date"),
			sub("rebuild", "make it anew"),
			sub("drop", "remove it; the next search makes it again"),
		},
	}
}

// indexJSON is the answer of index --json. Size is in bytes.
type indexJSON struct {
	Commit  string `json:"commit"`
	Notes   int    `json:"notes"`
	Chunks  int    `json:"chunks"`
	Parts   int    `json:"parts"`
	Size    int64  `json:"size"`
	Pending int    `json:"pending"`
	Path    string `json:"path"`
	Indexed int    `json:"indexed"`

	Embedded int `json:"embedded"`
}

func runIndex(ctx context.Context, env *Env, opts indexOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	var state *agent.IndexState
	switch opts.Do {
	case "drop":
		if err := agent.IndexDrop(ws); err != nil {
			return err
		}
		env.Confirm("the search index is removed")
		return nil
	case "update", "rebuild":
		progress := env.Progress("indexing")
		state, err = agent.IndexUpdate(ctx, ws, index.Options{
			Rebuild: opts.Do == "rebuild", Clock: tick, Progress: progress.Update,
			Warn: func(f string, a ...any) { env.Warn(fmt.Sprintf(f, a...)) },
		})
		progress.Done()
	default:
		state, err = agent.IndexStatus(ctx, ws)
	}
	if err != nil {
		return err
	}
	return printIndex(env, state, opts.Do != "status")
}

func printIndex(env *Env, s *agent.IndexState, did bool) error {
	if env.Opt.JSON {
		return writeJSON(env.Out, "claw.index/1", indexJSON{
			Commit: s.Commit.String(), Notes: s.Notes, Chunks: s.Chunks, Parts: s.Parts, Size: s.Bytes,
			Pending: s.Pending, Path: s.Dir, Indexed: s.Indexed, Embedded: s.Embedded,
		})
	}
	if did {
		env.Confirm("%d notes indexed", s.Indexed)
		if s.Embedded > 0 {
			env.Confirm("%d chunks embedded", s.Embedded)
		}
	}
	fmt.Fprintf(env.Out, "notes    %d in %d chunks\n", s.Notes, s.Chunks)
	if !s.Commit.IsZero() {
		fmt.Fprintf(env.Out, "commit   %s\n", s.Commit.Short())
	}
	fmt.Fprintf(env.Out, "pending  %d\n", s.Pending)
	_, err := fmt.Fprintf(env.Out, "size     %d bytes in %s\n", s.Bytes, term.Escape(s.Dir))
	return err
}
