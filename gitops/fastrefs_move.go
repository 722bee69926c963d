package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// refMover does what a transaction of refs has decided: for who made it, and for who
// finds it after a kill or a power cut.
type refMover struct {
	ctx  context.Context
	repo *Repo
	disk *disk
	sync bool
	bits fs.FileMode     // core.sharedRepository
	boot bool            // the machine was started since: only what was synced is there for sure
	dirs map[string]bool // folders in which names changed
}

func (m *refMover) path(temp string) string { return filepath.Join(m.repo.CommonClawDir(), temp) }

// temp writes a file to be linked to a lock.
func (m *refMover) temp(text string, sync bool) (f lockFile, err error) {
	f.Temp = fmt.Sprintf("%s%016x", refTempPrefix, m.repo.rand64())
	name := m.path(f.Temp)
	if err := m.disk.write(name, []byte(text), 0o666, sync); err != nil {
		return f, fmt.Errorf("write ref: %w", err)
	}
	shareMode(name, m.bits)
	fi, err := os.Lstat(name)
	if err != nil {
		return f, fmt.Errorf("write ref: %w", err)
	}
	f.Dev, f.Ino, _ = fileKey(fi)
	return f, nil
}

func (m *refMover) dropTemps(in *refIntent) {
	for _, move := range in.Moves {
		m.dropTemp(move.lockFile)
	}
	m.dropTemp(in.Packed)
}

func (m *refMover) dropTemp(f lockFile) {
	if f.Temp != "" {
		_ = m.disk.remove(m.path(f.Temp))
	}
}

// makeDir makes the folder of a ref.
func (m *refMover) makeDir(dir string) error {
	made, err := m.disk.mkdirAll(dir)
	for _, d := range made {
		shareMode(d, m.bits|m.bits&0o444>>2)
		m.dirs[filepath.Dir(d)] = true
	}
	return err
}

// forward moves the refs, then deletes those that go, as git does. What is done already,
// or was done otherwise since, is passed over.
func (m *refMover) forward(in *refIntent, at func(point string)) error {
	var gone []refMove
	for _, move := range in.Moves {
		todo, err := m.holds(move)
		if err != nil {
			return err
		}
		switch {
		case move.New == "" && todo:
			gone = append(gone, move)
		case todo:
			if err := m.move(move); err != nil {
				return err
			}
			at("refs moving")
		}
	}
	if err := m.delete(in, gone, at); err != nil {
		return err
	}
	return m.syncDirs()
}

// syncDirs makes safe what changed in folders: before the intent is ended, so that
// nothing comes back that nobody knows of, a lock above all.
func (m *refMover) syncDirs() error {
	if !m.sync {
		return nil
	}
	for dir := range m.dirs {
		if err := m.disk.syncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sync: %w", err)
		}
	}
	return nil
}

// holds reports whether a ref is still to be moved, and has its lock then.
func (m *refMover) holds(move refMove) (bool, error) {
	r := m.repo
	lock := r.refPath(move.Ref) + ".lock"
	ours := m.owns(move.lockFile, lock)
	if ours && move.New != "" {
		if b, err := os.ReadFile(lock); err != nil || string(b) != move.New+"\n" { // torn
			if err := m.disk.remove(lock); err != nil {
				return false, fmt.Errorf("update ref '%s': %w", move.Ref, err)
			}
			ours = false
		}
	}
	if ours || !m.lost(move) {
		return ours, nil
	}
	text := heldText
	if move.New != "" {
		text = move.New + "\n"
	}
	f, err := m.temp(text, m.sync)
	if err == nil {
		err = m.makeDir(filepath.Dir(lock))
	}
	if err == nil {
		err = r.takeLock(m.ctx, m.disk, m.path(f.Temp), lock, DefaultLockTimeout/10)
		_ = m.disk.remove(m.path(f.Temp))
	}
	return err == nil, err
}

// lost reports whether a ref without a lock of ours is not where it should be, and
// nobody but a power cut, or who removed the lock, can have made it so: its file is the
// very one from before. A ref that had none may have been made, and removed by somebody
// since; only after a power cut that cannot be.
func (m *refMover) lost(move refMove) bool {
	now, mark := m.repo.readRef(move.Ref), m.repo.refMark(move.Ref)
	switch {
	case now == "" && !mark.IsZero():
		return m.boot // torn
	case now == move.New:
		return false
	case now != move.Old:
		return false
	case mark.IsZero():
		return m.boot
	}
	return mark == move.Was
}

// owns reports whether a lock is the file that the intent names.
func (m *refMover) owns(f lockFile, lock string) bool {
	fi, err := os.Lstat(lock)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	dev, ino, ok := fileKey(fi)
	return ok && ino == f.Ino && (dev == f.Dev || m.boot) // devices may have other numbers
}

