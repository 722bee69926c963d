package gitops

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrBusy: somebody else holds the lock.
var ErrBusy = errors.New("another process is at it")

// TryLock takes an exclusive lock on a file of ours, made if it is not there, or
// fails with ErrBusy. Closing the file gives the lock back, and so does the end of
// the process, however it ends.
func TryLock(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	ok, err := tryFlock(f)
	if err == nil && !ok {
		err = ErrBusy
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
