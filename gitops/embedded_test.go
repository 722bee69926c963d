package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestEmbeddedRepository: a tracked folder that looks like a repository is not
// taken for one, and the program that its configuration names is not run.
func TestEmbeddedRepository(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	mark := filepath.Join(t.TempDir(), "ran")
	r.Write("memory/p/HEAD", "ref: refs/heads/main\n")
	r.Write("memory/p/refs/x", "")
	r.Write("memory/p/objects/x", "")
	r.Write("memory/p/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = \"touch "+mark+"; false\"\n")
	for _, dir := range []string{r.Path("memory/p"), r.Path("memory/p/refs")} {
		g := gitops.NewGit(r.Env())
		repo, err := gitops.Open(t.Context(), g, dir)
		if err == nil {
			_, err = repo.Status(t.Context(), gitops.StatusOptions{Untracked: true})
		}
		if !errors.Is(err, gitops.ErrNotRepository) {
			t.Errorf("from '%s': %v", dir, err)
		}
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a program named by a tracked file was run")
	}
	bare := gittest.New(t, gittest.Bare())
	repo, err := bare.TryOpen()
	if err != nil || !repo.Bare {
		t.Fatalf("a bare repository by itself: %+v, %v", repo, err)
	}
	for _, err := range repo.Log(t.Context(), gitops.LogOptions{}) {
		t.Errorf("log of an empty bare repository: %v", err)
	}
}
