package proposal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
	"github.com/git-claw/git-claw/memory/verdict"
)

// Listing is what waits, oldest first.
type Listing struct {
	Proposals []*Proposal
	// Ignored counts branches below claw/ that are no proposals: of a kind or with a
	// name that is not known, or without a commit of their own.
	Ignored int
}

// List reads the proposals of a workspace: those that wait, or all of them. It starts
// three git processes at most and writes nothing.
func List(ctx context.Context, ws *memory.Workspace, all bool) (*Listing, error) {
	r := &reader{ws: ws, byID: map[string]*Proposal{}}
	prefixes := []string{branches, openRefs, closed, verdict.Ref}
	refs, err := ws.Repo.Refs(ctx, prefixes...)
	if err != nil {
		return nil, err
	}
	r.sort(refs)
	if !all {
		for id, p := range r.byID {
			if p.Closed() {
				delete(r.byID, id)
			}
		}
	}
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	list := &Listing{Ignored: r.ignored}
	for _, p := range r.byID {
		if all || !p.State.Decided() {
			list.Proposals = append(list.Proposals, p)
		}
	}
	slices.SortFunc(list.Proposals, func(a, b *Proposal) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Find looks for a proposal by its id, its branch, or a part of its id that no other
// one has; of several, one that waits.
func Find(ctx context.Context, ws *memory.Workspace, name string) (*Proposal, error) {
	list, err := List(ctx, ws, true)
	if err != nil {
		return nil, err
	}
	var found, waiting []*Proposal
	for _, p := range list.Proposals {
		if name == p.ID || name == p.Branch || name == "refs/heads/"+p.Branch {
			return p, nil
		}
		if name != "" && strings.Contains(p.ID, name) {
			found = append(found, p)
			if !p.State.Decided() {
				waiting = append(waiting, p)
			}
		}
	}
	if len(waiting) > 0 {
		found = waiting
	}
	switch len(found) {
	case 0:
		return nil, &NotFoundError{ID: name}
	case 1:
		return found[0], nil
	}
	return nil, &AmbiguousError{Name: name, First: found[0].ID, Second: found[1].ID}
}

// AmbiguousError: a part of an id stands for several proposals.
type AmbiguousError struct{ Name, First, Second string }

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("'%s' is both '%s' and '%s'", e.Name, e.First, e.Second)
}

// ExitCode is git's for a name that cannot be resolved.
func (e *AmbiguousError) ExitCode() int { return 128 }

// Hints names one of them.
func (e *AmbiguousError) Hints() []string { return []string{"git claw proposal show " + e.First} }

// Tips are the commits of all proposals that are known here, open and closed.
func Tips(ctx context.Context, ws *memory.Workspace) (map[gitops.ID]bool, error) {
	refs, err := ws.Repo.Refs(ctx, branches, openRefs, closed)
	out := make(map[gitops.ID]bool, len(refs))
	for _, r := range refs {
		out[r.ID] = true
	}
	return out, err
}

// reader gathers proposals.
type reader struct {
	ws       *memory.Workspace
	byID     map[string]*Proposal
	notes    gitops.ID // commit of refs/notes/claw
	ignored  int
	head     gitops.Head
	headTree gitops.ID
	merged   map[gitops.ID]bool // tips in the history of HEAD
}

// sort puts refs to the proposals they belong to.
func (r *reader) sort(refs []gitops.Ref) {
	get := func(id string) *Proposal {
		p := r.byID[id]
		if p == nil {
			p = &Proposal{ID: id, ws: r.ws}
			r.byID[id] = p
		}
		return p
	}
	for _, ref := range refs {
		if ref.Name == verdict.Ref {
			r.notes = ref.ID
			continue
		}
		if kind, id, ok := parseBranch(ref.Name); ok {
			p := get(id)
			if !p.head.IsZero() { // one id in two kinds: nobody made that here
				r.ignored++
				continue
			}
			p.Kind, p.head = kind, ref.ID
			continue
		}
		if id, ok := strings.CutPrefix(ref.Name, openRefs); ok && idForm.MatchString(id) {
			get(id).open = ref.ID
		} else if id, ok := strings.CutPrefix(ref.Name, closed); ok && idForm.MatchString(id) {
			get(id).closed = ref.ID
		} else if strings.HasPrefix(ref.Name, branches) {
			r.ignored++
		}
	}
}

// read fills in what commits, notes and HEAD say.
func (r *reader) read(ctx context.Context) error {
	if len(r.byID) == 0 {
		return nil
	}
	var revs []string
	tips := map[gitops.ID]gitops.Commit{}
	for _, p := range r.byID {
		p.Tip = p.head
		if p.Tip.IsZero() {
			p.Tip = p.open
		}
		if p.Tip.IsZero() {
			p.Tip = p.closed
		}
		// One name that leads nowhere must not hide the others.
		if _, err := r.ws.Repo.Objects().Commit(ctx, p.Tip); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r.ignored++
			delete(r.byID, p.ID)
			continue
		}
		revs = append(revs, p.Tip.String())
	}
	if len(revs) == 0 {
		return nil
	}
	slices.Sort(revs)
	for c, err := range r.ws.Repo.Log(ctx, gitops.LogOptions{Revs: slices.Compact(revs), NoWalk: true}) {
		if err != nil {
			return fmt.Errorf("read proposals: %w", err)
		}
		tips[c.ID] = c
	}
	var err error
	if r.head, err = r.ws.Repo.Head(ctx); err != nil {
		return err
	}
	if r.headTree, err = r.ws.Repo.Objects().TreeOf(ctx, r.head.Commit); err != nil {
		return fmt.Errorf("read HEAD: %w", err)
	}
	if err := r.readMerged(ctx); err != nil {
		return err
	}
	notes, err := r.ws.Repo.Objects().TreeOf(ctx, r.notes)
	if err != nil {
		return fmt.Errorf("read verdicts: %w", err)
	}
	for id, p := range r.byID {
		c, ok := tips[p.Tip]
		if !r.identify(ctx, p, c, ok) {
			delete(r.byID, id)
			continue
		}
		if p.Verdicts, err = verdictsOf(ctx, r.ws, notes, p.Tip); err != nil {
			return err
		}
		if err := r.judge(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readMerged(ctx context.Context) error {
	r.merged = map[gitops.ID]bool{}
	if r.head.Commit.IsZero() {
		return nil
	}
	prefixes := []string{branches, openRefs}
	for _, p := range r.byID {
		if p.Closed() {
			prefixes = append(prefixes, closed)
			break
		}
	}
	refs, err := r.ws.Repo.ReachableRefs(ctx, r.head.Commit.String(), prefixes...)
	for _, ref := range refs {
		r.merged[ref.ID] = true
	}
	return err
}

// maxOwn bounds how many commits of a branch are looked at for the one that tells what
// it proposes: people add to a branch what they want changed.
const maxOwn = 20

// identify reads what a branch says it is. It returns false for one that is none of
// this workspace.
func (r *reader) identify(ctx context.Context, p *Proposal, c gitops.Commit, ok bool) bool {
	if !ok {
		r.ignored++
		return false
	}
	said := c
	for range maxOwn {
		if said.Trailers.Get("Claw-Proposal") == p.ID || len(said.Parents) != 1 {
			break
		}
		next, err := r.ws.Repo.Show(ctx, said.Parents[0].String())
		if err != nil {
			break // a shallow clone ends here
		}
		said = next
	}
	if said.Trailers.Get("Claw-Proposal") != p.ID || len(said.Parents) == 0 {
		r.ignored++
		return false
	}
	if said.Trailers.Get("Claw-Workspace") != strings.TrimSuffix(r.ws.Prefix, "/") {
		return false // of another workspace of this repository
	}
	p.Base, p.Edited = said.Parents[0], said.ID != c.ID
	p.merges = len(said.Parents) > 1 || len(c.Parents) > 1
	if p.Kind == "" {
		p.Kind = eventKinds[said.Trailers.Get("Claw-Event")]
	}
	if p.Kind == "" {
		r.ignored++
		return false
	}
	p.Branch = "claw/" + string(p.Kind) + "/" + p.ID
	p.take(said)
	return true
}

// judge works out the state.
func (r *reader) judge(ctx context.Context, p *Proposal) error {
	p.headTree = r.headTree
	last, decided := verdict.Latest(p.Verdicts)
	over := map[string]State{
		verdict.Accept: Accepted, verdict.Reject: Rejected, verdict.Split: Split, verdict.Elsewhere: Elsewhere, verdict.Supersede: Superseded, verdict.Undone: Rejected,
	}
	if !p.closed.IsZero() {
		p.State = Over
		if decided && over[last.Verdict] != "" {
			p.State = over[last.Verdict]
		}
		if p.Closed() {
			if last.Verdict == verdict.Reject && r.merged[p.Tip] {
				// What is on the branch was accepted, whoever said no later (SPEC GN-17).
				p.State, p.Disputed = Accepted, last
			}
			return nil
		}
	}
	if r.merged[p.Tip] {
		p.State = Merged
		if decided && (last.Verdict == verdict.Accept || last.Verdict == verdict.Split) {
			p.State = over[last.Verdict]
			return nil
		}
		by, err := approvedMerge(ctx, r.ws, p.ID)
		if err == nil && by {
			p.State = Accepted
		}
		return err
	}
	if decided && over[last.Verdict] != "" && last.Verdict != verdict.Accept {
		p.State = over[last.Verdict]
		return nil
	}
	if !p.closed.IsZero() {
		return nil // closed elsewhere; the branch is what is left of it
	}
	if err := p.changes(ctx); err != nil {
		// Objects that are not here are no reason to hide the others.
		p.State, p.Why = Quarantined, "its changes cannot be read"
		return ctx.Err()
	}
	if p.Why = p.forbidden(ctx); p.Why != "" {
		p.State = Quarantined
		return ctx.Err()
	}
	if err := r.compare(ctx, p); err != nil {
		return err
	}
	switch {
	case p.State == Elsewhere:
	case p.head.IsZero():
		p.State = Withdrawn
		why, err := p.beneath(ctx)
		if err != nil {
			return err
		}
		if why != "" { // its branch never was here
			p.State, p.Why = Quarantined, why
		}
	case decided && last.Verdict == verdict.Defer && until(last).After(r.ws.Now()):
		p.State, p.Until = Deferred, until(last)
	}
	return nil
}

// compare looks at what HEAD has at the paths. Counters of a candidate change with every
// question, and make nothing stale (SPEC section 5.2).
func (r *reader) compare(ctx context.Context, p *Proposal) error {
	p.State = Open
	taken := len(p.Changes) > 0
	for _, c := range p.Changes {
		now, _, err := r.ws.Repo.Objects().Lookup(ctx, r.headTree, r.ws.Prefix+c.Path)
		if err != nil {
			return fmt.Errorf("read HEAD: %w", err)
		}
		if now.ID != c.New.ID {
			taken = false
		}
		counted := p.Kind == Candidate && !now.IsZero() && strings.HasPrefix(c.Path, r.ws.SIRoot()+prefs.Pending)
		if now.ID != c.Old.ID && now.ID != c.New.ID && p.State == Open && !counted {
			p.State, p.Why = Stale, fmt.Sprintf("'%s' changed since", c.Path)
		}
	}
	if taken {
		p.State, p.Why = Elsewhere, ""
	}
	return nil
}

// approvedMerge looks for the merge that a person made with git claw, where the verdict
// beside it was not written any more.
func approvedMerge(ctx context.Context, ws *memory.Workspace, id string) (bool, error) {
	for c, err := range ws.Repo.Log(ctx, gitops.LogOptions{Grep: "Claw-Proposal: " + id}) {
		if err != nil {
			return false, err
		}
		if len(c.Parents) > 1 && c.Trailers.Get("Claw-Proposal") == id && c.Trailers.Get("Claw-Approved-Via") != "" {
			return true, nil
		}
	}
	return false, nil
}
