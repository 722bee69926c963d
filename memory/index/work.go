package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-claw/git-claw/gitops"
)

// onDisk is a searched file of the work tree.
type onDisk struct {
	path string
	stat stat
}

// walkWork lists the searched files of the work tree in order of their paths.
// Links, of files and of folders, are passed over, and so are nested repositories.
func (s *Snapshot) walkWork(ctx context.Context) ([]onDisk, error) {
	var out []onDisk
	w := walker{s: s, ctx: ctx, out: &out, max: s.ws.MaxFileBytes()}
	for _, r := range slices.Compact(slices.Sorted(slices.Values(s.roots))) {
		var err error
		switch {
		case r == "":
			err = w.folder("", false)
		case strings.HasSuffix(r, "/"):
			if w.reachable(strings.TrimSuffix(r, "/")) {
				err = w.folder(r, true)
			}
		default:
			if w.reachable(path.Dir(r)) {
				err = w.file(r)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b onDisk) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(out, func(a, b onDisk) bool { return a.path == b.path }), nil
}

type walker struct {
	s   *Snapshot
	ctx context.Context
	out *[]onDisk
	max int64
}

func (w *walker) abs(rel string) string { return filepath.Join(w.s.ws.Root, filepath.FromSlash(rel)) }

// reachable reports whether a folder and all above it are folders, not links.
func (w *walker) reachable(dir string) bool {
	if dir == "." || dir == "" {
		return true
	}
	cur := ""
	for part := range strings.SplitSeq(dir, "/") {
		cur = path.Join(cur, part)
		fi, err := os.Lstat(w.abs(cur))
		if err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}

func (w *walker) file(rel string) error {
	fi, err := os.Lstat(w.abs(rel))
	if err != nil {
		if gone(err) {
			return nil
		}
		return err
	}
	if fi.Mode().IsRegular() && fi.Size() <= w.max && w.exact(rel) && w.s.ws.Searched(rel, w.s.roots) {
		*w.out = append(*w.out, onDisk{rel, statOf(fi)})
	}
	return nil
}

// exact passes over a name that only differs in case from one on disk: on some file
// systems memory.md opens MEMORY.md, which would then be there twice.
func (w *walker) exact(rel string) bool {
	if rel != "memory.md" {
		return true
	}
	a, err1 := os.Lstat(w.abs(rel))
	b, err2 := os.Lstat(w.abs("MEMORY.md"))
	return err1 != nil || err2 != nil || !os.SameFile(a, b)
}

func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (w *walker) folder(rel string, deep bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	list, err := os.ReadDir(w.abs(rel))
	if err != nil {
		if gone(err) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	if rel != "" && slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
		return nil
	}
	for _, e := range list {
		name := rel + e.Name()
		switch {
		case e.IsDir() && deep:
			if w.s.ws.NeverManaged(name + "/") {
				continue
			}
			if err := w.folder(name+"/", true); err != nil {
				return err
			}
		case e.Type().IsRegular() && w.s.ws.Searched(name, w.s.roots):
			fi, err := e.Info()
			if err == nil && fi.Mode().IsRegular() && fi.Size() <= w.max {
				*w.out = append(*w.out, onDisk{name, statOf(fi)})
			}
		}
	}
	return nil
}

// readWork reads a file that walkWork found, with the stat data it had then.
func (s *Snapshot) readWork(rel string) (content []byte, st stat, err error) {
	abs := filepath.Join(s.ws.Root, filepath.FromSlash(rel))
	fi, err := os.Lstat(abs)
	if err != nil {
		return nil, stat{}, err
	}
	if !fi.Mode().IsRegular() {
		return nil, stat{}, fs.ErrNotExist
	}
	content, err = gitops.ReadSmall(abs, s.ws.MaxFileBytes())
	return content, statOf(fi), err
}
