package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

type showOptions struct {
	Name string // a Claw-Id or a revision
}

func newShowCommand(env *Env, run func(context.Context, *Env, showOptions) error) *cli.Command {
	var opts showOptions
	return &cli.Command{
		Name:      "show",
		Category:  categoryHistory,
		Usage:     "show one change in full",
		ArgsUsage: "[<claw-id>|<commit>]",
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			if opts.Name = c.Args().First(); opts.Name == "" {
				opts.Name = "HEAD"
			}
			return run(c.Context, env, opts)
		},
	}
}

func runShow(ctx context.Context, env *Env, opts showOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	s, err := agent.Show(ctx, ws, opts.Name, env.Opt.SessionKind)
	if err != nil {
		return err
	}
	if env.Opt.JSON {
		return showJSON(env, s)
	}
	err = env.Page(ctx, config(ctx, ws), func(w io.Writer, style term.Style) error {
		printEvent(w, style, s)
		_, err := diffPrinter{w: w, style: style}.files(s.Files)
		return err
	})
	withheld(env, s.Withheld)
	return err
}

// printEvent prints what a commit says: its trailers, then its message.
func printEvent(w io.Writer, style term.Style, s *agent.Shown) {
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s %s\n", style.Dim(term.Pad(name, 10)), term.Escape(value))
		}
	}
	fmt.Fprintf(w, "%s\n", style.Bold(term.Escape(s.Subject)))
	fmt.Fprintf(w, "%s %s\n", style.Dim(term.Pad("commit", 10)), style.Yellow(s.Commit.ID.String()))
	if s.Merge {
		field("merge", fmt.Sprintf("of %d parents; the files below are compared with the first", len(s.Commit.Parents)))
	}
	field("id", s.ID)
	field("event", s.Name)
	field("actor", string(s.Actor))
	field("session", s.Session)
	field("date", s.Date.Format("2006-01-02 15:04:05 -0700"))
	field("author", fmt.Sprintf("%s <%s>", s.Commit.Author.Name, s.Commit.Author.Email))
	for _, t := range s.Commit.Trailers {
		switch t.Key {
		case "Claw-Id", "Claw-Event", "Claw-Actor", "Claw-Session":
		default:
			if name, ok := strings.CutPrefix(t.Key, "Claw-"); ok {
				field(strings.ToLower(name), t.Value)
			} else {
				field(t.Key, t.Value)
			}
		}
	}
	if s.Message != "" {
		fmt.Fprintf(w, "\n%s\n", term.EscapeText(s.Message))
	}
	fmt.Fprintln(w)
}

// shownJSON is the line of 'show --json'.
type shownJSON struct {
	eventJSON
	Message  string            `json:"message"`
	Trailers map[string]string `json:"trailers"`
	Files    []fileJSON        `json:"files"`
}

func showJSON(env *Env, s *agent.Shown) error {
	line := shownJSON{eventJSON: eventLine(s.Event), Message: s.Message, Trailers: map[string]string{}, Files: []fileJSON{}}
	for _, t := range s.Commit.Trailers {
		if old, ok := line.Trailers[t.Key]; ok {
			line.Trailers[t.Key] = old + "\n" + t.Value
			continue
		}
		line.Trailers[t.Key] = t.Value
	}
	for f, err := range s.Files {
		if err != nil {
			return err
		}
		line.Files = append(line.Files, fileLine(f))
	}
	return writeJSON(env.Out, "claw.show/1", line)
}
