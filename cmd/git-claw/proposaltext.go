package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

// proposalJSON is a line of 'proposal --json'.
type proposalJSON struct {
	ID      string              `json:"id"`
	Kind    string              `json:"kind"`
	Branch  string              `json:"branch"`
	Tip     string              `json:"tip"`
	Base    string              `json:"base"`
	Title   string              `json:"title"`
	Reason  string              `json:"reason"`
	Created string              `json:"created"`
	Actor   string              `json:"actor"`
	Session string              `json:"session"`
	State   string              `json:"state"`
	Why     string              `json:"why,omitempty"`
	Until   string              `json:"until,omitempty"`
	Entries []proposalEntryJSON `json:"entries"`
	Paths   []string            `json:"paths"`
	// Withheld: it also changes files that this kind of session may not see.
	Withheld bool `json:"withheld,omitempty"`
}

type proposalEntryJSON struct {
	N      int    `json:"n"`
	Path   string `json:"path"`
	Change string `json:"change"`
	Old    string `json:"old"`
	New    string `json:"new"`
}

// withheldTitle stands for what may quote a private file.
const withheldTitle = "(not shown: it changes private files)"

func proposalLine(ctx context.Context, p *proposal.Proposal, hides func(string) bool) (proposalJSON, error) {
	line := proposalJSON{
		ID: p.ID, Kind: string(p.Kind), Branch: p.Branch, Tip: p.Tip.String(), Base: p.Base.String(), Title: p.Title, Reason: p.Reason,
		Created: p.Created.Format(time.RFC3339), Actor: string(p.Actor), Session: p.Session, State: string(p.State), Why: p.Why,
		Entries: []proposalEntryJSON{}, Paths: []string{},
	}
	if !p.Until.IsZero() {
		line.Until = p.Until.Format(time.RFC3339)
	}
	entries, err := p.Entries(ctx)
	if err != nil {
		return line, err
	}
	for _, rel := range p.Paths() {
		if hides(rel) {
			line.Withheld = true
			continue
		}
		line.Paths = append(line.Paths, rel)
	}
	for _, e := range entries {
		if hides(e.Path) {
			continue
		}
		j := proposalEntryJSON{N: e.N, Path: e.Path, Change: e.Kind.String(), Old: e.Old, New: e.New}
		if e.Whole {
			j.Change = string(e.File.Change)
		}
		line.Entries = append(line.Entries, j)
	}
	if line.Withheld {
		line.Title, line.Reason = withheldTitle, ""
	}
	return line, nil
}

func listProposals(ctx context.Context, env *Env, ws *memory.Workspace, all bool) error {
	list, err := proposal.List(ctx, ws, all)
	if err != nil {
		return err
	}
	hides := agent.Hides(ws, env.Opt.SessionKind)
	if env.Opt.JSON {
		for _, p := range list.Proposals {
			line, err := proposalLine(ctx, p, hides)
			if err != nil {
				return err
			}
			if err := writeJSON(env.Out, "claw.proposal/1", line); err != nil {
				return err
			}
		}
		return nil
	}
	notAdopted(env, ws)
	err = env.Page(ctx, config(ctx, ws), func(w io.Writer, style term.Style) error {
		for _, p := range list.Proposals {
			title := p.Title
			for _, rel := range p.Paths() {
				if hides(rel) {
					title = withheldTitle
				}
			}
			note := string(p.State)
			if p.State == proposal.Deferred {
				note += " until " + p.Until.Format(time.DateOnly)
			}
			if _, err := fmt.Fprintf(w, "%s  %s  %s\n", style.Yellow(term.Escape(p.ID)), style.Dim(note), term.Escape(title)); err != nil {
				return err
			}
		}
		return nil
	})
	if len(list.Proposals) == 0 {
		env.Confirm("nothing waits for you")
	}
	if list.Ignored > 0 {
		env.Confirm("%d below claw/ that are no proposals: git branch --list 'claw/*'", list.Ignored)
	}
	return err
}

func showProposal(ctx context.Context, env *Env, ws *memory.Workspace, p *proposal.Proposal) error {
	hides := agent.Hides(ws, env.Opt.SessionKind)
	if env.Opt.JSON {
		line, err := proposalLine(ctx, p, hides)
		if err != nil {
			return err
		}
		return writeJSON(env.Out, "claw.proposal/1", line)
	}
	entries, err := p.Entries(ctx)
	if err != nil {
		return err
	}
	hidden := map[string]bool{}
	for _, rel := range p.Paths() {
		if hides(rel) {
			hidden[rel] = true
		}
	}
	err = env.Page(ctx, config(ctx, ws), func(w io.Writer, style term.Style) error {
		proposalHead(w, style, p, len(hidden) > 0)
		return numberedEntries(w, style, entries, false, hides)
	})
	withheld(env, len(hidden))
	return err
}

