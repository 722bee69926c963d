package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Durability says what a write-back waits for (claw.durability).
type Durability string

const (
	// DurabilityJournal waits for one record that holds all of the commit: what a
	// power cut loses of the rest is written again.
	DurabilityJournal Durability = "journal"
	// DurabilityFull waits for each object, the ref and the index as well.
	DurabilityFull Durability = "full"
	// DurabilityNone waits for nothing: safe from a kill, not from a power cut.
	DurabilityNone Durability = "none"
)

// fastWriter writes objects, index and refs itself, under git's locks, in the common
// shape of repository. Whatever it does not know goes through git.
type fastWriter struct{ *gitWriter }

var errLeftToGit = errors.New("left to git")

func (w *fastWriter) Name() string { return "fast" }

func (w *fastWriter) Commit(ctx context.Context, tx Tx) (Result, error) {
	return w.commit(ctx, tx, func(c *commitRun) attempt {
		why, err := c.leftToGit()
		if err != nil || why != "" {
			return nil
		}
		return (&fastRun{commitRun: c, disk: c.disk()}).try
	})
}

func (w *gitWriter) disk() *disk {
	if w.opt.test != nil {
		return &disk{trace: w.opt.test.trace}
	}
	return &disk{}
}

// fastRun is one transaction of the fast writer, tried until nobody is quicker.
type fastRun struct {
	*commitRun
	disk *disk
	bits fs.FileMode // core.sharedRepository

	plan
	objects []looseObject
	log     *redoLog
	rec     redoRecord
	held    []string // locks
	placing *placing
	index   *indexDraft
	broken  bool // the commit was made and something could not be finished
}

func (f *fastRun) try() (res Result, again bool, err error) {
	r := f.repo
	if f.plan, err = f.commitRun.plan(); err != nil {
		return res, false, err
	}
	if !f.known || f.head.Ref == "" || f.head.Commit.IsZero() {
		return res, false, errLeftToGit
	}
	level, chosen := compression(f.cfg)
	if f.objects, err = deflate(append(f.objs, f.commit), level, chosen); err != nil {
		return res, false, err
	}
	f.bits = r.sharedBits(f.ctx)
	f.at("committed")
	return f.publish()
}

// publish takes the locks and does the rest under them.
func (f *fastRun) publish() (res Result, again bool, err error) {
	f.rec, f.held, f.broken = redoRecord{Ref: f.head.Ref, Old: f.head.Commit.String(), New: f.commit.id.String()}, nil, false
	f.rec.Places = f.placeRecords()
	if err := f.openLog(); err != nil {
		return res, false, err
	}
	defer f.log.close()
	defer f.release()
	if err := f.lock(); err != nil {
		return res, false, err
	}
	// The rest takes milliseconds and must not be cut short half-way.
	f.ctx = context.WithoutCancel(f.ctx)
	f.at("locked")
	if again, err := f.prepare(); again || err != nil {
		return res, again, err
	}
	f.at("prepared")
	if again, err := f.lockRef(); again || err != nil {
		return res, again, err
	}
	f.at("linked")
	err = f.finish()
	f.at("finished")
	if f.rec.ended && !f.rec.done {
		return res, false, err
	}
	return Result{Commit: f.commit.id, Tree: f.tree.id, Ref: f.head.Ref}, false, err
}

// openLog opens the log for a record.
func (f *fastRun) openLog() (err error) {
	if f.log, err = f.repo.openRedo(f.disk); err != nil {
		return err
	}
	if f.log == nil {
		f.log, err = f.repo.createRedo(f.ctx, f.disk, f.syncs())
		return err
	}
	if !f.log.clean() {
		return errors.New("the journal changed while it was locked")
	}
	if f.log.size > redoBound {
		err = f.log.checkpoint()
	}
	if err != nil {
		f.log.close()
	}
	return err
}

// syncs reports whether the record is waited for.
func (f *fastRun) syncs() bool { return f.opt.Durability != DurabilityNone }

