package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
)

type noteOptions struct {
	Words []string // the text; "-" alone is standard input

	Topic     string
	Reference string
	State     bool
	Close     bool
	Merge     string
	DryRun    bool
}

func newNoteCommand(env *Env, run func(context.Context, *Env, noteOptions) error) *cli.Command {
	var opts noteOptions
	return &cli.Command{
		Name:      "note",
		Category:  categoryRecord,
		Usage:     "write something down and commit it",
		ArgsUsage: "<text>|-",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "topic", Usage: "a breadcrumb on this topic, not today's note", Destination: &opts.Topic},
			&cli.StringFlag{Name: "reference", Usage: "a reference of this name", Destination: &opts.Reference},
			&cli.BoolFlag{Name: "state", Usage: "a line of MEMORY.md", Destination: &opts.State},
			&cli.BoolFlag{Name: "close", Usage: "write the closure block of today's note", Destination: &opts.Close},
			&cli.StringFlag{Name: "merge", Usage: "unite the notes of a day", Destination: &opts.Merge},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			opts.Words = c.Args().Slice()
			return run(c.Context, env, opts)
		},
	}
}

// maxNote bounds what is read from standard input, in bytes.
const maxNote = 1 << 20

func runNote(ctx context.Context, env *Env, opts noteOptions) error {
	text, err := textOf(ctx, env, opts.Words, "the note")
	if err != nil {
		return err
	}
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.WorkspaceToSave(ctx)
	if err != nil {
		return err
	}
	defer done()
	res, err := agent.Note(ctx, ws, caller, agent.NoteOptions{
		Text: text, Topic: opts.Topic, Reference: opts.Reference, State: opts.State,
		Close: opts.Close, Merge: opts.Merge, DryRun: opts.DryRun,
	})
	return finishSave(env, res, err, opts.DryRun)
}
