package index

import (
	"io/fs"
	"os"
)

// lstat looks at a file without following a link. Windows tells neither inode nor
// time of change here: a file rewritten in the same size with its old time goes
// unseen.
func lstat(path string) (stat, fs.FileMode, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return stat{}, 0, err
	}
	return stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}, fi.Mode().Type(), nil
}

// list calls visit for what is in a folder, with what lstat tells.
func list(dir string, visit func(name string, st stat, mode fs.FileMode)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil {
			continue
		}
		visit(e.Name(), stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}, fi.Mode().Type())
	}
	return nil
}
