package main

import (
	"context"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
)

// tellProposed says that a change waits, and how to look at it.
func tellProposed(env *Env, p *proposal.Proposal) {
	env.Confirm("proposed %s  %s", p.ID, term.Escape(p.Title))
	env.Confirm("it waits for a person: git claw review")
}

// printProposal answers with one proposal.
func printProposal(ctx context.Context, env *Env, ws *memory.Workspace, p *proposal.Proposal) error {
	if !env.Opt.JSON {
		tellProposed(env, p)
		return nil
	}
	line, err := proposalLine(ctx, p, agent.Hides(ws, env.Opt.SessionKind))
	if err != nil {
		return err
	}
	return writeJSON(env.Out, "claw.proposal/1", line)
}
