package review

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/learn"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// Decision is what a person says of an item.
type Decision struct {
	Answer Answer
	Only   []int           // of Split
	Reason string          // why, for whoever looks later
	Until  time.Time       // of Defer; after claw.si.deferDays when zero
	Words  string          // of Change in a contradiction
	Edits  []proposal.Edit // of Change in a proposal
}

// Outcome is what became of it.
type Outcome struct {
	Answer    Answer
	Saved     []agent.Saved // commits, the decision itself last where it is one
	Skipped   []agent.Skipped
	Accepted  *proposal.AcceptedAs
	Proposal  *proposal.Proposal // made anew by Change, to be looked at again
	Candidate *learn.Candidate
	Evicted   []string // preferences that had to leave the store's memory.md
	Until     time.Time
}

// Decide does what a person decided. Whoever is no person gets a *agent.RefusedError, and
// nothing happened.
func Decide(ctx context.Context, ws *memory.Workspace, caller agent.Caller, i *Item, d Decision) (*Outcome, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	ap, err := proposal.Approve(ctx, ws, caller)
	if err != nil {
		return nil, err
	}
	if d.Until.IsZero() {
		d.Until = ws.Now().AddDate(0, 0, int(ws.Settings.Int("si.deferDays")))
	}
	out := &Outcome{Answer: d.Answer, Until: d.Until}
	switch i.Kind {
	case Proposal:
		return out, out.proposal(ctx, ws, caller, ap, i.Proposal, d)
	case Candidate:
		return out, out.candidate(ctx, ws, caller, i.ID, d)
	case Edit:
		return out, out.edit(ctx, ws, caller, ap, i.Edit, d)
	}
	if i.Contradiction.Value != nil {
		return out, out.choose(ctx, ws, caller, ap, i.Contradiction, d)
	}
	res, err := Resolve(ctx, ws, caller, i.Contradiction, d.Answer, d.Words)
	out.save(res)
	return out, err
}

func (o *Outcome) save(res *agent.SaveResult) {
	if res != nil {
		o.Saved, o.Skipped = append(o.Saved, res.Commits...), append(o.Skipped, res.Skipped...)
	}
}

func (o *Outcome) proposal(ctx context.Context, ws *memory.Workspace, caller agent.Caller, ap proposal.Approval, p *proposal.Proposal, d Decision) (err error) {
	switch d.Answer {
	case Accept:
		if p.State == proposal.Accepted {
			return proposal.Judge(ctx, ws, caller, ap, p.Tip, verdict.Verdict{Verdict: verdict.Accept, Reason: d.Reason})
		}
	case Reject:
		if p.State == proposal.Merged || p.State == proposal.Accepted {
			return o.unmerge(ctx, ws, caller, ap, p, d)
		}
		return proposal.Reject(ctx, ws, caller, p, ap, d.Reason)
	case Defer:
		return proposal.Defer(ctx, ws, caller, p, ap, d.Until, d.Reason)
	case Change:
		o.Proposal, err = proposal.Amend(ctx, ws, caller, p, d.Edits)
		return err
	}
	return o.accept(AcceptProposal(ctx, ws, caller, p, proposal.AcceptOptions{Approval: ap, Only: d.Only, Shown: p.Tip}))
}

// unmerge takes back what git merged, and closes the proposal.
func (o *Outcome) unmerge(ctx context.Context, ws *memory.Workspace, caller agent.Caller, ap proposal.Approval, p *proposal.Proposal, d Decision) error {
	target, err := proposal.MergeOf(ctx, ws, p)
	if err != nil {
		return err
	}
	res, err := agent.Undo(ctx, ws, caller, agent.UndoOptions{Target: target.String()})
	if res != nil {
		o.Saved, o.Skipped = append(o.Saved, res.Saved), res.Skipped
	}
	if err != nil {
		return err
	}
	return proposal.Unmerged(ctx, ws, caller, p, ap, d.Reason)
}

