package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// indexDraft is the index as it will be, before it takes its place.
type indexDraft struct {
	old     []byte
	oldStat fileStat
	perm    fs.FileMode
	stamp   IndexStamp
	patches []indexPatch
	bytes   []byte
}

// draftIndex reads the index, makes sure that it holds for the transaction's paths
// what the caller saw, and changes it. index.lock is held.
func (f *fastRun) draftIndex() (*indexDraft, error) {
	r := f.repo
	d := &indexDraft{perm: 0o666, stamp: r.indexStamp()}
	fi, err := os.Lstat(r.indexPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read index: %w", err)
	case !fi.Mode().IsRegular():
		return nil, errLeftToGit
	default:
		d.oldStat, d.perm = newFileStat(fi), fi.Mode().Perm()
		if d.old, err = os.ReadFile(r.indexPath()); err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
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
	f.rec.Stamp = d.stamp.String()
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
	d.bytes, err = f.patch(d, root)
	return d, err
}

func (f *fastRun) patch(d *indexDraft, root *os.Root) ([]byte, error) {
	opt := indexOptions{skipHash: f.cfg.Bool("index.skiphash", false), racy: f.repo.racyCheck(root)}
	if f.opt.test != nil {
		opt.noSmudge = f.opt.test.noSmudge
	}
	return patchIndex(d.old, d.oldStat, d.patches, f.tree.moves, opt)
}

// checkStaged compares what the index holds with what the caller saw there.
func (f *fastRun) checkStaged(b []byte) (map[string]ID, error) {
	seen := make(map[string]ID, len(f.tx.Changes))
	want := make(map[string]bool, len(f.tx.Changes))
	for i := range f.tx.Changes {
		want[f.tx.Changes[i].Path] = true
	}
	x, err := openIndex(b)
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
	_, _, index := coreFsync(f.cfg)
	if err := f.disk.write(path, d.bytes, d.perm, index || f.opt.Durability == DurabilityFull); err != nil {
		return fmt.Errorf("prepare index: %w", err)
	}
	if d.oldStat == (fileStat{}) {
		shareMode(path, f.bits)
	} else {
		_ = os.Chmod(path, d.perm) // the umask must not narrow it
	}
	return nil
}

// restat takes over the stat data of files that were put into the work tree.
func (d *indexDraft) restat(f *fastRun, left []string) error {
	root, err := f.repo.openRoot()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for i := range d.patches {
		p, ch := &d.patches[i], &f.tx.Changes[i]
		if !p.delete && ch.Place != nil && !slices.Contains(left, p.path) && bytes.Equal(ch.Place.Content, ch.Content) {
			p.stat = statOf(root, p.path, p.mode, ch.Content)
		}
	}
	b, err := f.patch(d, root)
	if err != nil || len(b) != len(d.bytes) {
		return err
	}
	name := f.repo.ClawDir() + "/" + f.rec.Stage
	if err := f.disk.remove(name); err != nil {
		return err
	}
	d.bytes = b
	return d.write(f, name)
}
