package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
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

// builtTree is what buildTree made.
type builtTree struct {
	id    ID
	objs  []object            // trees that are new
	moves map[string]treeMove // directories that changed, "" for the top
}

// buildTree applies changes to a tree. Only directories on the way are read.
// Directories that become empty vanish.
func (r *Repo) buildTree(ctx context.Context, base ID, changes []entryChange, fold foldRule) (builtTree, error) {
	b := treeBuilder{ctx: ctx, repo: r, fold: fold, fresh: map[ID][]byte{}, moves: map[string]treeMove{}}
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(x, y entryChange) int { return strings.Compare(x.path, y.path) })
	id, _, err := b.apply("", base, sorted)
	var clash *ClashError
	if errors.As(err, &clash) {
		clear(b.moves)
		// A directory may have to go before a file of its name can come.
		removals := slices.DeleteFunc(slices.Clone(sorted), func(c entryChange) bool { return !c.entry.IsZero() })
		if id, _, err = b.apply("", base, removals); err == nil {
			id, _, err = b.apply("", id, slices.DeleteFunc(sorted, func(c entryChange) bool { return c.entry.IsZero() }))
		}
	}
	if err != nil {
		return builtTree{}, err
	}
	if id.IsZero() {
		id = r.hashObject(kindTree, nil)
		b.objs = append(b.objs, object{kind: kindTree, id: id})
		b.move("", base, id)
	}
	return builtTree{id, b.objs, b.moves}, nil
}

type treeBuilder struct {
	ctx   context.Context
	repo  *Repo
	fold  foldRule
	objs  []object
	fresh map[ID][]byte // trees built here, not written yet
	moves map[string]treeMove
}

// move notes what became of a directory. One that is built in two steps was before
// what it was before the first.
func (b *treeBuilder) move(prefix string, old, new ID) {
	dir := strings.TrimSuffix(prefix, "/")
	if m, ok := b.moves[dir]; ok {
		old = m.old
	}
	b.moves[dir] = treeMove{old: old, new: new}
}

// apply returns the id of the directory after the changes, whose paths are
// sorted and relative to it; the zero ID when nothing is left.
func (b *treeBuilder) apply(prefix string, base ID, changes []entryChange) (ID, bool, error) {
	entries, err := b.entries(base)
	if err != nil {
		return ID{}, false, err
	}
	d := dirBuilder{treeBuilder: b, prefix: prefix, entries: entries}
	for len(changes) > 0 {
		name, _, deeper := strings.Cut(changes[0].path, "/")
		n := 1
		for deeper && n < len(changes) && strings.HasPrefix(changes[n].path, name+"/") {
			n++
		}
		if deeper {
			err = d.dir(name, changes[:n])
		} else {
			err = d.file(name, changes[0].entry)
		}
		if err != nil {
			return ID{}, false, err
		}
		changes = changes[n:]
	}
	if !d.changed {
		return base, false, nil
	}
	if entries, err = d.finish(); err != nil || len(entries) == 0 {
		b.move(prefix, base, ID{})
		return ID{}, true, err
	}
	data := encodeTree(entries)
	id := b.repo.hashObject(kindTree, data)
	b.move(prefix, base, id)
	b.objs = append(b.objs, object{kind: kindTree, id: id, data: data})
	b.fresh[id] = data
	return id, true, nil
}

// entries reads a directory. One that is not in git's order is refused: names
// could be in it twice, and no search would find them.
func (b *treeBuilder) entries(id ID) (entries []TreeEntry, err error) {
	if id.IsZero() {
		return nil, nil
	}
	if data, ok := b.fresh[id]; ok {
		entries, err = parseTree(data, len(id.Bytes()))
	} else {
		entries, err = b.repo.objects.Tree(b.ctx, id)
	}
	if err == nil && !slices.IsSortedFunc(entries, compareEntries) {
		return nil, fmt.Errorf("tree %s is not sorted; run 'git fsck'", id.Short())
	}
	return entries, err
}

// dirBuilder changes one directory. Entries that go are zeroed and new ones
// kept apart until the end, so that many changes to a large directory stay
// cheap.
type dirBuilder struct {
	*treeBuilder
	prefix  string
	entries []TreeEntry
	added   []TreeEntry
	changed bool
}

