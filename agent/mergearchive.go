package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/merge"
	"github.com/git-claw/git-claw/memory/tombstone"
)

// place is a file that a side changed, where entries of other files may have gone to.
type place struct {
	path    string
	side    int // 1 is ours, 2 is theirs
	text    []byte
	base    gitops.TreeEntry // as it was before
	archive bool
}

// movedEdits are edits of entries that stand in another file now.
type movedEdits struct {
	to    string // "": any archive
	edits []merge.Edit
}

// leastMoved is the length in bytes from which on an entry that is gone from one file, and new in
// another one, is the same entry. A shorter one (`- done`) is more likely written anew.
const leastMoved = 16

// findPlaces reads the files with entries that the sides changed, once.
func (m *commitMerger) findPlaces(ctx context.Context) error {
	if m.looked || len(m.bases) != 1 {
		return nil
	}
	m.looked = true
	for side, commit := range []gitops.ID{m.bases[0], m.ours, m.theirs} {
		if side == 0 {
			continue
		}
		diff, err := m.ws.Repo.DiffTrees(ctx, m.bases[0], commit)
		if err != nil {
			return fmt.Errorf("read what is merged: %w", err)
		}
		for _, c := range diff {
			if !c.New.Mode.IsFile() || !hasEntries(m.kind(c.Path)) {
				continue
			}
			text, err := m.within(ctx, c.New, int64(m.limit))
			if errors.Is(err, gitops.ErrTooLarge) {
				continue // git merges it as text
			}
			if err != nil {
				return err
			}
			m.places = append(m.places, place{c.Path, side, text, c.Old, strings.Contains("/"+c.Path, "/archive/")})
		}
	}
	return nil
}

// movedTo tells where an entry went that a side deleted from a file: into an archive, or into
// another file where that side has it, and had it not before.
func (m *commitMerger) movedTo(ctx context.Context, from string, entry []byte, texts [3][]byte) (to movedEdits, ok bool, err error) {
	if err := m.findPlaces(ctx); err != nil {
		return to, false, err
	}
	var found []string
	for _, p := range m.places {
		if p.path == from || !stands(p.text, entry) {
			continue
		}
		if p.archive {
			return to, true, nil
		}
		if stands(texts[p.side], entry) || len(bytes.TrimSpace(entry)) < leastMoved {
			continue
		}
		base, err := m.blob(ctx, p.base)
		if err != nil {
			return to, false, err
		}
		if !stands(base, entry) && bytes.Count(p.text, bytes.TrimSpace(entry)) == 1 {
			found = append(found, p.path)
		}
	}
	if len(found) != 1 {
		return to, false, nil
	}
	return movedEdits{to: found[0]}, true, nil
}

// stands reports whether a text has an entry.
func stands(text, entry []byte) bool {
	if !bytes.Contains(text, bytes.TrimSpace(entry)) {
		return false
	}
	_, left := merge.Follow(text, []merge.Edit{{Old: entry, New: entry}})
	return len(left) == 0
}

// followMoved makes the edits of entries that stand elsewhere now there.
func (m *commitMerger) followMoved(ctx context.Context) error {
	for _, from := range slices.Sorted(maps.Keys(m.moved)) {
		for _, mv := range m.moved[from] {
			if err := m.followTo(ctx, mv); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *commitMerger) followTo(ctx context.Context, mv movedEdits) error {
	left := mv.edits
	seen := map[string]bool{}
	for _, p := range m.places {
		if len(left) == 0 || seen[p.path] || mv.to != p.path && (mv.to != "" || !p.archive) {
			continue
		}
		seen[p.path] = true
		text, err := m.at(ctx, m.res.Tree, p.path)
		if err != nil {
			return err
		}
		next, rest := merge.Follow(text, left)
		if len(rest) == len(left) {
			continue
		}
		left = rest
		if err := m.change(ctx, p.path, next); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		return errNotFollowed
	}
	return nil
}

// bury takes entries out that were erased: what one side erased must not come back from
// the other one.
func (m *commitMerger) bury(ctx context.Context) error {
	list, err := m.at(ctx, m.res.Tree, m.ws.Prefix+tombstone.Path)
	if err != nil || len(list) == 0 {
		return err
	}
	stones := tombstone.Parse(list)
	if len(stones.Erased) == 0 || len(m.bases) == 0 {
		return nil
	}
	diff, err := m.ws.Repo.DiffTrees(ctx, m.bases[0], m.res.Tree)
	if err != nil {
		return fmt.Errorf("read what is merged: %w", err)
	}
	for _, c := range diff {
		if !c.New.Mode.IsFile() || !strings.HasPrefix(c.Path, m.ws.Prefix) || !hasEntries(m.kind(c.Path)) {
			continue
		}
		text, err := m.within(ctx, c.New, int64(m.limit))
		if errors.Is(err, gitops.ErrTooLarge) {
			continue
		}
		if err != nil {
			return err
		}
		if next := Erase(stones, text); len(next) != len(text) {
			if err := m.change(ctx, c.Path, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// Erase takes the entries out of a text that a list of tombstones holds.
func Erase(stones tombstone.List, text []byte) []byte {
	d := doc.Parse(text)
	out := text
	for _, e := range slices.Backward(d.Entries) {
		if _, ok := stones.Erased[tombstone.Of(e.Text())]; ok {
			out = slices.Concat(out[:e.Start], out[e.End:])
		}
	}
	return out
}
