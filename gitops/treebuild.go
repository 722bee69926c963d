package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// entryChange is a path's new entry; a zero entry removes it.
type entryChange struct {
	path  string
	entry TreeEntry
}

// ClashError: two paths cannot live together, because one is a file where the
// other needs a directory, or because they differ only in case on a file system
// that does not tell them apart.
type ClashError struct{ Path, Other string }

func (e *ClashError) Error() string { return fmt.Sprintf("'%s' clashes with '%s'", e.Path, e.Other) }

// buildTree applies changes to a tree and returns the new tree's id and the
// tree objects that are new. Only directories on the way are read. Directories
// that become empty vanish.
func (r *Repo) buildTree(ctx context.Context, base ID, changes []entryChange, fold bool) (ID, []object, error) {
	b := treeBuilder{ctx: ctx, repo: r, fold: fold, fresh: map[ID][]byte{}}
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(x, y entryChange) int { return strings.Compare(x.path, y.path) })
	id, _, err := b.apply("", base, sorted)
	var clash *ClashError
	if errors.As(err, &clash) {
		// A directory may have to go before a file of its name can come.
		removals := slices.DeleteFunc(slices.Clone(sorted), func(c entryChange) bool { return !c.entry.IsZero() })
		if id, _, err = b.apply("", base, removals); err == nil {
			id, _, err = b.apply("", id, slices.DeleteFunc(sorted, func(c entryChange) bool { return c.entry.IsZero() }))
		}
	}
	if err != nil {
		return ID{}, nil, err
	}
	if id.IsZero() {
		id = r.hashObject(kindTree, nil)
		b.objs = append(b.objs, object{kind: kindTree, id: id})
	}
	return id, b.objs, nil
}

type treeBuilder struct {
	ctx   context.Context
	repo  *Repo
	fold  bool
	objs  []object
	fresh map[ID][]byte // trees built here, not written yet
}

// apply returns the id of the directory after the changes, whose paths are
// relative to it; the zero ID when nothing is left.
func (b *treeBuilder) apply(prefix string, base ID, changes []entryChange) (ID, bool, error) {
	entries, err := b.entries(base)
	if err != nil {
		return ID{}, false, err
	}
	changed := false
	for len(changes) > 0 {
		name, _, deeper := strings.Cut(changes[0].path, "/")
		n := 1
		if deeper {
			for n < len(changes) && strings.HasPrefix(changes[n].path, name+"/") {
				n++
			}
		}
		group := changes[:n]
		changes = changes[n:]
		var done bool
		if !deeper {
			entries, done, err = b.file(prefix, entries, name, group[0].entry)
		} else {
			sub := make([]entryChange, n)
			for i, c := range group {
				sub[i] = entryChange{path: c.path[len(name)+1:], entry: c.entry}
			}
			entries, done, err = b.dir(prefix, entries, name, sub)
		}
		if err != nil {
			return ID{}, false, err
		}
		changed = changed || done
	}
	if !changed {
		return base, false, nil
	}
	if len(entries) == 0 {
		return ID{}, true, nil
	}
	data := encodeTree(entries)
	id := b.repo.hashObject(kindTree, data)
	b.objs = append(b.objs, object{kind: kindTree, id: id, data: data})
	b.fresh[id] = data
	return id, true, nil
}

func (b *treeBuilder) entries(id ID) ([]TreeEntry, error) {
	if id.IsZero() {
		return nil, nil
	}
	if data, ok := b.fresh[id]; ok {
		return parseTree(data, len(id.Bytes()))
	}
	return b.repo.objects.Tree(b.ctx, id)
}

func (b *treeBuilder) file(prefix string, entries []TreeEntry, name string, e TreeEntry) ([]TreeEntry, bool, error) {
	i, ok := b.find(entries, name)
	if e.IsZero() {
		if !ok || entries[i].Mode == ModeTree {
			return entries, false, nil
		}
		return slices.Delete(entries, i, i+1), true, nil
	}
	e.Name = name
	if ok {
		if entries[i].Mode == ModeTree {
			return nil, false, &ClashError{Path: prefix + name, Other: prefix + name + "/"}
		}
		if entries[i] == e {
			return entries, false, nil
		}
		entries[i] = e
		return entries, true, nil
	}
	return b.insert(prefix, entries, e)
}

func (b *treeBuilder) dir(prefix string, entries []TreeEntry, name string, sub []entryChange) ([]TreeEntry, bool, error) {
	i, ok := b.find(entries, name)
	var base ID
	if ok {
		if entries[i].Mode != ModeTree {
			if allRemovals(sub) {
				return entries, false, nil
			}
			return nil, false, &ClashError{Path: prefix + name + "/" + sub[0].path, Other: prefix + name}
		}
		base = entries[i].ID
	}
	id, changed, err := b.apply(prefix+name+"/", base, sub)
	switch {
	case err != nil || !changed:
		return entries, false, err
	case id.IsZero() && ok:
		return slices.Delete(entries, i, i+1), true, nil
	case id.IsZero():
		return entries, false, nil
	case ok:
		entries[i].ID = id
		return entries, true, nil
	}
	return b.insert(prefix, entries, TreeEntry{Name: name, Mode: ModeTree, ID: id})
}

func allRemovals(cs []entryChange) bool {
	return !slices.ContainsFunc(cs, func(c entryChange) bool { return !c.entry.IsZero() })
}

// find looks a name up among files and directories.
func (b *treeBuilder) find(entries []TreeEntry, name string) (int, bool) {
	for i := range entries {
		if entries[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

func (b *treeBuilder) insert(prefix string, entries []TreeEntry, e TreeEntry) ([]TreeEntry, bool, error) {
	if b.fold {
		for _, o := range entries {
			if strings.EqualFold(o.Name, e.Name) {
				return nil, false, &ClashError{Path: prefix + e.Name, Other: prefix + o.Name}
			}
		}
	}
	i, _ := slices.BinarySearchFunc(entries, e, compareEntries)
	return slices.Insert(entries, i, e), true, nil
}