// proposalHead prints what is known about a proposal.
func proposalHead(w io.Writer, style term.Style, p *proposal.Proposal, private bool) {
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s %s\n", style.Dim(term.Pad(name, 10)), term.Escape(value))
		}
	}
	title, reason, body := p.Title, p.Reason, p.Body
	if private {
		title, reason, body = withheldTitle, "", ""
	}
	fmt.Fprintf(w, "%s\n", style.Bold(term.Escape(title)))
	state := string(p.State)
	switch {
	case p.Why != "":
		state += ": " + p.Why
	case !p.Until.IsZero():
		state += " until " + p.Until.Format("2006-01-02 15:04")
	}
	field("id", p.ID)
	field("kind", string(p.Kind))
	field("state", state)
	if p.Edited {
		field("note", "others committed to its branch after it was made")
	}
	field("by", strings.TrimSuffix(string(p.Actor)+", session "+p.Session, ", session "))
	field("date", p.Created.Format("2006-01-02 15:04:05 -0700"))
	if reason != title {
		field("why", reason)
	}
	if !private {
		for _, t := range p.Trailers {
			switch t.Key {
			case "Claw-Evidence", "Claw-Candidate", "Claw-Count", "Claw-Window", "Claw-From", "Claw-To", "Claw-Source", "Claw-Split-From", "Claw-Undoes":
				field(strings.ToLower(strings.TrimPrefix(t.Key, "Claw-")), t.Value)
			}
		}
	}
	for _, v := range p.Verdicts {
		what := v.Verdict
		if v.By != "" {
			what += " by " + v.By
		}
		if v.Reason != "" {
			what += ": " + v.Reason
		}
		field(v.At.Format(time.DateOnly), what)
	}
	if body != "" {
		fmt.Fprintf(w, "\n%s\n", term.EscapeText(body))
	}
	fmt.Fprintln(w)
}

// numberedEntries prints the entries of a proposal with their numbers.
func numberedEntries(w io.Writer, style term.Style, entries []proposal.Entry, marks bool, hides func(string) bool) error {
	path := ""
	d := diffPrinter{w: w, style: style, marks: marks}
	for _, e := range entries {
		if hides(e.Path) {
			continue
		}
		if e.Path != path {
			if path != "" {
				fmt.Fprintln(w)
			}
			path = e.Path
			head := e.File
			head.Entries = nil
			if err := d.file(head); err != nil {
				return err
			}
		}
		where := style.Cyan(fmt.Sprintf("[%d]", e.N))
		if len(e.Heading) > 0 {
			where += " " + style.Dim("@ "+term.Escape(strings.Join(e.Heading, " > ")))
		}
		fmt.Fprintf(w, "  %s\n", where)
		if e.Whole {
			for _, sub := range e.File.Entries {
				d.entry(sub)
			}
			continue
		}
		d.entry(e.EntryDiff)
	}
	return nil
}

// acceptedJSON is the line of 'proposal accept --json'.
type acceptedJSON struct {
	savedJSON
	Proposal   string      `json:"proposal"`
	Entries    int         `json:"entries"`
	Rest       string      `json:"rest,omitempty"`
	ApprovedBy string      `json:"approvedBy"`
	Via        string      `json:"approvedVia"`
	Version    string      `json:"version,omitempty"`
	Before     []savedJSON `json:"before"`
}

func printAccepted(env *Env, res *proposal.AcceptedAs, dry bool) error {
	if env.Opt.JSON {
		line := acceptedJSON{
			savedJSON: savedLine(res.Saved), Proposal: res.Proposal.ID, Entries: res.Entries, ApprovedBy: res.Approval.By,
			Via: res.Approval.Via, Version: res.Version, Before: []savedJSON{},
		}
		line.Skipped = []skippedJSON{}
		if res.Rest != nil {
			line.Rest = res.Rest.ID
		}
		for _, s := range res.Before {
			b := savedLine(s)
			b.Skipped = []skippedJSON{}
			line.Before = append(line.Before, b)
		}
		return writeJSON(env.Out, "claw.accept/1", line)
	}
	for _, s := range res.Before {
		env.Confirm("saved %s  %s", s.Commit.Short(), term.Escape(s.Subject))
	}
	switch {
	case dry:
		fmt.Fprintf(env.Out, "would accept %s: %s\n", res.Proposal.ID, escapeAll(res.Proposal.Paths()))
	case !res.Merge:
		env.Confirm("confirmed %s", res.Proposal.ID)
	default:
		env.Confirm("accepted %s in %s: %s", res.Proposal.ID, res.Commit.Short(), escapeAll(res.Paths))
	}
	if res.Version != "" {
		env.Confirm("version %s", res.Version)
	}
	if res.Rest != nil {
		env.Confirm("the rest waits as %s", res.Rest.ID)
	}
	return nil
}
