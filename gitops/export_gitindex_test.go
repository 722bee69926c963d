package gitops

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's format
	"errors"
	"os"
)

// IndexPatch is indexPatch for the tests outside.
type IndexPatch struct {
	Path   string
	Delete bool
	Keep   bool
	Mode   Mode
	ID     ID
	File   string // whose stat data is taken over; none when empty
}

// TreeMove is treeMove.
type TreeMove struct{ Old, New ID }

// PatchOptions are what PatchIndex needs beside the changes.
type PatchOptions struct {
	IndexFile string // the file old was read from; nothing is racy when empty
	SkipHash  bool
	NoSmudge  bool
	Look      *Repo // whose work tree tells what is racy; nil: everything is
}

// PatchIndex is patchIndex.
func PatchIndex(old []byte, patches []IndexPatch, moves map[string]TreeMove, opt PatchOptions) ([]byte, error) {
	stat := func(name string) fileStat {
		if fi, err := os.Lstat(name); err == nil && name != "" {
			return newFileStat(fi)
		}
		return fileStat{}
	}
	list := make([]indexPatch, len(patches))
	for i, p := range patches {
		list[i] = indexPatch{path: p.Path, delete: p.Delete, keep: p.Keep, mode: p.Mode, id: p.ID, stat: stat(p.File)}
	}
	mv := map[string]treeMove{}
	for d, m := range moves {
		mv[d] = treeMove{m.Old, m.New}
	}
	o := indexOptions{skipHash: opt.SkipHash, noSmudge: opt.NoSmudge}
	if opt.Look != nil {
		root, err := opt.Look.openRoot()
		if err != nil {
			return nil, err
		}
		defer func() { _ = root.Close() }()
		o.racy = opt.Look.racyCheck(root)
	}
	return patchIndex(old, stat(opt.IndexFile), list, mv, o)
}

// IndexLine is an entry of an index.
type IndexLine struct {
	Path         string
	Mode         Mode
	ID           ID
	Stage        int
	Flags        string // A assume-valid, S skip-worktree, I intent-to-add
	Size, MTime  uint32
	StatIsZeroed bool
}

// ReadIndex lists the entries of an index.
func ReadIndex(b []byte) (version uint32, out []IndexLine, err error) {
	x, err := openIndex(b)
	if err != nil {
		return 0, nil, err
	}
	for x.next() {
		e := &x.entry
		l := IndexLine{Path: string(e.path), Mode: e.mode(), ID: e.id(), Stage: e.stage(), Size: e.stat().size, MTime: e.stat().mtime}
		l.StatIsZeroed = e.stat() == fileStat{}
		for _, f := range []struct {
			on   bool
			name string
		}{{e.assumeValid(), "A"}, {e.skipWorktree(), "S"}, {e.intentToAdd(), "I"}} {
			if f.on {
				l.Flags += f.name
			}
		}
		out = append(out, l)
	}
	return x.version, out, x.end()
}

// ScanIndex goes through an index as cheaply as can be.
func ScanIndex(b []byte) (n int, err error) {
	x, err := openIndex(b)
	if err != nil {
		return 0, err
	}
	for x.next() {
		n++
	}
	return n, x.end()
}

// BareIndex is an index without what one writer may leave to another: no stat
// data, no extension but REUC. The checksum is right.
func BareIndex(b []byte) ([]byte, error) {
	x, err := openIndex(b)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, b[:min(len(b), indexHeader)]...)
	for x.next() {
		n := len(out)
		out = append(out, x.entry.raw...)
		clear(out[n : n+entryModeAt])
		clear(out[n+entryModeAt+4 : n+entryIDAt])
	}
	if err := x.end(); err != nil {
		return nil, err
	}
	return SumIndex(append(out, x.reuc...)), nil
}

// SumIndex appends the checksum.
func SumIndex(b []byte) []byte {
	s := sha1.Sum(b) //nolint:gosec // git's format
	return append(b, s[:]...)
}

// CacheNode is a node of the TREE extension.
type CacheNode struct {
	Dir   string
	Count int
	ID    ID
}

// CacheTree lists the nodes of the TREE extension, ok is false where there is none.
func CacheTree(b []byte) (out []CacheNode, ok bool, err error) {
	x, err := openIndex(b)
	if err != nil {
		return nil, false, err
	}
	for x.next() {
	}
	if err := x.end(); err != nil || x.tree == nil {
		return nil, false, err
	}
	var walk func(dir string, b []byte) ([]byte, error)
	walk = func(dir string, b []byte) ([]byte, error) {
		n, rest, ok := readCacheNode(b)
		if !ok {
			return nil, errIndexBroken
		}
		dir = joinPath(dir, string(n.name))
		out = append(out, CacheNode{Dir: dir, Count: n.count, ID: idFromBytes(n.id)})
		for range n.subs {
			var err error
			if rest, err = walk(dir, rest); err != nil {
				return nil, err
			}
		}
		return rest, nil
	}
	rest, err := walk("", x.tree)
	if len(rest) > 0 {
		err = errIndexBroken
	}
	return out, true, err
}

// IsIndexShape and IsIndexBroken tell the errors of the index apart.
func IsIndexShape(err error) bool  { return errors.Is(err, errIndexShape) }
func IsIndexBroken(err error) bool { return errors.Is(err, errIndexBroken) }

// LookAt is the part of PathStatus that asks no git; certain is false where git
// has to be asked.
func LookAt(ctx context.Context, r *Repo, opt StatusOptions) (st *Status, certain bool, err error) {
	st, err = r.lookAt(ctx, opt)
	if errors.Is(err, errUncertain) {
		return nil, false, nil
	}
	return st, true, err
}

// Ignores tells without git whether a path is ignored; certain is false where git
// has to be asked.
func Ignores(ctx context.Context, r *Repo, path string, isDir bool) (ignored, certain bool, err error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return false, false, err
	}
	g, err := r.newIgnoreRules(cfg)
	if err == nil {
		ignored, err = g.ignores(path, isDir)
	}
	if errors.Is(err, errUncertain) {
		return false, false, nil
	}
	return ignored, err == nil, err
}

// IgnoredPaths asks git.
func IgnoredPaths(ctx context.Context, r *Repo, paths []string) ([]string, error) {
	return r.ignoredPaths(ctx, paths)
}
