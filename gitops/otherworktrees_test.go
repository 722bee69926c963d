//go:build unix

package gitops_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// mainWorktree opens the worktree that another one was linked to.
func mainWorktree(t *testing.T, r *gittest.Repo) *gitops.Repo {
	t.Helper()
	top := filepath.Dir(r.Git("rev-parse", "--path-format=absolute", "--git-common-dir"))
	repo, err := gitops.Open(context.Background(), gitops.NewGit(r.Env()), top)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	if repo.TopLevel == r.Dir || !gitops.LocalDisk(repo.TopLevel) {
		t.Skip("there are no two worktrees on a local disk")
	}
	return repo
}

// saveIn saves a line in a worktree.
func saveIn(t *testing.T, repo *gitops.Repo, name, text string) error {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repo.TopLevel, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := gittest.Save(context.Background(), repo, repo.Writer(gitops.WriterOptions{}), "save\n", name)
	return err
}

// A writer finishes what another one left that died in another worktree.
func TestRecoverInOtherWorktrees(t *testing.T) {
	t.Parallel()
	for writer, points := range crashPoints {
		for _, point := range points {
			t.Run(writer+"/"+point, func(t *testing.T) {
				t.Parallel()
				r := gittest.New(t, gittest.LinkedWorktree())
				main := mainWorktree(t, r)
				r.Killed([]string{writerVariable + "=" + writer, fmt.Sprintf("%s=kill %s 1", seamVariable, point)}, true, "notes/b.md")
				if err := saveIn(t, main, "MEMORY.md", "- another\n"); err != nil {
					t.Fatal(err)
				}
				if point != "committed" && r.Open().NeedsRecovery() {
					t.Error("something is left to recover")
				}
				r.CheckClean()
			})
		}
	}
}

// After a power cut an object that was torn in another worktree is not taken for a
// whole one.
func TestRecoverTornObjectsOfOtherWorktrees(t *testing.T) {
	t.Parallel()
	for name, recovers := range map[string]bool{"recovered": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, gittest.LinkedWorktree())
			main := mainWorktree(t, r)
			linked := r.Open()
			const text = "- the same in both\n"
			if err := saveIn(t, linked, "MEMORY.md", text); err != nil {
				t.Fatal(err)
			}
			hex := r.Git("rev-parse", "HEAD:MEMORY.md")
			object := r.GitPath("objects/" + hex[:2] + "/" + hex[2:])
			if err := os.Chmod(object, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(object, 5); err != nil {
				t.Fatal(err)
			}
			gitops.WithBoot(main, "another")
			if !recovers {
				gitops.WithoutRecovery(main)
			}
			if err := saveIn(t, main, "MEMORY.md", text); err != nil {
				t.Fatal(err)
			}
			_, err := r.Try("cat-file", "blob", hex)
			if (err == nil) != recovers {
				t.Errorf("the object that was torn: %v", err)
			}
		})
	}
}
