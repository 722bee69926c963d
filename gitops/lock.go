package gitops

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// DefaultLockTimeout is how long a writer waits for a lock (claw.lockTimeout).
const DefaultLockTimeout = 10 * time.Second

// staleAfter is the age from which a foreign index.lock is called old in the
// explanation. It is never removed.
const staleAfter = 10 * time.Minute

// backoff waits between tries: 0.5 ms, doubling up to 20 ms, with jitter.
type backoff struct {
	repo     *Repo
	deadline time.Time
	next     time.Duration
	told     bool
	what     string
}

func (r *Repo) newBackoff(timeout time.Duration, what string) *backoff {
	return &backoff{repo: r, deadline: time.Now().Add(timeout), next: 500 * time.Microsecond, what: what} //nolint:forbidigo // waiting is in real time, not in the injected clock's
}

// wait sleeps once; false when the time is up.
func (b *backoff) wait(ctx context.Context) (bool, error) {
	if !time.Now().Before(b.deadline) { //nolint:forbidigo // as above
		return false, nil
	}
	if !b.told && b.next >= 20*time.Millisecond {
		b.told = true
		if w := b.repo.Git.env.Wait; w != nil {
			w(b.what)
		}
	}
	d := b.next/2 + time.Duration(b.repo.rand64()%uint64(b.next))
	b.next = min(2*b.next, 20*time.Millisecond)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-t.C:
		return true, nil
	}
}

// rand64 draws from the injected randomness.
func (r *Repo) rand64() uint64 {
	var b [8]byte
	if _, err := io.ReadFull(r.Git.env.Rand, b[:]); err != nil {
		return uint64(r.Git.env.Now().UnixNano())
	}
	return binary.LittleEndian.Uint64(b[:])
}

// queue takes the lock that our own writers share. The kernel releases it when
// we and the git processes we started are gone, so a holder is always alive.
func (r *Repo) queue(ctx context.Context, timeout time.Duration) (*os.File, error) {
	f, err := r.openQueue(ctx)
	if err != nil {
		return nil, err
	}
	name := f.Name()
	b := r.newBackoff(timeout, "waiting for another git claw to finish")
	for {
		ok, err := tryFlock(f)
		if err == nil && ok {
			return f, nil
		}
		if err == nil {
			ok, err = b.wait(ctx)
		}
		if err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("lock '%s': %w", name, err)
		}
		if !ok {
			_ = f.Close()
			return nil, &LockedError{Path: name, Owner: "git claw"}
		}
	}
}

func (r *Repo) openQueue(ctx context.Context) (*os.File, error) {
	dir := r.CommonClawDir()
	if err := r.makeClawDir(ctx, dir); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "lock")
	f, err := os.OpenFile(name, os.O_RDWR|openNoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|openNoFollow, 0o666); err == nil {
			r.share(ctx, name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	return f, nil
}

// lockIndex takes git's index.lock. The text of the lock file is drawn and
// recorded in the journal before the lock exists, so that the next command can
// tell a lock that a dead writer of ours left from anybody else's.
func (r *Repo) lockIndex(ctx context.Context, timeout time.Duration, j *journal) (release func(), err error) {
	lock := r.indexPath() + ".lock"
	tmp := filepath.Join(r.ClawDir(), fmt.Sprintf("lock.%016x", r.rand64()))
	text := fmt.Sprintf("git claw, pid %d, %016x%016x\n", os.Getpid(), r.rand64(), r.rand64())
	j.rec.Lock, j.rec.LockText = lock, text
	if err := j.write(); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp) }()
	if err := os.WriteFile(tmp, []byte(text), 0o666); err != nil {
		return nil, fmt.Errorf("lock index: %w", err)
	}
	b := r.newBackoff(timeout, "waiting for git to release '"+lock+"'")
	for {
		err := linkOrCreate(tmp, lock, text)
		if err == nil {
			return func() {
				if j.rec.lockIsOurs() { // nobody took it away
					_ = os.Remove(lock)
				}
			}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock index: %w", err)
		}
		ok, err := b.wait(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, describeLock(lock)
		}
	}
}

// linkOrCreate makes lock exclusively: by a hard link, which puts it there with
// its text, or with O_EXCL where the file system has no links.
func linkOrCreate(tmp, lock, text string) error {
	err := os.Link(tmp, lock)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(lock)
	}
	return err
}

func describeLock(lock string) error {
	e := &LockedError{Path: lock}
	if fi, err := os.Lstat(lock); err == nil {
		e.Age = time.Since(fi.ModTime()) //nolint:forbidigo // age of a file of the file system's clock
		e.Stale = e.Age > staleAfter
		e.Owner = "git, since " + e.Age.Round(time.Second).String()
	}
	return e
}
