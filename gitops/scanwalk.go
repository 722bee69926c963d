package gitops

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
)

// scanWorkers is how many folders are looked at at once.
const scanWorkers = 4

// scanWalk goes down the planned folders, and those it finds on the way.
type scanWalk struct {
	ctx   context.Context
	plan  *scanPlan
	rules statRules
	more  chan struct{} // one token for each further goroutine

	mu   sync.Mutex // guards scan, err and the caller's functions
	scan *WorkScan
	err  error
}

func (w *scanWalk) run(top string) error {
	d, err := openTopDir(top)
	if err != nil {
		return err
	}
	w.visit(w.plan.top, nil, d, false)
	return w.err
}

// fail keeps the first error and reports whether the walk is to end.
func (w *scanWalk) fail(err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		err = w.ctx.Err()
	}
	if w.err == nil {
		w.err = err
	}
	return w.err != nil
}

// visit looks at one folder and all below it, and closes d. nested: it lies in
// another repository, of which only what the index has is looked at.
func (w *scanWalk) visit(n, parent *scanNode, d scanDir, nested bool) {
	defer d.close()
	if w.fail(nil) {
		return
	}
	f := scanFolder{walk: w, node: n, dir: d, nested: nested}
	if err := f.look(); err != nil {
		w.pass(parent, err)
		return
	}
	w.add(&f)
	if n.covered && !f.walked {
		w.distrust(parent)
	}
	var wg sync.WaitGroup
	for _, c := range slices.Concat(n.children, f.found) {
		sub, err := d.open(c.name)
		if err != nil {
			if notFolder(err) {
				w.gone(c)
			} else {
				w.pass(n, err)
			}
			continue
		}
		select {
		case w.more <- struct{}{}:
			wg.Go(func() {
				w.visit(c, n, sub, f.nested)
				<-w.more
			})
		default:
			w.visit(c, n, sub, f.nested)
		}
	}
	wg.Wait()
}

// pass goes past a folder that may not be read; any other error ends the walk.
func (w *scanWalk) pass(parent *scanNode, err error) {
	if !errors.Is(err, fs.ErrPermission) {
		w.fail(err)
		return
	}
	w.distrust(parent)
}

// distrust makes sure that a folder is listed next time.
func (w *scanWalk) distrust(n *scanNode) {
	if n == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.scan.Dirs, n.path)
}

// add takes over what was found in a folder.
func (w *scanWalk) add(f *scanFolder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scan.Changed = append(w.scan.Changed, f.changed...)
	w.scan.Extra = append(w.scan.Extra, f.extra...)
	w.scan.Missing = append(w.scan.Missing, f.missing...)
	if f.walked {
		w.scan.Dirs[f.node.path] = f.mtime
	}
}

// gone reports all tracked files below a folder that is not there.
func (w *scanWalk) gone(n *scanNode) {
	f := scanFolder{walk: w, node: n}
	_ = f.tracked(func(string) (Stat, error) { return Stat{}, fs.ErrNotExist }) // of which it makes none
	w.add(&f)
	for _, c := range n.children {
		w.gone(c)
	}
}

// scanFolder is one folder while it is looked at.
type scanFolder struct {
	walk   *scanWalk
	node   *scanNode
	dir    scanDir
	nested bool

	mtime   int64
	walked  bool
	changed []WorkFile
	extra   []WorkFile
	missing []string
	found   []*scanNode // folders that nobody knew of
}

func (f *scanFolder) look() error {
	if err := f.names(); err != nil {
		return err
	}
	return f.tracked(f.dir.stat)
}

// names finds what the index does not have: by listing the folder, or by name
// where only single files of it are asked for.
func (f *scanFolder) names() error {
	n := f.node
	if !n.covered {
		if n.path != "" && !f.nested {
			_, err := f.dir.stat(".git")
			f.nested = err == nil
		}
		return f.single()
	}
	if f.nested {
		return nil
	}
	var err error
	if f.mtime, err = f.dir.mtime(); err != nil {
		return err
	}
	if old, ok := f.walk.plan.opt.Dirs[n.path]; ok && old == f.mtime && keepsFolderTime {
		f.walked = true
		return f.single()
	}
	list, err := f.dir.list()
	if err != nil {
		return err
	}
	if n.path != "" && slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
		f.nested = true
		return nil
	}
	f.walked = true
	return f.others(list)
}

