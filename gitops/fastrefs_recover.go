package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// recoverRefs finishes or withdraws the transaction of refs of a dead writer. The queue
// lock is held. *LockedError: a lock of somebody else is in the way of one that counts.
func (r *Repo) recoverRefs(ctx context.Context) error {
	if !r.refsLeft() {
		return nil
	}
	in, err := r.readIntent()
	if err != nil {
		return err
	}
	m := &refMover{ctx: ctx, repo: r, disk: &disk{}, bits: r.sharedBits(ctx), dirs: map[string]bool{}}
	if in != nil {
		m.boot = in.Boot != r.bootHash()
		m.sync = in.Synced
		if in.decided && (in.Synced || !m.boot) {
			err = m.forward(in, func(string) {})
		} else {
			err = m.withdraw(in)
		}
		if err != nil {
			return err
		}
	}
	f, err := r.openIntent(ctx, m.disk, false)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := r.endIntent(m.disk, f, m.sync); err != nil {
		return err
	}
	if in != nil {
		m.dropTemps(in)
	}
	return nil
}

// withdraw removes the locks of a transaction that does not count.
func (m *refMover) withdraw(in *refIntent) error {
	files := map[string]lockFile{}
	for _, move := range in.Moves {
		files[m.repo.refPath(move.Ref)+".lock"] = move.lockFile
	}
	if in.Deletes {
		files[m.repo.packedRefs()+".lock"] = in.Packed
	}
	for lock, f := range files {
		if !m.owns(f, lock) {
			continue
		}
		if err := m.disk.remove(lock); err != nil {
			return fmt.Errorf("remove our stale lock: %w", err)
		}
		m.touched(filepath.Dir(lock))
	}
	if err := m.syncDirs(); err != nil {
		return err
	}
	for _, move := range in.Moves {
		m.removeEmpty(m.repo.refPath(move.Ref), "")
	}
	return nil
}

// sweepRefs removes files of transactions that died before they said what they intend.
func (r *Repo) sweepRefs() {
	if r.refsLeft() {
		return // it names some of them
	}
	list, err := os.ReadDir(r.CommonClawDir())
	if err != nil {
		return
	}
	for _, d := range list {
		if strings.HasPrefix(d.Name(), refTempPrefix) {
			_ = os.Remove(filepath.Join(r.CommonClawDir(), d.Name()))
		}
	}
}
