package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/merge"
)

// wholeJSON keeps one version of a JSON file whose sides git cannot merge as text, and which
// is no JSON on one of them: markers in it would break what reads it. The other version is
// told, and waits for a person, like a value that had to give way.
func (m *commitMerger) wholeJSON(ctx context.Context, f gitops.FileMerge) (ok bool, err error) {
	if m.kind(f.Path) != merge.JSON || f.Ours.Mode != f.Theirs.Mode || !f.Ours.Mode.IsFile() {
		return false, nil
	}
	var sides [2][]byte
	for i, e := range []gitops.TreeEntry{f.Ours, f.Theirs} {
		if sides[i], err = m.within(ctx, e, int64(m.limit)*largest); errors.Is(err, gitops.ErrTooLarge) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	kept, lost := oneJSON(sides[0], sides[1], m.newer(ctx, f.Path))
	m.changes = append(m.changes, gitops.Change{Path: f.Path, Content: kept, Mode: f.Ours.Mode})
	m.overruled[f.Path] = []merge.Overruled{{Kept: kept, Lost: lost}}
	return true, nil
}

// oneJSON picks the version that is JSON; of two the newer one, else the larger bytes.
func oneJSON(ours, theirs []byte, newer func() int) (kept, lost []byte) {
	a, b := json.Valid(ours), json.Valid(theirs)
	c := 0
	if a == b && newer != nil {
		c = newer()
	}
	if b && !a || a == b && (c > 0 || c == 0 && bytes.Compare(theirs, ours) > 0) {
		return theirs, ours
	}
	return ours, theirs
}
