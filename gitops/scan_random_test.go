package gitops_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// follower keeps what an index over the work tree would keep: the files that git
// does not have, and the folders whose names are known.
type follower struct {
	extra map[string]bool
	dirs  map[string]int64
}

// follow scans with what is known, and brings it up to date.
func (f *follower) follow(t *testing.T, repo *gitops.Repo) *gitops.WorkScan {
	t.Helper()
	known := slices.Sorted(maps.Keys(f.extra))
	s := scanOf(t, repo, gitops.ScanOptions{Roots: append([]string{""}, known...), Dirs: f.dirs})
	f.extra, f.dirs = map[string]bool{}, s.Dirs
	for _, e := range s.Extra {
		f.extra[e.Path] = true
	}
	return s
}

func TestScanDirs(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	f := &follower{}
	step := func(what string, edit func(), changed, extra, missing []string) {
		t.Helper()
		time.Sleep(tick)
		edit()
		t.Log(what)
		wantLists(t, f.follow(t, repo), changed, extra, missing)
	}
	step("nothing", func() {}, []string{}, []string{}, nil)
	step("a new file in an old folder", func() { r.Write("notes/n.md", "n\n") }, []string{}, []string{"notes/n.md"}, nil)
	// Folders that are not listed give nothing but the files asked for by name.
	if s := scanOf(t, repo, gitops.ScanOptions{Dirs: f.dirs}); len(s.Extra) != 0 || !maps.Equal(s.Dirs, f.dirs) {
		t.Errorf("a folder was listed although its time is known: %+v", s.Extra)
	}
	step("a new folder", func() { r.Write("notes/sub/deep/x.md", "x\n") }, []string{}, []string{"notes/n.md", "notes/sub/deep/x.md"}, nil)
	step("a file below folders that only Dirs names", func() { r.Write("notes/sub/deep/y.md", "y\n") }, []string{},
		[]string{"notes/n.md", "notes/sub/deep/x.md", "notes/sub/deep/y.md"}, nil)
	step("a folder is gone", func() { r.Remove("notes/sub") }, []string{}, []string{"notes/n.md"}, nil)
	if _, there := f.dirs["notes/sub/"]; there {
		t.Error("a folder that is gone is still in Dirs")
	}
	step("a tracked folder is gone", func() { r.Remove("notes/deep") }, []string{}, []string{"notes/n.md"}, []string{"notes/deep/er/a.md"})
	step("a repository within", func() { r.Git("init", "-q", "memory/repo"); r.Write("memory/repo/r.md", "r\n") },
		[]string{}, []string{"notes/n.md"}, []string{"notes/deep/er/a.md"})
	step("no repository any more", func() { r.Remove("memory/repo/.git") },
		[]string{}, []string{"memory/repo/r.md", "notes/n.md"}, []string{"notes/deep/er/a.md"})
	step("an edit", func() { r.Append("MEMORY.md", "x\n") },
		[]string{"MEMORY.md"}, []string{"memory/repo/r.md", "notes/n.md"}, []string{"notes/deep/er/a.md"})
}

// TestScanRandom edits at random, and holds a full scan to git and one with known
// folders to the full one.
func TestScanRandom(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]gittest.Option{nil, {gittest.IndexV4()}, {gittest.SplitIndex()}, {gittest.SHA256()}} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, opts...)
			repo, f, rnd := r.Open(), &follower{}, rand.New(gittest.Rand(t.Name()))
			r.Write(".gitignore", "*.tmp\n")
			for round := range 25 {
				time.Sleep(tick)
				var did []string
				for range 1 + rnd.IntN(4) {
					did = append(did, randomEdit(t, r, rnd))
				}
				full, s := sameAsGit(t, r, repo), f.follow(t, repo)
				if !slices.Equal(pathsOf(s.Extra), pathsOf(full.Extra)) || !slices.Equal(s.Missing, full.Missing) ||
					!slices.Equal(s.Changed, full.Changed) || !maps.Equal(s.Dirs, full.Dirs) || s.Sum != full.Sum {
					t.Errorf("with known folders the scan is\n%+v, without\n%+v", s, full)
				}
				if t.Failed() {
					t.Fatalf("round %d after %q", round, did)
				}
			}
		})
	}
}

func randomEdit(t *testing.T, r *gittest.Repo, rnd *rand.Rand) string {
	t.Helper()
	part := func() string { return string(rune('a' + rnd.IntN(3))) }
	name := part() + strings.Repeat("/"+part(), rnd.IntN(3))
	if rnd.IntN(3) > 0 {
		name += []string{".md", ".tmp"}[rnd.IntN(2)]
	}
	switch op := rnd.IntN(10); op {
	default:
		if err := os.MkdirAll(r.Path(path.Dir(name)), 0o777); err != nil {
			return "" // a file is in the way
		}
		if err := os.WriteFile(r.Path(name), fmt.Appendf(nil, "%d\n", rnd.IntN(100)), 0o666); err != nil {
			return ""
		}
		return "write " + name
	case 0:
		r.Remove(name)
		return "remove " + name
	case 1, 2:
		r.Git("add", "-A")
		return "add"
	case 3:
		_, _ = r.Try("commit", "-q", "-m", "x") // there may be nothing
		return "commit"
	case 4:
		to := part()
		_ = os.Rename(r.Path(name), r.Path(to)) // where it is possible
		return "rename " + name + " to " + to
	case 5:
		err := os.Symlink(part(), r.Path(name))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return ""
		}
		return "link " + name
	}
}
