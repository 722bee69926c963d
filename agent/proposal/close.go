package proposal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// Close puts the tip of a proposal away and deletes its branch, in one transaction with
// a line of its note (nil: none). Somebody who did the same meanwhile is fine.
func Close(ctx context.Context, ws *memory.Workspace, _ agent.Caller, p *Proposal, line []byte) error {
	var ups []gitops.RefUpdate
	if p.closed != p.Tip {
		ups = append(ups, gitops.RefUpdate{Name: closed + p.ID, Old: p.closed, New: p.Tip})
	}
	if !p.head.IsZero() && !checkedOut(ws.Repo, "refs/heads/"+p.Branch) {
		ups = append(ups, gitops.RefUpdate{Name: "refs/heads/" + p.Branch, Old: p.head})
	}
	if !p.open.IsZero() {
		ups = append(ups, gitops.RefUpdate{Name: openRefs + p.ID, Old: p.open})
	}
	err := moveWith(ctx, ws, p.Tip, line, nil, ups, "claw: close "+p.ID)
	var moved *gitops.MovedError
	if !errors.As(err, &moved) {
		return err
	}
	now, ferr := Find(ctx, ws, p.ID)
	if ferr == nil && now.Closed() && now.Tip == p.Tip {
		return moveWith(ctx, ws, p.Tip, line, nil, nil, "claw: close "+p.ID)
	}
	return errors.Join(err, ferr)
}

// checkedOut reports whether a worktree has a branch: deleting it would leave that one
// without a commit. The branch goes when the next command looks.
func checkedOut(repo *gitops.Repo, ref string) bool {
	heads, _ := filepath.Glob(filepath.Join(repo.CommonDir, "worktrees", "*", "HEAD"))
	for _, file := range append(heads, filepath.Join(repo.CommonDir, "HEAD")) {
		if b, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(b)) == "ref: "+ref {
			return true
		}
	}
	return false
}

// waits refuses to decide twice.
func (p *Proposal) waits(verb string) error {
	if p.State.Decided() {
		return &agent.RefusedError{Problem: fmt.Sprintf("cannot %s '%s': it is %s", verb, p.ID, p.State)}
	}
	return nil
}

// Reject closes a proposal that nobody wants.
func Reject(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal, ap Approval, reason string) error {
	if err := ws.RequireAdopted(); err != nil {
		return err
	}
	if err := p.waits("reject"); err != nil {
		return err
	}
	if p.State == Merged {
		return &agent.RefusedError{
			Problem: fmt.Sprintf("cannot reject '%s': git merged it", p.ID),
			Advice:  []string{"git claw undo " + p.Tip.Short(), "git claw proposal accept " + p.ID},
		}
	}
	return Close(ctx, ws, caller, p, line(ws, caller, ap, verdict.Verdict{Verdict: verdict.Reject, Reason: reason}))
}

// MergeOf is the commit by which git brought a proposal into the branch: a merge of it,
// or the commit itself.
func MergeOf(ctx context.Context, ws *memory.Workspace, p *Proposal) (gitops.ID, error) {
	for c, err := range ws.Repo.Log(ctx, gitops.LogOptions{Revs: []string{"HEAD", "^" + p.Tip.String()}}) {
		if err != nil {
			return gitops.ID{}, err
		}
		if len(c.Parents) > 1 && slices.Contains(c.Parents[1:], p.Tip) {
			return c.ID, nil
		}
	}
	return p.Tip, nil
}

// Unmerged closes a proposal whose merge by git a person took back.
func Unmerged(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal, ap Approval, reason string) error {
	return Close(ctx, ws, caller, p, line(ws, caller, ap, verdict.Verdict{Verdict: verdict.Undone, Reason: reason}))
}

// Defer lets a proposal wait until a day.
func Defer(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal, ap Approval, until time.Time, reason string) error {
	if err := ws.RequireAdopted(); err != nil {
		return err
	}
	if err := p.waits("defer"); err != nil {
		return err
	}
	if p.State == Merged || p.State == Withdrawn {
		return &agent.RefusedError{Problem: fmt.Sprintf("cannot defer '%s': it is %s", p.ID, p.State)}
	}
	v := verdict.Verdict{Verdict: verdict.Defer, Until: until.Format(time.RFC3339), Reason: reason}
	return moveWith(ctx, ws, p.Tip, line(ws, caller, ap, v), nil, nil, "claw: defer "+p.ID)
}

// Supersede closes a proposal because what it is about was decided otherwise. That is no
// person's verdict.
func Supersede(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal, reason string) error {
	if p.State.Decided() && p.Closed() {
		return nil
	}
	return Close(ctx, ws, caller, p, line(ws, caller, Approval{}, verdict.Verdict{Verdict: verdict.Supersede, Reason: reason}))
}

// Settled is a proposal that was closed because it was decided.
type Settled struct {
	Proposal *Proposal
	State    State
}

// Settle closes what was decided without being closed: accepted by a command that was
// killed, closed on another machine, or taken over by hand.
func Settle(ctx context.Context, ws *memory.Workspace, caller agent.Caller) ([]Settled, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	list, err := List(ctx, ws, true)
	if err != nil {
		return nil, err
	}
	var out []Settled
	for _, p := range list.Proposals {
		if !p.State.Decided() || p.Closed() {
			continue
		}
		if !p.head.IsZero() && p.open.IsZero() && p.closed == p.Tip && checkedOut(ws.Repo, "refs/heads/"+p.Branch) {
			continue // all but the branch is done, and somebody is on it
		}
		if !p.closed.IsZero() && !p.head.IsZero() && p.head != p.closed {
			// Somebody went on with it after it was closed: that is not thrown away.
			ok, err := ws.Repo.IsAncestor(ctx, p.head.String(), p.closed.String())
			if err != nil {
				return out, err
			}
			if !ok {
				continue
			}
			p.Tip = p.closed
		}
		var l []byte
		if p.State == Elsewhere {
			l = line(ws, caller, Approval{}, verdict.Verdict{Verdict: verdict.Elsewhere})
		}
		if err := Close(ctx, ws, caller, p, l); err != nil {
			return out, err
		}
		out = append(out, Settled{Proposal: p, State: p.State})
	}
	return out, nil
}
