package gitops_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// advance brings the work tree of main to a commit, file by file.
func advance(t *testing.T, repo *gitops.Repo, from, to gitops.ID) (gitops.Result, error) {
	t.Helper()
	ctx := context.Background()
	diff, err := repo.DiffTrees(ctx, from, to)
	if err != nil {
		t.Fatal(err)
	}
	a := gitops.Advance{From: from, To: to, Reflog: "sync: fast-forward"}
	for _, c := range diff {
		ch := gitops.AdvanceChange{Path: c.Path, Old: c.Old, New: c.New, IndexID: c.Old.ID, Place: &gitops.Place{Delete: c.New.IsZero()}}
		if !c.Old.IsZero() {
			ch.Place.Existed = true
			if ch.Place.Base, err = repo.Objects().Blob(ctx, c.Old.ID); err != nil {
				t.Fatal(err)
			}
		}
		if !c.New.IsZero() {
			if ch.Place.Content, err = repo.Objects().Blob(ctx, c.New.ID); err != nil {
				t.Fatal(err)
			}
		}
		a.Changes = append(a.Changes, ch)
	}
	return repo.Writer(gitops.WriterOptions{}).Advance(ctx, a)
}

func TestAdvance(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		l := newMergeLab(t, seed, 8)
		l.Git("switch", "-q", "main")
		l.Hook("post-merge", "#!/bin/sh\necho merged \"$1\" >\"$(git rev-parse --git-dir)/told\"\n")
		differ, untouched := l.Git("diff", "--name-only", "--no-renames", "main", "a"), ""
		for _, name := range l.names() {
			if !strings.Contains(differ, name) {
				untouched = name
			}
		}
		old := time.Unix(1_000_000_000, 0)
		if err := os.Chtimes(l.Path(untouched), old, old); err != nil {
			t.Fatal(err)
		}
		res, err := advance(t, l.Open(), l.id("main"), l.id("a"))
		if err != nil || res.Commit != l.id("a") || res.Ref != "refs/heads/main" {
			t.Fatalf("seed %d: %+v, %v", seed, res, err)
		}
		if s := l.Git("status", "--porcelain"); s != "" || l.id("HEAD") != l.id("a") {
			t.Errorf("seed %d: not clean:\n%s", seed, s)
		}
		if fi, err := os.Stat(l.Path(untouched)); err != nil || !fi.ModTime().Equal(old) {
			t.Errorf("seed %d: an unchanged file was written", seed)
		}
		if got := gittest.ReadFile(t, l.GitPath("told")); got != "merged 0\n" {
			t.Errorf("post-merge: %q", got)
		}
		if got := l.Git("reflog", "-1", "--format=%gs"); got != "sync: fast-forward" {
			t.Errorf("reflog: %q", got)
		}
	}
}

// TestAdvanceRefuses: whatever is not as it was seen leaves HEAD and files alone.
func TestAdvanceRefuses(t *testing.T) {
	t.Parallel()
	l := newMergeLab(t, 3, 8)
	l.Git("switch", "-q", "main")
	main, a := l.id("main"), l.id("a")
	diff, err := l.Open().DiffTrees(context.Background(), main, a)
	if err != nil {
		t.Fatal(err)
	}
	var edited string
	for _, c := range diff {
		if c.Old.Mode.IsFile() && c.New.Mode.IsFile() && c.Old.ID != c.New.ID {
			edited = c.Path
		}
	}
	was := gittest.ReadFile(t, l.Path(edited))
	var moved *gitops.MovedError
	if _, err := advance(t, l.Open(), l.id("b"), a); !errors.As(err, &moved) {
		t.Errorf("HEAD elsewhere: %v", err)
	}
	l.Write(edited, "an edit\n")
	var changed *gitops.WorkTreeChangedError
	if _, err := advance(t, l.Open(), main, a); !errors.As(err, &changed) {
		t.Errorf("edited: %v", err)
	}
	l.Git("add", "--", edited)
	l.Write(edited, was)
	if _, err := advance(t, l.Open(), main, a); !errors.As(err, &moved) {
		t.Errorf("staged: %v", err)
	}
	if l.id("HEAD") != main || gittest.ReadFile(t, l.Path(edited)) != was {
		t.Error("something moved")
	}
	l.Git("reset", "-q", "--", edited)
	if s := l.Git("status", "--porcelain"); s != "" {
		t.Errorf("status:\n%s", s)
	}
}

// TestAdvanceSubmodule: a repository that comes in gets its empty folder, or git takes it
// for removed.
func TestAdvanceSubmodule(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := gittest.New(t)
	from := r.Head()
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+from+",vendor/s")
	r.Git("commit", "-qm", "with a repository of its own")
	to := r.Head()
	r.Git("reset", "-q", "--hard", from)
	repo := r.Open()
	old, err := gitops.ParseID(from)
	if err != nil {
		t.Fatal(err)
	}
	next, err := gitops.ParseID(to)
	if err != nil {
		t.Fatal(err)
	}
	diff, err := repo.DiffTrees(ctx, old, next)
	if err != nil || len(diff) != 1 {
		t.Fatalf("%v %v", diff, err)
	}
	_, err = repo.Writer(gitops.WriterOptions{}).Advance(ctx, gitops.Advance{
		From: old, To: next, Reflog: "sync", Changes: []gitops.AdvanceChange{{Path: diff[0].Path, Old: diff[0].Old, New: diff[0].New}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Errorf("git status is %q", got)
	}
}
