package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/chunk"
	"github.com/git-claw/git-claw/memory/lexical"
)

// Options of Refresh. The zero value brings everything up to date.
type Options struct {
	// Budget is how long to go on indexing; what is left is Pending. It is looked at
	// between files. Zero: no bound; negative: index nothing.
	Budget   time.Duration
	Clock    func() time.Time      // a clock that runs, for Budget
	Progress func(done, total int) // called now and then while files are indexed
	Rebuild  bool                  // begin with nothing
	ReadOnly bool                  // write nothing
	// Sleep waits for an update of another process, which may have begun before the
	// last commit; nil: what that one would write is added in memory at once.
	Sleep sleeper
	Warn  func(format string, args ...any)

	at func(point string) // where the tests end the process
}

// Dir is where the index of a workspace lies. Of several workspaces in a repository
// each has its own: that of the top level in the folder itself, the others below it.
func Dir(ws *memory.Workspace) string { return dirOf(ws.Repo, ws.Prefix) }

func dirOf(r *gitops.Repo, prefix string) string {
	dir := filepath.Join(r.ClawDir(), "index")
	if prefix == "" {
		return dir
	}
	sum := sha256.Sum256([]byte(prefix))
	return filepath.Join(dir, hex.EncodeToString(sum[:6]))
}

// Refresh opens the index of a workspace and brings it up to date with HEAD and
// the work tree. What it cannot write down (somebody else updates, the disk is
// full or read-only) it adds in memory: the answers are the same. A damaged index
// is put aside and built anew.
func Refresh(ctx context.Context, ws *memory.Workspace, opt Options) (*Snapshot, error) {
	if opt.Warn == nil {
		opt.Warn = func(string, ...any) {}
	}
	if opt.at == nil {
		opt.at = func(string) {}
	}
	s, err := refresh(ctx, ws, opt)
	if !errors.Is(err, lexical.ErrCorrupt) {
		return s, err
	}
	told := false
	for _, sure := range []bool{false, true} {
		if opt.ReadOnly {
			break
		}
		damaged, ok := quarantine(ctx, Dir(ws), sure, opt.Sleep)
		if damaged && !told {
			told = true
			opt.Warn("the search index is damaged and is built anew: %v", err)
		}
		if !ok {
			break
		}
		if s, err = refresh(ctx, ws, opt); !errors.Is(err, lexical.ErrCorrupt) {
			return s, err
		}
	}
	if !told {
		opt.Warn("the search index cannot be read: %v", err)
	}
	opt.Rebuild, opt.ReadOnly = true, true
	return refresh(ctx, ws, opt)
}

// quarantine puts the files of a damaged index aside, those of one at most: they may
// tell what happened. The folder stays, with the lock of updaters in it and the
// indexes of other workspaces. Unless sure it looks once more: between two updates a
// reader may have met files that are gone. ok is false where it can do nothing:
// somebody else updates, or the folder cannot be written.
func quarantine(ctx context.Context, dir string, sure bool, sleep sleeper) (damaged, ok bool) {
	lock, err := await(ctx, sleep, filepath.Join(dir, lockName))
	if err != nil {
		return !errors.Is(err, gitops.ErrBusy), false
	}
	defer func() { _ = lock.Close() }()
	if !sure && sound(dir) {
		return false, true
	}
	aside := dir + ".damaged"
	_ = os.RemoveAll(aside)
	_ = os.MkdirAll(aside, 0o777) // failing that the files are removed
	list, err := os.ReadDir(dir)
	for _, e := range list {
		name := filepath.Join(dir, e.Name())
		ours := e.Name() == manifestName || strings.HasPrefix(e.Name(), "segment-") || strings.HasPrefix(e.Name(), "table-")
		if e.IsDir() && !ours || e.Name() == lockName || e.Name() == queueName {
			continue
		}
		if os.Rename(name, filepath.Join(aside, e.Name())) != nil {
			err = errors.Join(err, os.RemoveAll(name))
		}
	}
	return true, err == nil
}

// sound reports whether all files of an index are what was written, to the last
// byte.
func sound(dir string) bool {
	m, _, err := readManifest(dir)
	if err != nil {
		return errors.Is(err, errNoIndex)
	}
	refs := []fileRef{m.Table}
	for _, s := range m.Segments {
		refs = append(refs, s.fileRef)
	}
	for _, r := range refs {
		r.Stat = stat{Size: r.Stat.Size} // trusts no other
		data, err := r.read(dir)
		if err != nil {
			return false
		}
		_ = data.Close()
	}
	return true
}