// lock takes index.lock and HEAD.lock, in git's order.
func (f *fastRun) lock() error {
	r := f.repo
	held, err := r.heldFile(f.disk)
	if err != nil {
		return err
	}
	locks := []string{r.indexPath() + ".lock", filepath.Join(r.GitDir, "HEAD.lock")}
	if f.opt.test != nil && f.opt.test.noIndexLock {
		locks = locks[1:]
	}
	for _, lock := range locks {
		if err := f.take(held, lock); err != nil {
			return err
		}
		f.held = append(f.held, lock)
	}
	return nil
}

func (f *fastRun) take(file, lock string) error {
	return f.repo.takeLock(f.ctx, f.disk, file, lock, f.opt.LockTimeout)
}

// takeLock links a file to the name of a lock as soon as nobody else has it.
func (r *Repo) takeLock(ctx context.Context, d *disk, file, lock string, timeout time.Duration) error {
	b := r.newBackoff(timeout, "waiting for git to release '"+lock+"'")
	for {
		err := d.link(file, lock)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("lock '%s': %w", lock, err)
		}
		switch ok, err := b.wait(ctx); {
		case err != nil:
			return err
		case !ok:
			return describeLock(lock)
		}
	}
}

// release gives back what is held, the last first, unless the next command has to
// finish what was begun.
func (f *fastRun) release() {
	if f.placing != nil {
		if !f.broken {
			f.placing.cleanUp()
		}
		f.placing.close()
		f.placing = nil
	}
	if f.broken {
		return
	}
	for _, name := range []string{f.rec.RefTemp, f.rec.Stage} {
		if name != "" {
			_ = f.disk.remove(filepath.Join(f.repo.ClawDir(), name))
		}
	}
	for i := len(f.held) - 1; i >= 0; i-- {
		_ = f.disk.remove(f.held[i])
	}
	f.held = nil
	if f.rec.seq != 0 {
		kind := byte(recordUndone)
		if f.rec.done {
			kind = recordDone
		}
		_ = f.log.end(kind)
	}
}

func (f *fastRun) noCAS() bool { return f.opt.test != nil && f.opt.test.noCAS }

// prepare does all that can fail before the commit point, which is the record.
func (f *fastRun) prepare() (again bool, err error) {
	r := f.repo
	now, ok := r.headFromFiles()
	if !ok {
		return false, errLeftToGit // it is, or became, no plain file
	}
	if now != f.head && !f.noCAS() {
		return true, nil
	}
	if p := r.Progress(); p != nil {
		return false, p
	}
	if f.index, err = f.draftIndex(); err != nil {
		return false, err
	}
	if err := f.preparePlaces(); err != nil {
		return false, err
	}
	f.at("drafted")
	f.rec.RefWas = r.refMark(f.rec.Ref)
	f.rec.Stage = fmt.Sprintf("stage.%016x", r.rand64())
	if err := f.writeRef(); err != nil {
		return false, err
	}
	f.rec.Log = reflogLine(f.head.Commit, f.commit.id, f.signature, f.reason())
	return false, f.record()
}

func (f *fastRun) preparePlaces() (err error) {
	if len(f.rec.Places) == 0 {
		return nil
	}
	if f.placing, err = f.repo.newPlacing(f.rec.Places); err != nil {
		return err
	}
	f.placing.sync, f.placing.syncNew = f.opt.Durability == DurabilityFull, f.syncs()
	if err := f.placing.check(); err != nil {
		return err
	}
	return f.placing.prepare()
}

// writeRef writes the file that becomes the ref.
func (f *fastRun) writeRef() error {
	_, sync, _ := coreFsync(f.cfg)
	sync = sync || f.opt.Durability == DurabilityFull || f.syncsRef()
	f.rec.RefTemp = fmt.Sprintf("ref.%016x", f.repo.rand64())
	name := filepath.Join(f.repo.ClawDir(), f.rec.RefTemp)
	if err := f.disk.write(name, []byte(f.commit.id.String()+"\n"), 0o666, sync); err != nil {
		return fmt.Errorf("write ref: %w", err)
	}
	shareMode(name, f.bits)
	fi, err := os.Lstat(name)
	if err != nil {
		return fmt.Errorf("write ref: %w", err)
	}
	f.rec.RefDev, f.rec.RefIno, _ = fileKey(fi)
	return nil
}

