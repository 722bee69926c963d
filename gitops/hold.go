package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Hold takes the lock of a name for the whole repository, against other processes of git
// claw, until release is called or this process ends. what is told to who waits for it.
// *LockedError, with the process that holds it: it is held for longer than timeout.
func (r *Repo) Hold(ctx context.Context, name, what string, timeout time.Duration) (release func(), err error) {
	if err := r.MakeCommonClawDir(ctx); err != nil {
		return nil, err
	}
	path := filepath.Join(r.CommonClawDir(), name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNoFollow, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock '%s': %w", name, err)
	}
	r.share(ctx, path)
	for wait := r.newBackoff(timeout, what); ; {
		ok, err := tryFlock(f)
		if ok {
			r.sign(f)
			return func() {
				_ = f.Truncate(0) // whoever has it next is not taken for us
				_ = f.Close()
			}, nil
		}
		more := false
		if err == nil {
			more, err = wait.wait(ctx)
		}
		if err == nil && more {
			continue
		}
		owner := r.holder(f)
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("lock '%s': %w", name, err)
		}
		return nil, &LockedError{Path: path, Owner: owner}
	}
}

// sign writes into a lock who holds it. It is for a person: nothing is decided by it.
func (r *Repo) sign(f *os.File) {
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d %d\n", os.Getpid(), r.Git.env.Now().Unix()), 0)
	}
}

// holder says who holds a lock, as far as it is known.
func (r *Repo) holder(f *os.File) string {
	b := make([]byte, 64)
	n, _ := f.ReadAt(b, 0)
	var pid int
	var since int64
	if _, err := fmt.Sscanf(string(b[:n]), "%d %d", &pid, &since); err != nil {
		return "git claw"
	}
	at, now := time.Unix(since, 0).In(r.Git.env.Now().Location()), r.Git.env.Now()
	form := "15:04"
	if at.Format(time.DateOnly) != now.Format(time.DateOnly) {
		form = "2006-01-02 15:04"
	}
	return fmt.Sprintf("pid %d, since %s", pid, at.Format(form))
}