// move gives a ref its new value, and its log a line.
func (m *refMover) move(move refMove) error {
	ref := m.repo.refPath(move.Ref)
	log := m.repo.refLog(move.Ref)
	if b, err := os.ReadFile(log); err != nil || !strings.HasSuffix(string(b), move.Log) {
		line := move.Log
		if len(b) > 0 && b[len(b)-1] != '\n' {
			line = "\n" + line // the one before was torn
		}
		// The refs count; their logs are for people.
		if err := m.repo.appendReflog(m.disk, log, line, move.LogNew, m.bits); err != nil && m.repo.Git.env.Log != nil {
			m.repo.Git.env.Log.Debug("reflog", "ok", false)
		}
	}
	rename := m.disk.rename
	if m.owns(move.lockFile, ref) {
		// After a power cut it may have both names; renaming would leave both.
		rename = func(lock, _ string) error { return m.disk.remove(lock) }
	}
	if err := rename(ref+".lock", ref); err != nil {
		return fmt.Errorf("update ref '%s': %w", move.Ref, err)
	}
	m.touched(filepath.Dir(ref))
	return nil
}

// touched: a name changed in a folder. After a power cut those above may be new as well.
func (m *refMover) touched(dir string) {
	m.dirs[dir] = true
	for m.boot && len(dir) > len(m.repo.CommonDir) {
		dir = filepath.Dir(dir)
		m.dirs[dir] = true
	}
}

// delete removes refs whose locks are held: out of the packed ones first, or those would
// show through.
func (m *refMover) delete(in *refIntent, gone []refMove, at func(point string)) error {
	lock := m.repo.packedRefs() + ".lock"
	held := in.Deletes && m.owns(in.Packed, lock)
	if in.Deletes {
		m.dirs[m.repo.CommonDir] = true
	}
	if held {
		defer func() { _ = m.disk.remove(lock) }()
	}
	if len(gone) == 0 {
		return nil
	}
	if !held {
		f, err := m.temp(heldText, false)
		if err != nil {
			return err
		}
		err = m.repo.takeLock(m.ctx, m.disk, m.path(f.Temp), lock, DefaultLockTimeout/10)
		_ = m.disk.remove(m.path(f.Temp))
		if err != nil {
			return err
		}
		defer func() { _ = m.disk.remove(lock) }()
	}
	if err := m.unpack(gone); err != nil {
		return err
	}
	for _, move := range gone {
		ref := m.repo.refPath(move.Ref)
		log := m.repo.refLog(move.Ref)
		if m.disk.remove(log) == nil {
			m.removeEmpty(log, "logs")
		}
		if err := m.disk.remove(ref); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete ref '%s': %w", move.Ref, err)
		}
		at("refs moving")
		if err := m.disk.remove(ref + ".lock"); err != nil {
			return fmt.Errorf("delete ref '%s': %w", move.Ref, err)
		}
		m.touched(filepath.Dir(ref))
		if m.sync {
			if err := m.disk.syncDir(filepath.Dir(ref)); err != nil {
				return fmt.Errorf("sync: %w", err)
			}
		}
		m.removeEmpty(ref, "")
	}
	return nil
}

// unpack takes refs out of the packed ones. The lock of those is held.
func (m *refMover) unpack(gone []refMove) error {
	name := m.repo.packedRefs()
	packed, err := readPackedRefs(name)
	if err != nil {
		return err
	}
	rest := packed.without(func(ref string) bool {
		return slices.ContainsFunc(gone, func(move refMove) bool { return move.Ref == ref })
	})
	if len(rest) == len(packed) {
		return nil
	}
	f, err := m.temp(string(rest), m.sync)
	if err != nil {
		return err
	}
	if err := m.disk.rename(m.path(f.Temp), name); err != nil {
		_ = m.disk.remove(m.path(f.Temp))
		return fmt.Errorf("write refs: %w", err)
	}
	return nil
}

// removeEmpty removes the folders of a ref, or of its log, that became empty, but not
// the two above all, as git does.
func (m *refMover) removeEmpty(file, below string) {
	keep := filepath.Join(m.repo.CommonDir, below, "refs")
	for dir := filepath.Dir(file); filepath.Dir(dir) != keep && len(dir) > len(keep); dir = filepath.Dir(dir) {
		if m.disk.remove(dir) != nil {
			return
		}
	}
}

// refLog is the file of the log of a ref.
func (r *Repo) refLog(ref string) string {
	return filepath.Join(r.CommonDir, "logs", filepath.FromSlash(ref))
}

// logsRef reports whether a log is made for a ref that has none (core.logAllRefUpdates,
// git-config(1)).
func logsRef(cfg *Config, ref string) bool {
	if v, ok := cfg.Get("core.logallrefupdates"); ok && v == "always" {
		return true
	}
	normal := strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/remotes/") || strings.HasPrefix(ref, "refs/notes/")
	return normal && cfg.Bool("core.logallrefupdates", true)
}
