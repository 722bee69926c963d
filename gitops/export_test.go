package gitops

import (
	"encoding/json"
	"os"
)

// Seam is how tests stop or weaken a writer, see seam.
type Seam struct {
	At          func(point string)
	Trace       func(DiskOp)
	NoCAS       bool
	NoIndexLock bool
	NoSmudge    bool
	NoRedo      bool
	RedoBound   int
	NoIntent    bool
	GitOnly     bool
}

// DiskOp is a change that the fast writer makes to the git dir.
type DiskOp = diskOp

// With returns the options with a seam in them.
func (s Seam) With(o WriterOptions) WriterOptions {
	o.test = &seam{at: s.At, trace: s.Trace, noCAS: s.NoCAS, noIndexLock: s.NoIndexLock, noSmudge: s.NoSmudge, noRedo: s.NoRedo, redoBound: s.RedoBound, noIntent: s.NoIntent, gitOnly: s.GitOnly}
	return o
}

// Discover and Ask are the two ways Open finds a repository.
var (
	Discover = discover
	Ask      = ask
)

// WithoutRecovery makes a repository finish nothing that a dead writer left.
func WithoutRecovery(r *Repo) *Repo {
	r.noRecovery = true
	return r
}

// WithBoot makes a repository believe that the machine was started anew.
func WithBoot(r *Repo, boot string) *Repo {
	r.boot = boot
	return r
}

// SetRefInodes changes the log of a repository that was put together from a trace:
// the files that become refs, and those that were refs, have other inodes there.
func SetRefInodes(r *Repo, ino func(temp string) uint64) error {
	if err := setIntentInodes(r, ino); err != nil {
		return err
	}
	l, err := r.openRedo(&disk{})
	if err != nil || l == nil {
		return err
	}
	defer l.close()
	recs, err := l.read()
	if err != nil {
		return err
	}
	if err := l.f.Truncate(int64(redoHeader)); err != nil {
		return err
	}
	l.size, l.seq = int64(redoHeader), 0
	for _, rec := range recs {
		rec.RefIno = ino(rec.RefTemp)
		if r.readRef(rec.Ref) == rec.Old {
			rec.RefWas = r.refMark(rec.Ref)
		}
		if err := l.add(rec, rec.objects); err != nil {
			return err
		}
		if rec.ended && rec.done {
			err = l.end(recordDone)
		} else if rec.ended {
			err = l.end(recordUndone)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NewPackReader reads objects out of packs, as many as are asked for.
func NewPackReader(r *Repo) func(id ID, kind string) ([]byte, bool) {
	p := &packReader{}
	return func(id ID, kind string) ([]byte, bool) {
		p.spent = 0
		return p.read(r, id, kind, 0)
	}
}

func setIntentInodes(r *Repo, ino func(temp string) uint64) error {
	in, err := r.readIntent()
	if err != nil || in == nil {
		return err
	}
	for i := range in.Moves {
		m := &in.Moves[i]
		m.Ino = ino(m.Temp)
		if r.readRef(m.Ref) == m.Old {
			m.Was = r.refMark(m.Ref)
		}
	}
	in.Packed.Ino = ino(in.Packed.Temp)
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if in.decided {
		b = append(b, decidedLine...)
	}
	return os.WriteFile(r.intentPath(), b, 0o600)
}
