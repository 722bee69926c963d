package proposal

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/contradiction"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/merge"
)

// fitted is one path of a proposal, fitted to what HEAD has.
type fitted struct {
	path string
	cur  gitops.TreeEntry // in HEAD
	now  []byte           // its content, nil when it is not there
	want []byte           // nil: it goes
}

// StaleError: a proposal does not fit what HEAD has any more.
type StaleError struct {
	ID, Path, Why string
	// Gone: there is nothing that it could be fitted to.
	Gone bool
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("proposal '%s' does not fit any more: '%s' %s", e.ID, e.Path, e.Why)
}

// ExitCode: somebody must decide.
func (e *StaleError) ExitCode() int { return 3 }

// Hints tells how to go on.
func (e *StaleError) Hints() []string {
	if e.Gone {
		return []string{"git claw proposal reject " + e.ID}
	}
	return []string{"git claw proposal refresh " + e.ID}
}

// fit takes the changes of a proposal over to a tree: want are the texts it has at its
// paths, or some of them. seen refuses what would come out otherwise than a person was
// shown it.
func (p *Proposal) fit(ctx context.Context, tree gitops.ID, want map[string][]byte, seen bool) ([]fitted, error) {
	var out []fitted
	for _, c := range p.Changes {
		theirs, ok := want[c.Path]
		if !ok {
			continue
		}
		f := fitted{path: c.Path}
		var err error
		if f.cur, _, err = p.ws.Repo.Objects().Lookup(ctx, tree, p.ws.Prefix+c.Path); err != nil {
			return nil, fmt.Errorf("read HEAD: %w", err)
		}
		if !f.cur.IsZero() && !f.cur.Mode.IsFile() {
			return nil, p.gone(c.Path, "is no file any more")
		}
		if f.now, err = p.blob(ctx, f.cur); err != nil {
			return nil, err
		}
		base, err := p.blob(ctx, c.Old)
		if err != nil {
			return nil, err
		}
		if f.want, err = p.three(c.Path, base, f.now, theirs, seen); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func (p *Proposal) stale(rel, why string) error { return &StaleError{ID: p.ID, Path: rel, Why: why} }

func (p *Proposal) gone(rel, why string) error {
	return &StaleError{ID: p.ID, Path: rel, Why: why, Gone: true}
}

// three merges one file; nil stands for a file that is not there.
func (p *Proposal) three(rel string, base, now, theirs []byte, seen bool) ([]byte, error) {
	same := func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
	switch {
	case same(base, now), same(theirs, now):
		return theirs, nil
	case p.Kind.exact() && seen:
		return nil, p.stale(rel, "changed since")
	case now == nil && base != nil:
		return nil, p.gone(rel, "was moved or deleted")
	case theirs == nil && seen:
		return nil, p.stale(rel, "changed, and would be deleted")
	case theirs == nil:
		return nil, nil
	}
	out, fits := p.unite(rel, base, now, theirs)
	switch {
	case fits:
	case seen:
		return nil, p.stale(rel, "changed in the same entry")
	default:
		// A person looks at it anew: what the proposal says against what is there now.
		out, _ = doc.Apply3(base, theirs, now)
	}
	if seen && !slices.Equal(shown(base, theirs), shown(now, out)) {
		return nil, p.stale(rel, "changed around it")
	}
	return out, nil
}

// unite merges by the kind of file; false where both changed one entry.
func (p *Proposal) unite(rel string, base, now, theirs []byte) ([]byte, bool) {
	res, err := merge.Three(merge.Input{Kind: merge.KindOf(rel, p.ws.SIRoot()), Base: base, Ours: now, Theirs: theirs})
	if err != nil {
		out, conflicts := doc.Apply3(base, now, theirs)
		return out, len(conflicts) == 0
	}
	return res.Content, len(res.Overruled) == 0 && len(contradiction.Find(res.Content)) <= len(contradiction.Find(now))
}

// shown is what a reviewer sees of a change of a file.
func shown(old, new []byte) []string {
	var out []string
	for _, c := range doc.Diff(old, new) {
		s := c.Kind.String()
		for _, e := range []*doc.Entry{c.Old, c.New} {
			if e != nil {
				s += "\x00" + string(bytes.ReplaceAll(e.Text(), []byte("\r\n"), []byte("\n")))
			}
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
