package gitops

import (
	"os"
	"path/filepath"
	"time"
)

// NeedsRecovery reports whether a writer of ours left an unfinished record.
func (r *Repo) NeedsRecovery() bool { return r.hasJournal() }

// Lock is a lock file that exists at the moment.
type Lock struct {
	Path string
	Age  time.Duration
}

// Locks lists git's lock files of this worktree's index and HEAD. `git claw
// doctor` explains them.
func (r *Repo) Locks() []Lock {
	var out []Lock
	for _, name := range []string{r.indexPath() + ".lock", filepath.Join(r.GitDir, "HEAD.lock")} {
		if fi, err := os.Lstat(name); err == nil {
			out = append(out, Lock{Path: name, Age: time.Since(fi.ModTime())}) //nolint:forbidigo // the file system's clock
		}
	}
	return out
}
