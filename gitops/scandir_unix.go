//go:build unix

package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// keepsFolderTime says that a folder's mtime moves with every name that comes or
// goes.
const keepsFolderTime = true

// fullStat says that files have an inode, a ctime and an executable bit.
const fullStat = true

// scanDir is an open folder of the work tree. Names in it are looked up through
// the handle, which is cheap, and no link put there meanwhile leads elsewhere.
type scanDir struct {
	fd   int
	path string // absolute, for messages
}

const openScanDir = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

// openTopDir opens the top of the work tree, which may be reached through links.
func openTopDir(path string) (scanDir, error) {
	return openScanAt(unix.AT_FDCWD, path, path, openScanDir)
}

// open opens a folder in d; a link to one fails like a file does.
func (d scanDir) open(name string) (scanDir, error) {
	return openScanAt(d.fd, name, filepath.Join(d.path, name), openScanDir|unix.O_NOFOLLOW)
}

func openScanAt(at int, name, path string, flags int) (scanDir, error) {
	for {
		fd, err := unix.Openat(at, name, flags, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return scanDir{}, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return scanDir{fd: fd, path: path}, nil
	}
}

// notFolder reports whether open failed because no folder is there.
func notFolder(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) ||
		errors.Is(err, unix.EMLINK) || errors.Is(err, unix.ENAMETOOLONG)
}

func (d scanDir) close() { _ = unix.Close(d.fd) }

// mtime is when names in the folder last changed, in nanoseconds.
func (d scanDir) mtime() (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return 0, &fs.PathError{Op: "stat", Path: d.path, Err: err}
	}
	return st.Mtim.Nano(), nil
}

// stat looks at a name in the folder; links are not followed.
func (d scanDir) stat(name string) (Stat, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return Stat{}, &fs.PathError{Op: "stat", Path: filepath.Join(d.path, name), Err: err}
		}
		break
	}
	s := Stat{Size: st.Size, MTime: st.Mtim.Nano(), CTime: st.Ctim.Nano(), Ino: st.Ino}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.Mode = ModeFile
		if st.Mode&0o100 != 0 {
			s.Mode = ModeExecutable
		}
	case unix.S_IFLNK:
		s.Mode = ModeSymlink
	case unix.S_IFDIR:
		s.Mode = ModeTree
	}
	return s, nil
}

// list returns the names in the folder, in no order.
func (d scanDir) list() ([]fs.DirEntry, error) {
	fd, err := unix.Openat(d.fd, ".", openScanDir, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.path, Err: err}
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer func() { _ = f.Close() }()
	return f.ReadDir(-1)
}
