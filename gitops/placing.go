package gitops

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// placeRecord is one file to be put into the work tree, as the journal keeps
// it.
type placeRecord struct {
	Path    []byte `json:"path"`
	Existed bool   `json:"existed"`
	Base    string `json:"base"` // sum of the content that may be replaced
	Content []byte `json:"content,omitempty"`
	// Blob is the content where it is too large to be held, and Sum that of it.
	Blob   string `json:"blob,omitempty"`
	Sum    string `json:"sum,omitempty"`
	Delete bool   `json:"delete,omitempty"`
	Mode   Mode   `json:"mode"`
	// WasLink: what may be replaced is a symbolic link.
	WasLink bool `json:"link,omitempty"`
	// Chmod: the commit changes the executable bit.
	Chmod bool `json:"chmod,omitempty"`
	// Seed makes the names of temporary files, Inside says where they go.
	Seed   string `json:"seed,omitempty"`
	Inside bool   `json:"inside,omitempty"`
	// Was is the file that is replaced and Temp the temporary one: after a power cut
	// they tell a file that was not renamed, or lost its content, from an edit.
	Was  fileMark `json:"was,omitzero"`
	Temp fileMark `json:"temp,omitzero"`

	open bool // its record is not marked done
}

// temp is the file, from the top level, that holds the content before the commit
// is made: in the git dir when a rename from there is one step, so that nobody
// who watches the work tree sees it.
func (rec *placeRecord) temp() string {
	if rec.Inside {
		return ".git/claw/place." + rec.Seed
	}
	return ".claw-" + rec.Seed + ".tmp"
}

// nearTemp is beside the target, for a target on another device.
func (rec *placeRecord) nearTemp() string {
	return path.Join(path.Dir(string(rec.Path)), ".claw-"+rec.Seed+".near.tmp")
}

// sum identifies work-tree content in the journal.
func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// placing puts the files of one transaction into the work tree: checked and
// written to temporary files before the commit is made, so that a full disk is
// met in time, and renamed after it.
type placing struct {
	repo *Repo
	root *os.Root
	recs []placeRecord
	// sync waits for all files, syncNew for those that were not there: nothing else
	// tells later whether one of them was lost or removed.
	sync, syncNew bool
}

func (r *Repo) newPlacing(recs []placeRecord) (*placing, error) {
	root, err := r.openRoot()
	if err != nil {
		return nil, err
	}
	return &placing{repo: r, root: root, recs: recs}, nil
}

func (p *placing) close() { _ = p.root.Close() }

// gitDirIsNear reports whether the git dir is below the top level and on the
// same device.
func (r *Repo) gitDirIsNear() bool {
	if r.GitDir != filepath.Join(r.TopLevel, ".git") {
		return false
	}
	top, err1 := os.Lstat(r.TopLevel)
	git, err2 := os.Lstat(r.GitDir)
	if err1 != nil || err2 != nil || !git.IsDir() {
		return false
	}
	d1, _, ok1 := fileKey(top)
	d2, _, ok2 := fileKey(git)
	return ok1 == ok2 && d1 == d2
}

// deletes reports whether the transaction removes a path.
func (p *placing) deletes(name string) bool {
	for i := range p.recs {
		if p.recs[i].Delete && string(p.recs[i].Path) == name {
			return true
		}
	}
	return false
}

// check refuses the transaction while an edit made meanwhile would be
// overwritten by it.
func (p *placing) check() error {
	for i := range p.recs {
		rec := &p.recs[i]
		name := string(rec.Path)
		file, err := checkParents(p.root, name)
		if err != nil {
			return err
		}
		if file != "" && !p.deletes(file) {
			return &WorkTreeChangedError{Path: file}
		}
		if file != "" {
			continue
		}
		if fi, err := p.root.Lstat(name); err == nil && fi.IsDir() {
			if err := p.onlyDeleted(name); err != nil {
				return err
			}
		}
		if fi, err := p.root.Lstat(name); err == nil {
			rec.Was = markOf(fi)
		}
		now, mode, err := sumAt(p.root, name, nil)
		if err != nil {
			return err
		}
		if !rec.still(now, mode) {
			return &WorkTreeChangedError{Path: name}
		}
	}
	return nil
}

// onlyDeleted refuses a directory that holds a file which the transaction does
// not remove.
func (p *placing) onlyDeleted(dir string) error {
	list, err := readDir(p.root, dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		name := path.Join(dir, d.Name())
		switch {
		case d.IsDir():
			if err := p.onlyDeleted(name); err != nil {
				return err
			}
		case !p.deletes(name):
			return &WorkTreeChangedError{Path: name}
		}
	}
	return nil
}

// readDir lists a directory. fs.ReadDir would refuse names that are not UTF-8.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.ReadDir(-1)
}

// still reports whether a file of a sum is what the caller based its change on.
func (rec *placeRecord) still(now string, mode Mode) bool {
	if mode == ModeAbsent || !rec.Existed {
		return (mode != ModeAbsent) == rec.Existed
	}
	return (mode == ModeSymlink) == rec.WasLink && now == rec.Base
}

// done reports whether a file of a sum already is as it shall be.
func (rec *placeRecord) done(now string, mode Mode) bool {
	switch {
	case rec.Delete || mode == ModeAbsent:
		return rec.Delete && mode == ModeAbsent
	case rec.Chmod && mode != rec.Mode:
		return false
	}
	want := rec.Sum
	if rec.Blob == "" {
		want = sum(rec.Content)
	}
	return (mode == ModeSymlink) == (rec.Mode == ModeSymlink) && now == want
}

