package proposal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// AcceptOptions says how a proposal is accepted.
type AcceptOptions struct {
	Approval   Approval
	Only       []int // numbers of Entries; none: all
	RejectRest bool
	// Quote: the user ordered it in the words of Claw-Evidence, and the workspace takes
	// that for an approval (claw.approve.quotes, SPEC GN-08).
	Quote bool
	// Edits, where there are some, are the files as they are to be after the merge, in
	// place of a merge by entry. They are worked out by Plan from HEAD, again when
	// somebody was quicker.
	Plan func(ctx context.Context, head gitops.ID) (Planned, error)
	// Shown is the tip that the person was shown; another one is refused. Zero: whatever
	// is there.
	Shown gitops.ID
	// DryRun writes nothing.
	DryRun bool
}

// Planned is what the merge of a proposal is to be.
type Planned struct {
	Event, Area, Summary string // those of the proposal when empty
	Trailers             gitops.Trailers
	Edits                []Edit
}

// AcceptedAs is what became of a proposal.
type AcceptedAs struct {
	agent.Saved
	Proposal *Proposal
	Rest     *Proposal     // what was left of it, a proposal of its own
	Before   []agent.Saved // unsaved edits of its files, saved first
	Merge    bool          // a commit was made; else it was confirmed
	Version  string        // of an evolved skill, `old → new`
	Entries  int           // how many were merged
	Approval Approval      // who accepted it
}

// Accept merges a proposal into the current branch, as a commit with two parents that
// names who approved it, and closes it. Unsaved edits of its files are saved before. One
// that git merged already is confirmed. Errors: *agent.RefusedError, *StaleError,
// *agent.ConflictError; nothing was merged then.
func Accept(ctx context.Context, ws *memory.Workspace, caller agent.Caller, p *Proposal, opt AcceptOptions) (*AcceptedAs, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	caller = caller.Clean()
	a := &accepter{ws: ws, caller: caller, opt: opt, id: p.ID, res: &AcceptedAs{Approval: opt.Approval}}
	var last error
	for range maxRaces {
		err := a.run(ctx)
		var moved *gitops.MovedError
		var changed *gitops.WorkTreeChangedError
		if !errors.As(err, &moved) && !(errors.As(err, &changed) && !a.res.Merge) {
			return a.res, err
		}
		last = err
	}
	return a.res, last
}

type accepter struct {
	ws     *memory.Workspace
	caller agent.Caller
	opt    AcceptOptions
	id     string
	res    *AcceptedAs

	p     *Proposal
	st    *gitops.Status
	index map[string]gitops.ID // of paths that are dirty
	rest  *Proposal
}

func (a *accepter) run(ctx context.Context) error {
	if pr := a.ws.Repo.Progress(); pr != nil {
		return pr
	}
	p, err := Find(ctx, a.ws, a.id)
	if err != nil {
		return err
	}
	a.p, a.res.Proposal = p, p
	if a.opt.Shown != p.Tip && !a.opt.Shown.IsZero() {
		return &agent.ConflictError{
			Problem: fmt.Sprintf("'%s' changed since it was shown", p.ID), Advice: []string{"git claw review " + p.ID},
		}
	}
	if done, err := a.settled(ctx); done || err != nil {
		return err
	}
	if err := a.numbers(ctx); err != nil {
		return err
	}
	if err := a.baseIsHere(ctx); err != nil {
		return err
	}
	if !a.opt.DryRun {
		if err := a.saveFirst(ctx); err != nil {
			return err
		}
	}
	if err := a.look(ctx); err != nil {
		return err
	}
	return a.merge(ctx)
}

