package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// disk is how the fast writer changes files of the git dir. Everything goes through
// it, so that a test can replay what reached the disk, and what a power cut loses.
type disk struct {
	trace func(diskOp) // nil: nobody looks
	mu    sync.Mutex   // of trace
}

// diskOp is one change, or one moment from which on earlier ones are safe.
type diskOp struct {
	Kind     string // "write", "overwrite", "append", "link", "rename", "remove", "mkdir", "truncate", "sync" (a file), "syncdir", "syncall"
	Path, To string // absolute
	Data     []byte
}

func (d *disk) done(op diskOp) {
	if d.trace != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.trace(op)
	}
}

// write makes a new file.
func (d *disk) write(path string, data []byte, perm fs.FileMode, sync bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	d.done(diskOp{Kind: "write", Path: path, Data: data})
	if err == nil && sync {
		err = d.syncFile(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = d.remove(path)
	}
	return err
}

// overwrite changes a file that is there and as long: a full disk has room for it.
func (d *disk) overwrite(path string, data []byte, sync bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|openNoFollow, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	d.done(diskOp{Kind: "overwrite", Path: path, Data: data})
	if err == nil && sync {
		err = d.syncFile(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func (d *disk) syncFile(f *os.File) error {
	err := fullSync(f)
	if err == nil {
		d.done(diskOp{Kind: "sync", Path: f.Name()})
	}
	return err
}

// append adds to a file that is open for it.
func (d *disk) append(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		d.done(diskOp{Kind: "append", Path: f.Name(), Data: data})
	}
	return err
}

func (d *disk) truncate(f *os.File, size int64) error {
	err := f.Truncate(size)
	if err == nil {
		d.done(diskOp{Kind: "truncate", Path: f.Name(), Data: make([]byte, size)})
	}
	return err
}

func (d *disk) link(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		d.done(diskOp{Kind: "link", Path: from, To: to})
	}
	return err
}

func (d *disk) rename(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		d.done(diskOp{Kind: "rename", Path: from, To: to})
	}
	return err
}

func (d *disk) remove(path string) error {
	err := os.Remove(path)
	if err == nil {
		d.done(diskOp{Kind: "remove", Path: path})
	}
	return err
}

func (d *disk) mkdir(path string) error {
	err := os.Mkdir(path, 0o777)
	if err == nil {
		d.done(diskOp{Kind: "mkdir", Path: path})
	}
	return err
}

// mkdirAll makes a directory and those above it; made are the new ones.
func (d *disk) mkdirAll(path string) (made []string, err error) {
	err = d.mkdir(path)
	if errors.Is(err, fs.ErrNotExist) {
		if made, err = d.mkdirAll(filepath.Dir(path)); err == nil {
			err = d.mkdir(path)
		}
	}
	switch {
	case err == nil:
		made = append(made, path)
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	return made, err
}

// syncDir makes the names in a directory safe.
func (d *disk) syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = fullSync(f)
	_ = f.Close()
	if err == nil {
		d.done(diskOp{Kind: "syncdir", Path: path})
	}
	return err
}

// syncAll makes everything safe that was written to the file system of f.
func (d *disk) syncAll(f *os.File) error {
	err := syncFileSystem(f)
	if err == nil {
		d.done(diskOp{Kind: "syncall"})
	}
	return err
}
