package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type undoOptions struct {
	Target string // empty: offer the agent's last change
	DryRun bool
}

func newUndoCommand(env *Env, run func(context.Context, *Env, undoOptions) error) *cli.Command {
	var opts undoOptions
	return &cli.Command{
		Name:      "undo",
		Category:  categoryHistory,
		Usage:     "take one change back",
		ArgsUsage: "[<claw-id>|<commit>]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be taken back", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			opts.Target = c.Args().First()
			return run(c.Context, env, opts)
		},
	}
}

func runUndo(ctx context.Context, env *Env, opts undoOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.WorkspaceToSave(ctx)
	if err != nil {
		return err
	}
	defer done()
	if opts.Target == "" {
		if opts.Target, err = offerUndo(ctx, env, ws, caller); err != nil || opts.Target == "" {
			return err
		}
	}
	res, err := agent.Undo(ctx, ws, caller, agent.UndoOptions{Target: opts.Target, DryRun: opts.DryRun, Propose: proposal.InPlace})
	if res == nil {
		return err
	}
	if perr := printUndone(env, res, opts.DryRun); err == nil {
		err = perr
	}
	return err
}

// offerUndo proposes the agent's last change. Without somebody to ask it only
// tells the command (SPEC GN-09).
func offerUndo(ctx context.Context, env *Env, ws *memory.Workspace, caller agent.Caller) (string, error) {
	if err := ws.RequireAdopted(); err != nil {
		return "", err
	}
	last, err := agent.LastAgentChange(ctx, ws)
	if err != nil {
		return "", err
	}
	if last == nil {
		return "", &refusal{msg: "the agent changed nothing that could be undone", hints: []string{"run 'git claw log' to see what there is"}}
	}
	if !env.Person() {
		return "", &refusal{
			msg:   fmt.Sprintf("say what to undo; the agent's last change is '%s', %s", last.ID, last.Subject),
			hints: []string{"git claw undo " + last.ID},
		}
	}
	fmt.Fprintf(env.Err, "%s  %s  %s\n  %s\n", last.ID, last.Date.Format("2006-01-02 15:04"), term.Escape(last.Subject), escapeAll(last.Paths))
	would, err := agent.Undo(ctx, ws, caller, agent.UndoOptions{Target: last.ID, DryRun: true})
	if err != nil {
		return "", err // what cannot be done is not asked for
	}
	if err := printFiles(env.Err, term.Style{}, would.Files); err != nil {
		return "", err
	}
	if yes, err := env.Ask(ctx, "Take this change back?"); err != nil || !yes {
		return "", err
	}
	return last.ID, nil
}

// printFiles shows what an undo does to the files as they are now.
func printFiles(w io.Writer, style term.Style, files []agent.FileDiff) error {
	for _, f := range files {
		if err := (diffPrinter{w: w, style: style}).file(f); err != nil {
			return err
		}
	}
	return nil
}

type undoneJSON struct {
	savedJSON
	Undoes string     `json:"undoes"`
	Files  []fileJSON `json:"files"`
}

func printUndone(env *Env, res *agent.UndoResult, dry bool) error {
	if env.Opt.JSON {
		line := undoneJSON{savedJSON: savedLine(res.Saved), Undoes: res.Undoes, Files: []fileJSON{}}
		line.Skipped = []skippedJSON{}
		for _, s := range res.Skipped {
			line.Skipped = append(line.Skipped, skippedJSON{Path: s.Path, Line: s.Line, Reason: s.Reason})
		}
		for _, f := range res.Files {
			line.Files = append(line.Files, fileLine(f))
		}
		line.Proposal = res.Proposal
		return writeJSON(env.Out, "claw.undo/1", line)
	}
	if res.Proposal != "" {
		env.Confirm("proposed %s  to take back %s: a person decides (git claw proposal show %[1]s)", res.Proposal, res.Undoes)
		return nil
	}
	if dry {
		fmt.Fprintf(env.Out, "would take back %s: %s\n", res.Undoes, escapeAll(res.Paths))
		if err := printFiles(env.Out, env.Style(nil), res.Files); err != nil {
			return err
		}
	} else {
		env.Confirm("took back %s in %s: %s", res.Undoes, res.Commit.Short(), escapeAll(res.Paths))
	}
	if res.Merge {
		env.Confirm("note: it is a merge, and all that it brought goes with it")
	}
	warnDetached(env, res.SwitchCommand())
	for _, s := range res.Skipped {
		env.Warn(place(s) + ": " + s.Reason)
	}
	return nil
}
