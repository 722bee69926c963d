package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/merge"
	"github.com/git-claw/git-claw/memory/tombstone"
)

// archive is a file of an archive that a side changed, where entries of other files may
// have gone to.
type archive struct {
	path string
	text []byte
}

// findArchives reads the archives that the sides changed, once.
func (m *commitMerger) findArchives(ctx context.Context) error {
	if m.looked {
		return nil
	}
	m.looked = true
	if len(m.bases) != 1 {
		return nil
	}
	for _, side := range []gitops.ID{m.ours, m.theirs} {
		diff, err := m.ws.Repo.DiffTrees(ctx, m.bases[0], side)
		if err != nil {
			return fmt.Errorf("read what is merged: %w", err)
		}
		for _, c := range diff {
			if !c.New.Mode.IsFile() || !strings.Contains("/"+c.Path, "/archive/") || !hasEntries(m.kind(c.Path)) {
				continue
			}
			text, err := m.within(ctx, c.New, int64(m.limit))
			if errors.Is(err, gitops.ErrTooLarge) {
				continue // git merges it as text
			}
			if err != nil {
				return err
			}
			m.archives = append(m.archives, archive{c.Path, text})
		}
	}
	return nil
}

// isArchived reports whether an entry that a side deleted from a file stands in an
// archive now.
func (m *commitMerger) isArchived(from string, entry []byte) bool {
	for _, a := range m.archives {
		if a.path == from || !bytes.Contains(a.text, bytes.TrimSpace(entry)) {
			continue
		}
		if _, left := merge.Follow(a.text, []merge.Edit{{Old: entry, New: entry}}); len(left) == 0 {
			return true
		}
	}
	return false
}

// followMoved makes the edits of archived entries in the archive.
func (m *commitMerger) followMoved(ctx context.Context) error {
	left := m.moved
	seen := map[string]bool{}
	for _, a := range m.archives {
		if len(left) == 0 || seen[a.path] {
			continue
		}
		seen[a.path] = true
		text, err := m.at(ctx, m.res.Tree, a.path)
		if err != nil {
			return err
		}
		next, rest := merge.Follow(text, left)
		if len(rest) == len(left) {
			continue
		}
		left = rest
		if err := m.change(ctx, a.path, next); err != nil {
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