// Drop removes the index.
func Drop(ws *memory.Workspace) error {
	for _, dir := range []string{Dir(ws), Dir(ws) + ".damaged"} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove index: %w", err)
		}
	}
	return nil
}

func refresh(ctx context.Context, ws *memory.Workspace, opt Options) (s *Snapshot, err error) {
	before, sure := clockBefore(ws)
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	s, changed, err := open(ctx, ws, head.Commit, opt.Rebuild)
	if err != nil || !changed {
		return s, err
	}
	lock, clock := s.lock(ctx, opt)
	if lock != nil {
		defer func() { _ = lock.Close() }()
		now, err := ws.Repo.Head(ctx)
		if err != nil {
			s.Close()
			return nil, err
		}
		if sure && now.Commit == head.Commit && s.current() {
			clock = before
		} else {
			// Whoever held the lock before may have done it all, for a newer HEAD too.
			s.Close()
			if s, changed, err = open(ctx, ws, now.Commit, opt.Rebuild); err != nil || !changed {
				return s, err
			}
		}
	}
	if err := s.update(ctx, opt, lock != nil, clock); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// clockBefore is the clock of the work tree's files, before they are looked at. It
// is sure where all of them and the index lie on disks of this machine.
func clockBefore(ws *memory.Workspace) (ns int64, sure bool) {
	ns, ok := coarseClock()
	return ns, ok && gitops.LocalDisk(ws.Root)
}

// current reports whether the state on disk is the one that was opened.
func (s *Snapshot) current() bool {
	_, raw, err := readManifest(s.dir)
	if s.m == nil {
		return errors.Is(err, errNoIndex)
	}
	return err == nil && bytes.Equal(raw, s.raw)
}

func open(ctx context.Context, ws *memory.Workspace, head gitops.ID, rebuild bool) (s *Snapshot, changed bool, err error) {
	s = &Snapshot{ws: ws, dir: Dir(ws), local: gitops.LocalDisk(ws.Root), roots: ws.SearchRoots(), chunk: chunk.Options{
		Tokens: int(ws.Settings.Int("index.chunkTokens")), Overlap: int(ws.Settings.Int("index.overlapTokens")),
	}}
	if !rebuild {
		if err := s.load(keyOf(ws, s.roots)); err != nil && !errors.Is(err, errNoIndex) && !errors.Is(err, os.ErrPermission) { // somebody else's: as if there were none
			if errors.Is(err, lexical.ErrCorrupt) || errors.Is(err, os.ErrNotExist) {
				return nil, false, fmt.Errorf("%w: %w", lexical.ErrCorrupt, err)
			}
			return nil, false, fmt.Errorf("open index: %w", err)
		}
	}
	changed, err = s.plan(ctx, head)
	if err != nil {
		s.Close()
		return nil, false, fmt.Errorf("catch up index: %w", err)
	}
	s.count()
	return s, changed, nil
}

func (s *Snapshot) count() {
	s.Pending = 0
	for e := range s.Entries.special() {
		if e.Blob != e.Want {
			s.Pending++
		}
	}
}

// lock takes the lock of updaters, if it is free and the folder can be written,
// and reads the clock of the file system.
func (s *Snapshot) lock(ctx context.Context, opt Options) (f *os.File, clock int64) {
	if opt.ReadOnly || opt.Budget < 0 {
		return nil, 0
	}
	f, err := gitops.TryLock(filepath.Join(s.dir, lockName))
	if errors.Is(err, gitops.ErrBusy) && opt.Sleep != nil {
		f, err = s.wait(ctx, opt.Sleep)
	}
	if err != nil {
		return nil, 0
	}
	if _, err = f.WriteAt([]byte{'\n'}, 0); err == nil {
		var fi os.FileInfo
		if fi, err = f.Stat(); err == nil {
			return f, fi.ModTime().UnixNano()
		}
	}
	_ = f.Close()
	return nil, 0
}

// Bytes is the size of an index on disk.
func Bytes(ws *memory.Workspace) int64 {
	var n int64
	list, err := os.ReadDir(Dir(ws))
	if err != nil {
		return 0
	}
	for _, e := range list {
		if fi, err := e.Info(); err == nil {
			n += fi.Size()
		}
	}
	return n
}
