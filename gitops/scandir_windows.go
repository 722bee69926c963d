//go:build windows

package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// keepsFolderTime: FAT does not touch a folder's time, and NTFS may do so late.
const keepsFolderTime = false

// fullStat: git for Windows stores no inode, another ctime, and no executable bit.
const fullStat = false

// scanDir is a folder of the work tree, by its path.
type scanDir struct{ path string }

func openTopDir(path string) (scanDir, error) { return scanDir{path}, nil }

// open takes a folder in d; links and junctions are none.
func (d scanDir) open(name string) (scanDir, error) {
	p := filepath.Join(d.path, name)
	fi, err := os.Lstat(p)
	if err != nil {
		return scanDir{}, err
	}
	if !fi.IsDir() {
		return scanDir{}, &fs.PathError{Op: "open", Path: p, Err: syscall.ENOTDIR}
	}
	return scanDir{p}, nil
}

// notFolder reports whether open failed because no folder is there.
func notFolder(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (d scanDir) close() {}

func (d scanDir) mtime() (int64, error) {
	fi, err := os.Lstat(d.path)
	if err != nil {
		return 0, err
	}
	return fi.ModTime().UnixNano(), nil
}

// stat looks at a name in the folder; links are not followed.
func (d scanDir) stat(name string) (Stat, error) {
	fi, err := os.Lstat(filepath.Join(d.path, name))
	if err != nil {
		return Stat{}, err
	}
	s := Stat{Size: fi.Size(), MTime: fi.ModTime().UnixNano()}
	switch m := fi.Mode(); {
	case m.IsRegular():
		s.Mode = ModeFile
	case m&fs.ModeSymlink != 0:
		s.Mode = ModeSymlink
	case m.IsDir():
		s.Mode = ModeTree
	}
	return s, nil
}

func (d scanDir) list() ([]fs.DirEntry, error) { return os.ReadDir(d.path) }
