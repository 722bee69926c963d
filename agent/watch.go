package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// WatchOptions are how a watch runs.
type WatchOptions struct {
	Quiet time.Duration // how long no file may change before a save
	Poll  time.Duration // look this often instead, 0: be told by the system
	// Saved is told of each save that made commits, of what is held back when that
	// changes, and of each new error; the watch goes on after errors.
	Saved func(*SaveResult, error)
	// Told says once that the system's watches ran out and files are polled.
	Told func(string)
}

// pollEvery is how often files are looked at when watches ran out.
const pollEvery = 10 * time.Second

const (
	// burstQuiets is after how many quiet times a burst that does not end is
	// saved all the same.
	burstQuiets = 10
	// A save that could not be made, because of a merge, a lock or a hook, is
	// tried again after retryQuiets quiet times, then less and less often.
	retryQuiets = 10
	retryMost   = 5 * time.Minute
)

// Watch saves after each quiet time until ctx ends, and once more then. It ends
// with an error when the workspace is gone or not adopted any more.
func Watch(ctx context.Context, ws *memory.Workspace, caller Caller, opt WatchOptions) error {
	if err := ws.RequireAdopted(); err != nil {
		return err
	}
	// The dashboard asks for it; a watch that cannot say that it runs still works.
	if release, err := ws.Repo.Mark(watchMark(ws)); err == nil {
		defer release()
	}
	w := &watcher{ws: ws, caller: caller, opt: opt}
	err := w.watch(ctx)
	if last := w.save(context.WithoutCancel(ctx)); err == nil {
		err = last
	}
	return err
}

func (w *watcher) watch(ctx context.Context) error {
	if w.opt.Poll > 0 {
		return w.poll(ctx, w.opt.Poll)
	}
	err := w.listen(ctx)
	if !runOut(err) {
		return err
	}
	if w.opt.Told != nil {
		w.opt.Told(fmt.Sprintf("no more file watches; looking every %s instead", pollEvery))
	}
	return w.poll(ctx, pollEvery)
}

// runOut recognises that the system has no watches left.
func runOut(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE)
}

type watcher struct {
	ws     *memory.Workspace
	caller Caller
	opt    WatchOptions

	sys     *fsnotify.Watcher
	moved   bool   // .claw/config was written: other folders may be managed now
	pending bool   // something is left that a later save may take
	told    string // the last error or list of what is held back, told once
}

// save saves what was edited. The workspace is opened anew: settings, git's
// configuration and packs change while a watch runs for weeks. The error is one
// that ends the watch.
func (w *watcher) save(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil // the last save comes after
	}
	res, err := w.try(ctx)
	if ctx.Err() != nil {
		return nil
	}
	w.pending = err != nil || slices.ContainsFunc(res.Skipped, Skipped.partlyStaged)
	w.tell(res, err)
	var no *memory.NotAdoptedError
	if errors.As(err, &no) || errors.Is(err, gitops.ErrNotRepository) {
		return err
	}
	return nil
}

func (w *watcher) try(ctx context.Context) (*SaveResult, error) {
	ws, err := memory.Open(ctx, w.ws.Repo.Git, w.ws.Root, w.ws.Root)
	if err != nil {
		if _, gone := os.Lstat(w.ws.Root); errors.Is(gone, os.ErrNotExist) {
			return nil, fmt.Errorf("'%s' is gone: %w", w.ws.Root, gitops.ErrNotRepository)
		}
		return nil, err
	}
	defer func() { _ = ws.Repo.Close() }()
	w.ws = ws
	if w.moved && w.sys != nil {
		if err := w.addAll(); err != nil {
			return nil, err
		}
	}
	w.moved = false
	return Save(ctx, ws, w.caller, SaveOptions{})
}

// tell reports a save. What is held back stays so for hours, and is not repeated.
func (w *watcher) tell(res *SaveResult, err error) {
	told := ""
	switch {
	case err != nil:
		told = err.Error()
	case res.Held():
		told = fmt.Sprint(res.Skipped)
	}
	news := told != "" && told != w.told || res != nil && len(res.Commits) > 0
	w.told = told
	if news && w.opt.Saved != nil {
		w.opt.Saved(res, err)
	}
}

func (w *watcher) poll(ctx context.Context, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		if err := w.save(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// listen waits for the system's events. The timer starts again with each one, so
// that a save happens in a pause and not in the middle of a burst.
func (w *watcher) listen(ctx context.Context) error {
	var err error
	if w.sys, err = fsnotify.NewWatcher(); err != nil {
		return fmt.Errorf("watch '%s': %w", w.ws.Root, err)
	}
	defer func() { _ = w.sys.Close(); w.sys = nil }()
	if err := w.addAll(); err != nil {
		return err
	}
	due := time.NewTimer(0) // what changed before is saved first, under watch already
	var burst time.Time     // when the events that wait began
	retry := retryQuiets * w.opt.Quiet
	for {
		select {
		case <-ctx.Done():
			return nil
		case err, ok := <-w.sys.Errors:
			if !ok {
				return nil
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch '%s': %w", w.ws.Root, err)
			}
			// Events were lost, of new folders too. A save looks at everything.
			if err := w.addAll(); err != nil {
				return err
			}
			due.Reset(w.opt.Quiet)
		case ev, ok := <-w.sys.Events:
			if !ok {
				return nil
			}
			mine, err := w.concerns(ev)
			if err != nil {
				return err
			}
			at := time.Now() //nolint:forbidigo // a pause is measured in real time
			switch {
			case !mine:
			case burst.IsZero():
				burst = at
				due.Reset(w.opt.Quiet)
			case at.Sub(burst) < burstQuiets*w.opt.Quiet:
				due.Reset(w.opt.Quiet)
			}
		case <-due.C:
			burst = time.Time{}
			if err := w.save(ctx); err != nil {
				return err
			}
			if !w.pending {
				retry = retryQuiets * w.opt.Quiet
				continue
			}
			due.Reset(retry)
			retry = min(2*retry, retryMost)
		}
	}
}

// concerns reports whether an event may have changed a managed file, and starts
// watching folders that are new.
func (w *watcher) concerns(ev fsnotify.Event) (bool, error) {
	rel, err := filepath.Rel(w.ws.Root, ev.Name)
	if err != nil || ev.Op == fsnotify.Chmod {
		return false, nil // indexers and backups set times all day
	}
	rel = filepath.ToSlash(rel)
	if rel == "." {
		return ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename), nil // a save finds that it is gone
	}
	if rel == ".claw" || strings.HasPrefix(rel, ".claw/") {
		w.moved = true
	}
	if ev.Has(fsnotify.Create) {
		if fi, err := os.Lstat(ev.Name); err == nil && fi.IsDir() {
			return true, w.addBelow(rel)
		}
	}
	return w.ws.Managed(rel), nil
}
