package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// othersLook finds what the index does not have and git does not ignore.
type othersLook struct {
	*pathLook
	folders
	nested map[string]bool // directories: whether there is a .git
	ignore *ignoreRules    // nil until they are needed

	files, dirs []string // not in the index; whether they are ignored is not known
}

func (l *pathLook) newOthers() *othersLook {
	return &othersLook{pathLook: l, folders: newFolders(l.r.TopLevel), nested: map[string]bool{}}
}

// find goes through the scope.
func (o *othersLook) find() error {
	if !o.opt.Untracked {
		return nil
	}
	if o.scope.all {
		return o.list("", o.entries)
	}
	for _, p := range o.scope.paths {
		f, err := o.file(p)
		if err != nil {
			return err
		}
		if !f.there {
			continue
		}
		_, known := o.search(p)
		from, to := o.under(p)
		if err := o.other(p, f.mode, known, o.entries[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// list goes through a directory; entries are those below it.
func (o *othersLook) list(dir string, entries []lookEntry) error {
	list, err := o.names(dir)
	if err != nil {
		return errUncertain
	}
	skip := 0
	if dir != "" {
		skip = len(dir) + 1
	}
	at := func(name string) (int, bool) {
		return slices.BinarySearchFunc(entries, name, func(e lookEntry, n string) int { return strings.Compare(e.path[skip:], n) })
	}
	for _, d := range list {
		name := d.Name()
		if strings.EqualFold(name, ".git") {
			if name != ".git" || dir != "" && len(entries) == 0 {
				return errUncertain // a repository of its own
			}
			continue
		}
		if d.Type().IsDir() {
			from, _ := at(name + "/")
			to, _ := at(name + "0")
			if err := o.other(joinPath(dir, name), ModeTree, false, entries[from:to]); err != nil {
				return err
			}
			continue
		}
		if _, known := at(name); known {
			continue
		}
		mode := ModeAbsent
		switch {
		case d.Type()&fs.ModeIrregular != 0:
			return errUncertain
		case d.Type().IsRegular(), d.Type()&fs.ModeSymlink != 0:
			mode = ModeFile
		}
		if err := o.other(joinPath(dir, name), mode, false, nil); err != nil {
			return err
		}
	}
	return nil
}

// names lists a directory, which is no symbolic link. (os.Root would look at every
// name once more.)
func (f folders) names(dir string) ([]fs.DirEntry, error) {
	d, err := os.OpenFile(f.full(dir), os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return d.ReadDir(-1)
}

// other looks at something in the work tree. A directory of which the index has
// nothing is put down and not gone into: it may be ignored.
func (o *othersLook) other(path string, mode Mode, known bool, below []lookEntry) error {
	switch {
	case mode == ModeTree && len(below) > 0:
		return o.list(path, below)
	case mode == ModeTree:
		o.dirs = append(o.dirs, path)
	case mode != ModeAbsent && !known:
		o.files = append(o.files, path)
	}
	return nil
}

// sift leaves out what git ignores, and looks into directories that it does not.
func (o *othersLook) sift() (found []string, err error) {
	for len(o.files)+len(o.dirs) > 0 {
		files, dirs := o.files, o.dirs
		o.files, o.dirs = nil, nil
		keep, err := o.notIgnored(files, dirs)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if keep[f] {
				found = append(found, f)
			}
		}
		for _, d := range dirs {
			if keep[d] {
				if err := o.list(d, nil); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// notIgnored tells which of the paths, which the index does not have, are not
// ignored.
func (o *othersLook) notIgnored(files, dirs []string) (map[string]bool, error) {
	if err := o.checkNames(files, dirs); err != nil {
		return nil, err
	}
	keep, err := o.byRules(files, dirs)
	if !errors.Is(err, errUncertain) {
		return keep, err
	}
	all := slices.Concat(files, dirs)
	keep = make(map[string]bool, len(all))
	for _, p := range all {
		keep[p] = true
	}
	ignored, err := o.r.ignoredPaths(o.ctx, all)
	if err != nil {
		return nil, err
	}
	for _, p := range ignored {
		delete(keep, p)
	}
	return keep, nil
}

// checkNames makes sure that the paths are not in the index by another name, nor
// in a repository of their own.
func (o *othersLook) checkNames(files, dirs []string) error {
	fold, compose := o.cfg.Bool("core.ignorecase", false), o.cfg.Bool("core.precomposeunicode", false)
	for _, list := range [][]string{files, dirs} {
		for _, p := range list {
			if fold || compose && !isASCII(p) {
				return errUncertain
			}
			for dir := parentDir(p); dir != ""; dir = parentDir(dir) {
				nested, asked := o.nested[dir]
				if !asked {
					_, err := lstatFile(filepath.Join(o.full(dir), ".git"))
					nested = !absent(err)
					o.nested[dir] = nested
				}
				if nested {
					return errUncertain
				}
			}
		}
	}
	return nil
}

// byRules is notIgnored without git.
func (o *othersLook) byRules(files, dirs []string) (map[string]bool, error) {
	if o.ignore == nil {
		var err error
		if o.ignore, err = o.r.newIgnoreRules(o.cfg); err != nil {
			return nil, err
		}
	}
	keep := make(map[string]bool, len(files)+len(dirs))
	for i, list := range [][]string{files, dirs} {
		for _, p := range list {
			ignored, err := o.ignore.ignores(p, i == 1)
			if err != nil {
				return nil, err
			}
			keep[p] = !ignored
		}
	}
	return keep, nil
}
