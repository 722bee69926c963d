package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// lockPause is how long to wait between two looks at a lock.
const lockPause = 20 * time.Millisecond

// sleeper waits for a time, or until the context ends.
type sleeper = func(context.Context, time.Duration) error

// wait takes the lock of updaters when the one who has it is done. Who waits holds
// another lock, by which others see that somebody will look at HEAD after them.
func (s *Snapshot) wait(ctx context.Context, sleep sleeper) (*os.File, error) {
	queue, err := await(ctx, sleep, filepath.Join(s.dir, queueName))
	if err != nil {
		return nil, err
	}
	defer func() { _ = queue.Close() }()
	return await(ctx, sleep, filepath.Join(s.dir, lockName))
}

// await takes a lock as soon as it is free; without sleep only if it is free now.
func await(ctx context.Context, sleep sleeper, path string) (*os.File, error) {
	for {
		f, err := gitops.TryLock(path)
		if sleep == nil || !errors.Is(err, gitops.ErrBusy) {
			return f, err
		}
		if err := sleep(ctx, lockPause); err != nil {
			return nil, err
		}
	}
}

// Awaited reports whether an update is waiting for another one, and so will see
// what HEAD is now: nobody needs to start a third. Two who ask at the same moment
// may see each other; at least one of them is told no.
func Awaited(ws *memory.Workspace) bool {
	f, err := gitops.TryLock(filepath.Join(Dir(ws), queueName))
	if err == nil {
		_ = f.Close()
	}
	return errors.Is(err, gitops.ErrBusy)
}
