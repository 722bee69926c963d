//go:build !unix

package gitops

import (
	"io/fs"
	"os"
	"path/filepath"
)

// fullStat says that the system tells of a file all that git's index keeps.
const fullStat = false

// newFileStat knows nothing here: git's stat data has to come from git.
func newFileStat(fs.FileInfo) fileStat { return fileStat{} }

// statDir looks at files of one directory.
type statDir struct{ path string }

func openStatDir(path string) (statDir, error) { return statDir{path}, nil }

func (statDir) close() {}

func (d statDir) lstat(name string) (workFile, error) { return lstatFile(filepath.Join(d.path, name)) }

// lstatFile looks at a file by its path.
func lstatFile(path string) (workFile, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return workFile{}, err
	}
	f := workFile{there: true}
	switch {
	case fi.Mode().IsRegular():
		f.mode = ModeFile
	case fi.Mode()&fs.ModeSymlink != 0:
		f.mode = ModeSymlink
	case fi.IsDir():
		f.mode = ModeTree
	}
	return f, nil
}
