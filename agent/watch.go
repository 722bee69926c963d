package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	// Saved is told of each save that did or held back something, and of each
	// error; the watch goes on after errors that may pass.
	Saved func(*SaveResult, error)
	// Told says once that the system's watches ran out and files are polled.
	Told func(string)
}

// pollEvery is how often files are looked at when watches ran out.
const pollEvery = 10 * time.Second

// Watch saves after each quiet time until ctx ends, and once more then.
func Watch(ctx context.Context, ws *memory.Workspace, caller Caller, opt WatchOptions) error {
	if err := ws.RequireAdopted(); err != nil {
		return err
	}
	w := &watcher{ws: ws, caller: caller, opt: opt}
	defer w.save(context.WithoutCancel(ctx))
	w.save(ctx) // what changed before we looked
	if opt.Poll > 0 {
		return w.poll(ctx, opt.Poll)
	}
	err := w.listen(ctx)
	if !runOut(err) {
		return err
	}
	if opt.Told != nil {
		opt.Told(fmt.Sprintf("no more file watches; looking every %s instead", pollEvery))
	}
	return w.poll(ctx, pollEvery)
}

// runOut recognises that the system has no watches left.
func runOut(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, fsnotify.ErrEventOverflow)
}

type watcher struct {
	ws     *memory.Workspace
	caller Caller
	opt    WatchOptions
}

func (w *watcher) save(ctx context.Context) {
	res, err := Save(ctx, w.ws, w.caller, SaveOptions{})
	if w.opt.Saved != nil && (err != nil || res != nil && len(res.Commits) > 0) {
		w.opt.Saved(res, err)
	}
}

func (w *watcher) poll(ctx context.Context, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			w.save(ctx)
		}
	}
}

// listen waits for the system's events. The timer starts again with each one, so
// that a save happens in a pause and not in the middle of a burst; a burst that
// does not end is saved every tenth quiet time.
func (w *watcher) listen(ctx context.Context) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch '%s': %w", w.ws.Root, err)
	}
	defer func() { _ = n.Close() }()
	if err := w.addAll(n); err != nil {
		return err
	}
	quiet := time.NewTimer(w.opt.Quiet)
	quiet.Stop()
	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case err, ok := <-n.Errors:
			if !ok {
				return nil
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				quiet.Reset(w.opt.Quiet) // events were lost: a save looks at everything
				continue
			}
			return fmt.Errorf("watch '%s': %w", w.ws.Root, err)
		case ev, ok := <-n.Events:
			if !ok {
				return nil
			}
			if !w.concerns(n, ev) {
				continue
			}
			at := time.Now() //nolint:forbidigo // a pause is measured in real time
			if since.IsZero() {
				since = at
			}
			if at.Sub(since) < 10*w.opt.Quiet {
				quiet.Reset(w.opt.Quiet)
			}
		case <-quiet.C:
			since = time.Time{}
			w.save(ctx)
		}
	}
}

// addAll watches the root (not its subfolders) and every managed folder.
func (w *watcher) addAll(n *fsnotify.Watcher) error {
	if err := n.Add(w.ws.Root); err != nil {
		return fmt.Errorf("watch '%s': %w", w.ws.Root, err)
	}
	for _, top := range w.ws.ManagedPaths() {
		rel := strings.TrimPrefix(top, w.ws.Prefix)
		if err := w.addTree(n, filepath.Join(w.ws.Root, filepath.FromSlash(rel))); err != nil {
			return err
		}
	}
	return nil
}

// addTree watches a folder and those below it. Links are not followed.
func (w *watcher) addTree(n *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				return nil
			}
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if rel, rerr := filepath.Rel(w.ws.Root, p); rerr == nil && w.ws.NeverManaged(filepath.ToSlash(rel)+"/") {
			return fs.SkipDir
		}
		if err := n.Add(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("watch '%s': %w", p, err)
		}
		return nil
	})
}

// concerns reports whether an event may have changed a managed file, and starts
// watching folders that are new.
func (w *watcher) concerns(n *fsnotify.Watcher, ev fsnotify.Event) bool {
	rel, err := filepath.Rel(w.ws.Root, ev.Name)
	if err != nil || ev.Op == fsnotify.Chmod {
		return false
	}
	rel = filepath.ToSlash(rel)
	if ev.Has(fsnotify.Create) {
		if fi, err := os.Lstat(ev.Name); err == nil && fi.IsDir() {
			if len(w.ws.ManagedBelow(rel)) == 0 && w.ws.WhyUnmanaged(rel+"/x.md") != "" {
				return false
			}
			_ = w.addTree(n, ev.Name)
			return true
		}
	}
	return w.ws.Managed(rel)
}

// MayPass reports whether an error of a save may be gone at the next try.
func MayPass(err error) bool {
	var locked *gitops.LockedError
	var moved *gitops.MovedError
	var progress *gitops.ProgressError
	return errors.As(err, &locked) || errors.As(err, &moved) || errors.As(err, &progress)
}
