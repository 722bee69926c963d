package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ErrTooLarge: a work-tree file is larger than the caller allows.
var ErrTooLarge = errors.New("file is too large")

// CheckPath refuses a path that could leave the work tree or reach into git's
// own directory: empty, absolute, with "..", ".git" or NUL in it.
func CheckPath(p string) error {
	switch {
	case p == "" || strings.HasPrefix(p, "/"):
		return &EscapeError{Path: p, Reason: "it is not relative to the work tree"}
	case strings.ContainsRune(p, 0):
		return &EscapeError{Path: p, Reason: "it holds a NUL byte"}
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return &EscapeError{Path: p, Reason: "it leaves the work tree or is not in its shortest form"}
		case isDotGit(part):
			return &EscapeError{Path: p, Reason: "it reaches into git's own directory"}
		case os.PathSeparator == '\\' && strings.ContainsAny(part, `\:`):
			return &EscapeError{Path: p, Reason: "it holds a character that Windows gives a meaning"}
		}
	}
	return nil
}

// isDotGit recognises every name under which some file system opens `.git`:
// NTFS drops dots and spaces at the end and what follows a colon, and knows the
// short name `git~1`; HFS+ skips characters that are not seen. git refuses the
// same names everywhere (core.protectNTFS, core.protectHFS).
func isDotGit(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name)
	name = strings.TrimRight(name, ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// openRoot opens the work tree; every access below goes through it, so that no
// symbolic link made meanwhile can lead outside.
func (r *Repo) openRoot() (*os.Root, error) {
	if r.Bare {
		return nil, ErrBare
	}
	return os.OpenRoot(r.TopLevel)
}

// checkParents refuses a path with a symbolic link among its directories. A
// missing directory is fine. A file among them is returned: below it nothing
// can be.
func checkParents(root *os.Root, p string) (file string, err error) {
	dir := path.Dir(p)
	if dir == "." {
		return "", nil
	}
	cur := ""
	for part := range strings.SplitSeq(dir, "/") {
		cur = path.Join(cur, part)
		fi, err := root.Lstat(cur)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("look at '%s': %w", cur, err)
		case fi.Mode()&fs.ModeSymlink != 0:
			return "", &EscapeError{Path: p, Reason: fmt.Sprintf("'%s' is a symbolic link", cur)}
		case !fi.IsDir():
			return cur, nil
		}
	}
	return "", nil
}

// ReadWork reads a work-tree file as git would store it: a regular file gives
// its bytes, a symbolic link its target. max is the largest size in bytes, 0 for
// no limit; beyond it ErrTooLarge. An absent file gives ModeAbsent and no error;
// so do a directory and a path below a file, where git sees no file either.
// Devices, pipes and sockets are never opened.
func (r *Repo) ReadWork(p string, max int64) ([]byte, Mode, error) {
	if err := CheckPath(p); err != nil {
		return nil, 0, err
	}
	root, err := r.openRoot()
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = root.Close() }()
	if file, err := checkParents(root, p); err != nil || file != "" {
		return nil, ModeAbsent, err
	}
	return readAt(root, p, max)
}

func readAt(root *os.Root, p string, max int64) ([]byte, Mode, error) {
	fi, err := root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ModeAbsent, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read '%s': %w", p, err)
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		t, err := root.Readlink(p)
		if err != nil {
			return nil, 0, fmt.Errorf("read '%s': %w", p, err)
		}
		return []byte(t), ModeSymlink, nil
	case fi.IsDir():
		return nil, ModeAbsent, nil
	case !fi.Mode().IsRegular():
		return nil, 0, &EscapeError{Path: p, Reason: "it is not a regular file"}
	case max > 0 && fi.Size() > max:
		return nil, 0, fmt.Errorf("read '%s': %w", p, ErrTooLarge)
	}
	f, err := root.OpenFile(p, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("read '%s': %w", p, err)
	}
	defer func() { _ = f.Close() }()
	b, err := readAll(f, fi.Size(), max)
	if err != nil {
		return nil, 0, fmt.Errorf("read '%s': %w", p, err)
	}
	mode := ModeFile
	if fi.Mode()&0o100 != 0 {
		mode = ModeExecutable
	}
	return b, mode, nil
}

// readAll reads a file that may be growing, up to max bytes.
func readAll(f io.Reader, size, max int64) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(int(size) + bytes.MinRead)
	if max > 0 {
		f = io.LimitReader(f, max+1)
	}
	if _, err := buf.ReadFrom(f); err != nil {
		return nil, err
	}
	if max > 0 && int64(buf.Len()) > max {
		return nil, ErrTooLarge
	}
	return buf.Bytes(), nil
}

// Place says what to put into the work tree with a commit. The file is replaced
// only while its content still is Base (Existed false: while it is absent). It
// keeps its mode, but for the executable bit when the commit changes that.
type Place struct {
	Base    []byte
	Existed bool
	Content []byte
	Delete  bool
	// BaseSum (SumWork) stands for Base, and Blob for Content, where a file may be too
	// large to be held. Only Advance takes a Blob.
	BaseSum string
	Blob    ID
}

func (pl *Place) baseSum() string {
	if pl.BaseSum != "" {
		return pl.BaseSum
	}
	return sum(pl.Base)
}

// WriteFileAtomic writes a file of local state (never a tracked one): temporary
// file in the same directory, then rename.
func WriteFileAtomic(name string, content []byte, perm fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(perm)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Unstage gives the index what HEAD has at a path.
func (r *Repo) Unstage(ctx context.Context, path string) error {
	if _, err := r.run(ctx, Cmd{Args: []string{"--literal-pathspecs", "reset", "-q", "--", path}}); err != nil {
		return fmt.Errorf("unstage '%s': %w", path, err)
	}
	return nil
}
