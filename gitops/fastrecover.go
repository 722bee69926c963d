package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// heldText is the content of every lock that our writers take. Whoever holds the
// queue knows that the owner of a lock with this text is dead.
const heldText = "git claw holds this lock while it writes.\n"

// heldFile makes the file that is linked to the names of locks. It is made once and
// waited for, so that no power cut leaves a lock without its text.
func (r *Repo) heldFile(d *disk) (string, error) {
	name := filepath.Join(r.ClawDir(), "held")
	if b, err := os.ReadFile(name); err == nil && string(b) == heldText {
		return name, nil
	}
	tmp := filepath.Join(r.ClawDir(), fmt.Sprintf("lock.%016x", r.rand64()))
	err := d.write(tmp, []byte(heldText), 0o666, true)
	if err == nil {
		err = d.rename(tmp, name)
	}
	if err == nil {
		err = d.syncDir(r.ClawDir())
	}
	if err != nil {
		return "", fmt.Errorf("prepare lock: %w", err)
	}
	return name, nil
}

// recoverRedo finishes or withdraws what a dead fast writer began, and after a start
// of the machine checks all that was not yet known to be on the disk. The queue lock
// is held. It returns the paths it left alone because somebody edited them meanwhile.
func (r *Repo) recoverRedo(ctx context.Context) (left []string, err error) {
	d := &disk{}
	l, err := r.openRedo(d)
	if err != nil {
		return nil, err
	}
	if l == nil {
		r.removeDeadLocks()
		return nil, nil
	}
	defer l.close()
	if l.clean() && l.sameBoot() {
		r.removeDeadLocks()
		return nil, nil
	}
	recs, err := l.read()
	if err != nil {
		return nil, err
	}
	m := &mender{ctx: ctx, repo: r, disk: d}
	if l.sameBoot() {
		return m.finishLast(l, recs)
	}
	return nil, m.afterBoot(recs)
}

// removeDeadLocks removes locks with a text of ours: their owner would hold the
// queue, and we do.
func (r *Repo) removeDeadLocks() {
	for _, lock := range []string{filepath.Join(r.GitDir, "HEAD.lock"), r.indexPath() + ".lock"} {
		if isHeld(lock) {
			_ = os.Remove(lock)
		}
	}
}

// isHeld reports whether a lock is one of ours.
func isHeld(lock string) bool {
	fi, err := os.Lstat(lock)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() != int64(len(heldText)) {
		return false
	}
	b, err := os.ReadFile(lock)
	return err == nil && string(b) == heldText
}

// mender brings a repository to where a record says it should be.
type mender struct {
	ctx  context.Context
	repo *Repo
	disk *disk
	sync bool            // after a start of the machine
	gave map[string]bool // refs that were given a lost value
}

// finishLast deals with the one record that can be open.
func (m *mender) finishLast(l *redoLog, recs []*redoRecord) (left []string, err error) {
	if len(recs) == 0 || recs[len(recs)-1].ended {
		m.repo.removeDeadLocks()
		return nil, nil
	}
	rec := recs[len(recs)-1]
	forward, err := m.isForward(rec)
	if err != nil {
		return nil, err
	}
	kind := byte(recordUndone)
	if forward {
		kind = recordDone
		if left, err = m.forward(rec); err != nil {
			return left, err
		}
	}
	m.dropTemps(rec)
	m.repo.removeDeadLocks()
	return left, l.end(kind)
}

// isForward reports whether a record's commit was made: its ref has it, or is locked
// for it and was not moved by anybody else. Otherwise its lock is removed.
func (m *mender) isForward(rec *redoRecord) (bool, error) {
	r := m.repo
	now := r.readRef(rec.Ref)
	ours := m.ownsRefLock(rec)
	switch {
	case now == rec.New:
	case ours && now == rec.Old:
		return true, nil
	case now == rec.Old || now == "":
		return false, m.dropRefLock(rec, ours)
	default:
		if there, err := r.IsAncestor(m.ctx, rec.New, now); err != nil || !there {
			return false, errors.Join(err, m.dropRefLock(rec, ours))
		}
	}
	return true, m.dropRefLock(rec, ours)
}

func (m *mender) dropRefLock(rec *redoRecord, ours bool) error {
	if !ours {
		return nil
	}
	return m.disk.remove(m.repo.refPath(rec.Ref) + ".lock")
}

// ownsRefLock: it is the file that the record names, and holds what it would hold.
func (m *mender) ownsRefLock(rec *redoRecord) bool {
	lock := m.repo.refPath(rec.Ref) + ".lock"
	fi, err := os.Lstat(lock)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	dev, ino, ok := fileKey(fi)
	b, err := os.ReadFile(lock)
	whole := err == nil && string(b) == rec.New+"\n"
	if m.sync {
		// Of a lock from before the machine was started the content may be torn, and
		// devices may have other numbers.
		return whole || ok && ino == rec.RefIno
	}
	return whole && ok && dev == rec.RefDev && ino == rec.RefIno
}

// readRef is the id a ref holds, "" when it holds none that can be read.
func (r *Repo) readRef(ref string) string {
	s, ok := readRefFile(r.refPath(ref))
	if !ok {
		if _, err := os.Lstat(r.refPath(ref)); err == nil {
			return "" // torn
		}
		s, _ = packedRef(filepath.Join(r.CommonDir, "packed-refs"), ref)
	}
	if id, err := ParseID(s); err != nil || id.IsZero() {
		return ""
	}
	return s
}

