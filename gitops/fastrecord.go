package gitops

import (
	"fmt"
	"path/filepath"
)

// record writes the record. While the disk is waited for, all else is written under
// names that nobody looks at: an object that a power cut tears would be taken for a
// whole one by the next who writes the same.
func (f *fastRun) record() error {
	if f.isLarge() {
		return f.recordLarge()
	}
	synced, err := f.addRecord(f.objects)
	if err != nil {
		return err
	}
	temps, err := f.store().stage(f.objects)
	if err == nil {
		err = f.index.write(f, filepath.Join(f.repo.ClawDir(), f.rec.Stage))
	}
	if serr := <-synced; err == nil {
		err = serr
	}
	return f.store().place(temps, err)
}

// recordLarge is record for objects that are too much to be written twice: they are on
// the disk, whole, before they take their names, and the record comes last.
func (f *fastRun) recordLarge() error {
	temps, err := f.store().stage(f.objects)
	if err == nil {
		err = f.syncAll()
	}
	if err = f.store().place(temps, err); err != nil {
		return err
	}
	if err := f.syncAll(); err != nil {
		return err
	}
	if err := f.index.write(f, filepath.Join(f.repo.ClawDir(), f.rec.Stage)); err != nil {
		return err
	}
	synced, err := f.addRecord(nil)
	if err != nil {
		return err
	}
	return <-synced
}

func (f *fastRun) syncAll() error {
	if !f.syncs() {
		return nil
	}
	if err := f.disk.syncAll(f.log.f); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// isLarge: more than what the log may hold in all.
func (f *fastRun) isLarge() bool {
	most := redoBound
	if f.opt.test != nil && f.opt.test.redoBound > 0 {
		most = f.opt.test.redoBound
	}
	for _, o := range f.objects {
		most -= len(o.file)
	}
	return most < 0
}

// addRecord adds the record with these objects; the channel tells when it is on the
// disk.
func (f *fastRun) addRecord(objects []looseObject) (synced chan error, err error) {
	synced = make(chan error, 1)
	if f.opt.test != nil && f.opt.test.noRedo {
		synced <- nil
		return synced, nil
	}
	if err := f.log.add(&f.rec, objects); err != nil {
		return nil, err
	}
	if f.syncs() {
		go func() { synced <- f.log.wait() }()
	} else {
		synced <- nil
	}
	return synced, nil
}

func (f *fastRun) store() *looseStore {
	sync, _, _ := coreFsync(f.cfg)
	return &looseStore{repo: f.repo, disk: f.disk, perm: f.bits, sync: sync || f.opt.Durability == DurabilityFull}
}