// lockRef takes the ref's lock and compares: from here on the commit is made.
func (f *fastRun) lockRef() (again bool, err error) {
	r := f.repo
	lock := r.refPath(f.rec.Ref) + ".lock"
	if made, err := f.disk.mkdirAll(filepath.Dir(lock)); err != nil {
		return false, fmt.Errorf("lock '%s': %w", f.rec.Ref, err)
	} else {
		for _, dir := range made { // the branch was packed
			shareMode(dir, f.bits|f.bits&0o444>>2)
		}
	}
	if err := f.take(filepath.Join(r.ClawDir(), f.rec.RefTemp), lock); err != nil {
		return false, err
	}
	f.held = append(f.held, lock)
	if now, ok := r.headFromFiles(); !f.noCAS() && (!ok || now != f.head || r.refMark(f.rec.Ref) != f.rec.RefWas) {
		return true, nil
	}
	return false, nil
}

// syncsRef: a ref that had no file of its own is waited for. After a power cut nothing
// else would tell a lost one from one that somebody removed.
func (f *fastRun) syncsRef() bool { return f.syncs() && f.rec.RefWas.IsZero() }

// refMark is the file of a loose ref, zero when it is packed or absent.
func (r *Repo) refMark(ref string) fileMark {
	fi, err := os.Lstat(r.refPath(ref))
	if err != nil || !fi.Mode().IsRegular() {
		return fileMark{}
	}
	return markOf(fi)
}

func (r *Repo) refPath(ref string) string { return filepath.Join(r.CommonDir, filepath.FromSlash(ref)) }

// finish puts everything into its place.
func (f *fastRun) finish() error {
	r := f.repo
	logs, create := r.reflogs(f.cfg, f.rec.Ref)
	for _, log := range logs {
		if err := r.appendReflog(f.disk, log, f.rec.Log, create, f.bits); err != nil {
			f.rec.ended = true // nothing was moved yet
			return err
		}
	}
	var left []string
	var placeErr error
	if f.placing != nil {
		left, placeErr = f.placing.finish()
		f.at("placed")
		_ = f.index.restat(f, left) // without stat data git reads the files once more
		left = r.unite(f.ctx, f.rec.Old, f.rec.New, left)
	}
	stage := filepath.Join(r.ClawDir(), f.rec.Stage)
	ref := r.refPath(f.rec.Ref)
	f.rec.done = true
	if err := f.disk.rename(ref+".lock", ref); err != nil {
		f.broken = true
		return fmt.Errorf("write ref '%s': %w", f.rec.Ref, err)
	}
	f.held = f.held[:len(f.held)-1]
	if f.syncsRef() {
		if err := f.disk.syncDir(filepath.Dir(ref)); err != nil {
			return fmt.Errorf("sync: %w", err)
		}
	}
	f.at("moved")
	if err := f.disk.rename(stage, r.indexPath()); err != nil {
		f.broken = true
		return fmt.Errorf("write index: %w", err)
	}
	f.rec.Stage = ""
	if f.opt.Durability == DurabilityFull {
		if err := errors.Join(f.disk.syncDir(filepath.Dir(ref)), f.disk.syncDir(r.GitDir)); err != nil {
			return fmt.Errorf("sync: %w", err)
		}
	}
	switch {
	case placeErr != nil:
		return placeErr
	case len(left) > 0:
		return &WorkTreeChangedError{Path: left[0]}
	}
	return nil
}

// reason is what the reflog says.
func (c *commitRun) reason() string {
	if c.tx.Reflog != "" {
		return c.tx.Reflog
	}
	subject, _ := splitMessage(c.message)
	return "commit: " + subject
}
