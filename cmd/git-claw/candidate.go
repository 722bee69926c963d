package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/learn"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type candidateOptions struct {
	Do  string // list, show, ask, confirm, reject, defer, pin or unpin
	IDs []string

	All     bool
	OnlyIn  string
	Always  bool
	Reason  string
	Instead string
}

func newCandidateCommand(env *Env, run func(context.Context, *Env, candidateOptions) error) *cli.Command {
	sub := func(name, usage string, least, most int, opts *candidateOptions, flags ...cli.Flag) *cli.Command {
		args := "<id>"
		if least == 0 {
			args = "[<id>...]"
		}
		if most == 0 {
			args = ""
		}
		return &cli.Command{
			Name: name, Usage: usage, Category: categoryRecord, ArgsUsage: args, Flags: flags,
			Action: func(c *cli.Context) error {
				if err := operands(c, least, most); err != nil {
					return err
				}
				opts.Do, opts.IDs = name, c.Args().Slice()
				return run(c.Context, env, *opts)
			},
		}
	}
	var all, yes, no candidateOptions
	list := sub("list", "what waits", 0, 0, &all, &cli.BoolFlag{Name: "all", Usage: "also what was confirmed or rejected", Destination: &all.All})
	return &cli.Command{
		Name:     "candidate",
		Category: categoryRecord,
		Usage:    "decide what becomes a learned preference",
		Flags:    list.Flags,
		Action:   list.Action,
		Subcommands: []*cli.Command{
			list,
			sub("show", "one candidate, with when it came up", 1, 1, &candidateOptions{}),
			sub("ask", "print questions for the user", 0, -1, &candidateOptions{}),
			sub("confirm", "make it a rule", 1, 1, &yes,
				&cli.StringFlag{Name: "only-in", Usage: "a rule of this context only", Destination: &yes.OnlyIn},
				&cli.BoolFlag{Name: "always", Usage: "pin it", Destination: &yes.Always}),
			sub("reject", "take it out", 1, 1, &no,
				&cli.StringFlag{Name: "reason", Usage: "why", Destination: &no.Reason},
				&cli.StringFlag{Name: "instead", Usage: "what is wanted instead", Destination: &no.Instead}),
			sub("defer", "ask again in a week", 1, 1, &candidateOptions{}),
			sub("pin", "keep a rule in memory.md for good", 1, 1, &candidateOptions{}),
			sub("unpin", "let a rule go when nobody uses it", 1, 1, &candidateOptions{}),
		},
	}
}

func runCandidate(ctx context.Context, env *Env, opts candidateOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	switch opts.Do {
	case "list":
		list, err := learn.List(ctx, ws, caller, opts.All)
		if err != nil {
			return err
		}
		return printCandidates(env, list)
	case "show":
		c, err := learn.Find(ctx, ws, caller, opts.IDs[0])
		if err != nil {
			return err
		}
		return printCandidate(env, c)
	case "ask":
		return askCandidates(ctx, env, ws, caller, opts.IDs)
	case "confirm":
		return confirmCandidate(ctx, env, ws, caller, opts)
	}
	return decideCandidate(ctx, env, ws, caller, opts)
}

// candidateJSON is a line of every answer about candidates (SPEC 10.8).
type candidateJSON struct {
	ID         string  `json:"id"`
	Status     string  `json:"status"`
	Kind       string  `json:"kind"`
	Context    string  `json:"context"`
	Pattern    string  `json:"pattern"`
	Preference string  `json:"preference"`
	Count      int     `json:"count"`
	Asks       int     `json:"asks"`
	Ignored    int     `json:"ignored"`
	Eligible   bool    `json:"eligible"`
	FirstSeen  *string `json:"firstSeen"`
	LastSeen   *string `json:"lastSeen"`

	Explicit    bool             `json:"explicit"`
	Asked       bool             `json:"asked"`
	DeferUntil  *string          `json:"deferUntil"`
	Source      string           `json:"source"`
	Path        string           `json:"path"`
	Line        int              `json:"line"`
	Tier        string           `json:"tier"`
	Pinned      bool             `json:"pinned"`
	Day         string           `json:"day"`
	Reason      string           `json:"reason"`
	Problem     string           `json:"problem"`
	Occurrences []occurrenceJSON `json:"occurrences"`
}