// settled answers for states in which there is nothing to merge.
func (a *accepter) settled(ctx context.Context) (bool, error) {
	p := a.p
	no := func(why string, advice ...string) (bool, error) {
		return true, &agent.RefusedError{Problem: fmt.Sprintf("cannot accept '%s': %s", p.ID, why), Advice: advice}
	}
	switch p.State {
	case Quarantined:
		return no("it is quarantined: "+p.Why, "git claw proposal reject "+p.ID)
	case Withdrawn:
		return no("its branch was deleted", "git claw proposal refresh "+p.ID)
	case Rejected, Split, Superseded, Over, Elsewhere:
		if p.Closed() {
			return no("it is closed (" + string(p.State) + ")")
		}
		return true, a.close(ctx)
	case Accepted:
		if p.Closed() {
			return no("it was accepted already")
		}
		return true, a.close(ctx)
	case Merged:
		if err := unsigned(a.ws, p.Tip.Short()); err != nil || a.opt.DryRun {
			return true, err
		}
		ap := a.opt.Approval
		l := line(a.ws, a.caller, ap, verdict.Verdict{Verdict: verdict.Accept, Reason: "merged with git"})
		return true, Close(ctx, a.ws, a.caller, p, l)
	}
	return false, nil
}

// close writes down what was decided already.
func (a *accepter) close(ctx context.Context) error {
	if a.opt.DryRun {
		return nil
	}
	return Close(ctx, a.ws, a.caller, a.p, nil)
}

// numbers checks --only.
func (a *accepter) numbers(ctx context.Context) error {
	entries, err := a.p.Entries(ctx)
	if err != nil {
		return err
	}
	a.res.Entries = len(entries)
	if len(a.opt.Only) == 0 {
		return nil
	}
	slices.Sort(a.opt.Only)
	a.opt.Only = slices.Compact(a.opt.Only)
	for _, n := range a.opt.Only {
		if n < 1 || n > len(entries) {
			return &agent.UsageError{
				Problem: fmt.Sprintf("'%s' has no entry %d: there are %d", a.p.ID, n, len(entries)), Hint: "git claw proposal show " + a.p.ID,
			}
		}
	}
	if len(a.opt.Only) == len(entries) {
		a.opt.Only = nil
		return nil
	}
	if a.opt.Plan != nil || a.p.Kind.Whole() {
		return &agent.UsageError{Problem: fmt.Sprintf("a proposal of kind '%s' is accepted as a whole", a.p.Kind)}
	}
	a.res.Entries = len(a.opt.Only)
	return nil
}

// baseIsHere: merging a branch whose base is not in this history would bring commits that
// are not looked at.
func (a *accepter) baseIsHere(ctx context.Context) error {
	ok, err := a.ws.Repo.IsAncestor(ctx, a.p.Base.String(), "HEAD")
	if err != nil || ok {
		return err
	}
	return &agent.ConflictError{
		Problem: fmt.Sprintf("cannot accept '%s': it was made on commits that are not on this branch", a.p.ID),
		Advice:  []string{"git claw proposal refresh " + a.p.ID},
	}
}

// saveFirst saves unsaved edits of the files.
func (a *accepter) saveFirst(ctx context.Context) error {
	var rels []string
	for _, c := range a.p.Changes {
		rels = append(rels, c.Path)
	}
	saved, err := agent.SaveDirty(ctx, a.ws, a.caller, rels)
	if saved != nil {
		a.res.Before = append(a.res.Before, saved.Commits...)
	}
	return err
}

// look reads HEAD and what of the files is staged or held back.
func (a *accepter) look(ctx context.Context) error {
	paths := make([]string, 0, len(a.p.Changes))
	for _, c := range a.p.Changes {
		paths = append(paths, a.ws.Prefix+c.Path)
	}
	var err error
	if a.st, err = a.ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: paths, Untracked: true}); err != nil {
		return err
	}
	a.index = map[string]gitops.ID{}
	for _, e := range a.st.Entries {
		rel := strings.TrimPrefix(e.Path, a.ws.Prefix)
		if e.Partial() {
			return &agent.RefusedError{Problem: fmt.Sprintf("'%s' is partly staged", rel), Advice: []string{
				"commit it with git, or unstage it with 'git restore --staged " + rel + "'",
			}}
		}
		a.index[e.Path] = e.IndexID
	}
	if a.st.Head.Ref == "" {
		return &agent.RefusedError{Problem: fmt.Sprintf("cannot accept '%s': HEAD is on no branch, and the merge would be lost to sight", a.p.ID), Advice: []string{"git switch <branch>"}}
	}
	if a.st.Head.Ref == "refs/heads/"+a.p.Branch {
		return &agent.RefusedError{Problem: fmt.Sprintf("'%s' is checked out", a.p.Branch), Advice: []string{"git switch -"}}
	}
	return nil
}

