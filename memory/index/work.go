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

// walker lists files below the roots.
type walker struct {
	s   *Snapshot
	ctx context.Context
	out *[]onDisk
	max int64
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

func (w *walker) file(rel string) error {
	st, mode, err := lstat(w.abs(rel))
	if err != nil {
		if gone(err) {
			return nil
		}
		return err
	}
	if mode.IsRegular() && st.Size <= w.max && w.exact(rel) && w.s.ws.Searched(rel, w.s.roots) {
		*w.out = append(*w.out, onDisk{rel, st})
	}
	return nil
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

// folder lists a folder and, when deep, those below it, the latter side by side
// where there are many.
func (w *walker) folder(rel string, deep bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	var files []onDisk
	var folders []string
	repository := false
	err := list(w.abs(rel), func(name string, st stat, mode fs.FileMode) {
		switch {
		case name == ".git":
			repository = true
		case mode.IsDir():
			if deep && !w.s.ws.NeverManaged(rel+name+"/") {
				folders = append(folders, rel+name+"/")
			}
		case mode.IsRegular() && st.Size <= w.max && w.s.ws.Searched(rel+name, w.s.roots):
			files = append(files, onDisk{rel + name, st})
		}
	})
	if err != nil {
		if gone(err) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	if repository && rel != "" {
		return nil
	}
	slices.SortFunc(files, func(a, b onDisk) int { return strings.Compare(a.path, b.path) })
	*w.out = append(*w.out, files...)
	slices.Sort(folders)
	return w.folders(folders)
}

// sideBySide is from how many folders on they are listed by several threads.
const sideBySide = 16

func (w *walker) folders(list []string) error {
	if len(list) < sideBySide {
		for _, f := range list {
			if err := w.folder(f, true); err != nil {
				return err
			}
		}
		return nil
	}
	found := make([][]onDisk, len(list))
	errs := make([]error, len(list))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				sub := walker{s: w.s, ctx: w.ctx, out: &found[i], max: w.max}
				errs[i] = sub.folder(list[i], true)
			}
		})
	}
	wg.Wait()
	for _, f := range found {
		*w.out = append(*w.out, f...)
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
