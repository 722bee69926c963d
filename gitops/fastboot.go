package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// afterBoot checks everything that the log stands for: of what the kernel had only
// in memory when the power went, anything may be missing or torn. Objects that are
// wrong are written again from the records. Ref, index and work tree are, only where
// they cannot be read, or still are the very files that a record saw before: whatever
// somebody did since, be it a reset to one of our own commits, made other files of
// them. What was mended is waited for.
func (m *mender) afterBoot(recs []*redoRecord) error {
	m.sync, m.gave = true, map[string]bool{}
	r := m.repo
	for _, rec := range recs {
		if err := m.dropRefLock(rec, m.ownsRefLock(rec)); err != nil {
			return fmt.Errorf("remove our stale lock: %w", err)
		}
	}
	var made []*redoRecord
	for _, rec := range recs {
		// Objects of a commit that was not made may be torn as well, and somebody may
		// write the same again.
		if err := m.objects(rec); err != nil {
			return err
		}
		if rec.ended && !rec.done {
			continue
		}
		if err := m.restore(rec); err != nil {
			return err
		}
		made = append(made, rec)
	}
	r.removeDeadLocks()
	whole, err := m.readableIndex()
	if err != nil {
		return err
	}
	if whole {
		if err := m.indexFrom(made); err != nil {
			return err
		}
	}
	r.removeDeadLocks()
	m.places(made)
	for _, rec := range made {
		m.dropTemps(rec)
	}
	return m.begin()
}

// restore makes sure that a commit is in its branch, unless it was lost to somebody.
func (m *mender) restore(rec *redoRecord) error {
	if !m.lost(rec) {
		return nil
	}
	m.gave[rec.Ref] = true
	if err := m.writeRef(rec); err != nil {
		return err
	}
	return m.reflogs(rec)
}

// lost reports whether a ref has the value from before a record because the disk lost
// the one after. A ref that had no file of its own was waited for before its record
// was done, so that one that is missing was removed or packed since.
func (m *mender) lost(rec *redoRecord) bool {
	now := m.repo.readRef(rec.Ref)
	if now == rec.New {
		return false
	}
	mark := m.repo.refMark(rec.Ref)
	if now == "" && !mark.IsZero() {
		return true // torn
	}
	if now != rec.Old {
		return false
	}
	return m.gave[rec.Ref] || mark == rec.RefWas && (!mark.IsZero() || !rec.ended)
}

// indexFrom does again what the records since the present index did to it.
func (m *mender) indexFrom(recs []*redoRecord) error {
	stamp := m.repo.indexStamp().String()
	for i, rec := range slices.Backward(recs) {
		if rec.Stamp != stamp {
			continue
		}
		for _, rec := range recs[i:] {
			if err := m.index(rec); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// places puts files into the work tree that were not renamed, or lost their content.
func (m *mender) places(recs []*redoRecord) {
	root, err := m.repo.openRoot()
	if err != nil {
		return // the work tree is gone
	}
	defer func() { _ = root.Close() }()
	var paths []string
	about := map[string][]placeRecord{}
	for _, rec := range recs {
		for _, p := range rec.Places {
			name := string(p.Path)
			if about[name] == nil {
				paths = append(paths, name)
			}
			p.open = !rec.ended
			about[name] = append(about[name], p)
		}
	}
	p := &placing{repo: m.repo, root: root, sync: true}
	var edited []string
	for _, name := range paths {
		rec, ok := again(root, name, about[name])
		if ok {
			p.recs = append(p.recs, rec)
		} else if now, mode, err := sumAt(root, name, nil); err == nil && rec.open && mode.IsFile() && !rec.done(now, mode) {
			edited = append(edited, name)
		}
	}
	_, _ = p.finish()
	// Only the last record can be open: whether a file of it was ever put into place is
	// not known, and merging it once more changes nothing.
	if len(edited) == 0 {
		return
	}
	if last := recs[len(recs)-1]; m.repo.readRef(last.Ref) == last.New {
		_ = m.repo.unite(m.ctx, last.Old, last.New, edited)
	}
}

// again gives what is to be placed once more: the last record about a file that still
// is one that a record saw, or one that the writer made. A new file was waited for
// before its record was done, so that a missing one was removed.
func again(root *os.Root, name string, recs []placeRecord) (placeRecord, bool) {
	last := recs[len(recs)-1]
	fi, err := root.Lstat(name)
	if err != nil {
		return last, last.open && !last.Existed && errors.Is(err, fs.ErrNotExist)
	}
	now, mode, err := sumAt(root, name, nil)
	if err != nil || last.done(now, mode) {
		return last, false
	}
	mark := markOf(fi)
	for _, rec := range recs {
		if mark == rec.Was && rec.Existed || mark.Ino == rec.Temp.Ino && mark.MTime == rec.Temp.MTime {
			last.Existed, last.Base, last.WasLink = true, now, mode == ModeSymlink
			return last, true
		}
	}
	return last, false
}

// writeRef gives a ref the record's commit, under its lock.
func (m *mender) writeRef(rec *redoRecord) error {
	r := m.repo
	path := r.refPath(rec.Ref)
	if _, err := m.disk.mkdirAll(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write ref '%s': %w", rec.Ref, err)
	}
	tmp := filepath.Join(r.ClawDir(), fmt.Sprintf("ref.%016x", r.rand64()))
	if err := m.disk.write(tmp, []byte(rec.New+"\n"), 0o666, true); err != nil {
		return fmt.Errorf("write ref '%s': %w", rec.Ref, err)
	}
	shareMode(tmp, r.sharedBits(m.ctx))
	defer func() { _ = m.disk.remove(tmp) }()
	if err := m.disk.link(tmp, path+".lock"); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return describeLock(path + ".lock")
		}
		return fmt.Errorf("write ref '%s': %w", rec.Ref, err)
	}
	if err := m.disk.rename(path+".lock", path); err != nil {
		return fmt.Errorf("write ref '%s': %w", rec.Ref, err)
	}
	return m.disk.syncDir(filepath.Dir(path))
}

// readableIndex puts an index that was torn aside and makes a new one from HEAD, to
// which nothing has to be done; whole is true for one that can be read.
func (m *mender) readableIndex() (whole bool, err error) {
	r := m.repo
	b, err := os.ReadFile(r.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("read index: %w", err)
	}
	if err == nil && len(b) > 0 {
		x, err := openIndex(b)
		if errors.Is(err, errIndexShape) || err == nil && x.verify() == nil {
			return true, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		if h, ok := r.headFromFiles(); !ok || h.Commit.IsZero() {
			return true, nil
		}
	} else if err := os.Rename(r.indexPath(), r.indexPath()+".damaged"); err != nil {
		return false, fmt.Errorf("put aside the damaged index: %w", err)
	}
	if _, err := r.run(m.ctx, Cmd{Args: []string{"read-tree", "HEAD"}}); err != nil {
		return false, fmt.Errorf("make a new index: %w", err)
	}
	return false, nil
}

// begin replaces the log by an empty one of this boot, once all is on the disk.
func (m *mender) begin() error {
	f, err := os.Open(m.repo.redoPath())
	if err != nil {
		return fmt.Errorf("begin journal: %w", err)
	}
	err = m.disk.syncAll(f)
	_ = f.Close()
	if err != nil {
		return fmt.Errorf("begin journal: %w", err)
	}
	l, err := m.repo.createRedo(m.ctx, m.disk, true)
	if err != nil {
		return err
	}
	l.close()
	return nil
}
