package shapes

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// Together is every shape in one workspace: what lies in the work trees of all of
// them, one over the other. Of a file that several shapes have, the texts follow each
// other; where they have a file, a folder and a link of one name, the first stays.
// All is committed but what the shape of secrets adds. Left out is what makes it a
// repository of another kind: its own settings, hooks and refs, and a `.claw/config`
// that came with a clone. Shapes can be left out, by name.
func Together(without ...string) Shape {
	return Shape{
		Name: "together", About: "all shapes in one workspace",
		Make: build(func(k kit) {
			var last string
			for _, s := range All() {
				if slices.Contains(without, s.Name) {
					continue
				}
				from := gittest.New(k.t, gittest.Unborn()).Dir
				s.Make(k.t, from)
				if len(s.Withheld) > 0 {
					last = from
					continue
				}
				k.overlay(from)
			}
			k.commit("start")
			k.overlay(last)
		}),
	}
}

// overlay adds the work tree of another repository.
func (k kit) overlay(from string) {
	k.t.Helper()
	k.must(filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == from {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		to := filepath.Join(k.dir, rel)
		had, err := os.Lstat(to)
		there := err == nil
		switch {
		case rel == ".git" || rel == filepath.Join(".claw", "config"):
			return skip(d)
		case d.IsDir():
			if there && !had.IsDir() {
				return fs.SkipDir
			}
			return os.MkdirAll(to, 0o777)
		case there && (!had.Mode().IsRegular() || !d.Type().IsRegular()):
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(target, to)
		}
		return k.add(p, to, there)
	}))
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// add copies a file, or what another shape has not written there yet.
func (k kit) add(from, to string, there bool) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	fi, err := os.Stat(from)
	if err != nil {
		return err
	}
	if there {
		old, err := os.ReadFile(to)
		if err != nil || strings.Contains(string(old), string(text)) {
			return err
		}
		if len(old) > 0 && old[len(old)-1] != '\n' {
			old = append(old, '\n')
		}
		text = append(old, text...)
	}
	return os.WriteFile(to, text, fi.Mode().Perm()|0o200)
}