type occurrenceJSON struct {
	At      string `json:"at"`
	Session string `json:"session"`
	Quote   string `json:"quote"`
}

func stampJSON(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.Format(time.RFC3339)
	return &s
}

func candidateLine(c *learn.Candidate) candidateJSON {
	line := candidateJSON{
		ID: c.ID, Status: c.Status, Kind: c.Kind, Context: c.Line.Context, Pattern: c.Line.Pattern, Preference: c.Line.Preference,
		Count: c.Count, Asks: c.Asks, Ignored: c.Ignored, Eligible: c.Eligible, FirstSeen: stampJSON(c.FirstSeen), LastSeen: stampJSON(c.LastSeen),
		Explicit: c.Explicit, Asked: c.Waits, DeferUntil: stampJSON(c.DeferUntil), Source: c.Source, Path: c.Path, Line: c.At,
		Tier: string(c.Tier), Pinned: c.Pin, Day: c.Day, Reason: c.Reason, Problem: c.Problem, Occurrences: []occurrenceJSON{},
	}
	for _, o := range c.Occurrences {
		line.Occurrences = append(line.Occurrences, occurrenceJSON{At: o.At.Format(time.RFC3339), Session: o.Session, Quote: o.Quote})
	}
	return line
}

func writeCandidate(env *Env, c *learn.Candidate) error {
	return writeJSON(env.Out, "claw.candidate/1", candidateLine(c))
}

func printCandidates(env *Env, list []*learn.Candidate) error {
	for _, c := range list {
		if env.Opt.JSON {
			if err := writeCandidate(env, c); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(env.Out, "%-17s  %-9s  %s\n", term.Escape(c.ID), standing(c), term.Escape(saying(c)))
	}
	if len(list) == 0 {
		env.Confirm("no candidate waits")
	}
	return nil
}

// standing says in a word or two how a candidate stands.
func standing(c *learn.Candidate) string {
	switch {
	case c.Problem != "":
		return "broken"
	case c.Status == "confirmed" && c.Pin:
		return "pinned"
	case c.Status == "confirmed":
		return "rule " + strings.ToLower(string(c.Tier))
	case c.Status != "pending":
		return c.Status
	case c.Waits:
		return "asked"
	case c.Eligible:
		return "ask"
	}
	return fmt.Sprintf("%dx", c.Count)
}

// saying is what it says.
func saying(c *learn.Candidate) string {
	switch {
	case c.Problem != "":
		return c.Path + ": " + c.Problem
	case c.Status == "rejected":
		return strings.TrimSpace(c.Day + " " + c.Reason)
	case c.Line.Context == "":
		return c.Line.Preference
	}
	return c.Line.String()
}

func printCandidate(env *Env, c *learn.Candidate) error {
	if env.Opt.JSON {
		return writeCandidate(env, c)
	}
	fmt.Fprintf(env.Out, "%s  %s\n%s\n", term.Escape(c.ID), standing(c), term.Escape(saying(c)))
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(env.Out, "%-8s  %s\n", name, term.Escape(value))
		}
	}
	where := c.Path
	if c.At > 0 {
		where = fmt.Sprintf("%s:%d", c.Path, c.At)
	}
	row("where", where)
	if c.Status == "confirmed" {
		row("since", c.Day)
	}
	if c.Count == 0 {
		return nil
	}
	row("kind", strings.TrimSpace(c.Kind+", from a "+c.Source))
	row("seen", fmt.Sprintf("%s, %s to %s", count(c.Count, "time"), c.FirstSeen.Format(time.DateOnly), c.LastSeen.Format(time.DateOnly)))
	row("asked", fmt.Sprintf("%s, ignored %s", count(c.Asks, "time"), count(c.Ignored, "time")))
	if !c.DeferUntil.IsZero() && c.Status == "deferred" {
		row("until", c.DeferUntil.Format(time.DateOnly))
	}
	for _, o := range c.Occurrences {
		row(o.At.Format("01-02"), strings.TrimSpace(o.Quote+"  "+sessionWord(o.Session)))
	}
	return nil
}

