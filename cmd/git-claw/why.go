package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

type whyOptions struct {
	What string // path:line, or an id
}

func newWhyCommand(env *Env, run func(context.Context, *Env, whyOptions) error) *cli.Command {
	var opts whyOptions
	return &cli.Command{
		Name:      "why",
		Category:  categoryHistory,
		Usage:     "explain why a line is there",
		ArgsUsage: "<path>:<line>|<id>",
		Action: func(c *cli.Context) error {
			if err := operands(c, 1, 1); err != nil {
				return err
			}
			opts.What = c.Args().First()
			return run(c.Context, env, opts)
		},
	}
}

func runWhy(ctx context.Context, env *Env, opts whyOptions) error {
	ws, done, err := env.Workspace(ctx)
	if err != nil {
		return err
	}
	defer done()
	r, err := explain(ctx, env, ws, opts.What)
	if err != nil {
		return err
	}
	if env.Opt.JSON {
		return writeJSON(env.Out, "claw.why/1", reasonLine(r))
	}
	return printReason(env.Out, r, env.Style(config(ctx, ws)))
}

func explain(ctx context.Context, env *Env, ws *memory.Workspace, what string) (*agent.Reason, error) {
	kind := env.Opt.SessionKind
	path, number, found := cutLast(what, ":")
	if line, err := strconv.Atoi(number); found && err == nil {
		rel, err := env.relPath(ws, path)
		if err != nil {
			return nil, err
		}
		return agent.Why(ctx, ws, rel, line, kind)
	}
	if from, to, ok := strings.Cut(number, "-"); found && ok && isNumber(from) && isNumber(to) {
		return nil, usagef("'%s' is a range; ask for one line", what).hint("git claw why %s:%s", shellQuote(path), from)
	}
	if rel, err := env.relPath(ws, what); err == nil {
		if exists, err := ws.Exists(rel); err == nil && exists {
			return nil, usagef("'%s' is a file; say which line", what).hint("git claw why %s:1", shellQuote(what))
		}
	}
	return agent.WhyID(ctx, ws, what, kind)
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func printReason(w io.Writer, r *agent.Reason, style term.Style) error {
	if r.Line > 0 {
		fmt.Fprintf(w, "%s: %s\n", style.Cyan(fmt.Sprintf("%s:%d", term.Escape(r.Path), r.Line)), term.EscapeText(r.Text))
	}
	if r.Unsaved {
		_, err := fmt.Fprintf(w, "  not saved yet; %s\n", style.Bold("git claw save"))
		return err
	}
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s %s\n", style.Dim(term.Pad(name, 9)), term.Escape(value))
		}
	}
	fmt.Fprintf(w, "  %s %s  %s\n", style.Dim(term.Pad("commit", 9)), style.Yellow(r.Commit.Short()), term.Escape(r.Subject))
	field("id", r.ID)
	field("event", r.Event)
	field("actor", string(r.Actor))
	field("session", r.Session)
	field("date", r.Date.Format("2006-01-02 15:04"))
	field("why", r.Why)
	field("from", r.From)
	field("came up", r.Count)
	field("evidence", r.Evidence)
	field("proposal", r.Proposal)
	field("approved", approval(r))
	field("undoes", r.Undoes)
	if r.OriginPath != "" || r.OriginLine > 0 {
		field("was at", originOf(r))
	}
	return nil
}

func approval(r *agent.Reason) string {
	if r.ApprovedBy == "" || r.Via == "" {
		return r.ApprovedBy
	}
	return r.ApprovedBy + " (" + r.Via + ")"
}

func originOf(r *agent.Reason) string {
	path, line := r.OriginPath, r.OriginLine
	if path == "" {
		path = r.Path
	}
	if line == 0 {
		line = r.Line
	}
	return fmt.Sprintf("%s:%d", path, line)
}

type reasonJSON struct {
	Path        string `json:"path"`
	Line        int    `json:"line"`
	Text        string `json:"text"`
	Commit      string `json:"commit"`
	ID          string `json:"id"`
	Event       string `json:"event"`
	Actor       string `json:"actor"`
	Session     string `json:"session"`
	Date        string `json:"date"`
	Subject     string `json:"subject"`
	Evidence    string `json:"evidence"`
	Proposal    string `json:"proposal"`
	ApprovedBy  string `json:"approvedBy"`
	ApprovedVia string `json:"approvedVia"`
	Undoes      string `json:"undoes"`
	Reason      string `json:"reason"`
	From        string `json:"from"`
	Count       string `json:"count"`
	Unsaved     bool   `json:"unsaved"`
}

func reasonLine(r *agent.Reason) reasonJSON {
	line := reasonJSON{
		Path: r.Path, Line: r.Line, Text: r.Text, ID: r.ID, Event: r.Event, Actor: string(r.Actor), Session: r.Session,
		Subject: r.Subject, Evidence: r.Evidence, Proposal: r.Proposal, ApprovedBy: r.ApprovedBy, ApprovedVia: r.Via,
		Undoes: r.Undoes, Unsaved: r.Unsaved, Reason: r.Why, From: r.From, Count: r.Count,
	}
	if !r.Unsaved {
		line.Commit, line.Date = r.Commit.String(), r.Date.Format(time.RFC3339)
	}
	return line
}
