package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// absent reports whether an error says that there is no such file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// folders tells which directories of a work tree are there, and reached through
// no symbolic link.
type folders struct {
	top   string
	there map[string]bool
}

func newFolders(top string) folders { return folders{top: top, there: map[string]bool{"": true}} }

func (f folders) full(path string) string { return filepath.Join(f.top, filepath.FromSlash(path)) }

// has looks at a directory, "" for the top.
func (f folders) has(dir string) (bool, error) {
	if there, ok := f.there[dir]; ok {
		return there, nil
	}
	there, err := f.has(parentDir(dir))
	if err != nil {
		return false, err
	}
	if there {
		w, err := lstatFile(f.full(dir))
		if err != nil && !absent(err) {
			return false, errUncertain
		}
		there = w.mode == ModeTree
	}
	f.there[dir] = there
	return there, nil
}

// file looks at a path.
func (f folders) file(path string) (workFile, error) {
	if there, err := f.has(parentDir(path)); err != nil || !there {
		return workFile{}, err
	}
	w, err := lstatFile(f.full(path))
	if err != nil && !absent(err) {
		return w, errUncertain
	}
	return w, nil
}

// workLook compares entries of the index with the files.
type workLook struct {
	*pathLook
	folders
	suspects []int // entries whose content has to be compared
}

func (l *pathLook) compareWork() error {
	w := workLook{pathLook: l, folders: newFolders(l.r.TopLevel)}
	for from := 0; from < len(l.entries); {
		dir, to := parentDir(l.entries[from].path), from+1
		for to < len(l.entries) && parentDir(l.entries[to].path) == dir {
			to++
		}
		if err := w.folder(dir, from, to); err != nil {
			return err
		}
		from = to
	}
	if len(w.suspects) == 0 {
		return nil
	}
	if w.mayConvert() {
		return errUncertain
	}
	unchanged := 0
	for _, i := range w.suspects {
		same, err := w.sameContent(&l.entries[i])
		if err != nil {
			return err
		}
		if l.work[i].changed = !same; same {
			unchanged++
		}
	}
	l.r.stale.Store(unchanged > staleEntries)
	return nil
}

// staleEntries is of how many unchanged files the index may not know that they are.
const staleEntries = 64

// Refresh has the index take over the stat data of files, where the last look had to read
// many of them only to find that they are unchanged: after a clone, for one. Nobody else
// does it where nobody calls git. It is not needed for anything, and fails silently.
func (r *Repo) Refresh(ctx context.Context) {
	if r.stale.Swap(false) && !r.InHook {
		_, _ = r.run(ctx, Cmd{Args: []string{"update-index", "-q", "--refresh"}})
	}
}

// folder compares files that stand beside each other.
func (w *workLook) folder(dir string, from, to int) error {
	there, err := w.has(dir)
	if err != nil {
		return err
	}
	var d statDir
	if there {
		if d, err = openStatDir(w.full(dir)); err != nil {
			return errUncertain
		}
		defer d.close()
	}
	for i := from; i < to; i++ {
		e := &w.entries[i]
		if e.valid {
			w.work[i].mode = e.mode
			continue
		}
		var f workFile
		if there {
			if f, err = d.lstat(e.path[strings.LastIndexByte(e.path, '/')+1:]); err != nil && !absent(err) {
				return errUncertain
			}
		}
		if err := w.compare(i, f); err != nil {
			return err
		}
	}
	return nil
}

// compare compares all but the content.
func (w *workLook) compare(i int, f workFile) error {
	e, side := &w.entries[i], &w.work[i]
	switch {
	case !f.there:
		return nil // absent, as it is already
	case f.mode == ModeTree:
		if _, err := lstatFile(filepath.Join(w.full(e.path), ".git")); !absent(err) {
			return errUncertain
		}
		return nil // so is the file
	case f.mode == ModeAbsent, f.mode.IsFile() != e.mode.IsFile():
		return errUncertain
	}
	side.mode = e.mode
	switch {
	case w.rules.mode && f.mode != e.mode:
		side.mode, side.changed = f.mode, true
	case !w.rules.same(e, f.stat):
		w.suspects = append(w.suspects, i)
	}
	return nil
}

// mayConvert looks whether git stores some file in another form than the work tree
// has it.
func (w *workLook) mayConvert() bool {
	paths := make([]string, len(w.suspects))
	for i, at := range w.suspects {
		paths[i] = w.entries[at].path
	}
	for _, a := range w.attributes {
		if _, err := lstatFile(w.full(a)); err != nil {
			return true // git reads it from the index then
		}
	}
	return w.r.mayConvert(w.cfg, paths)
}

// sameContent reads a file.
func (w *workLook) sameContent(e *lookEntry) (bool, error) {
	if e.mode == ModeSymlink {
		t, err := os.Readlink(w.full(e.path))
		if err != nil {
			return false, errUncertain
		}
		return bytes.Equal(w.r.BlobID([]byte(t)).Bytes(), e.id[:]), nil
	}
	f, err := w.root.OpenFile(e.path, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return false, errUncertain // removed meanwhile, or not to be read
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return false, errUncertain
	}
	h := w.r.newHash()
	_, _ = h.Write(strconv.AppendInt([]byte("blob "), fi.Size(), 10))
	_, _ = h.Write([]byte{0})
	n, err := io.Copy(h, f)
	if err != nil {
		return false, fmt.Errorf("read '%s': %w", e.path, err)
	}
	return n == fi.Size() && bytes.Equal(h.Sum(nil), e.id[:]), nil
}
