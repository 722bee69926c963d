package gitops

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Mark says, as long as this process runs and release is not called, that
// something of this name is going on in this worktree. A process that is killed
// leaves a file behind that marks nothing. It does nothing where another process
// holds the mark.
func (r *Repo) Mark(name string) (release func(), err error) {
	dir := r.ClawDir()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("prepare '%s': %w", dir, err)
	}
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNoFollow, 0o666)
	if err != nil {
		return nil, fmt.Errorf("mark '%s': %w", name, err)
	}
	for range 20 { // somebody who looks holds it for a moment
		if ok, err := tryFlock(f); err != nil {
			break
		} else if ok {
			return func() { _ = os.Remove(path); _ = f.Close() }, nil
		}
		time.Sleep(time.Millisecond)
	}
	return func() {}, f.Close()
}

// Marked reports whether a process that runs holds the mark.
func (r *Repo) Marked(name string) bool {
	f, err := os.OpenFile(filepath.Join(r.ClawDir(), name), os.O_RDWR|openNoFollow, 0)
	if err != nil {
		return false
	}
	free, err := tryFlock(f)
	return f.Close() == nil && err == nil && !free
}
