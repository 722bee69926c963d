package gitops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// record is what a dead writer leaves behind: enough to finish its commit or to
// take its lock away. It is written before the lock exists and before the ref
// moves, and removed when all is done. It is read only while holding the queue
// lock, so its writer is dead.
type record struct {
	V    int    `json:"v"`
	Lock string `json:"lock"` // path of index.lock
	// LockText is the lock's content. Drawn at random, it tells our lock from
	// anybody else's.
	LockText string        `json:"text"`
	Index    string        `json:"index,omitempty"` // the prepared index, to be renamed into place
	Stamp    string        `json:"stamp,omitempty"` // the index it was made from
	Old      string        `json:"old,omitempty"`   // the commit HEAD named
	New      string        `json:"new,omitempty"`   // the commit it is moved to; empty until prepared
	Places   []placeRecord `json:"places,omitempty"`
}

type journal struct {
	path string
	perm fs.FileMode
	rec  record
}

func (r *Repo) newJournal(ctx context.Context) (*journal, error) {
	if err := r.makeClawDir(ctx, r.ClawDir()); err != nil {
		return nil, err
	}
	// It holds what the files hold; whoever may write here may finish it.
	perm := 0o600 | r.sharedBits(ctx)
	return &journal{path: filepath.Join(r.ClawDir(), "journal"), perm: perm, rec: record{V: 1}}, nil
}

func (j *journal) write() error {
	b, err := json.Marshal(j.rec)
	if err != nil {
		return err
	}
	if err := WriteFileAtomic(j.path, b, j.perm); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

func (j *journal) done() { _ = os.Remove(j.path) }

// recover finishes or withdraws what a dead writer of ours began. The caller
// holds the queue lock. It returns the paths it left alone because somebody
// edited them meanwhile.
func (r *Repo) recover(ctx context.Context) ([]string, error) {
	var locked *LockedError
	if err := r.recoverRefs(ctx); err != nil && !errors.As(err, &locked) {
		return nil, err // a ref that somebody locked keeps nobody from saving
	}
	name := filepath.Join(r.ClawDir(), "journal")
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		left, err := r.recoverRedo(ctx)
		if err == nil {
			r.sweep()
		}
		return left, err
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	var rec record
	if err := json.Unmarshal(b, &rec); err != nil || rec.V != 1 {
		// Unreadable: it guards nothing we could name, but keep it for a look.
		return nil, os.Rename(name, name+".bad")
	}
	// The repository may have been moved or copied since: what the record names
	// lies in this one.
	rec.Lock = r.indexPath() + ".lock"
	if rec.Index != "" {
		rec.Index = filepath.Join(r.ClawDir(), filepath.Base(rec.Index))
	}
	ours := rec.lockIsOurs()
	var left []string
	if rec.New != "" {
		moved, err := r.refMoved(ctx, rec)
		if err != nil {
			return nil, err
		}
		if moved && !ours {
			ours = r.retakeLock(rec)
		}
		if moved && ours {
			if left, err = r.rollForward(ctx, rec); err != nil {
				return left, err
			}
		}
	}
	r.removeTemps(rec)
	if ours {
		if err := os.Remove(rec.Lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return left, fmt.Errorf("remove our stale lock: %w", err)
		}
	}
	if err := os.Remove(name); err != nil {
		return left, err
	}
	more, err := r.recoverRedo(ctx)
	r.sweep()
	return append(left, more...), err
}

// retakeLock takes index.lock once more after somebody removed the one of the
// dead writer. It fails when the index has changed since: then the prepared
// index is worth nothing.
func (r *Repo) retakeLock(rec record) bool {
	if _, err := os.Lstat(rec.Index); err != nil {
		return false // it is in place already
	}
	if linkOrCreate("", rec.Lock, rec.LockText) != nil {
		return false
	}
	if r.indexStamp().String() != rec.Stamp {
		_ = os.Remove(rec.Lock)
		return false
	}
	return true
}

func (r *Repo) removeTemps(rec record) {
	if len(rec.Places) == 0 {
		return
	}
	if p, err := r.newPlacing(rec.Places); err == nil {
		p.cleanUp()
		p.close()
	}
}

// sweep removes temporary files of dead writers; the queue lock is held.
func (r *Repo) sweep() {
	list, err := os.ReadDir(r.ClawDir())
	if err != nil {
		return
	}
	for _, d := range list {
		if fi, err := d.Info(); err == nil && strings.HasPrefix(d.Name(), mergeDir) && time.Since(fi.ModTime()) > 24*time.Hour { //nolint:forbidigo // the file system's clock
			_ = os.RemoveAll(filepath.Join(r.ClawDir(), d.Name()))
		}
		for _, prefix := range []string{"lock.", "stage.", "place.", "ref.", "redo.new", ".journal."} {
			if strings.HasPrefix(d.Name(), prefix) {
				_ = os.Remove(filepath.Join(r.ClawDir(), d.Name()))
			}
		}
	}
	r.sweepRefs()
}

func (rec record) lockIsOurs() bool {
	fi, err := os.Lstat(rec.Lock)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() != int64(len(rec.LockText)) {
		return false
	}
	b, err := os.ReadFile(rec.Lock)
	return err == nil && string(b) == rec.LockText
}

// refMoved reports whether HEAD reached the record's commit: it is HEAD, or an
// ancestor of it.
func (r *Repo) refMoved(ctx context.Context, rec record) (bool, error) {
	h, err := r.Head(ctx)
	if err != nil {
		return false, err
	}
	if h.Commit.String() == rec.New {
		return true, nil
	}
	if h.Commit.IsZero() || h.Commit.String() == rec.Old {
		return false, nil
	}
	id, err := ParseID(rec.New)
	if err != nil {
		return false, nil
	}
	if _, err := r.objects.Commit(ctx, id); errors.Is(err, ErrNoObject) {
		return false, nil // its writer died before the commit was written
	}
	return r.IsAncestor(ctx, rec.New, h.Commit.String())
}

// IsAncestor reports whether commit a is reachable from b.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	_, err := r.run(ctx, Cmd{Args: []string{"merge-base", "--is-ancestor", a, b}})
	var ge *GitError
	if errors.As(err, &ge) && ge.Code == 1 {
		return false, nil
	}
	return err == nil, err
}

