package gitops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// ScanOptions says what part of the work tree matters.
type ScanOptions struct {
	// Roots are paths from the top: files by their names, folders with a slash at
	// the end, "" for everything. They need not exist. A file is looked at even in
	// a folder that is not listed because of Dirs.
	Roots []string
	// Keep says which files matter; nil: all. Calls do not overlap.
	Keep func(path string) bool
	// Enter says which folders below a root to go into; nil: all. What lies in
	// others is left out, tracked or not. A root is not asked about. The name ends
	// in a slash; calls do not overlap.
	Enter func(dir string) bool
	// Dirs are mtimes of folders, in nanoseconds, from WorkScan.Dirs of an earlier
	// scan of the same roots, for which the caller vouches: a folder that still has
	// this mtime has no names but those it had then. It is not listed, so files of
	// it that the index does not have are not in Extra. Its folders are visited all
	// the same, as far as the index or Dirs name them.
	Dirs map[string]int64
	// Max is the size in bytes beyond which a file is left out of Extra; 0: none.
	// A tracked file is in Changed whatever its size, because its old content no
	// longer stands for it.
	Max int64
}

// WorkFile is a regular file of the work tree.
type WorkFile struct {
	Path string
	ID   ID   // blob in git's index; zero: not in it, unmerged, or only meant to be added
	Stat Stat // zero when an unmerged path has no regular file
	// Racy: the stat data agrees with the index, but was taken so soon after the
	// file was written that an edit may hide behind it.
	Racy bool
}

// WorkScan is what a scan found; the lists are sorted by path.
type WorkScan struct {
	Sum     string     // identity of the index's content
	Changed []WorkFile // tracked, and the content may not be that of the index
	Extra   []WorkFile // on disk, not in the index: untracked or ignored
	Missing []string   // tracked, no regular file there
	// Dirs are the mtimes of the folders walked, "" for the top. A folder is not in
	// it while one in it was passed over for its permissions or for being another
	// repository: that may end without a change of names.
	Dirs map[string]int64
}

// scanDepth bounds how deep folders are nested; what lies deeper is left out of a
// scan. Each level holds a file handle open.
const scanDepth = 128

// ScanWork compares the regular files of the work tree with git's index by their
// stat data, and reads none of them: that is left to the caller. Tracked symbolic
// links and submodules are in no list, links are never followed, and repositories
// within this one are not looked into, but for files that the index has there.
// Files outside a sparse checkout are not missing. A promise made with
// `update-index --assume-unchanged` is not relied upon. Folders that may not be
// read are passed over. A bare repository gives an empty scan.
func (r *Repo) ScanWork(ctx context.Context, opt ScanOptions) (*WorkScan, error) {
	scan := &WorkScan{Dirs: map[string]int64{}}
	if r.Bare {
		return scan, nil
	}
	roots, err := newRootSet(opt.Roots)
	if err != nil {
		return nil, err
	}
	ix, err := r.readIndex(ctx, roots)
	if err != nil {
		return nil, err
	}
	rules, err := r.statRules(ctx, ix)
	if err != nil {
		return nil, err
	}
	scan.Sum = ix.stamp.String()
	plan := newScanPlan(opt, roots, ix.entries)
	if plan.top == nil {
		return scan, nil
	}
	w := scanWalk{ctx: ctx, plan: plan, rules: rules, scan: scan, more: make(chan struct{}, scanWorkers-1)}
	if err := w.run(r.TopLevel); err != nil {
		return nil, fmt.Errorf("scan the work tree: %w", err)
	}
	byPath := func(a, b WorkFile) int { return cmp.Compare(a.Path, b.Path) }
	slices.SortFunc(scan.Changed, byPath)
	slices.SortFunc(scan.Extra, byPath)
	slices.Sort(scan.Missing)
	return scan, nil
}

// scanNode is a folder that is known before the work tree is looked at: from the
// index, from the roots or from an earlier scan.
type scanNode struct {
	path     string // ends in a slash, "" for the top
	name     string
	covered  bool // all of it belongs to a root
	children []*scanNode
	entries  []*indexEntry // in it, in index order, links and submodules too
	files    []string      // single files of it that are roots
}

// scanPlan is the tree of these folders.
type scanPlan struct {
	opt   ScanOptions
	roots rootSet
	top   *scanNode // nil: nothing to look at
	nodes map[string]*scanNode
}

func newScanPlan(opt ScanOptions, roots rootSet, entries []indexEntry) *scanPlan {
	p := &scanPlan{opt: opt, roots: roots, nodes: map[string]*scanNode{}}
	for _, d := range roots.dirs {
		p.node(d)
	}
	for d := range opt.Dirs {
		if (d == "" || strings.HasSuffix(d, "/")) && roots.covers(d) {
			p.node(d)
		}
	}
	for f := range roots.files {
		dir, _ := splitPath(f)
		if n := p.node(dir); n != nil {
			n.files = append(n.files, f)
		}
	}
	for len(entries) > 0 {
		dir, _ := splitPath(entries[0].path)
		n := 1
		for n < len(entries) && inFolder(entries[n].path, dir) {
			n++
		}
		if node := p.node(dir); node != nil {
			p.track(node, entries[:n])
		}
		entries = entries[n:]
	}
	p.top = p.nodes[""]
	return p
}

// track gives a folder entries of the index.
func (p *scanPlan) track(n *scanNode, entries []indexEntry) {
	n.entries = slices.Grow(n.entries, len(entries))
	for i := range entries {
		e := &entries[i]
		e.other = !e.mode.IsFile() || !p.keeps(e.path)
		n.entries = append(n.entries, e)
	}
}

// inFolder reports whether a path is that of a file in dir, and not below.
func inFolder(path, dir string) bool {
	return strings.HasPrefix(path, dir) && strings.IndexByte(path[len(dir):], '/') < 0
}

// splitPath cuts a path into its folder, which keeps the slash, and its name.
func splitPath(p string) (dir, name string) {
	i := strings.LastIndexByte(p, '/') + 1
	return p[:i], p[i:]
}

// node returns the node of a folder and makes those that lead to it; nil when a
// folder on the way is not to be entered.
func (p *scanPlan) node(dir string) *scanNode {
	if n, ok := p.nodes[dir]; ok {
		return n
	}
	n := &scanNode{path: dir, covered: p.roots.covers(dir)}
	if dir != "" {
		var parent string
		parent, n.name = splitPath(dir[:len(dir)-1])
		above := p.node(parent)
		if above == nil || strings.Count(dir, "/") > scanDepth || n.name == "" || CheckPath(n.name) != nil || !p.enters(dir) {
			n = nil
		} else {
			above.children = append(above.children, n)
		}
	}
	p.nodes[dir] = n
	return n
}

// enters asks the caller about a folder below a root.
func (p *scanPlan) enters(dir string) bool {
	return p.opt.Enter == nil || p.roots.isRoot(dir) || !p.roots.covers(dir) || p.opt.Enter(dir)
}

func (p *scanPlan) keeps(path string) bool { return p.opt.Keep == nil || p.opt.Keep(path) }
