package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// afterBoot checks everything that the log stands for: of what the kernel had only
// in memory when the power went, anything may be missing or torn. What is wrong is
// written again from the records, and then waited for.
func (m *mender) afterBoot(recs []*redoRecord) error {
	m.sync, m.ours = true, map[string]bool{}
	r := m.repo
	for _, rec := range recs {
		if err := m.dropRefLock(rec, m.ownsRefLock(rec)); err != nil {
			return fmt.Errorf("remove our stale lock: %w", err)
		}
		m.ours[rec.New] = true
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
		// The mark of the last one is not waited for: it may have been acknowledged.
		if now := r.readRef(rec.Ref); !rec.ended && now != "" && now != rec.Old && now != rec.New {
			m.dropTemps(rec)
			continue
		}
		if err := m.restore(rec); err != nil {
			return err
		}
		made = append(made, rec)
	}
	r.removeDeadLocks()
	if err := m.readableIndex(); err != nil {
		return err
	}
	for _, rec := range made {
		if err := m.index(rec); err != nil {
			return err
		}
	}
	r.removeDeadLocks()
	return m.begin()
}

// restore makes sure that a commit is in its branch.
func (m *mender) restore(rec *redoRecord) error {
	if now := m.repo.readRef(rec.Ref); now == "" || now == rec.Old && !m.movedAway(rec) {
		if err := m.writeRef(rec); err != nil {
			return err
		}
	}
	if err := m.reflogs(rec); err != nil {
		return err
	}
	m.dropTemps(rec)
	return nil
}

// movedAway reports whether somebody else moved the ref off the commit later: then it
// is where it should be. What we moved stands in the log.
func (m *mender) movedAway(rec *redoRecord) bool {
	b, err := os.ReadFile(filepath.Join(m.repo.CommonDir, "logs", filepath.FromSlash(rec.Ref)))
	if err != nil {
		return false
	}
	for line := range bytes.SplitSeq(b, []byte{'\n'}) {
		if rest, ok := bytes.CutPrefix(line, []byte(rec.New+" ")); ok && len(rest) > len(rec.New) && !m.ours[string(rest[:len(rec.New)])] {
			return true
		}
	}
	return false
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

// readableIndex puts an index that was torn aside and makes a new one from HEAD.
func (m *mender) readableIndex() error {
	r := m.repo
	b, err := os.ReadFile(r.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read index: %w", err)
	}
	if err == nil && len(b) > 0 {
		x, err := openIndex(b)
		if errors.Is(err, errIndexShape) || err == nil && x.verify() == nil {
			return nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		if h, ok := r.headFromFiles(); !ok || h.Commit.IsZero() {
			return nil
		}
	} else if err := os.Rename(r.indexPath(), r.indexPath()+".damaged"); err != nil {
		return fmt.Errorf("put aside the damaged index: %w", err)
	}
	if _, err := r.run(m.ctx, Cmd{Args: []string{"read-tree", "HEAD"}}); err != nil {
		return fmt.Errorf("make a new index: %w", err)
	}
	return nil
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
