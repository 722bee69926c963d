package proposal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Fetched is what a branch of another machine is worth here.
type Fetched struct {
	ID   string
	Kind Kind
	Tip  gitops.ID
	// Elsewhere: it belongs to another workspace of the repository.
	Elsewhere bool
	// Forbidden says why it is quarantined: it changes what its kind may not.
	Forbidden string
}

// Branches are those of another machine, as far as Look is asked about them.
type Branches struct {
	commits map[gitops.ID]gitops.Commit
	within  map[gitops.ID]bool // parents of them that are in the history of HEAD
}

// ReadBranches reads the tips of branches. There may be thousands, and git is started for many at once.
// What is no commit is left out.
func ReadBranches(ctx context.Context, ws *memory.Workspace, tips []gitops.ID) (*Branches, error) {
	b := &Branches{commits: make(map[gitops.ID]gitops.Commit, len(tips)), within: map[gitops.ID]bool{}}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(tips, 1000) {
		var revs []string
		var bases []gitops.ID
		for _, id := range chunk {
			if c, err := ws.Repo.Objects().Commit(ctx, id); err == nil {
				revs = append(revs, id.String())
				bases = append(bases, c.Parents...)
			}
		}
		if len(revs) == 0 {
			continue
		}
		for c, err := range ws.Repo.Log(ctx, gitops.LogOptions{Revs: revs, NoWalk: true}) {
			if err != nil {
				return nil, fmt.Errorf("read proposals: %w", err)
			}
			b.commits[c.ID] = c
		}
		beyond, err := ws.Repo.Beyond(ctx, head.Commit, bases)
		if err != nil {
			return nil, fmt.Errorf("read proposals: %w", err)
		}
		for _, id := range bases {
			b.within[id] = !beyond[id]
		}
	}
	return b, ctx.Err()
}

// Look tells whether a commit that a branch of this name has on another machine is a
// proposal (SPEC GN-05). ref is the full name of the branch there. ok is false for a name,
// a kind or a commit that is none.
func (b *Branches) Look(ctx context.Context, ws *memory.Workspace, ref string, tip gitops.ID) (f Fetched, ok bool, err error) {
	kind, id, ok := parseBranch(ref)
	c, read := b.commits[tip]
	if !ok || !read {
		return f, false, nil
	}
	f = Fetched{ID: id, Kind: kind, Tip: tip}
	p := &Proposal{ID: id, Kind: kind, Tip: tip, head: tip, ws: ws}
	r := &reader{ws: ws}
	if !r.identify(ctx, p, c, true) {
		f.Elsewhere = r.ignored == 0
		return f, f.Elsewhere, nil
	}
	if err := p.changes(ctx); err != nil {
		return f, false, err
	}
	if f.Forbidden = p.forbidden(ctx); f.Forbidden == "" && !b.within[p.Base] {
		f.Forbidden, err = p.beneath(ctx)
	}
	return f, true, errors.Join(err, ctx.Err())
}

// Refs are the names under which a proposal is kept here: its branch, what keeps the tip
// of an open one, and that of a closed one.
func (f Fetched) Refs() (branch, open, shut string) {
	return branches + string(f.Kind) + "/" + f.ID, openRefs + f.ID, closed + f.ID
}

// Prefixes of the refs of proposals.
const (
	BranchPrefix = branches
	OpenPrefix   = openRefs
	ClosedPrefix = closed
)

// IsID reports whether a word is in the form of an id.
func IsID(s string) bool { return idForm.MatchString(s) }

// IDOf reads the id of a proposal from the full name of its branch.
func IDOf(ref string) (string, bool) {
	_, id, ok := parseBranch(ref)
	return id, ok && !strings.Contains(id, "/")
}