// rollForward does what was left after the ref moved: work-tree files, then the
// index. What was changed in a file that somebody edited meanwhile is merged into it. A
// file that cannot be placed is left; the next command must not fail for it for ever.
func (r *Repo) rollForward(ctx context.Context, rec record) ([]string, error) {
	var left, placed []string
	if len(rec.Places) > 0 {
		p, err := r.newPlacing(rec.Places)
		if err != nil {
			return nil, err
		}
		defer p.close()
		left, _ = p.finish()
		placed = p.placed(left)
		left = r.unite(ctx, rec.Old, rec.New, left)
	}
	if _, err := os.Lstat(rec.Index); err != nil {
		return left, nil // already renamed into place
	}
	_ = r.refreshPaths(ctx, rec.Index, placed) // spares git a look at the files, no more
	return left, os.Rename(rec.Index, r.indexPath())
}

// Recover finishes what a writer that was killed began. It is cheap when there
// is nothing to do. Paths that somebody edited meanwhile are returned. Status and
// every writer do the same by themselves; of other worktrees only a writer.
func (r *Repo) Recover(ctx context.Context) ([]string, error) {
	if !r.hasJournal() && (r.InHook || r.Bare || len(r.leftByOthers(ctx)) == 0) {
		return nil, nil
	}
	f, err := r.queue(ctx, DefaultLockTimeout)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	left, err := r.recover(ctx)
	r.recoverOthers(ctx)
	return left, err
}

func (r *Repo) hasJournal() bool {
	if r.InHook || r.Bare || r.noRecovery {
		return false
	}
	if _, err := os.Lstat(filepath.Join(r.ClawDir(), "journal")); err == nil {
		return true
	}
	return r.refsLeft() || r.redoIsOpen()
}

// recoverIfDead is Recover, unless the writer is still alive. It is done on the
// way to something else: what fails here fails again, and is told, when somebody
// wants to write.
func (r *Repo) recoverIfDead(ctx context.Context) {
	if !r.hasJournal() {
		return
	}
	f, err := r.openQueue(ctx)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if ok, err := tryFlock(f); err == nil && ok {
		_, _ = r.recover(ctx)
	}
}
