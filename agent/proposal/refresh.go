package proposal

import (
	"context"
	"fmt"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// Refresh makes a proposal anew on HEAD, so that it can be looked at and accepted as it
// is now, and brings one back whose branch was deleted. What was said of it goes along.
// *StaleError: what it changes is not there any more, or was changed in the same entry.
func Refresh(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal) (*Proposal, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	if p.State.Decided() {
		return reopen(ctx, ws, caller, p)
	}
	if checkedOut(ws.Repo, "refs/heads/"+p.Branch) {
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("cannot refresh '%s': '%s' is checked out", p.ID, p.Branch), Advice: []string{"git worktree list"}}
	}
	if p.State == Merged {
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("cannot refresh '%s': git merged it", p.ID), Advice: []string{"git claw proposal accept " + p.ID}}
	}
	if p.State == Quarantined {
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("cannot refresh '%s': it is quarantined: %s", p.ID, p.Why)}
	}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	tip := p.Tip
	if head.Commit != p.Base && p.State != Withdrawn || p.State == Withdrawn && p.Why != "" {
		if tip, err = p.rebuild(ctx, ws, caller, head.Commit); err != nil {
			return nil, err
		}
	}
	var ups []gitops.RefUpdate
	for _, up := range []gitops.RefUpdate{
		{Name: "refs/heads/" + p.Branch, Old: p.head, New: tip}, {Name: openRefs + p.ID, Old: p.open, New: tip},
	} {
		if up.Old != up.New {
			ups = append(ups, up)
		}
	}
	if len(ups) > 0 {
		if err := moveWith(ctx, ws, tip, nil, []gitops.ID{p.Tip}, ups, "claw: refresh "+p.ID); err != nil {
			return nil, err
		}
	}
	return Find(ctx, ws, p.ID)
}

// reopen brings a proposal back that was closed: rejected by mistake, or accepted on a
// branch that is gone.
func reopen(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal) (*Proposal, error) {
	in, err := ws.Repo.IsAncestor(ctx, p.Tip.String(), "HEAD")
	if err != nil {
		return nil, err
	}
	if in || !p.Closed() {
		return nil, p.waits("refresh")
	}
	l := line(ws, caller, Approval{}, verdict.Verdict{Verdict: verdict.Reopen})
	ups := []gitops.RefUpdate{
		{Name: closed + p.ID, Old: p.closed},
		{Name: "refs/heads/" + p.Branch, New: p.Tip},
		{Name: openRefs + p.ID, New: p.Tip},
	}
	if err := moveWith(ctx, ws, p.Tip, l, nil, ups, "claw: reopen "+p.ID); err != nil {
		return nil, err
	}
	again, err := Find(ctx, ws, p.ID)
	if err != nil || again.State == Quarantined || again.State.Decided() {
		return again, err
	}
	return Refresh(ctx, ws, caller, again)
}

// rebuild makes the commit of a proposal anew on another one.
func (p *Proposal) rebuild(ctx context.Context, ws *memory.Workspace, _ agent.Caller, head gitops.ID) (gitops.ID, error) {
	want, err := p.picked(ctx, func(int) bool { return true })
	if err != nil {
		return gitops.ID{}, err
	}
	tree, err := ws.Repo.Objects().TreeOf(ctx, head)
	if err != nil {
		return gitops.ID{}, fmt.Errorf("read HEAD: %w", err)
	}
	files, err := p.fit(ctx, tree, want, false)
	if err != nil {
		return gitops.ID{}, err
	}
	b := gitops.Build{Base: head, Parents: []gitops.ID{head}, Message: p.remade(ws, files)}
	for _, f := range files {
		if f.want == nil && f.cur.IsZero() || f.want != nil && string(f.want) == string(f.now) && !f.cur.IsZero() {
			continue
		}
		b.Changes = append(b.Changes, gitops.Change{Path: ws.Prefix + f.path, Content: f.want, Delete: f.want == nil})
	}
	if len(b.Changes) == 0 {
		return gitops.ID{}, &agent.RefusedError{
			Problem: fmt.Sprintf("cannot refresh '%s': all of it is on the branch already", p.ID), Advice: []string{"git claw review"},
		}
	}
	w, err := agent.Writer(ctx, ws)
	if err != nil {
		return gitops.ID{}, err
	}
	res, err := w.Build(ctx, b)
	return res.Commit, err
}

// remade is the message with the blobs that it is based on now.
func (p *Proposal) remade(ws *memory.Workspace, files []fitted) string {
	var tr gitops.Trailers
	for _, t := range p.Trailers {
		if t.Key != "Claw-Base" {
			tr = append(tr, t)
		}
	}
	if p.Kind.exact() {
		for _, f := range files {
			tr = append(tr, gitops.Trailer{Key: "Claw-Base", Value: ws.Repo.BlobID(f.now).String()})
		}
	}
	return gitops.FormatMessage(fmt.Sprintf("claw(%s): %s", p.Area, p.Title), p.Body, tr)
}

// Amend makes a proposal anew with other contents of its files, as a person words it, on
// the commit that it was made on. What was said of it goes along.
func Amend(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal, edits []Edit) (*Proposal, error) {
	if err := p.waits("edit"); err != nil {
		return nil, err
	}
	d := Draft{Kind: p.Kind, Base: p.Base}
	for _, c := range p.Changes {
		e := Edit{Path: c.Path, Delete: c.New.IsZero()}
		var err error
		if e.Content, err = p.blob(ctx, c.New); err != nil {
			return nil, err
		}
		for _, other := range edits {
			if other.Path == c.Path {
				e = other
			}
		}
		d.Edits = append(d.Edits, e)
	}
	changes, err := d.changes(ctx, ws)
	if err != nil {
		return nil, err
	}
	w, err := agent.Writer(ctx, ws)
	if err != nil {
		return nil, err
	}
	msg := gitops.FormatMessage(fmt.Sprintf("claw(%s): %s", p.Area, p.Title), p.Body, p.Trailers)
	res, err := w.Build(ctx, gitops.Build{Base: p.Base, Parents: []gitops.ID{p.Base}, Changes: changes, Message: msg})
	if err != nil || res.Commit == p.Tip {
		return p, err
	}
	next := *p
	next.Tip, next.worked = res.Commit, false
	if err := next.changes(ctx); err != nil {
		return nil, err
	}
	if why := next.forbidden(ctx); why != "" {
		return nil, &agent.RefusedError{Problem: "cannot propose this: " + why}
	}
	ups := []gitops.RefUpdate{{Name: "refs/heads/" + p.Branch, Old: p.head, New: res.Commit}, {Name: openRefs + p.ID, Old: p.open, New: res.Commit}}
	if err := moveWith(ctx, ws, res.Commit, nil, []gitops.ID{p.Tip}, ups, "claw: edit "+p.ID); err != nil {
		return nil, err
	}
	return Find(ctx, ws, p.ID)
}
