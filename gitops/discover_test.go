package gitops_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestDiscoverAgreesWithGit: what is found without asking git is what git says,
// in every shape and from every place.
func TestDiscoverAgreesWithGit(t *testing.T) {
	t.Parallel()
	for _, sh := range append(gittest.Shapes(), gittest.Shape{Name: "bare", Options: []gittest.Option{gittest.Bare()}},
		gittest.Shape{Name: "core.worktree", Options: []gittest.Option{gittest.Config("core.worktree", "..")}},
		gittest.Shape{Name: "unborn", Options: []gittest.Option{gittest.Unborn()}},
		gittest.Shape{Name: "odd name", Options: []gittest.Option{gittest.In("a b [x] \n é")}}) {
		t.Run(sh.Name, func(t *testing.T) {
			t.Parallel()
			agree(t, gittest.New(t, sh.Options...))
		})
	}
}

// agree compares the two ways from several places of a repository. A plain work
// tree must be found without git, or this test would compare nothing.
func agree(t *testing.T, r *gittest.Repo) {
	quick := 0
	g := gitops.NewGit(r.Env())
	dirs := []string{r.Dir, filepath.Join(r.Dir, ".git"), filepath.Dir(r.Dir)}
	sub := filepath.Join(r.Dir, "deep", "er")
	link := filepath.Join(t.TempDir(), "link")
	if os.MkdirAll(sub, 0o755) == nil && os.Symlink(sub, link) == nil {
		dirs = append(dirs, sub, link)
	}
	for _, dir := range dirs {
		got, ok := gitops.Discover(t.Context(), g, dir)
		if !ok {
			continue
		}
		quick++
		want, err := gitops.Ask(t.Context(), g, dir)
		if err != nil {
			t.Errorf("found '%s' from '%s' where git says: %v", got.TopLevel, dir, err)
			continue
		}
		a := []string{got.TopLevel, got.GitDir, got.CommonDir, got.ObjectFormat, got.RefFormat, got.Prefix}
		b := []string{want.TopLevel, want.GitDir, want.CommonDir, want.ObjectFormat, want.RefFormat, want.Prefix}
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("from '%s': %q, git says %q", dir, a[i], b[i])
			}
		}
		if got.Bare != want.Bare || got.InHook != want.InHook {
			t.Errorf("from '%s': bare %v, in a hook %v; git says %v, %v", dir, got.Bare, got.InHook, want.Bare, want.InHook)
		}
	}
	if _, err := os.Stat(filepath.Join(r.Dir, ".git", "refs")); err == nil && quick == 0 && !strings.Contains(t.Name(), "worktree") && runtime.GOOS == "linux" {
		t.Error("nothing was found without asking git")
	}
}
