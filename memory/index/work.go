package index

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/git-claw/git-claw/gitops"
)

// onDisk is a searched file of the work tree.
type onDisk struct {
	path string
	stat stat
}

// workTree is what a walk found.
type workTree struct {
	changed []onDisk // new files, and those whose stat data differ or tell nothing
	missing []string // files that were there
	folders []folder // that were walked, by path
	moved   bool     // they are not what the table says of them
	closed  []string // folders that cannot be read
	large   int      // notes above the limit
}

// walkWork compares the searched files of the work tree with the table by their
// stat data. Links, of files and of folders, are passed over, and so are nested
// repositories.
func (s *Snapshot) walkWork(ctx context.Context) (*workTree, error) {
	w := &walker{s: s, ctx: ctx, max: s.ws.MaxFileBytes(), table: s.Entries.table, trust: s.local}
	if w.table == nil {
		w.table = &table{id: 20}
	}
	w.seen = make([]bool, w.table.n)
	if d, _, dev, err := openFolder(s.ws.Root); err == nil {
		d.close()
		w.dev = dev
	}
	for _, r := range slices.Compact(slices.Sorted(slices.Values(s.roots))) {
		var err error
		switch {
		case r == "":
			err = w.folder("", false)
		case strings.HasSuffix(r, "/"):
			visited := slices.ContainsFunc(w.folders, func(f folder) bool { return f.path == r })
			if !visited && w.reachable(strings.TrimSuffix(r, "/")) {
				err = w.folder(r, true)
			}
		default:
			if w.reachable(path.Dir(r)) {
				err = w.root(r)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(w.changed, func(a, b onDisk) int { return strings.Compare(a.path, b.path) })
	w.changed = slices.CompactFunc(w.changed, func(a, b onDisk) bool { return a.path == b.path })
	slices.SortFunc(w.folders, func(a, b folder) int { return strings.Compare(a.path, b.path) })
	for i, seen := range w.seen {
		if !seen && w.table.stat(i) != (stat{}) {
			w.missing = append(w.missing, w.table.entry(i).Path)
		}
	}
	w.moved = w.moved || !slices.EqualFunc(w.folders, walkedFolders(w.table), func(a folder, b tableFolder) bool { return a == b.folder })
	return &w.workTree, nil
}

func walkedFolders(t *table) []tableFolder {
	return slices.DeleteFunc(slices.Clone(t.folders), func(f tableFolder) bool { return !f.walked })
}

// walker walks folders.
type walker struct {
	s     *Snapshot
	ctx   context.Context
	max   int64
	table *table
	trust bool   // stat data of folders
	dev   uint64 // of the root
	seen  []bool // records of the table; shared by walkers side by side
	workTree
}

func (w *walker) abs(rel string) string { return w.s.abs(rel) }

// abs is the path of something below the root of the workspace.
func (s *Snapshot) abs(rel string) string { return filepath.Join(s.ws.Root, filepath.FromSlash(rel)) }

// reachable reports whether a folder and all above it are folders, not links.
func (w *walker) reachable(dir string) bool {
	if dir == "." || dir == "" {
		return true
	}
	cur := ""
	for part := range strings.SplitSeq(dir, "/") {
		cur = path.Join(cur, part)
		if _, mode, err := lstat(w.abs(cur)); err != nil || !mode.IsDir() {
			return false
		}
	}
	return true
}

// root looks at a file that is a root itself.
func (w *walker) root(rel string) error {
	st, mode, err := lstat(w.abs(rel))
	if err != nil {
		if gone(err) {
			return nil
		}
		return err
	}
	if mode.IsRegular() && st.Size <= w.max && w.exact(rel) && w.s.ws.Searched(rel, w.s.roots) {
		i, ok := w.table.place(rel)
		if !ok {
			i = -1
		}
		w.file(i, st, func() string { return rel })
	}
	return nil
}

// file compares a file with record i of the table, -1 none.
func (w *walker) file(i int, st stat, path func() string) {
	if i >= 0 {
		w.seen[i] = true
		if w.table.stat(i) == st && !w.s.racy(st) {
			return
		}
	}
	w.changed = append(w.changed, onDisk{path(), st})
}

// exact passes over a name that only differs in case from one on disk: on some file
// systems memory.md opens MEMORY.md, which would then be there twice.
func (w *walker) exact(rel string) bool {
	if rel != "memory.md" {
		return true
	}
	a, _, err1 := lstat(w.abs(rel))
	b, _, err2 := lstat(w.abs("MEMORY.md"))
	return err1 != nil || err2 != nil || a.Ino != b.Ino || a.Ino == 0
}

// gone reports whether an error says that there is no file that could be read: a
// note that is closed to us, or grew beyond the limit, must not end every search.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ELOOP) || errors.Is(err, gitops.ErrTooLarge) || errors.Is(err, gitops.ErrNotRegular)
}

// folder looks at the files of a folder and, when deep, at the folders below it.
// While its own stat data are what they were its names need not be read.
func (w *walker) folder(rel string, deep bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	d, st, dev, err := openFolder(w.abs(rel))
	if errors.Is(err, fs.ErrPermission) {
		// It is looked for again each time: the folder above does not tell when it can
		// be read.
		w.folders, w.closed = append(w.folders, folder{path: rel}), append(w.closed, rel)
		return nil
	}
	if err != nil {
		if gone(err) {
			return nil
		}
		return err
	}
	defer d.close()
	f := folder{path: rel}
	if w.trust && dev == w.dev { // on what is mounted below we know nothing
		f.stat = st
	}
	k, known := w.table.findFolder(rel)
	var below []string
	if known && w.table.folders[k].folder == f && f.stat != (stat{}) && !w.s.racy(st) {
		below = w.names(&f, k, d)
	} else {
		w.moved = w.moved || f.stat != (stat{}) && known && w.table.folders[k].folder == f
		if below, err = w.list(&f, d); err != nil {
			if gone(err) {
				return nil
			}
			return err
		}
	}
	w.folders = append(w.folders, f)
	d.close()
	if !deep {
		return nil
	}
	return w.below(below)
}

// names looks at the files that a folder is known to hold.
func (w *walker) names(f *folder, k int, d *openDir) (below []string) {
	known := &w.table.folders[k]
	for i := known.first; i < known.first+known.n; i++ {
		st, mode, err := d.stat(w.table.nameZ(i))
		switch {
		case err != nil:
		case mode.IsRegular() && st.Size <= w.max:
			w.file(i, st, func() string { return f.path + string(w.table.name(i)) })
		default:
			f.stat = stat{} // it may become a note again without the folder telling
		}
	}
	for _, t := range w.table.folders[k+1:] {
		rest, ok := strings.CutPrefix(t.path, f.path)
		if !ok {
			break
		}
		if t.walked && strings.IndexByte(rest, '/') == len(rest)-1 {
			below = append(below, t.path)
		}
	}
	return below
}

// list reads the names of a folder.
func (w *walker) list(f *folder, d *openDir) (below []string, err error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	if f.path != "" && slices.Contains(names, ".git") {
		return nil, nil // a nested repository
	}
	k, known := w.table.findFolder(f.path)
	for _, name := range names {
		st, mode, err := d.stat(append([]byte(name), 0))
		if err != nil {
			continue // it went away
		}
		rel := f.path + name
		switch {
		case mode.IsDir():
			if !w.s.ws.NeverManaged(rel + "/") {
				below = append(below, rel+"/")
			}
		case !mode.IsRegular() || !w.s.ws.Searched(rel, w.s.roots):
		case st.Size > w.max:
			f.stat = stat{} // it may shrink without the folder telling
			w.large++
		default:
			i := -1
			if known {
				if at, ok := w.table.inFolder(&w.table.folders[k], name); ok {
					i = at
				}
			}
			w.file(i, st, func() string { return rel })
		}
	}
	slices.Sort(below)
	return below, nil
}

// sideBySide is from how many folders on they are looked at by several threads.
const sideBySide = 16

func (w *walker) below(list []string) error {
	if len(list) < sideBySide {
		for _, f := range list {
			if err := w.folder(f, true); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	subs := make([]walker, min(runtime.GOMAXPROCS(0), 4))
	errs := make([]error, len(subs))
	for t := range subs {
		sub := &subs[t]
		*sub = walker{s: w.s, ctx: w.ctx, max: w.max, table: w.table, trust: w.trust, dev: w.dev, seen: w.seen}
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list) && errs[t] == nil; i = int(next.Add(1)) - 1 {
				errs[t] = sub.folder(list[i], true)
			}
		})
	}
	wg.Wait()
	for i := range subs {
		w.changed = append(w.changed, subs[i].changed...)
		w.folders = append(w.folders, subs[i].folders...)
		w.closed = append(w.closed, subs[i].closed...)
		w.large += subs[i].large
		w.moved = w.moved || subs[i].moved
	}
	return errors.Join(errs...)
}

// readWork reads a file that walkWork found, with the stat data it had before.
func (s *Snapshot) readWork(rel string) (content []byte, st stat, err error) {
	st, mode, err := lstat(s.abs(rel))
	if err != nil {
		return nil, stat{}, err
	}
	if !mode.IsRegular() {
		return nil, stat{}, fs.ErrNotExist
	}
	content, err = gitops.ReadSmall(s.abs(rel), s.ws.MaxFileBytes())
	return content, st, err
}
