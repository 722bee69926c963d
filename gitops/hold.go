package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Hold takes the lock of a name for the whole repository, against other processes of git
// claw, until release is called or this process ends. *LockedError: another one holds it
// for longer than timeout.
func (r *Repo) Hold(ctx context.Context, name string, timeout time.Duration) (release func(), err error) {
	if err := r.MakeCommonClawDir(ctx); err != nil {
		return nil, err
	}
	path := filepath.Join(r.CommonClawDir(), name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNoFollow, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock '%s': %w", name, err)
	}
	r.share(ctx, path)
	for wait := r.newBackoff(timeout, name); ; {
		ok, err := tryFlock(f)
		if ok {
			return func() { _ = f.Close() }, nil
		}
		more := false
		if err == nil {
			more, err = wait.wait(ctx)
		}
		if err != nil || !more {
			_ = f.Close()
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock '%s': %w", name, err)
		case !more:
			return nil, &LockedError{Path: path, Owner: "git claw"}
		}
	}
}
