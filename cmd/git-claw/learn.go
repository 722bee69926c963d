package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent/lesson"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type lessonOptions struct {
	Kind  lesson.Kind
	Words []string // the text; "-" alone is standard input

	Key    string
	Task   string
	Pin    bool
	DryRun bool
}

func newLearnCommand(env *Env, run func(context.Context, *Env, lessonOptions) error) *cli.Command {
	return &cli.Command{
		Name:     "learn",
		Category: categoryRecord,
		Usage:    "write down what was learned",
		Action: func(c *cli.Context) error {
			if err := operands(c, 1, 0); err != nil {
				return err
			}
			return nil
		},
		Subcommands: []*cli.Command{
			newCorrectionCommand(env, runCorrection),
			newReflectionCommand(env, runReflection),
			newLessonCommand(env, lesson.Error, "what failed, and why", run),
			newLessonCommand(env, lesson.Lesson, "what was wrong, and the better way", run),
			newLessonCommand(env, lesson.Feature, "what was missing", run),
		},
	}
}

func newLessonCommand(env *Env, kind lesson.Kind, usage string, run func(context.Context, *Env, lessonOptions) error) *cli.Command {
	opts := lessonOptions{Kind: kind}
	return &cli.Command{
		Name:      string(kind),
		Category:  categoryRecord,
		Usage:     usage,
		ArgsUsage: "<text>|-",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "key", Usage: "what it is about, area.symptom", Destination: &opts.Key},
			&cli.StringFlag{Name: "task", Usage: "the task in which it came up", Destination: &opts.Task},
			&cli.BoolFlag{Name: "pin", Usage: "never archive it", Destination: &opts.Pin},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			opts.Words = c.Args().Slice()
			return run(c.Context, env, opts)
		},
	}
}

func runLesson(ctx context.Context, env *Env, opts lessonOptions) error {
	text, err := textOf(ctx, env, opts.Words, "the lesson")
	if err != nil {
		return err
	}
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	got, err := lesson.Capture(ctx, ws, caller, lesson.CaptureOptions{
		Kind: opts.Kind, Text: text, Key: opts.Key, Task: opts.Task, Pin: opts.Pin, DryRun: opts.DryRun,
	})
	if got == nil || got.Save == nil {
		return err
	}
	if env.Opt.JSON {
		if err == nil {
			err = writeJSON(env.Out, "claw.lesson/1", capturedLine(got))
		}
		if err == nil {
			err = heldBack(got.Save)
		}
		return err
	}
	written := err == nil || len(got.Save.Commits) > 0
	err = finishSave(env, got.Save, err, opts.DryRun)
	if got.ID != "" && written && !opts.DryRun {
		tellCaptured(env, got)
	}
	return err
}

// tellCaptured says which lesson it is, and when it came up often.
func tellCaptured(env *Env, got *lesson.Captured) {
	switch {
	case got.Other != "":
		env.Confirm("%s has the same key: %s", got.ID, term.Escape(got.Other))
		fallthrough
	case got.Again:
		env.Confirm("%s came up %s", got.ID, count(got.Count, "time"))
	default:
		env.Confirm("%s in %s", got.ID, got.Path)
	}
	if got.Often {
		env.Confirm("[PROMOTE-CANDIDATE] to make a rule of it: git claw promote %s", got.ID)
	}
}

// textOf joins words to a text; "-" alone is standard input.
func textOf(ctx context.Context, env *Env, words []string, what string) (string, error) {
	text := strings.Join(words, " ")
	if text != "-" {
		return text, nil
	}
	b, err := io.ReadAll(io.LimitReader(env.Stdin(ctx), maxNote+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > maxNote {
		return "", fmt.Errorf("%s has more than %d bytes", what, maxNote)
	}
	return string(b), nil
}

// lessonJSON is the answer of 'learn error|lesson|feature --json'.
type lessonJSON struct {
	Commit  *string       `json:"commit"`
	Event   string        `json:"event"`
	ID      string        `json:"id"`
	Path    string        `json:"path"`
	Count   int           `json:"count"`
	Again   bool          `json:"again"`
	Known   string        `json:"known"` // what the known lesson of the same key says
	Promote bool          `json:"promoteCandidate"`
	Skipped []skippedJSON `json:"skipped"`
}

func capturedLine(got *lesson.Captured) lessonJSON {
	line := lessonJSON{
		ID: got.ID, Path: got.Path, Count: got.Count, Again: got.Again, Known: got.Other, Promote: got.Often,
		Skipped: skippedLines(got.Save.Skipped),
	}
	if n := len(got.Save.Commits); n > 0 {
		last := savedLine(got.Save.Commits[n-1])
		line.Commit, line.Event = last.Commit, last.Event
	}
	return line
}
