//go:build unix

package gitops_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// namesOf reads a copy of the git dir as names below the git dir itself.
func namesOf(t testing.TB, copied, gitDir string) map[string]*name {
	t.Helper()
	names := map[string]*name{}
	err := filepath.WalkDir(copied, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		i := &inode{dir: d.IsDir()}
		if !i.dir {
			if i.data, err = os.ReadFile(path); err != nil {
				return err
			}
			i.saved = i.data
		}
		names[gitDir+strings.TrimPrefix(path, copied)] = &name{[]*inode{i}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// rebuild writes what is left into a work tree of its own.
func rebuild(t testing.TB, r *gittest.Repo, gitDir string, left map[string]*inode) string {
	t.Helper()
	dir, err := os.MkdirTemp(r.Base, "cut")
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "memory"), os.DirFS(filepath.Join(r.Dir, "memory")))
	}
	if err != nil {
		t.Fatal(err)
	}
	written := map[*inode]string{}
	for _, path := range slices.Sorted(maps.Keys(left)) {
		to := filepath.Join(dir, ".git", strings.TrimPrefix(path, gitDir))
		i := left[path]
		if i.dir {
			err = os.MkdirAll(to, 0o777)
		} else if _, serr := os.Stat(filepath.Dir(to)); serr != nil {
			continue // its directory is lost
		} else if first, ok := written[i]; ok {
			err = os.Link(first, to)
		} else {
			written[i] = to
			err = os.WriteFile(to, i.data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// refInode is the inode, in a work tree put together, of the file that had a
// temporary name.
func (p *powerCut) refInode(left map[string]*inode, torn map[*inode]*inode, gitDir, dir, temp string) uint64 {
	made := p.made[filepath.Join(gitDir, "claw", temp)]
	for path, i := range left {
		if made == nil || torn[made] != i {
			continue
		}
		fi, err := os.Stat(filepath.Join(dir, ".git", strings.TrimPrefix(path, gitDir)))
		if err == nil {
			return fi.Sys().(*syscall.Stat_t).Ino
		}
	}
	return 0
}