// merge works the commit out and makes it.
func (a *accepter) merge(ctx context.Context) error {
	plan, files, err := a.plan(ctx)
	if err != nil {
		return err
	}
	tx := gitops.Tx{Merges: []gitops.ID{a.p.Tip}, Seen: a.st.Seen, Head: a.st.Head.Commit}
	for _, f := range files {
		ch, err := a.change(f)
		if err != nil {
			return err
		}
		if ch.Path != "" {
			tx.Changes = append(tx.Changes, ch)
			a.res.Paths = append(a.res.Paths, f.path)
		}
	}
	if err := a.guard(tx.Changes); err != nil {
		return err
	}
	if err := a.refuseConverted(ctx, tx.Changes); err != nil {
		return err
	}
	if err := a.message(&tx, plan); err != nil {
		return err
	}
	if a.opt.DryRun {
		return nil
	}
	if len(a.opt.Only) > 0 && !a.opt.RejectRest {
		if err := a.splitOff(ctx); err != nil {
			return err
		}
	}
	a.sign(&tx)
	w, err := agent.Writer(ctx, a.ws)
	if err != nil {
		return err
	}
	r, err := w.Commit(ctx, tx)
	agent.NoteHook(a.ws, err)
	if r.Commit.IsZero() {
		return err
	}
	a.res.Commit, a.res.Merge = r.Commit, true
	v := verdict.Verdict{Verdict: verdict.Accept}
	if len(a.opt.Only) > 0 {
		v.Only, _ = json.Marshal(a.opt.Only)
		v.Verdict = verdict.Split
		if a.opt.RejectRest {
			v.Reason = "the rest was rejected"
		}
	}
	cerr := Close(ctx, a.ws, a.caller, a.p, line(a.ws, a.caller, a.opt.Approval, v))
	if a.rest != nil && cerr == nil {
		// It was made before the merge, so that it cannot be lost, and moves on top now.
		if fresh, rerr := Refresh(ctx, a.ws, a.caller, a.rest); rerr == nil {
			a.rest = fresh
		}
	}
	a.res.Rest = a.rest
	return errors.Join(err, cerr)
}

// plan is what the merge does.
func (a *accepter) plan(ctx context.Context) (Planned, []fitted, error) {
	tree, err := a.ws.Repo.Objects().TreeOf(ctx, a.st.Head.Commit)
	if err != nil {
		return Planned{}, nil, fmt.Errorf("read HEAD: %w", err)
	}
	if a.opt.Plan == nil {
		want, err := a.p.picked(ctx, func(n int) bool { return len(a.opt.Only) == 0 || slices.Contains(a.opt.Only, n) })
		if err != nil {
			return Planned{}, nil, err
		}
		files, err := a.p.fit(ctx, tree, want, true)
		if err != nil {
			return Planned{}, nil, err
		}
		var plan Planned
		if a.p.Kind == Evolve {
			plan.Event = "evolve.apply"
			a.raiseVersions(files)
		}
		return plan, files, nil
	}
	plan, err := a.opt.Plan(ctx, a.st.Head.Commit)
	if err != nil {
		return plan, nil, err
	}
	var files []fitted
	for _, e := range plan.Edits {
		f := fitted{path: e.Path, want: e.Content}
		if e.Delete {
			f.want = nil
		} else if f.want == nil {
			f.want = []byte{}
		}
		if f.cur, _, err = a.ws.Repo.Objects().Lookup(ctx, tree, a.ws.Prefix+e.Path); err != nil {
			return plan, nil, fmt.Errorf("read HEAD: %w", err)
		}
		if f.now, err = a.p.blob(ctx, f.cur); err != nil {
			return plan, nil, err
		}
		files = append(files, f)
	}
	return plan, files, nil
}
