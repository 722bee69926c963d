package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// loadedIndex is one state of the index file, read whole; what is in it is not
// changed.
type loadedIndex struct {
	b []byte
	// stat and stamp are those of the bytes, whoever replaces the file meanwhile.
	stat  fileStat
	stamp IndexStamp
	// verify compares the checksum, once.
	verify func() error
}

// loadIndex reads the index; one without bytes where there is none. Who looks and
// then writes needs it twice: when the file is still the same it is read once.
func (r *Repo) loadIndex() (*loadedIndex, error) {
	if ready := r.early.Swap(nil); ready != nil {
		if l := <-*ready; l != nil && l.stamp == r.indexStamp() {
			r.loaded.Store(l)
			return l, nil
		}
	}
	l, err := r.readIndexFile()
	if err == nil {
		r.loaded.Store(l)
	}
	return l, err
}

// heldIndex is the index while its lock is held. What was read before is believed
// where the checksum says that it is still the same, and given up.
func (r *Repo) heldIndex() (*loadedIndex, error) {
	if l := r.loaded.Swap(nil); l != nil && !l.unsummed() && l.stamp == r.indexStamp() {
		return l, nil
	}
	return r.readIndexFile()
}

// readAhead begins to read the index for a command that will look and write; it is
// about to wait for git.
func (r *Repo) readAhead() {
	ready := make(chan *loadedIndex, 1)
	r.early.Store(&ready)
	go func() {
		l, err := r.readIndexFile()
		if err != nil {
			l = nil
		} else {
			_ = l.verify()
		}
		ready <- l
	}()
}

func (r *Repo) readIndexFile() (*loadedIndex, error) {
	l := &loadedIndex{}
	l.verify = sync.OnceValue(func() error {
		x, err := openIndex(l.b)
		if err != nil {
			return err
		}
		return x.verify()
	})
	f, err := os.Open(r.indexPath())
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if l.b, err = readAll(f, fi.Size(), 0); err != nil {
		return nil, fmt.Errorf("read index '%s': %w", r.indexPath(), err)
	}
	l.stat, l.stamp = newFileStat(fi), IndexStamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	_, l.stamp.ino, _ = fileKey(fi)
	if n := len(l.stamp.tail); len(l.b) >= n {
		copy(l.stamp.tail[:], l.b[len(l.b)-n:])
	}
	return l, nil
}

// unsummed reports whether git left the checksum out (index.skipHash).
func (l *loadedIndex) unsummed() bool { return (&indexFile{b: l.b}).unsummed() }
