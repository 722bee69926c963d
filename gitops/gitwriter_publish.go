package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// publication makes a commit visible: under index.lock it makes sure that nothing
// moved, and then moves the ref, the work tree and the index.
type publication struct {
	*commitRun
	head    Head
	commit  ID
	entries []entryChange

	journal *journal
	stage   string // the prepared index
	placing *placing
	// broken: the commit was made and something could not be finished. The journal
	// and the lock stay, for the next command to finish it.
	broken bool
}

// publish returns done when the commit was made; an error beside it says what
// of the work tree could not follow. again asks the caller to start over.
func (c *commitRun) publish(head Head, commit ID, entries []entryChange) (ref string, done, again bool, err error) {
	r := c.repo
	p := &publication{commitRun: c, head: head, commit: commit, entries: entries}
	if p.journal, err = r.newJournal(c.ctx); err != nil {
		return "", false, false, err
	}
	p.journal.rec.Places = c.placeRecords()
	release, err := p.lock()
	if err != nil {
		p.journal.done()
		return "", false, false, err
	}
	// The rest takes milliseconds and must not be cut short half-way.
	c.ctx = context.WithoutCancel(c.ctx)
	p.stage = filepath.Join(r.ClawDir(), fmt.Sprintf("stage.%016x", r.rand64()))
	defer func() {
		if p.placing != nil {
			if !p.broken {
				p.placing.cleanUp()
			}
			p.placing.close()
		}
		if !p.broken {
			_ = os.Remove(p.stage)
			release()
			p.journal.done()
		}
	}()
	c.at("locked")
	if again, err = p.prepare(); again || err != nil {
		return "", false, again, err
	}
	c.at("prepared")
	if ref, again, err = p.moveRef(); again || err != nil {
		return "", false, again, err
	}
	c.at("moved")
	err = p.finish()
	c.at("finished")
	return ref, true, false, err
}

func (p *publication) lock() (release func(), err error) {
	if p.opt.test != nil && p.opt.test.noIndexLock {
		return func() {}, nil
	}
	return p.repo.lockIndex(p.ctx, p.opt.LockTimeout, p.journal)
}

// prepare does all that can fail before the commit point.
func (p *publication) prepare() (again bool, err error) {
	r := p.repo
	now, err := r.Head(p.ctx)
	if err != nil {
		return false, err
	}
	if now != p.head && !p.noCAS() {
		return true, nil
	}
	if pr := r.Progress(); pr != nil {
		return false, pr
	}
	if err := p.prepareIndex(p.stage, p.entries); err != nil {
		return false, err
	}
	rec := &p.journal.rec
	if len(rec.Places) > 0 {
		if p.placing, err = r.newPlacing(rec.Places); err != nil {
			return false, err
		}
		if err := p.placing.check(); err != nil {
			return false, err
		}
		if err := p.placing.prepare(); err != nil {
			return false, err
		}
	}
	rec.Index, rec.Stamp = p.stage, r.indexStamp().String()
	rec.Old, rec.New = p.head.Commit.String(), p.commit.String()
	if err := p.journal.write(); err != nil {
		return false, err
	}
	return false, p.syncRecord()
}

// syncRecord waits for the record, the index that it names and their names: when the
// power goes after the ref has moved, the next command finishes the rest.
func (p *publication) syncRecord() error {
	if p.opt.Durability == DurabilityNone {
		return nil
	}
	for _, name := range []string{p.journal.path, p.repo.ClawDir()} {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("sync journal: %w", err)
		}
		err = fullSync(f)
		_ = f.Close()
		if err != nil && runtime.GOOS != "windows" { // where no folder can be synced
			return fmt.Errorf("sync journal: %w", err)
		}
	}
	return nil
}

func (p *publication) noCAS() bool { return p.opt.test != nil && p.opt.test.noCAS }

// moveRef is the commit point.
func (p *publication) moveRef() (ref string, again bool, err error) {
	reason := p.reason()
	if err := p.written(); err != nil {
		return "", false, err
	}
	up := []RefUpdate{{Name: "HEAD", Old: p.head.Commit, New: p.commit}}
	o := refOptions{timeout: p.opt.LockTimeout, hold: p.queue, flags: p.flags, noCAS: p.noCAS()}
	err = p.repo.updateRefs(p.ctx, up, reason, o)
	now, herr := p.repo.Head(p.ctx)
	switch {
	case herr == nil && now.Commit == p.commit:
		// HEAD may have been switched to another branch at the same commit in
		// the last moment; the commit is on the branch that HEAD names.
		return now.Ref, false, nil
	case err == nil:
		return p.head.Ref, false, nil // and somebody went on from there
	case herr != nil:
		p.broken = true // who can read HEAD again knows whether it moved
		return "", false, err
	}
	var ge *GitError
	if errors.As(err, &ge) {
		// git may have been killed after it moved the ref, and somebody went on.
		if there, _ := p.repo.IsAncestor(p.ctx, p.commit.String(), now.Commit.String()); there {
			return now.Ref, false, nil
		}
	}
	var moved *MovedError
	return "", errors.As(err, &moved), err
}

// finish puts files into the work tree and the prepared index into place.
func (p *publication) finish() error {
	var left []string
	var placeErr error
	if p.placing != nil {
		left, placeErr = p.placing.finish()
		p.at("placed")
		// Without stat data git reads the files once more, and nothing else is
		// lost, when this fails.
		_ = p.repo.refreshPaths(p.ctx, p.stage, p.placing.placed(left))
		left = p.repo.unite(p.ctx, p.head.Commit.String(), p.commit.String(), left)
	}
	if err := os.Rename(p.stage, p.repo.indexPath()); err != nil {
		p.broken = true
		return fmt.Errorf("write index: %w", err)
	}
	switch {
	case placeErr != nil:
		return placeErr
	case len(left) > 0:
		return &WorkTreeChangedError{Path: left[0]}
	}
	return nil
}