func sessionWord(session string) string {
	if session == "" {
		return ""
	}
	return "(" + session + ")"
}

// askCandidates prints one question for each candidate.
func askCandidates(ctx context.Context, env *Env, ws *memory.Workspace, caller agent.Caller, ids []string) error {
	got, err := learn.Ask(ctx, ws, caller, ids)
	if got == nil {
		return err
	}
	for _, s := range got.Save.Commits {
		tellSaved(env, s)
	}
	warnSkipped(env, got.Save.Skipped)
	for _, c := range got.Dropped {
		env.Confirm("%s is rejected: %s", c.ID, c.Reason)
	}
	for _, c := range got.Questions {
		if env.Opt.JSON {
			if jerr := writeCandidate(env, c); jerr != nil {
				return jerr
			}
			continue
		}
		printQuestion(env, c)
	}
	switch {
	case err != nil:
	case len(got.Questions) == 0:
		env.Confirm("there is nothing to ask")
	case got.More > 0:
		env.Confirm("%d more wait; they are asked next time", got.More)
	}
	return err
}

func printQuestion(env *Env, c *learn.Candidate) {
	fmt.Fprintf(env.Out, "%s\n  %s\n  came up %s, last on %s", c.ID, term.Escape(saying(c)), count(c.Count, "time"), c.LastSeen.Format(time.DateOnly))
	for i := len(c.Occurrences) - 1; i >= 0; i-- {
		if q := c.Occurrences[i].Quote; q != "" {
			fmt.Fprintf(env.Out, ": %q", term.Escape(q))
			break
		}
	}
	fmt.Fprintf(env.Out, "\n  Should this be a rule?  git claw candidate confirm|reject|defer %s\n", c.ID)
}

func confirmCandidate(ctx context.Context, env *Env, ws *memory.Workspace, caller agent.Caller, opts candidateOptions) error {
	got, err := learn.Confirm(ctx, ws, caller, opts.IDs[0], learn.ConfirmOptions{OnlyIn: opts.OnlyIn, Always: opts.Always})
	if got != nil && got.Save != nil {
		for _, s := range got.Save.Commits {
			tellSaved(env, s)
		}
	}
	if err != nil {
		return err
	}
	if env.Opt.JSON {
		return writeCandidate(env, got.Candidate)
	}
	if got.Accepted.Merge {
		tellSaved(env, got.Accepted.Saved)
	}
	env.Confirm("%s is a rule now: %s", got.Candidate.ID, term.Escape(got.Candidate.Path))
	tellEvicted(env, got.Evicted)
	return nil
}

func tellEvicted(env *Env, ids []string) {
	if len(ids) > 0 {
		env.Confirm("memory.md was full; moved to warm: %s", term.Escape(strings.Join(ids, " ")))
	}
}

func decideCandidate(ctx context.Context, env *Env, ws *memory.Workspace, caller agent.Caller, opts candidateOptions) error {
	var got *learn.Decided
	var err error
	id := opts.IDs[0]
	switch opts.Do {
	case "reject":
		got, err = learn.Reject(ctx, ws, caller, id, learn.RejectOptions{Reason: opts.Reason, Instead: opts.Instead})
	case "defer":
		got, err = learn.Defer(ctx, ws, caller, id)
	default:
		got, err = learn.Pin(ctx, ws, caller, id, opts.Do == "pin")
	}
	if got == nil {
		return err
	}
	for _, s := range got.Save.Commits {
		tellSaved(env, s)
	}
	warnSkipped(env, got.Save.Skipped)
	if err != nil {
		return err
	}
	if env.Opt.JSON {
		for _, c := range []*learn.Candidate{got.Candidate, got.Instead} {
			if c != nil {
				if err := writeCandidate(env, c); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch c := got.Candidate; {
	case len(got.Save.Commits) == 0:
		env.Confirm("%s is so already", c.ID)
	case opts.Do == "defer":
		env.Confirm("%s waits until %s", c.ID, c.DeferUntil.Format(time.DateOnly))
	}
	if got.Instead != nil {
		env.Confirm("in its place waits %s", got.Instead.ID)
	}
	tellEvicted(env, got.Evicted)
	return nil
}
