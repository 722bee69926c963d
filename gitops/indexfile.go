package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
)

// TrackedFile is one row of git's index. Mode is never ModeTree: what a sparse
// index leaves out is listed from its trees.
type TrackedFile struct {
	Path         string
	ID           ID
	Mode         Mode
	SkipWorktree bool // not in the work tree, and not missed there
	Stage        int  // 0; 1 to 3 for the sides of an unmerged path
}

// Tracked yields what git's index has of roots (see [ScanOptions]) and keep
// accepts, in the order of paths, gitlinks and symbolic links too. keep may be
// nil. A bare repository, or one without an index, yields nothing.
func (r *Repo) Tracked(ctx context.Context, roots []string, keep func(path string) bool) iter.Seq2[TrackedFile, error] {
	return func(yield func(TrackedFile, error) bool) {
		set, err := newRootSet(roots)
		if err != nil {
			yield(TrackedFile{}, err)
			return
		}
		ix, err := r.readIndex(ctx, set)
		if err != nil {
			yield(TrackedFile{}, err)
			return
		}
		for _, e := range ix.entries {
			if keep != nil && !keep(e.path) {
				continue
			}
			if !yield(TrackedFile{Path: e.path, ID: e.id, Mode: e.mode, SkipWorktree: e.skip, Stage: int(e.stage)}, nil) {
				return
			}
		}
	}
}

// readIndexFile is git's index, or a part of it, at one moment.
type readIndexFile struct {
	stamp   IndexStamp
	entries []indexEntry
}

// readIndex reads the entries that roots cover.
func (r *Repo) readIndex(ctx context.Context, roots rootSet) (*readIndexFile, error) {
	if r.Bare {
		return &readIndexFile{}, nil
	}
	b, stamp, err := r.loadIndex()
	if errors.Is(err, fs.ErrNotExist) {
		return &readIndexFile{}, nil
	}
	if err != nil {
		return nil, err
	}
	m := matcher{roots: roots}
	list, err := parseIndex(b, r.idSize(), m.match)
	if errors.Is(err, errIndexForeign) {
		list, err = r.listIndex(ctx, &m)
	}
	if err == nil {
		list, err = r.expandSparse(ctx, list, roots)
	}
	if err != nil {
		return nil, fmt.Errorf("read index '%s': %w", r.indexPath(), err)
	}
	return &readIndexFile{stamp: stamp, entries: list}, nil
}

// loadIndex reads the whole file; its state is that of the bytes, whoever
// replaces the file meanwhile.
func (r *Repo) loadIndex() ([]byte, IndexStamp, error) {
	f, err := os.Open(r.indexPath())
	if err != nil {
		return nil, IndexStamp{}, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return nil, IndexStamp{}, err
	}
	b, err := readAll(f, fi.Size(), 0)
	if err != nil {
		return nil, IndexStamp{}, fmt.Errorf("read index '%s': %w", r.indexPath(), err)
	}
	s := IndexStamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	_, s.ino, _ = fileKey(fi)
	if n := len(s.tail); len(b) >= n {
		copy(s.tail[:], b[len(b)-n:])
	}
	return b, s, nil
}

// listIndex asks git for what is not read here: a split index, and what later
// versions of git bring.
func (r *Repo) listIndex(ctx context.Context, m *matcher) ([]indexEntry, error) {
	out, err := r.run(ctx, Cmd{Args: []string{"ls-files", "-z", "-s", "-t", "--debug"}})
	if err != nil {
		return nil, err
	}
	list, err := parseListing(out, m.match)
	if err != nil {
		return nil, err
	}
	inPathOrder(list)
	return list, nil
}

// parseListing reads `git ls-files -z -s -t --debug`: a letter, the mode, the id
// and the stage, a tab, the path, NUL, then lines that begin with two spaces. Git
// does not promise the form of these. Where they are not understood the stat data
// is left zero, so that every file counts as changed, which is slow but right.
func parseListing(b []byte, want func([]byte) bool) ([]indexEntry, error) {
	var out []indexEntry
	for len(b) > 0 {
		head, rest, ok := bytes.Cut(b, []byte{'\t'})
		path, rest, ok2 := bytes.Cut(rest, []byte{0})
		f := strings.Fields(string(head))
		if !ok || !ok2 || len(f) != 4 || len(f[3]) != 1 || f[3][0] < '0' || f[3][0] > '3' {
			return nil, fmt.Errorf("list index: unexpected record '%.80s'", head)
		}
		e := indexEntry{mode: parseMode(f[1]), stage: f[3][0] - '0', skip: f[0] == "S" || f[0] == "s"}
		var err error
		if e.id, err = ParseID(f[2]); err != nil {
			return nil, err
		}
		var debug []byte
		debug, b = cutDebug(rest)
		if len(path) == 0 || path[0] == '/' || !want(path) {
			continue
		}
		e.path = string(path)
		var dev, uid, gid, flags uint32
		c := cachedStat{}
		if n, err := fmt.Sscanf(string(debug), " ctime: %d:%d\n mtime: %d:%d\n dev: %d\tino: %d\n uid: %d\tgid: %d\n size: %d\tflags: %x\n",
			&c.ctime, &c.ctimeNS, &c.mtime, &c.mtimeNS, &dev, &c.ino, &uid, &gid, &c.size, &flags); err == nil && n == 10 {
			e.stat, e.intent = c, flags&(flagIntent<<16) != 0
		}
		out = append(out, e)
	}
	return out, nil
}

// cutDebug cuts the indented lines off the beginning of b.
func cutDebug(b []byte) (debug, rest []byte) {
	n := 0
	for bytes.HasPrefix(b[n:], []byte("  ")) {
		end := bytes.IndexByte(b[n:], '\n')
		if end < 0 {
			return b, nil
		}
		n += end + 1
	}
	return b[:n], b[n:]
}

// expandSparse replaces directories of a sparse index with the files below them;
// git keeps none of these in the work tree.
func (r *Repo) expandSparse(ctx context.Context, list []indexEntry, roots rootSet) ([]indexEntry, error) {
	sparse := false
	for i := range list {
		sparse = sparse || list[i].mode == ModeTree
	}
	if !sparse {
		return list, nil
	}
	out := make([]indexEntry, 0, len(list))
	var err error
	for _, e := range list {
		if e.mode != ModeTree {
			out = append(out, e)
			continue
		}
		dir := strings.TrimSuffix(e.path, "/") + "/"
		if out, err = r.expandTree(ctx, out, dir, e.id, roots, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *Repo) expandTree(ctx context.Context, out []indexEntry, dir string, tree ID, roots rootSet, depth int) ([]indexEntry, error) {
	if !roots.touches(dir) {
		return out, nil
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("tree is nested too deeply at '%.80s'", dir)
	}
	entries, err := r.objects.Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	covered := roots.covers(dir)
	for _, e := range entries {
		switch p := dir + e.Name; {
		case e.Mode == ModeTree:
			if out, err = r.expandTree(ctx, out, p+"/", e.ID, roots, depth+1); err != nil {
				return nil, err
			}
		case covered || roots.files[p]:
			out = append(out, indexEntry{path: p, mode: e.Mode, id: e.ID, skip: true})
		}
	}
	return out, nil
}
