package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type logOptions struct {
	Paths     []string
	Events    []string
	Actors    []string
	Candidate string
	Since     string
	Until     string
	Flat      bool
	All       bool
	Limit     int
}

func newLogCommand(env *Env, run func(context.Context, *Env, logOptions) error) *cli.Command {
	var opts logOptions
	return &cli.Command{
		Name:      "log",
		Category:  categoryHistory,
		Usage:     "show the history by session",
		ArgsUsage: "[<path>...]",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "event", Usage: "only events of this name or kind"},
			&cli.StringSliceFlag{Name: "actor", Usage: "only what this actor did"},
			&cli.StringFlag{Name: "candidate", Usage: "only what concerns this candidate", Destination: &opts.Candidate},
			&cli.StringFlag{Name: "since", Usage: "only what is newer than a date", Destination: &opts.Since},
			&cli.StringFlag{Name: "until", Usage: "only what is older than a date", Destination: &opts.Until},
			&cli.BoolFlag{Name: "flat", Usage: "commit by commit, not by session", Destination: &opts.Flat},
			&cli.BoolFlag{Name: "all", Usage: "the whole repository, not only the workspace", Destination: &opts.All},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most so many commits", Destination: &opts.Limit},
		},
		Action: func(c *cli.Context) error {
			opts.Paths, opts.Events, opts.Actors = c.Args().Slice(), c.StringSlice("event"), c.StringSlice("actor")
			if opts.Limit < 0 || c.IsSet("limit") && opts.Limit == 0 {
				return usagef("'%d' is no value of option '--limit'", opts.Limit)
			}
			return run(c.Context, env, opts)
		},
	}
}

func runLog(ctx context.Context, env *Env, opts logOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	history := agent.HistoryOptions{
		Events: opts.Events, Candidate: opts.Candidate, Since: opts.Since, Until: opts.Until,
		Max: opts.Limit, All: opts.All, Kind: env.Opt.SessionKind,
	}
	if env.Opt.SessionSaid {
		history.Session = env.Opt.Session
	}
	if history.Paths, err = env.relPaths(ws, opts.Paths); err != nil {
		return err
	}
	for _, name := range opts.Actors {
		actor, err := agent.ParseActor(name)
		if err != nil {
			return err
		}
		history.Actors = append(history.Actors, actor)
	}
	events := agent.History(ctx, ws, history)
	some := false
	events = noting(events, &some)
	if env.Opt.JSON {
		return logJSON(env, events)
	}
	notAdopted(env, ws)
	err = env.Page(ctx, config(ctx, ws), func(w io.Writer, style term.Style) error {
		p := logPrinter{w: w, style: style, columns: env.textColumns(), verbose: env.Opt.Verbose}
		if opts.Flat {
			return p.flat(events)
		}
		return p.grouped(events)
	})
	switch {
	case err != nil || some:
	case history.Session != "":
		env.Confirm("no events of session '%s'", term.Escape(history.Session))
	default:
		env.Confirm("no events")
	}
	return err
}

// noting passes events on and notes whether there was one.
func noting(events iter.Seq2[agent.Event, error], some *bool) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for e, err := range events {
			*some = *some || err == nil
			if !yield(e, err) {
				return
			}
		}
	}
}

// notAdopted says that a read command answers for a folder that git claw does
// not record (SPEC WS-30).
func notAdopted(env *Env, ws *memory.Workspace) {
	if !ws.Adopted {
		env.Confirm("not adopted: '%s'", term.Escape(ws.Root))
	}
}

// eventJSON is a line of 'log --json', and the head of 'show --json'.
type eventJSON struct {
	Commit   string   `json:"commit"`
	ID       string   `json:"id"`
	Event    string   `json:"event"`
	Actor    string   `json:"actor"`
	Session  string   `json:"session"`
	Date     string   `json:"date"`
	Subject  string   `json:"subject"`
	Paths    []string `json:"paths"`
	Withheld int      `json:"withheld,omitempty"`
	UndoneBy string   `json:"undoneBy,omitempty"`
}

func eventLine(e agent.Event) eventJSON {
	return eventJSON{
		Commit: e.Commit.ID.String(), ID: e.ID, Event: e.Name, Actor: string(e.Actor), Session: e.Session,
		Date: e.Date.Format(time.RFC3339), Subject: e.Subject, Paths: list(e.Paths), Withheld: e.Withheld, UndoneBy: e.UndoneBy,
	}
}

func logJSON(env *Env, events iter.Seq2[agent.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := writeJSON(env.Out, "claw.log/1", eventLine(e)); err != nil {
			return err
		}
	}
	return nil
}

type logPrinter struct {
	w       io.Writer
	style   term.Style
	columns int // 0: lines are not cut
	verbose bool
}

// flat prints a line for each commit.
func (p logPrinter) flat(events iter.Seq2[agent.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := p.line(e, "", "2006-01-02 15:04"); err != nil {
			return err
		}
	}
	return nil
}

// grouped prints sessions, each with its commits.
func (p logPrinter) grouped(events iter.Seq2[agent.Event, error]) error {
	first := true
	for g, err := range agent.GroupBySession(events) {
		if err != nil {
			return err
		}
		if !first {
			fmt.Fprintln(p.w)
		}
		first = false
		fmt.Fprintln(p.w, p.style.Bold(p.cut(groupTitle(g))))
		form := "15:04"
		if g.From.Format(time.DateOnly) != g.To.Format(time.DateOnly) {
			form = "01-02 15:04"
		}
		for _, e := range g.Events {
			if err := p.line(e, "  ", form); err != nil {
				return err
			}
		}
	}
	return nil
}

func groupTitle(g agent.Group) string {
	when := g.From.Format("2006-01-02")
	if last := g.To.Format("2006-01-02"); last != when {
		when += " to " + last
	}
	if g.Session == "" {
		return when + "  " + string(g.Actor)
	}
	return when + "  session " + term.Escape(g.Session)
}

// line prints an event: commit, time, who, what. With -v a second line has the
// id, the event and the paths.
func (p logPrinter) line(e agent.Event, indent, form string) error {
	head := indent + e.Commit.ID.Short() + "  " + e.Date.Format(form) + "  " + term.Pad(string(e.Actor), len(agent.Checkpoint)) + "  "
	subject := term.Escape(e.Subject)
	if e.UndoneBy != "" {
		head += takenBack
	}
	if p.columns > 0 {
		subject = term.Truncate(subject, max(p.columns-len(head), 20))
	}
	if e.UndoneBy != "" {
		subject = p.style.Dim(subject)
	}
	id := e.Commit.ID.Short()
	_, err := fmt.Fprintf(p.w, "%s%s%s%s\n", indent, p.style.Yellow(id), head[len(indent)+len(id):], subject)
	if !p.verbose || err != nil {
		return err
	}
	text := e.Name
	if e.ID != "" {
		text += "  " + e.ID
	}
	if e.UndoneBy != "" {
		text += "  taken back by " + e.UndoneBy
	}
	if len(e.Paths) > 0 {
		text += "  " + escapeAll(e.Paths)
	}
	_, err = fmt.Fprintf(p.w, "%s    %s\n", indent, p.style.Dim(p.cut(term.Escape(text))))
	return err
}

// takenBack marks a change that is no longer there.
const takenBack = "(taken back) "

func (p logPrinter) cut(line string) string {
	if p.columns == 0 {
		return line
	}
	return term.Truncate(line, p.columns-4)
}
