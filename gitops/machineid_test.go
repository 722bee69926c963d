package gitops_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestMachineID(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := gittest.New(t)
	first, err := r.Open().MachineID(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Open().MachineID(ctx); err != nil || again != first {
		t.Errorf("the second time: %q %v, want %q", again, err, first)
	}
	id := func(dir string) string {
		repo, err := gitops.Open(ctx, gitops.NewGit(r.Env()), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = repo.Close() }()
		id, err := repo.MachineID(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	// A moved folder is the same machine, a copied one is another, and a copy that
	// takes the place of the folder is the old one restored.
	moved := filepath.Join(r.Base, "moved")
	if err := os.Rename(r.Dir, moved); err != nil {
		t.Fatal(err)
	}
	if got := id(moved); got != first {
		t.Errorf("moved: %q, want %q", got, first)
	}
	copied := filepath.Join(r.Base, "copied")
	if out, err := exec.Command("cp", "-R", moved, copied).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	if got := id(copied); got == first {
		t.Error("a copy has the same id")
	}
	back := filepath.Join(r.Base, "back")
	if out, err := exec.Command("cp", "-R", moved, back).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	if err := errors.Join(os.RemoveAll(r.Dir), os.Rename(back, r.Dir)); err != nil {
		t.Fatal(err)
	}
	if got := id(r.Dir); got != first {
		t.Errorf("restored: %q, want %q", got, first)
	}
}
