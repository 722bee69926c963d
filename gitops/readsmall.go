package gitops

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNotRegular: the path is, or leads to, something that is no regular file.
var ErrNotRegular = errors.New("not a regular file")

// ReadSmall reads a regular file of at most max bytes, links followed. A pipe does
// not make it wait and a device does not make it read for ever: where a repository
// or a user's folder says what a path leads to, it may be anything.
func ReadSmall(path string, max int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("read '%s': %w", path, ErrNotRegular)
	case fi.Size() > max:
		return nil, fmt.Errorf("read '%s': %w", path, ErrTooLarge)
	}
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(b)) > max {
		err = fmt.Errorf("read '%s': %w", path, ErrTooLarge)
	}
	return b, err
}
