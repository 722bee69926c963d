package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/recall"
)

type searchOptions struct {
	Query string
	Tier  string
	At    string
	Since string
	Limit int
	Blame bool
	Force bool
}

func newSearchCommand(env *Env, run func(context.Context, *Env, searchOptions) error) *cli.Command {
	var opts searchOptions
	return &cli.Command{
		Name:      "search",
		Category:  categoryFind,
		Usage:     "find notes by words, names, dates and ids",
		ArgsUsage: "<query>...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "tier", Usage: "hot, warm, cold, buffer, scratch or all", Destination: &opts.Tier},
			&cli.StringFlag{Name: "at", Usage: "as the notes were at a revision", Destination: &opts.At},
			&cli.StringFlag{Name: "since", Usage: "only notes changed since a date or revision", Destination: &opts.Since},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most so many results", Destination: &opts.Limit},
			&cli.BoolFlag{Name: "force", Usage: "answer although memory is not healthy", Destination: &opts.Force},
			&cli.BoolFlag{Name: "blame", Usage: "tell the commit of the newest line, not of the note", Destination: &opts.Blame},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 1, -1); err != nil {
				return err
			}
			if opts.Limit < 0 || c.IsSet("limit") && opts.Limit == 0 {
				return usagef("'%d' is no value of option '--limit'", opts.Limit)
			}
			opts.Query = strings.Join(c.Args().Slice(), " ")
			return run(c.Context, env, opts)
		},
	}
}

func runSearch(ctx context.Context, env *Env, opts searchOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	progress := env.Progress("indexing")
	found, err := agent.Search(ctx, ws, agent.SearchOptions{
		Query: opts.Query, Tier: opts.Tier, At: opts.At, Since: opts.Since, Limit: opts.Limit, Blame: opts.Blame, Force: opts.Force, Hostname: env.Hostname(),
		Kind: env.Opt.SessionKind, Clock: tick, Progress: progress.Update,
		Warn: func(f string, a ...any) { env.Warn(fmt.Sprintf(f, a...)) },
	})
	progress.Done()
	if err != nil {
		return err
	}
	if env.Opt.JSON {
		for _, r := range found.Results {
			if err := writeJSON(env.Out, "claw.search/1", searchLine(r, found)); err != nil {
				return err
			}
		}
		tellMissed(env, found)
		return nil
	}
	style := env.Style(config(ctx, ws))
	marks := func(string) [][2]int { return nil }
	if style.On && len(found.Results) > 0 {
		marks = recall.Marks(opts.Query)
	}
	for i, r := range found.Results {
		if i > 0 {
			fmt.Fprintln(env.Out)
		}
		if err := printFound(env.Out, r, style, marks); err != nil {
			return err
		}
	}
	switch {
	case len(found.Results) == 0 && opts.Tier == "":
		env.Confirm("nothing found; '--tier all' looks at lessons and preferences too")
	case len(found.Results) == 0:
		env.Confirm("nothing found")
	case found.Weaker > 0:
		env.Confirm("%d weaker answers are left out; '-n %d' shows more", found.Weaker, 5*max(len(found.Results), 4))
	}
	for _, w := range found.Absent {
		env.Confirm("no note holds '%s'", term.Escape(w))
	}
	if len(found.Failed) > 0 {
		env.Warn(agent.NotHealthy)
	}
	tellMissed(env, found)
	return nil
}

// tellMissed names what was not searched.
func tellMissed(env *Env, found *agent.Found) {
	if found.Pending > 0 {
		env.Warn(fmt.Sprintf("%d notes are not searched yet", found.Pending), "run 'git claw index update'")
	}
	for _, dir := range found.Closed {
		env.Warn(fmt.Sprintf("'%s' cannot be read and is not searched", term.Escape(dir)))
	}
	if found.Large > 0 {
		env.Warn(fmt.Sprintf("%d notes are larger than claw.maxFileBytes and are not searched", found.Large))
	}
}

// searchJSON is one result of search --json.
type searchJSON struct {
	ID      string       `json:"id"`
	Path    string       `json:"path"`
	From    int          `json:"from"`
	To      int          `json:"to"`
	Commit  *gitops.ID   `json:"commit"`
	Date    string       `json:"date"`
	Tier    string       `json:"tier"`
	Score   float64      `json:"score"`
	Parts   recall.Parts `json:"parts"`
	Snippet string       `json:"snippet"`
	Line    int          `json:"line"`
	Unsaved bool         `json:"unsaved"`
	Stale   bool         `json:"stale"`
	Pending int          `json:"pending"`
	Healthy bool         `json:"healthy"`
}

func searchLine(r recall.Result, f *agent.Found) searchJSON {
	out := searchJSON{
		ID: r.ID, Path: r.Path, From: r.From, To: r.To, Date: r.Date, Tier: string(r.Tier), Score: r.Score, Parts: r.Parts,
		Snippet: r.Snippet, Line: r.Line, Unsaved: r.Unsaved, Stale: f.Pending > 0, Pending: f.Pending, Healthy: len(f.Failed) == 0,
	}
	if !r.Commit.IsZero() {
		out.Commit = &r.Commit
	}
	return out
}

// printFound prints a result: where it is, and the lines that matched.
func printFound(w io.Writer, r recall.Result, style term.Style, marks func(line string) [][2]int) error {
	where := fmt.Sprintf("%s:%d", term.Escape(r.Path), r.Line)
	about := []string{string(r.Tier)}
	if r.Date != "" {
		about = append(about, r.Date)
	}
	switch {
	case r.Unsaved:
		about = append(about, "not saved")
	case !r.Commit.IsZero():
		about = append(about, r.Commit.Short())
	}
	if r.Parts.Exact {
		about = append(about, "exact")
	}
	about = append(about, fmt.Sprintf("%.2f", r.Score))
	if _, err := fmt.Fprintf(w, "%s  %s\n", style.Cyan(where), style.Dim(strings.Join(about, "  "))); err != nil {
		return err
	}
	for line := range strings.SplitSeq(r.Snippet, "\n") {
		line = strings.TrimRight(line, "\r")
		var b strings.Builder
		at := 0
		for _, s := range marks(line) {
			b.WriteString(term.EscapeText(line[at:s[0]]))
			b.WriteString(style.Bold(term.EscapeText(line[s[0]:s[1]])))
			at = s[1]
		}
		b.WriteString(term.EscapeText(line[at:]))
		if _, err := fmt.Fprintf(w, "  %s\n", b.String()); err != nil {
			return err
		}
	}
	return nil
}
