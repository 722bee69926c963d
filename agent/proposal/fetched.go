package proposal

import (
	"context"
	"errors"
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

// Look tells whether a commit that a branch of this name has on another machine is a
// proposal (SPEC GN-05). ref is the full name of the branch there. ok is false for a name,
// a kind or a commit that is none.
func Look(ctx context.Context, ws *memory.Workspace, ref string, tip gitops.ID) (f Fetched, ok bool, err error) {
	kind, id, ok := parseBranch(ref)
	if !ok {
		return f, false, nil
	}
	f = Fetched{ID: id, Kind: kind, Tip: tip}
	c, err := ws.Repo.Show(ctx, tip.String())
	if err != nil {
		return f, false, err
	}
	p := &Proposal{ID: id, Kind: kind, Tip: tip, head: tip, ws: ws}
	r := &reader{ws: ws}
	if !r.identify(ctx, p, c, true) {
		f.Elsewhere = r.ignored == 0
		return f, f.Elsewhere, nil
	}
	if err := p.changes(ctx); err != nil {
		return f, false, err
	}
	if f.Forbidden = p.forbidden(ctx); f.Forbidden == "" {
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