// prepare writes the temporary files.
func (p *placing) prepare() error {
	for i := range p.recs {
		if rec := &p.recs[i]; !rec.Delete {
			if err := p.write(rec, rec.temp()); err != nil {
				return err
			}
		}
	}
	return nil
}

// placed lists the files that are in the work tree now.
func (p *placing) placed(left []string) []string {
	var out []string
	for i := range p.recs {
		if name := string(p.recs[i].Path); !p.recs[i].Delete && !slices.Contains(left, name) {
			out = append(out, name)
		}
	}
	return out
}

// cleanUp removes the temporary files that are left.
func (p *placing) cleanUp() {
	for i := range p.recs {
		if rec := &p.recs[i]; rec.Seed != "" && !rec.Delete {
			_ = p.root.Remove(rec.temp())
			_ = p.root.Remove(rec.nearTemp())
		}
	}
}

func (p *placing) write(rec *placeRecord, temp string) error {
	if rec.Mode == ModeSymlink {
		if err := p.root.Symlink(string(rec.Content), temp); err != nil {
			return fmt.Errorf("write '%s': %w", rec.Path, err)
		}
		if fi, err := p.root.Lstat(temp); err == nil {
			rec.Temp = markOf(fi)
		}
		return nil
	}
	perm := fs.FileMode(0o666)
	if rec.Mode == ModeExecutable {
		perm = 0o777
	}
	keep := false
	if fi, err := p.root.Lstat(string(rec.Path)); err == nil && fi.Mode().IsRegular() {
		perm, keep = fi.Mode().Perm(), true
		if rec.Chmod && rec.Mode == ModeExecutable {
			perm |= perm & 0o444 >> 2 // who may read may run
		} else if rec.Chmod {
			perm &^= 0o111
		}
	}
	f, err := p.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fmt.Errorf("write '%s': %w", rec.Path, err)
	}
	err = p.fill(rec, f)
	if err == nil && keep {
		err = f.Chmod(perm) // the umask must not narrow the mode the file had
	}
	if err == nil && (p.sync || p.syncNew && !rec.Existed) {
		err = fullSync(f)
	}
	if fi, serr := f.Stat(); serr == nil {
		rec.Temp = markOf(fi)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = p.root.Remove(temp)
		return fmt.Errorf("write '%s': %w", rec.Path, err)
	}
	return nil
}

// finish puts every file into place, removals first. A file that was edited in
// the moment since check is left alone and named; so is one that the system
// refuses, with the first reason.
func (p *placing) finish() (left []string, err error) {
	for _, del := range []bool{true, false} {
		for i := range p.recs {
			rec := &p.recs[i]
			if rec.Delete != del {
				continue
			}
			ferr := p.one(rec)
			var changed *WorkTreeChangedError
			if ferr != nil {
				left = append(left, string(rec.Path))
			}
			if ferr != nil && !errors.As(ferr, &changed) && err == nil {
				err = ferr
			}
		}
	}
	return left, err
}

func (p *placing) one(rec *placeRecord) error {
	name := string(rec.Path)
	if file, err := checkParents(p.root, name); err != nil || file != "" {
		if file != "" && !rec.Delete {
			err = &WorkTreeChangedError{Path: name}
		}
		return err
	}
	cur, mode, err := sumAt(p.root, name, nil)
	if err != nil || rec.done(cur, mode) {
		return err
	}
	if !rec.still(cur, mode) {
		return &WorkTreeChangedError{Path: name}
	}
	if rec.Delete {
		if err := p.root.Remove(name); err != nil {
			return err
		}
		p.syncDirs(rec, path.Dir(name))
		return nil
	}
	if fi, err := p.root.Lstat(name); err == nil && fi.IsDir() {
		if err := removeEmpty(p.root, name); err != nil {
			return &WorkTreeChangedError{Path: name}
		}
	}
	there := p.firstDir(path.Dir(name))
	if dir := path.Dir(name); dir != "." {
		if err := p.root.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("write '%s': %w", name, err)
		}
	}
	if err := p.root.Rename(rec.temp(), name); err == nil {
		p.syncDirs(rec, there)
		return nil
	}
	// The temporary file is gone (recovery), or on another device.
	temp := rec.nearTemp()
	_ = p.root.Remove(temp)
	if err := p.write(rec, temp); err != nil {
		return err
	}
	if err := p.root.Rename(temp, name); err != nil {
		_ = p.root.Remove(temp)
		return fmt.Errorf("write '%s': %w", name, err)
	}
	p.syncDirs(rec, there)
	return nil
}

// firstDir is the lowest directory of dir that exists.
func (p *placing) firstDir(dir string) string {
	for dir != "." {
		if _, err := p.root.Lstat(dir); err == nil {
			break
		}
		dir = path.Dir(dir)
	}
	return dir
}

// syncDirs makes the name of a file durable, or its removal, and the directories
// made for it below top. Not every file system syncs directories.
func (p *placing) syncDirs(rec *placeRecord, top string) {
	if !p.sync && (!p.syncNew || rec.Existed) {
		return
	}
	for dir := path.Dir(string(rec.Path)); ; dir = path.Dir(dir) {
		if f, err := p.root.Open(dir); err == nil {
			_ = fullSync(f)
			_ = f.Close()
		}
		if dir == top || dir == "." {
			return
		}
	}
}

// removeEmpty removes a directory in which there are only directories.
func removeEmpty(root *os.Root, dir string) error {
	list, err := readDir(root, dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		if !d.IsDir() {
			return fs.ErrExist
		}
		if err := removeEmpty(root, path.Join(dir, d.Name())); err != nil {
			return err
		}
	}
	return root.Remove(dir)
}