func (d *dirBuilder) file(name string, e TreeEntry) error {
	i, ok := d.find(name)
	switch {
	case e.IsZero():
		if ok && d.entries[i].Mode != ModeTree {
			d.remove(i)
		}
		return nil
	case !ok:
		d.add(name, e)
		return nil
	case d.entries[i].Mode == ModeTree:
		return &ClashError{Path: d.prefix + name, Other: d.prefix + name + "/"}
	}
	e.Name = name
	d.changed = d.changed || d.entries[i] != e
	d.entries[i] = e
	return nil
}

func (d *dirBuilder) dir(name string, changes []entryChange) error {
	sub := make([]entryChange, len(changes))
	for i, c := range changes {
		sub[i] = entryChange{path: c.path[len(name)+1:], entry: c.entry}
	}
	i, ok := d.find(name)
	if ok && d.entries[i].Mode != ModeTree {
		if allRemovals(sub) {
			return nil
		}
		return &ClashError{Path: d.prefix + name + "/" + sub[0].path, Other: d.prefix + name}
	}
	var base ID
	if ok {
		base = d.entries[i].ID
	}
	id, changed, err := d.apply(d.prefix+name+"/", base, sub)
	switch {
	case err != nil || !changed:
		return err
	case id.IsZero() && ok:
		d.remove(i)
	case id.IsZero():
	case ok:
		d.entries[i].ID, d.changed = id, true
	default:
		d.add(name, TreeEntry{Mode: ModeTree, ID: id})
	}
	return nil
}

func allRemovals(cs []entryChange) bool {
	return !slices.ContainsFunc(cs, func(c entryChange) bool { return !c.entry.IsZero() })
}

// find looks a name up among the files and the directories that were there. A
// removed entry keeps its name and is no longer found.
func (d *dirBuilder) find(name string) (int, bool) {
	for _, dir := range []bool{false, true} {
		i, ok := slices.BinarySearchFunc(d.entries, name, func(e TreeEntry, n string) int {
			return compareNames(e.Name, e.Mode == ModeTree || e.Mode == removedTree, n, dir)
		})
		if ok && d.entries[i].Mode != ModeAbsent && d.entries[i].Mode != removedTree {
			return i, true
		}
	}
	return 0, false
}

// removedTree marks a directory that was removed and still has its place.
const removedTree Mode = 1

func (d *dirBuilder) remove(i int) {
	if d.entries[i].Mode == ModeTree {
		d.entries[i].Mode = removedTree
	} else {
		d.entries[i].Mode = ModeAbsent
	}
	d.changed = true
}

func (d *dirBuilder) add(name string, e TreeEntry) {
	e.Name = name
	d.added = append(d.added, e)
	d.changed = true
}

// finish puts the directory together and refuses two entries of one name.
func (d *dirBuilder) finish() ([]TreeEntry, error) {
	out := slices.DeleteFunc(d.entries, func(e TreeEntry) bool { return e.Mode == ModeAbsent || e.Mode == removedTree })
	if len(d.added) == 0 {
		return out, nil
	}
	names := make(map[string]string, len(out))
	for _, e := range out {
		names[d.fold.key(e.Name)] = e.Name
	}
	for _, e := range d.added {
		key := d.fold.key(e.Name)
		if other, ok := names[key]; ok {
			if other == e.Name {
				other += "/"
			}
			return nil, &ClashError{Path: d.prefix + e.Name, Other: d.prefix + other}
		}
		names[key] = e.Name
	}
	out = append(out, d.added...)
	slices.SortFunc(out, compareEntries)
	return out, nil
}

// foldRule says which names a file system takes for one.
type foldRule struct {
	ignoreCase bool // core.ignoreCase
	compose    bool // core.precomposeUnicode: "é" and "e" with an accent
}

// key is the same for names that are one.
func (f foldRule) key(s string) string {
	if f.compose {
		s = norm.NFC.String(s)
	}
	if f.ignoreCase {
		s = strings.ToLower(strings.ToUpper(s))
	}
	return s
}
