package gitops_test

import (
	"os"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestMergeHeads(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	if heads, err := r.Open().MergeHeads(); err != nil || len(heads) != 0 {
		t.Fatalf("without a merge: %v, %v", heads, err)
	}
	r.Git("switch", "-q", "-c", "side")
	r.Write("memory/side.md", "- side\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "side")
	side := r.Head()
	r.Git("switch", "-q", "main")
	r.Git("merge", "-q", "--no-ff", "--no-commit", "side")
	heads, err := r.Open().MergeHeads()
	if err != nil || len(heads) != 1 || heads[0].String() != side {
		t.Errorf("in a merge: %v, %v, want %s", heads, err, side)
	}
	r.Git("merge", "--abort")
}

func TestProcessAlive(t *testing.T) {
	t.Parallel()
	if !gitops.ProcessAlive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	if gitops.ProcessAlive(0) || gitops.ProcessAlive(-1) {
		t.Error("a group of processes is a process")
	}
}