// single looks at roots that are files and that the index does not have.
func (f *scanFolder) single() error {
	if f.nested {
		return nil
	}
	for _, p := range f.node.files {
		_, name := splitPath(p)
		if _, ok := f.entry(name); ok {
			continue
		}
		if err := f.other(name); err != nil {
			return err
		}
	}
	return nil
}

// entry finds a name among the tracked ones. All of a folder have the same
// beginning, so the order of paths is that of names.
func (f *scanFolder) entry(name string) (*indexEntry, bool) {
	list, n := f.node.entries, len(f.node.path)
	i, ok := slices.BinarySearchFunc(list, name, func(e *indexEntry, name string) int {
		return cmp.Compare(e.path[n:], name)
	})
	if !ok {
		return nil, false
	}
	return list[i], true
}

// others goes through the names in a folder that is listed.
func (f *scanFolder) others(list []fs.DirEntry) error {
	known := make(map[string]bool, len(f.node.children))
	for _, c := range f.node.children {
		known[c.name] = true
	}
	for _, de := range list {
		name := de.Name()
		e, tracked := f.entry(name)
		switch t := de.Type(); {
		case t.IsDir():
			if known[name] || isDotGit(name) || tracked && e.mode == ModeGitlink {
				continue
			}
			if c := f.folder(name); c != nil {
				f.found = append(f.found, c)
			}
		case t.IsRegular() && !tracked && !isDotGit(name):
			if err := f.other(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// folder makes a node for a folder that only the work tree has; nil when it is
// not to be entered.
func (f *scanFolder) folder(name string) *scanNode {
	w, path := f.walk, f.node.path+name+"/"
	depth := 0
	for i := range len(path) {
		if path[i] == '/' {
			depth++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n, planned := w.plan.nodes[path]; depth > scanDepth || planned && n == nil || !w.plan.enters(path) {
		return nil
	}
	return &scanNode{path: path, name: name, covered: true}
}

// other takes a file that the index does not have.
func (f *scanFolder) other(name string) error {
	w, path := f.walk, f.node.path+name
	w.mu.Lock()
	keep := w.plan.keeps(path)
	w.mu.Unlock()
	if !keep {
		return nil
	}
	s, err := f.dir.stat(name)
	if notFolder(err) {
		return nil // gone meanwhile
	}
	if err != nil {
		return err
	}
	if s.Mode.IsFile() && (w.plan.opt.Max <= 0 || s.Size <= w.plan.opt.Max) {
		f.extra = append(f.extra, WorkFile{Path: path, Stat: s})
	}
	return nil
}

// tracked compares the files that the index has.
func (f *scanFolder) tracked(stat func(name string) (Stat, error)) error {
	n := len(f.node.path)
	unmerged := "" // a path has up to three entries then
	for _, e := range f.node.entries {
		if e.other || e.stage > 0 && e.path == unmerged {
			continue
		}
		if e.stage > 0 {
			unmerged = e.path
		}
		s, err := stat(e.path[n:])
		if err != nil && !notFolder(err) {
			return err
		}
		f.compare(e, s)
	}
	return nil
}

// compare puts a tracked file where it belongs; a zero s is an absent one.
func (f *scanFolder) compare(e *indexEntry, s Stat) {
	file := WorkFile{Path: e.path, ID: e.id, Stat: s}
	switch {
	case e.stage > 0:
		file.ID = ID{}
		if !s.Mode.IsFile() {
			file.Stat = Stat{}
		}
		f.changed = append(f.changed, file)
	case !s.Mode.IsFile():
		if !e.skip {
			f.missing = append(f.missing, e.path)
		}
	case e.intent:
		file.ID = ID{}
		f.changed = append(f.changed, file)
	default:
		same, racy := f.walk.rules.same(e, s)
		if !same || racy {
			file.Racy = same
			f.changed = append(f.changed, file)
		}
	}
}
