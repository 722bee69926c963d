package main

import (
	"context"
	"time"

	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

// tellProposed says that a change waits, and how to look at it.
func tellProposed(env *Env, p *proposal.Proposal) {
	env.Confirm("proposed %s  %s", p.ID, term.Escape(p.Title))
	env.Confirm("it waits for a person: git claw review")
}

// proposalJSON is a proposal in JSON (SPEC 10.8).
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
}

// proposalEntryJSON is one change of a proposal; n is what --only takes.
type proposalEntryJSON struct {
	N      int    `json:"n"`
	Path   string `json:"path"`
	Change string `json:"change"`
	Old    string `json:"old"`
	New    string `json:"new"`
}

func proposalLine(ctx context.Context, p *proposal.Proposal) (proposalJSON, error) {
	line := proposalJSON{
		ID: p.ID, Kind: string(p.Kind), Branch: p.Branch, Tip: p.Tip.String(), Base: p.Base.String(), Title: p.Title, Reason: p.Reason,
		Created: p.Created.Format(time.RFC3339), Actor: string(p.Actor), Session: p.Session, State: string(p.State), Why: p.Why,
		Entries: []proposalEntryJSON{}, Paths: list(p.Paths()),
	}
	if !p.Until.IsZero() {
		line.Until = p.Until.Format(time.RFC3339)
	}
	entries, err := p.Entries(ctx)
	if err != nil {
		return line, err
	}
	for _, e := range entries {
		one := proposalEntryJSON{N: e.N, Path: e.Path, Change: e.Kind.String(), Old: e.Old, New: e.New}
		if e.Whole {
			one.Change = string(e.File.Change)
		}
		line.Entries = append(line.Entries, one)
	}
	return line, nil
}

// printProposal answers with one proposal.
func printProposal(ctx context.Context, env *Env, p *proposal.Proposal) error {
	if !env.Opt.JSON {
		tellProposed(env, p)
		return nil
	}
	line, err := proposalLine(ctx, p)
	if err != nil {
		return err
	}
	return writeJSON(env.Out, "claw.proposal/1", line)
}