func (o *Outcome) accept(res *proposal.AcceptedAs, err error) error {
	if res == nil || !res.Merge && err != nil {
		return err
	}
	o.Accepted, o.Saved = res, append(o.Saved, res.Before...)
	if res.Merge {
		o.Saved = append(o.Saved, res.Saved)
	}
	return err
}

// AcceptProposal accepts a proposal the way its kind asks for: the place of a preference
// is looked for in the store as it is now.
func AcceptProposal(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *proposal.Proposal, opt proposal.AcceptOptions) (*proposal.AcceptedAs, error) {
	id := p.Trailers.Get("Claw-Candidate")
	plain := p.State != proposal.Open && p.State != proposal.Stale && p.State != proposal.Deferred
	if p.Kind != proposal.Candidate || id == "" || plain || opt.DryRun {
		return proposal.Accept(ctx, ws, caller, p, opt)
	}
	if len(opt.Only) > 0 {
		return nil, &agent.UsageError{Problem: fmt.Sprintf("a proposal of kind '%s' is accepted as a whole", p.Kind)}
	}
	if err := says(ctx, ws, caller, p, id); err != nil {
		return nil, err
	}
	got, err := learn.Confirm(ctx, ws, caller, id, learn.ConfirmOptions{})
	if got == nil {
		return nil, err
	}
	return got.Accepted, err
}

// says makes sure that a proposal shows what its candidate says: that is what a
// confirmation makes a rule.
func says(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *proposal.Proposal, id string) error {
	c, err := learn.Find(ctx, ws, caller, id)
	if err != nil {
		return err
	}
	entries, err := p.Entries(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.Contains(e.New, c.Line.String()) {
			return nil
		}
	}
	return &agent.RefusedError{
		Problem: fmt.Sprintf("cannot accept '%s': it says something else than '%s'", p.ID, id),
		Advice:  []string{"git claw proposal reject " + p.ID, "git claw candidate show " + id},
	}
}

func (o *Outcome) candidate(ctx context.Context, ws *memory.Workspace, caller agent.Caller, id string, d Decision) error {
	switch d.Answer {
	case Accept, Pin:
		got, err := learn.Confirm(ctx, ws, caller, id, learn.ConfirmOptions{Always: d.Answer == Pin})
		if got == nil {
			return err
		}
		o.save(got.Save)
		o.Candidate, o.Evicted = got.Candidate, got.Evicted
		return o.accept(got.Accepted, err)
	case Reject:
		got, err := learn.Reject(ctx, ws, caller, id, learn.RejectOptions{Reason: d.Reason})
		return o.decided(got, err)
	}
	return o.decided(learn.Defer(ctx, ws, caller, id))
}

func (o *Outcome) decided(got *learn.Decided, err error) error {
	if got != nil {
		o.save(got.Save)
		o.Candidate = got.Candidate
	}
	return err
}

// edit keeps an edit that was made in place, or takes it back.
func (o *Outcome) edit(ctx context.Context, ws *memory.Workspace, caller agent.Caller, ap proposal.Approval, e *agent.Event, d Decision) error {
	if d.Answer == Accept {
		return proposal.Judge(ctx, ws, caller, ap, e.Commit.ID, verdict.Verdict{Verdict: verdict.Accept, Reason: d.Reason})
	}
	res, err := agent.Undo(ctx, ws, caller, agent.UndoOptions{Target: e.Commit.ID.String()})
	if res != nil {
		o.Saved, o.Skipped = append(o.Saved, res.Saved), res.Skipped
	}
	return err
}

// Keep keeps an edit by its id or commit, in or out of the queue.
func Keep(ctx context.Context, ws *memory.Workspace, caller agent.Caller, name string) (*agent.Event, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	ap, err := proposal.Approve(ctx, ws, caller)
	if err != nil {
		return nil, err
	}
	e, err := agent.FindEvent(ctx, ws, name)
	if err != nil {
		return nil, err
	}
	return &e, proposal.Judge(ctx, ws, caller, ap, e.Commit.ID, verdict.Verdict{Verdict: verdict.Accept})
}
