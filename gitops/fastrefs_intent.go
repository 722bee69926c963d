package gitops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The intent of a transaction of refs lies in one file of the folder that all worktrees
// share: a line of JSON, and when the transaction counts a second line. The file is
// empty when nothing is under way. It is written before the first lock is taken, so that
// each lock can be told from anybody else's, and it has a second line before the first
// ref is moved. One name that stays, to which is only added, needs no folder to be
// synced.
const (
	intentName  = "refs"
	decidedLine = "decided\n"
	// refTempPrefix begins the names of files that become locks and refs.
	refTempPrefix = "refs."
)

// refIntent is one transaction.
type refIntent struct {
	Boot   string    `json:"boot"`   // hash of the boot it was written in
	Synced bool      `json:"synced"` // it was waited for
	Moves  []refMove `json:"refs"`
	// Deletes: the lock of the packed refs is taken as well.
	Deletes bool     `json:"deletes,omitempty"`
	Packed  lockFile `json:"packed,omitzero"`

	decided bool
}

// refMove is what becomes of one ref.
type refMove struct {
	Ref string   `json:"ref"`
	Old string   `json:"old,omitempty"` // "": there is none
	New string   `json:"new,omitempty"` // "": it is deleted
	Was fileMark `json:"was,omitzero"`  // the file that had the old value
	lockFile
	Log    string `json:"log,omitempty"` // line for its reflog
	LogNew bool   `json:"logNew,omitempty"`
}

// lockFile is a file that is linked to the name of a lock.
type lockFile struct {
	Temp string `json:"temp"` // name in the folder of the intent
	Dev  uint64 `json:"dev"`
	Ino  uint64 `json:"ino"`
}

func (r *Repo) intentPath() string { return filepath.Join(r.CommonClawDir(), intentName) }

func (r *Repo) bootHash() string {
	sum := sha256.Sum256([]byte(r.bootID()))
	return hex.EncodeToString(sum[:8])
}

// openIntent opens the file, which is empty.
func (r *Repo) openIntent(ctx context.Context, d *disk, sync bool) (*os.File, error) {
	name := r.intentPath()
	open := func() (*os.File, error) { return os.OpenFile(name, os.O_RDWR|os.O_APPEND|openNoFollow, 0) }
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		if err = d.write(name, nil, 0o600, sync); err == nil {
			shareMode(name, r.sharedBits(ctx))
			if sync {
				err = d.syncDir(r.CommonClawDir())
			}
		}
		if err == nil {
			f, err = open()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("write intent: %w", err)
	}
	return f, nil
}

// writeIntent says what is about to be done.
func (r *Repo) writeIntent(d *disk, f *os.File, in *refIntent) error {
	in.Boot = r.bootHash()
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return addToIntent(d, f, string(b)+"\n", in.Synced, 0)
}

// decideIntent is the moment from which on the transaction counts.
func decideIntent(d *disk, f *os.File, sync bool) error {
	fi, err := f.Stat()
	if err != nil {
		return fmt.Errorf("write intent: %w", err)
	}
	return addToIntent(d, f, decidedLine, sync, fi.Size())
}

func addToIntent(d *disk, f *os.File, line string, sync bool, size int64) error {
	err := d.append(f, []byte(line))
	if err == nil && sync {
		err = d.syncFile(f)
	}
	if err != nil {
		_ = d.truncate(f, size)
		return fmt.Errorf("write intent: %w", err)
	}
	return nil
}

// endIntent: nothing is left to be done.
func (r *Repo) endIntent(d *disk, f *os.File, sync bool) error {
	err := d.truncate(f, 0)
	if err == nil && sync {
		err = d.syncFile(f)
	}
	if err != nil {
		return fmt.Errorf("end intent: %w", err)
	}
	return nil
}

// refsLeft reports whether somebody has an intent, or died with it.
func (r *Repo) refsLeft() bool {
	fi, err := os.Lstat(r.intentPath())
	return err == nil && fi.Size() > 0
}

// readIntent reads what a dead writer intended; nil where nothing can be made of it:
// then it took no lock.
func (r *Repo) readIntent() (*refIntent, error) {
	b, err := os.ReadFile(r.intentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read intent: %w", err)
	}
	line, rest, whole := bytes.Cut(b, []byte{'\n'})
	in := &refIntent{}
	if !whole || json.Unmarshal(line, in) != nil {
		return nil, nil
	}
	for _, m := range in.Moves {
		if !plainRef(m.Ref) || !isRefTemp(m.Temp) {
			return nil, nil
		}
	}
	if in.Deletes && !isRefTemp(in.Packed.Temp) {
		return nil, nil
	}
	in.decided = string(rest) == decidedLine
	return in, nil
}

func isRefTemp(name string) bool {
	return strings.HasPrefix(name, refTempPrefix) && filepath.Base(name) == name
}
