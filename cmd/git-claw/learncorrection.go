package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/learn"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory/prefs"
)

type correctionOptions struct {
	Words []string // the line, or nothing with the three parts of it

	Kind       string
	Quote      string
	Context    string
	Pattern    string
	Preference string
	DryRun     bool
}

func newCorrectionCommand(env *Env, run func(context.Context, *Env, correctionOptions) error) *cli.Command {
	var opts correctionOptions
	return &cli.Command{
		Name:      "correction",
		Category:  categoryRecord,
		Usage:     "what the user wants otherwise",
		ArgsUsage: `'[<context>] "<pattern>" -> "<preference>"'`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kind", Usage: "preference, fact or process", Destination: &opts.Kind},
			&cli.StringFlag{Name: "quote", Usage: "the user's words", Destination: &opts.Quote},
			&cli.StringFlag{Name: "context", Usage: "where it holds, such as writing:report", Destination: &opts.Context},
			&cli.StringFlag{Name: "pattern", Usage: "what was done", Destination: &opts.Pattern},
			&cli.StringFlag{Name: "preference", Usage: "what is wanted instead", Destination: &opts.Preference},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			opts.Words = c.Args().Slice()
			return run(c.Context, env, opts)
		},
	}
}

// line reads what was learned, from the words or from the options.
func (o correctionOptions) line() (prefs.Line, error) {
	parts := prefs.Line{Context: o.Context, Pattern: o.Pattern, Preference: o.Preference}
	const form = `git claw learn correction '[<context>] "<pattern>" -> "<preference>"'`
	switch {
	case len(o.Words) > 0 && parts != prefs.Line{}:
		return parts, usagef("a line and '--context', '--pattern', '--preference' exclude each other")
	case len(o.Words) == 0 && (parts.Context == "" || parts.Pattern == "" || parts.Preference == ""):
		return parts, usagef("say what was done, and what is wanted instead").hint("%s", form)
	case len(o.Words) == 0:
		return parts, nil
	}
	l, err := prefs.ParseLine(strings.Join(o.Words, " "))
	if err != nil {
		return l, usagef("cannot read the correction: %v", err).hint("%s", form)
	}
	return l, nil
}

func runCorrection(ctx context.Context, env *Env, opts correctionOptions) error {
	line, err := opts.line()
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
	got, err := learn.Correct(ctx, ws, caller, learn.Correction{Line: line, Kind: opts.Kind, Quote: opts.Quote, DryRun: opts.DryRun})
	return finishCapture(env, got, err, opts.DryRun)
}

type reflectionOptions struct {
	Words []string // nothing, or "-": standard input

	Context    string
	Reflection string
	Lesson     string
	DryRun     bool
}

func newReflectionCommand(env *Env, run func(context.Context, *Env, reflectionOptions) error) *cli.Command {
	var opts reflectionOptions
	return &cli.Command{
		Name:      "reflection",
		Category:  categoryRecord,
		Usage:     "what a finished task taught",
		ArgsUsage: "[-]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "context", Usage: "what the task was", Destination: &opts.Context},
			&cli.StringFlag{Name: "reflection", Usage: "how it went", Destination: &opts.Reflection},
			&cli.StringFlag{Name: "lesson", Usage: "what to do the next time", Destination: &opts.Lesson},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written", Destination: &opts.DryRun},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			opts.Words = c.Args().Slice()
			return run(c.Context, env, opts)
		},
	}
}

func runReflection(ctx context.Context, env *Env, opts reflectionOptions) error {
	r, err := opts.read(ctx, env)
	if err != nil {
		return err
	}
	r.DryRun = opts.DryRun
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	got, err := learn.Reflect(ctx, ws, caller, r)
	return finishCapture(env, got, err, opts.DryRun)
}

// read takes the fields from the options, or from standard input.
func (o reflectionOptions) read(ctx context.Context, env *Env) (learn.Reflection, error) {
	said := learn.Reflection{Context: o.Context, Reflection: o.Reflection, Lesson: o.Lesson}
	stdin := len(o.Words) > 0 && o.Words[0] == "-"
	switch {
	case len(o.Words) > 0 && !stdin:
		return said, usagef("'%s' is none of the fields", o.Words[0]).hint("use '--context', '--reflection' and '--lesson', or '-' for standard input")
	case said != learn.Reflection{} && stdin:
		return said, usagef("options and standard input exclude each other")
	case said != learn.Reflection{}:
		return said, nil
	case !stdin && env.InTTY:
		return said, usagef("the reflection is empty").hint("git claw learn reflection --context '<task>' --lesson '<lesson>'")
	}
	text, err := textOf(ctx, env, []string{"-"}, "the reflection")
	if err != nil {
		return said, err
	}
	return learn.ParseReflection([]byte(text))
}

// captureJSON is the answer of 'learn correction|reflection --json'. What the
// candidate fields say is empty where a reflection made none.
type captureJSON struct {
	Commit    *string       `json:"commit"`
	Event     string        `json:"event"`
	Candidate string        `json:"candidate"`
	Status    string        `json:"status"`
	Count     int           `json:"count"`
	Eligible  bool          `json:"eligible"`
	Known     bool          `json:"known"`
	Confirmed bool          `json:"confirmed"` // at once, by the user's words
	Skipped   []skippedJSON `json:"skipped"`
}

// finishCapture tells what became of a capture.
func finishCapture(env *Env, got *learn.Captured, err error, dry bool) error {
	if got == nil || got.Save == nil {
		return err
	}
	if env.Opt.JSON {
		if err == nil {
			err = writeJSON(env.Out, "claw.capture/1", captureLine(got))
		}
		if err == nil {
			err = heldBack(got.Save)
		}
		return err
	}
	if got.Known && err == nil {
		env.Confirm("%s was written down already", got.Candidate.ID)
		return nil
	}
	written := err == nil || len(got.Save.Commits) > 0
	err = finishSave(env, got.Save, err, dry)
	if got.Candidate != nil && written && !dry {
		tellCandidate(env, got)
	}
	return err
}

func captureLine(got *learn.Captured) captureJSON {
	line := captureJSON{Known: got.Known, Confirmed: got.Confirmed != nil, Skipped: skippedLines(got.Save.Skipped)}
	if c := got.Candidate; c != nil {
		line.Candidate, line.Status, line.Count, line.Eligible = c.ID, c.Status, c.Count, c.Eligible
	}
	if n := len(got.Save.Commits); n > 0 {
		last := savedLine(got.Save.Commits[n-1])
		line.Commit, line.Event = last.Commit, last.Event
	}
	return line
}

// tellCandidate says how the candidate stands, and what comes next.
func tellCandidate(env *Env, got *learn.Captured) {
	c := got.Candidate
	switch {
	case got.Confirmed != nil:
		if a := got.Confirmed.Accepted; a.Merge {
			tellSaved(env, a.Saved)
		}
		env.Confirm("%s is a rule now, as the user ordered: %s", c.ID, term.Escape(c.Path))
	case c.Status == "confirmed":
		env.Confirm("%s is a rule already: %s:%d", c.ID, term.Escape(c.Path), c.At)
	case c.Eligible:
		env.Confirm("%s came up %s; to ask about it: git claw candidate ask", c.ID, count(c.Count, "time"))
	default:
		env.Confirm("%s came up %s", c.ID, count(c.Count, "time"))
	}
}

// tellSaved names a commit that was made.
func tellSaved(env *Env, s agent.Saved) {
	env.Confirm("saved %s  %s", s.Commit.Short(), term.Escape(s.Subject))
}
