package vector

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
)

// file is one opened file of a store.
type file struct {
	table
	path    string
	release func() error
	damage  atomic.Pointer[CorruptError] // found while it was used: it is passed over
	flaw    atomic.Pointer[CorruptError] // some vectors are damaged: those are passed over
}

// blame is called when guard caught a fault.
func (f *file) blame() {
	f.damage.Store(&CorruptError{Path: f.path, Reason: unreadable})
}

// sound reports whether vector i is what was written, and remembers if not.
func (f *file) sound(i int) bool {
	if f.ok(i) {
		return true
	}
	f.flaw.Store(&CorruptError{Path: f.path, Reason: "a vector does not match its sum"})
	return false
}

// openFile opens and checks a file. The error is errForeign, a *CorruptError or
// one of the system. dim 0 takes any.
func openFile(path, embedder string, dim int) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// A mapping beyond the end of a file ends the process when it is read, so the
	// size comes first.
	size := fi.Size()
	if !fi.Mode().IsRegular() || size < headerFixed || int64(int(size)) != size {
		return nil, &CorruptError{Path: path, Reason: fmt.Sprintf("%s of %d bytes", fi.Mode().Type(), size)}
	}
	data, release, err := mapFile(f, int(size))
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	out := &file{path: path, release: release}
	if fault := guard(func() { err = out.parse(data, embedder, dim) }); fault {
		err = &CorruptError{Path: path, Reason: unreadable}
	}
	if err != nil {
		_ = release() // the first error tells more
		return nil, err
	}
	return out, nil
}

func (f *file) parse(data []byte, embedder string, dim int) error {
	h, err := parseHeader(data)
	switch {
	case err == errForeign: //nolint:errorlint // never wrapped
		return err
	case err != nil:
		return &CorruptError{Path: f.path, Reason: err.Error()}
	case h.embedder != embedder || dim != 0 && h.dim != dim:
		return errForeign
	}
	f.table = cut(h, data)
	if f.indexCRC() != f.indexSum {
		return &CorruptError{Path: f.path, Reason: "wrong sum of its index"}
	}
	return nil
}

// guard runs do and reports whether it touched mapped memory whose file is gone
// from below it: cut off after it was opened, or on a disk that fails. Without it
// that ends the process.
func guard(do func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(interface{ Addr() uintptr }); !ok {
				panic(r)
			}
			fault = true
		}
	}()
	do()
	return false
}