// forward does what is left of a commit that was made.
func (m *mender) forward(rec *redoRecord) (left []string, err error) {
	if err := m.objects(rec); err != nil {
		return nil, err
	}
	if len(rec.Places) > 0 {
		p, err := m.repo.newPlacing(rec.Places)
		if err != nil {
			return nil, err
		}
		defer p.close()
		left, _ = p.finish() // one that cannot be placed is as if it was edited
		left = m.repo.unite(m.ctx, rec.Old, rec.New, left)
	}
	if err := m.reflogs(rec); err != nil {
		return left, err
	}
	if m.ownsRefLock(rec) {
		ref := m.repo.refPath(rec.Ref)
		if err := m.disk.rename(ref+".lock", ref); err != nil {
			return left, fmt.Errorf("write ref '%s': %w", rec.Ref, err)
		}
	}
	return left, m.index(rec)
}

// objects writes those that are not there, or are not what they should be.
func (m *mender) objects(rec *redoRecord) error {
	s := looseStore{repo: m.repo, disk: m.disk, perm: m.repo.sharedBits(m.ctx), sync: m.sync}
	for _, o := range rec.objects {
		if !m.repo.sound(o.id, o.file) {
			return fmt.Errorf("object %s in the journal is damaged", o.id.Short())
		}
		path := m.repo.objectPath(o.id)
		b, err := os.ReadFile(path)
		switch {
		case err == nil && m.repo.sound(o.id, b):
			continue
		case err == nil:
			if err := m.disk.remove(path); err != nil {
				return fmt.Errorf("replace object %s: %w", o.id.Short(), err)
			}
		case m.packed(o.id):
			continue
		}
		if err := s.write(o); err != nil {
			return err
		}
	}
	return nil
}

// packed: the object is no loose one any more, or one of another object store.
func (m *mender) packed(id ID) bool {
	_, err := m.repo.run(m.ctx, Cmd{Args: []string{"cat-file", "-e", id.String()}})
	return err == nil
}

// reflogs adds the record's line to logs that lack it.
func (m *mender) reflogs(rec *redoRecord) error {
	cfg, err := m.repo.Config(m.ctx)
	if err != nil {
		return err
	}
	paths, create := m.repo.reflogs(cfg, rec.Ref)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(rec.Log)) {
			continue
		}
		line := rec.Log
		if len(b) > 0 && b[len(b)-1] != '\n' {
			line = "\n" + line // the one before was torn
		}
		if err := m.repo.appendReflog(m.disk, path, line, create, m.repo.sharedBits(m.ctx)); err != nil {
			return err
		}
	}
	return nil
}

// index sets the record's entries where the index still has what was there before.
// What was staged since stays.
func (m *mender) index(rec *redoRecord) error {
	r := m.repo
	held, err := m.holdIndex()
	if err != nil || !held {
		return err
	}
	old, err := os.ReadFile(r.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read index: %w", err)
	}
	fi, err := os.Lstat(r.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read index: %w", err)
	}
	var st fileStat
	perm := fs.FileMode(0o666)
	if err == nil {
		st, perm = newFileStat(fi), fi.Mode().Perm()
	}
	patches, err := rec.patches(old)
	if err != nil || len(patches) == 0 {
		return err
	}
	b, err := patchIndex(old, st, patches, nil, indexOptions{})
	if err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	stage := filepath.Join(r.ClawDir(), fmt.Sprintf("stage.%016x", r.rand64()))
	if err := m.disk.write(stage, b, perm, m.sync); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if err := m.disk.rename(stage, r.indexPath()); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	return nil
}

// holdIndex makes sure that index.lock is ours. Where somebody removed it and
// changed the index since, the index is theirs.
func (m *mender) holdIndex() (bool, error) {
	lock := m.repo.indexPath() + ".lock"
	if _, err := os.Lstat(lock); err == nil {
		return isHeld(lock), nil
	}
	held, err := m.repo.heldFile(m.disk)
	if err != nil {
		return false, err
	}
	return m.disk.link(held, lock) == nil, nil
}

// patches are those entries of a record that the index has as they were before.
func (rec *redoRecord) patches(index []byte) ([]indexPatch, error) {
	x, err := openIndex(index)
	if err != nil {
		return nil, err
	}
	now := map[string]string{}
	want := map[string]bool{}
	for _, e := range rec.Index {
		want[string(e.Path)] = true
	}
	for x.next() {
		if want[string(x.entry.path)] && !x.entry.intentToAdd() {
			now[string(x.entry.path)] = x.entry.id().String()
		}
	}
	if x.err != nil {
		return nil, x.err
	}
	var out []indexPatch
	for _, e := range rec.Index {
		path := string(e.Path)
		if was := strings.Trim(e.Was, "0"); now[path] != e.Was && (was != "" || now[path] != "") {
			continue
		}
		p := indexPatch{path: path, delete: e.ID == "", mode: e.Mode}
		if !p.delete {
			if p.id, err = ParseID(e.ID); err != nil {
				return nil, err
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func (m *mender) dropTemps(rec *redoRecord) {
	m.repo.removeTemps(record{Places: rec.Places})
	for _, name := range []string{rec.RefTemp, rec.Stage} {
		if name != "" {
			_ = m.disk.remove(filepath.Join(m.repo.ClawDir(), filepath.Base(name)))
		}
	}
}
