package gitops_test

import (
	"context"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// What was read ahead of a command, or for its look, does not hide what somebody staged
// since.
func TestReadAheadIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := gittest.New(t)
	repo, err := gitops.Open(ctx, gitops.NewGit(r.Env()).Ahead(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	look := func() gitops.StatusEntry {
		t.Helper()
		st, err := repo.PathStatus(ctx, gitops.StatusOptions{Paths: []string{"MEMORY.md"}, Untracked: true})
		if err != nil || len(st.Entries) != 1 {
			t.Fatalf("%+v %v", st, err)
		}
		return st.Entries[0]
	}
	r.Append("MEMORY.md", "- staged\n")
	r.Git("add", "MEMORY.md")
	if e := look(); e.Index != 'M' || e.Work != '.' {
		t.Errorf("after git add: %c%c", e.Index, e.Work)
	}
	tx, _, err := gittest.Transaction(ctx, repo, "save\n", "MEMORY.md")
	if err != nil {
		t.Fatal(err)
	}
	r.Append("AGENTS.md", "- staged as well\n")
	r.Git("add", "AGENTS.md") // the index that was looked at is an old one now
	if _, err := repo.Writer(gitops.WriterOptions{}).Commit(ctx, tx); err != nil {
		t.Fatal(err)
	}
	r.CheckClean("M  AGENTS.md")

	r.Append("MEMORY.md", "- more\n")
	if tx, _, err = gittest.Transaction(ctx, repo, "save\n", "MEMORY.md"); err != nil {
		t.Fatal(err)
	}
	r.Append("MEMORY.md", "- by somebody\n")
	r.Git("add", "MEMORY.md")
	if _, err := repo.Writer(gitops.WriterOptions{}).Commit(ctx, tx); err == nil {
		t.Error("what somebody staged at the path was not noticed")
	}
	r.CheckClean("M  AGENTS.md", "M  MEMORY.md")
}
