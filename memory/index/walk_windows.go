package index

import (
	"io/fs"
	"os"
	"path/filepath"
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

// openDir is a folder.
type openDir struct{ path string }

func openFolder(path string) (*openDir, stat, uint64, error) {
	st, mode, err := lstat(path)
	if err == nil && !mode.IsDir() {
		err = fs.ErrNotExist
	}
	return &openDir{path}, st, 0, err
}

func (d *openDir) close() {}

func (d *openDir) names() ([]string, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.Readdirnames(-1)
}

// stat looks at a name, which ends in a zero byte.
func (d *openDir) stat(nameZ []byte) (stat, fs.FileMode, error) {
	return lstat(filepath.Join(d.path, string(nameZ[:len(nameZ)-1])))
}
