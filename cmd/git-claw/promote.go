package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/lesson"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type promoteOptions struct {
	ID string

	Reason string
	Quote  string
	To     string
	Skill  string
	DryRun bool
	All    bool
	Limit  int
}

func newPromoteCommand(env *Env, run func(context.Context, *Env, promoteOptions) error) *cli.Command {
	var opts promoteOptions
	return &cli.Command{
		Name:      "promote",
		Category:  categoryRecord,
		Usage:     "propose to make a rule or a skill of a lesson",
		ArgsUsage: "[<lesson>]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "reason", Usage: "explicit, severity or recurrence", Destination: &opts.Reason},
			&cli.StringFlag{Name: "quote", Usage: "what the user said", Destination: &opts.Quote},
			&cli.StringFlag{Name: "to", Usage: "the file, or its section: <file>#<anchor>", Destination: &opts.To},
			&cli.StringFlag{Name: "skill", Usage: "make a skill of this name", Destination: &opts.Skill},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be proposed", Destination: &opts.DryRun},
			&cli.BoolFlag{Name: "all", Usage: "list all lessons that were not promoted", Destination: &opts.All},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "list at most so many", Destination: &opts.Limit},
		},
		Action: func(c *cli.Context) error {
			if err := operands(c, 0, 1); err != nil {
				return err
			}
			opts.ID = c.Args().First()
			said := ""
			for _, name := range []string{"reason", "quote", "to", "skill", "dry-run"} {
				if c.IsSet(name) {
					said = name
				}
			}
			switch {
			case opts.ID == "" && said != "":
				return usagef("option '--%s' needs the id of a lesson", said).hint("git claw promote --all")
			case opts.ID != "" && (opts.All || c.IsSet("limit")):
				return usagef("options '--all' and '--limit' are for the list")
			case opts.Limit < 0 || c.IsSet("limit") && opts.Limit == 0:
				return usagef("'%d' is no value of option '--limit'", opts.Limit)
			}
			return run(c.Context, env, opts)
		},
	}
}

func runPromote(ctx context.Context, env *Env, opts promoteOptions) error {
	caller, err := env.Caller()
	if err != nil {
		return err
	}
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	if opts.ID == "" {
		return listLessons(ctx, env, ws, opts)
	}
	if opts.To != "" {
		rel, anchor, some := strings.Cut(opts.To, "#")
		if rel, err = env.relPath(ws, rel); err != nil {
			return err
		}
		if opts.To = rel; some {
			opts.To += "#" + anchor
		}
	}
	got, err := lesson.Promote(ctx, ws, caller, lesson.PromoteOptions{
		ID: opts.ID, Reason: opts.Reason, Quote: opts.Quote, To: opts.To, Skill: opts.Skill, DryRun: opts.DryRun,
	})
	if got == nil {
		return err
	}
	if got.Unquoted != "" {
		env.Warn("the quote was left out: it holds a secret (" + got.Unquoted + ")")
	}
	switch {
	case opts.DryRun && env.Opt.JSON:
		return errors.Join(err, writeJSON(env.Out, "claw.promote.plan/1", promotePlanJSON{got.To, got.Reason, got.Text}))
	case opts.DryRun:
		fmt.Fprintf(env.Out, "would propose to %s, reason %s: %s\n", term.Escape(got.To), got.Reason, term.Escape(got.Text))
		return err
	case got.Accepted == nil || err != nil:
		if perr := printProposal(ctx, env, ws, got.Proposal); err == nil {
			err = perr
		}
		return err
	case env.Opt.JSON:
		return printSaved(env, &agent.SaveResult{Commits: []agent.Saved{got.Accepted.Saved}}, false)
	}
	env.Confirm("saved %s  %s", got.Accepted.Commit.Short(), term.Escape(got.Accepted.Subject))
	env.Confirm("the quoted order was taken for an approval; 'git claw review' lists it")
	return nil
}

// listLessons lists what may become a rule.
func listLessons(ctx context.Context, env *Env, ws *memory.Workspace, opts promoteOptions) error {
	found, err := lesson.List(ctx, ws, opts.All)
	if err != nil {
		return err
	}
	if opts.Limit > 0 && len(found) > opts.Limit {
		found = found[:opts.Limit]
	}
	if env.Opt.JSON {
		for _, n := range found {
			if err := writeJSON(env.Out, "claw.promote/1", listedLine(n)); err != nil {
				return err
			}
		}
		return nil
	}
	notAdopted(env, ws)
	if len(found) == 0 {
		env.Confirm("no lesson came up often")
		return nil
	}
	return env.Page(ctx, config(ctx, ws), func(w io.Writer, style term.Style) error {
		for _, n := range found {
			printListed(w, style, n)
		}
		return nil
	})
}

func printListed(w io.Writer, style term.Style, n lesson.Listed) {
	how := []string{count(n.Count, "time"), "last " + n.Last.Format(time.DateOnly)}
	if n.Tasks > 1 {
		how = append(how, count(n.Tasks, "task"))
	}
	switch {
	case n.Proposal != "":
		how = append(how, "waits as "+n.Proposal)
	case n.Often:
		how = append(how, "[PROMOTE-CANDIDATE]")
	case n.Slow:
		how = append(how, "comes back slowly")
	}
	fmt.Fprintf(w, "%s  %s\n", n.ID, style.Dim(strings.Join(how, ", ")))
	fmt.Fprintf(w, "    %s\n", term.Escape(n.Text))
}

// promotePlanJSON is the answer of 'promote <id> --dry-run --json'.
type promotePlanJSON struct {
	To     string `json:"to"`
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// listedJSON is a lesson of 'promote --json'.
type listedJSON struct {
	ID       string `json:"id"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Text     string `json:"text"`
	Key      string `json:"key"`
	Status   string `json:"status"`
	Count    int    `json:"count"`
	Tasks    int    `json:"tasks"`
	First    string `json:"first"`
	Last     string `json:"last"`
	Often    bool   `json:"promoteCandidate"`
	Slow     bool   `json:"slow"`
	Proposal string `json:"proposal"`
}

func listedLine(n lesson.Listed) listedJSON {
	return listedJSON{
		ID: n.ID, Path: n.Path, Line: n.Line, Text: n.Text, Key: n.Key, Status: string(n.Status), Count: n.Count, Tasks: n.Tasks,
		First: n.First.Format(time.RFC3339), Last: n.Last.Format(time.RFC3339), Often: n.Often, Slow: n.Slow, Proposal: n.Proposal,
	}
}
