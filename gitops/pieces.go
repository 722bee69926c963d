package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadBlob has a blob read by a function that need not hold all of it.
func (o *Objects) ReadBlob(ctx context.Context, id ID, read func(io.Reader) error) error {
	if id.IsZero() {
		return fmt.Errorf("read blob: %w", ErrNoObject)
	}
	out, stop, err := o.repo.Git.stream(ctx, o.repo.here(Cmd{Args: []string{"cat-file", "blob", id.String()}}))
	if err != nil {
		return err
	}
	if err := read(out); err != nil {
		return errors.Join(err, stop(true))
	}
	// What was not read would keep git waiting.
	if n, err := io.Copy(io.Discard, io.LimitReader(out, 1)); n > 0 || err != nil {
		return stop(true)
	}
	return stop(false)
}

// ReadWorkWith is ReadWork for a regular file that need not be held: a function reads
// it. Of what is no regular file it fails with fs.ErrNotExist.
func (r *Repo) ReadWorkWith(p string, read func(io.Reader) error) error {
	if err := CheckPath(p); err != nil {
		return err
	}
	root, err := r.openRoot()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if file, err := checkParents(root, p); err != nil {
		return err
	} else if file != "" {
		return fmt.Errorf("read '%s': %w", p, fs.ErrNotExist)
	}
	fi, err := root.Lstat(p)
	if err != nil || !fi.Mode().IsRegular() {
		return fmt.Errorf("read '%s': %w", p, errors.Join(err, fs.ErrNotExist))
	}
	f, err := root.OpenFile(p, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return fmt.Errorf("read '%s': %w", p, err)
	}
	defer func() { _ = f.Close() }()
	return read(f)
}
