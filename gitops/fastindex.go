package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// indexDraft is the index as it will be, before it takes its place.
type indexDraft struct {
	old     *loadedIndex
	perm    fs.FileMode
	new     bool // there is none yet
	patches []indexPatch
	at      map[string]int // where the entries of patches stand in bytes
	bytes   []byte         // without the checksum, until it is written
	since   time.Time      // before the files were looked at
}

// draftIndex reads the index, makes sure that it holds for the transaction's paths
// what the caller saw, and changes it. index.lock is held.
func (f *fastRun) draftIndex() (*indexDraft, error) {
	r := f.repo
	d := &indexDraft{perm: 0o666, at: map[string]int{}, since: fileSystemTime()}
	fi, err := os.Lstat(r.indexPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.new = true
	case err != nil:
		return nil, fmt.Errorf("read index: %w", err)
	case !fi.Mode().IsRegular():
		return nil, errLeftToGit
	default:
		d.perm = fi.Mode().Perm()
	}
	if d.old, err = r.heldIndex(); err != nil {
		return nil, err
	}
	root, err := r.openRoot()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	was, err := f.checkStaged(d.old)
	if err != nil {
		return nil, err
	}
	f.rec.Stamp = d.old.stamp.String()
	for i, e := range f.entries {
		p := indexPatch{path: e.path, delete: e.entry.IsZero(), mode: e.entry.Mode, id: e.entry.ID}
		ch := &f.tx.Changes[i]
		if !p.delete && ch.Place == nil {
			p.stat = statOf(root, e.path, e.entry.Mode, ch.Content)
		}
		d.patches = append(d.patches, p)
		re := redoEntry{Path: []byte(e.path), Was: was[e.path].String()}
		if !p.delete {
			re.Mode, re.ID = p.mode, p.id.String()
		}
		f.rec.Index = append(f.rec.Index, re)
	}
	return d, f.patch(d, root)
}

func (f *fastRun) patch(d *indexDraft, root *os.Root) (err error) {
	opt := indexOptions{
		skipHash: f.cfg.Bool("index.skiphash", false), racy: f.repo.racyCheck(root), verify: d.old.verify,
		wrote: func(path string, at int) { d.at[path] = at }, unsealed: true,
	}
	if f.opt.test != nil {
		opt.noSmudge = f.opt.test.noSmudge
	}
	d.bytes, err = patchIndex(d.old.b, d.old.stat, d.patches, f.tree.moves, opt)
	return err
}

// seal puts the checksum at the end, where the index had one.
func (f *fastRun) seal(d *indexDraft) {
	if !f.cfg.Bool("index.skiphash", false) || !d.old.unsummed() {
		sealIndex(d.bytes)
	}
}

// checkStaged compares what the index holds with what the caller saw there. When the
// file is unchanged since, nothing needs to be read.
func (f *fastRun) checkStaged(index *loadedIndex) (map[string]ID, error) {
	seen := make(map[string]ID, len(f.tx.Changes))
	if f.tx.Seen != (IndexStamp{}) && f.tx.Seen == index.stamp && !index.unsummed() {
		for i := range f.tx.Changes {
			seen[f.tx.Changes[i].Path] = f.tx.Changes[i].IndexID
		}
		return seen, nil
	}
	want := make(map[string]bool, len(f.tx.Changes))
	for i := range f.tx.Changes {
		want[f.tx.Changes[i].Path] = true
	}
	x, err := openIndex(index.b)
	if err != nil {
		return nil, err
	}
	for x.next() {
		if !want[string(x.entry.path)] {
			continue
		}
		if x.entry.stage() != 0 {
			return nil, unmergedError(string(x.entry.path))
		}
		if !x.entry.intentToAdd() {
			seen[string(x.entry.path)] = x.entry.id()
		}
	}
	if x.err != nil {
		return nil, x.err
	}
	for i := range f.tx.Changes {
		if ch := &f.tx.Changes[i]; seen[ch.Path] != ch.IndexID {
			return nil, &MovedError{Subject: ch.Path}
		}
	}
	return seen, nil
}

// statOf is the stat data of a file while it holds this content, else the zero one.
func statOf(root *os.Root, path string, mode Mode, content []byte) fileStat {
	before, err := root.Lstat(path)
	if err != nil {
		return fileStat{}
	}
	if before.Mode().IsRegular() && before.Size() != int64(len(content)) {
		return fileStat{}
	}
	b, now, err := readAt(root, path, int64(len(content))+1)
	after, err2 := root.Lstat(path)
	if err != nil || err2 != nil || !bytes.Equal(b, content) || (now == ModeSymlink) != (mode == ModeSymlink) {
		return fileStat{}
	}
	st := newFileStat(after)
	if st != newFileStat(before) {
		return fileStat{}
	}
	return st
}

// write puts the index under another name.
func (d *indexDraft) write(f *fastRun, path string) error {
	f.seal(d)
	if err := f.disk.write(path, d.bytes, d.perm, f.syncsIndex()); err != nil {
		return fmt.Errorf("prepare index: %w", err)
	}
	if d.new {
		shareMode(path, f.bits)
	} else {
		_ = os.Chmod(path, d.perm) // the umask must not narrow it
	}
	return d.date(path)
}

func (f *fastRun) syncsIndex() bool {
	_, _, index := coreFsync(f.cfg)
	return index || f.opt.Durability == DurabilityFull
}

// date gives the index the time from before the files were looked at. git takes an
// entry for unchanged where the index is of a later second than the file, and a file
// may be edited between the look and the end of its second.
func (d *indexDraft) date(path string) error {
	if err := os.Chtimes(path, d.since, d.since); err != nil {
		return fmt.Errorf("prepare index: %w", err)
	}
	return nil
}

// fileSystemTime is a time that no file has which is written from now on. The clock of
// the file system goes in steps.
func fileSystemTime() time.Time {
	const step = 20 * time.Millisecond
	return time.Now().Add(-step) //nolint:forbidigo // the file system's clock
}

// restat takes over the stat data of files that were put into the work tree.
func (d *indexDraft) restat(f *fastRun, left []string) error {
	root, err := f.repo.openRoot()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	changed := false
	for i := range d.patches {
		p, ch := &d.patches[i], &f.tx.Changes[i]
		at, known := d.at[p.path]
		if p.delete || !known || ch.Place == nil || slices.Contains(left, p.path) || !bytes.Equal(ch.Place.Content, ch.Content) {
			continue
		}
		if st := statOf(root, p.path, p.mode, ch.Content); st != (fileStat{}) {
			copy(d.bytes[at:], st.append(nil, p.mode))
			changed = true
		}
	}
	if !changed {
		return nil
	}
	f.at("looked")
	f.seal(d)
	name := filepath.Join(f.repo.ClawDir(), f.rec.Stage)
	if err := f.disk.overwrite(name, d.bytes, f.syncsIndex()); err != nil {
		return err
	}
	return d.date(name)
}
