package gitops

import (
	"bytes"
	"context"
	"fmt"
)

// TreeChange is one path that differs between two trees. Old or New is zero
// when the path was added or removed. A file that became a directory gives a
// removal and additions. Name fields of the entries hold the last component.
type TreeChange struct {
	Path     string
	Old, New TreeEntry
}

// DiffTrees compares two trees (or commits; the zero ID is the empty tree) and
// returns the files that differ, in git's path order, without rename detection.
// Equal subtrees are not read: the cost follows the change, not the tree.
func (r *Repo) DiffTrees(ctx context.Context, a, b ID) ([]TreeChange, error) {
	if a == b {
		return nil, nil
	}
	d := differ{ctx: ctx, objects: r.objects}
	var err error
	if a, err = d.tree(a); err != nil {
		return nil, err
	}
	if b, err = d.tree(b); err != nil {
		return nil, err
	}
	if err := d.walk("", a, b); err != nil {
		return nil, err
	}
	return d.out, nil
}

type differ struct {
	ctx     context.Context
	objects *Objects
	out     []TreeChange
}

// maxDepth bounds the recursion against a hostile tree; git's own limit for a
// path is 4096 bytes.
const maxDepth = 2048

// tree turns a commit id into its tree's id; a tree stays.
func (d *differ) tree(id ID) (ID, error) {
	if id.IsZero() {
		return id, nil
	}
	if c, err := d.objects.Commit(d.ctx, id); err == nil {
		return c.Tree, nil
	}
	if _, err := d.objects.rawTree(d.ctx, id); err != nil {
		return ID{}, err
	}
	return id, nil
}

// walk merges two sorted raw trees. Bytes that both share are skipped as a
// block of whole entries, so that a large directory with one change costs one
// comparison and few decoded entries.
func (d *differ) walk(prefix string, a, b ID) error {
	if a == b {
		return nil
	}
	if len(prefix) > 2*maxDepth {
		return fmt.Errorf("tree is nested too deeply at '%.80s'", prefix)
	}
	x, err := d.objects.rawTree(d.ctx, a)
	if err != nil {
		return err
	}
	y, err := d.objects.rawTree(d.ctx, b)
	if err != nil {
		return err
	}
	nx, ny := len(a.Bytes()), len(b.Bytes())
	for len(x) > 0 || len(y) > 0 {
		var ex, ey TreeEntry
		var rx, ry []byte
		if len(x) > 0 {
			if ex, rx, err = nextEntry(x, nx); err != nil {
				return fmt.Errorf("read tree %s: %w", a.Short(), err)
			}
			// Whole equal entries: the entry's bytes are the same on both sides.
			if n := len(x) - len(rx); len(y) >= n && bytes.Equal(x[:n], y[:n]) {
				x, y = rx, y[n:]
				continue
			}
		}
		if len(y) > 0 {
			if ey, ry, err = nextEntry(y, ny); err != nil {
				return fmt.Errorf("read tree %s: %w", b.Short(), err)
			}
		}
		c := order(x, y, ex, ey)
		if c <= 0 {
			x = rx
		} else {
			ex = TreeEntry{}
		}
		if c >= 0 {
			y = ry
		} else {
			ey = TreeEntry{}
		}
		if ex == ey {
			continue // modes that only old programs told apart
		}
		if err := d.pair(prefix, ex, ey); err != nil {
			return err
		}
	}
	return nil
}

func order(x, y []byte, ex, ey TreeEntry) int {
	switch {
	case len(y) == 0:
		return -1
	case len(x) == 0:
		return 1
	}
	return compareEntries(ex, ey)
}

// pair records the difference of two entries of one name; a zero entry is
// absent. Both have the same kind, or one is zero, because directories and
// files of one name sort apart.
func (d *differ) pair(prefix string, old, cur TreeEntry) error {
	name := old.Name
	if old.IsZero() {
		name = cur.Name
	}
	if old.Mode == ModeTree || cur.Mode == ModeTree {
		return d.walk(prefix+name+"/", old.ID, cur.ID)
	}
	d.out = append(d.out, TreeChange{Path: prefix + name, Old: old, New: cur})
	return nil
}
