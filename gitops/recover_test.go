//go:build unix

package gitops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// leftBehind is a repository in which a writer stopped at a point: everything is
// as a kill would leave it.
func leftBehind(t *testing.T, writer, point string, tx func(r *gittest.Repo, repo *gitops.Repo) gitops.Tx) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	repo := r.Open()
	stopped := make(chan bool)
	seam := gitops.Seam{GitOnly: writer == "git", At: func(p string) {
		if p == point {
			copyState(t, r)
			runtime.Goexit() // which tidies up, but not in the copy
		}
	}}
	w := repo.Writer(seam.With(gitops.WriterOptions{}))
	transaction := tx(r, repo)
	go func() {
		defer close(stopped)
		_, _ = w.Commit(context.Background(), transaction)
	}()
	<-stopped
	restoreState(t, r)
	return r
}

// copyState keeps a copy of the repository as it is now.
func copyState(t *testing.T, r *gittest.Repo) {
	if err := os.CopyFS(r.Base+"/copy", os.DirFS(r.Dir)); err != nil {
		t.Error(err)
	}
}

// restoreState goes on with the copy.
func restoreState(t *testing.T, r *gittest.Repo) {
	t.Helper()
	for _, mv := range [][2]string{{r.Dir, r.Base + "/gone"}, {r.Base + "/copy", r.Dir}} {
		if err := os.Rename(mv[0], mv[1]); err != nil {
			t.Fatal(err)
		}
	}
}

func edit(r *gittest.Repo, repo *gitops.Repo) gitops.Tx {
	r.Append("MEMORY.md", "- x\n")
	tx, _, err := gittest.Transaction(context.Background(), repo, "x")
	if err != nil {
		panic(err)
	}
	return tx
}

func TestRecoverRollsBackAndForward(t *testing.T) {
	t.Parallel()
	for writer := range writers {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			for point, status := range map[string][]string{"committed": {" M MEMORY.md"}, "locked": {" M MEMORY.md"}, "prepared": {" M MEMORY.md"}, "moved": nil} {
				r := leftBehind(t, writer, point, edit)
				repo := r.Open()
				if repo.NeedsRecovery() != (point != "committed") {
					t.Errorf("%s: NeedsRecovery is %v", point, repo.NeedsRecovery())
				}
				left, err := repo.Recover(context.Background())
				if err != nil || len(left) != 0 {
					t.Errorf("%s: %v %v", point, left, err)
				}
				if point == "committed" {
					continue // the queue's next owner sweeps
				}
				r.CheckClean(status...)
			}
		})
	}
}

// A person who removes the lock of a dead writer must not lose the commit's half
// of the index.
func TestRecoverAfterTheLockWasRemoved(t *testing.T) {
	t.Parallel()
	for writer := range writers {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			r := leftBehind(t, writer, "moved", edit)
			if err := os.Remove(r.GitPath("index.lock")); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Open().Recover(context.Background()); err != nil {
				t.Fatal(err)
			}
			r.CheckClean()
		})
	}
}

// Nor may it undo what git did to the index since.
func TestRecoverAfterTheIndexChanged(t *testing.T) {
	t.Parallel()
	for writer := range writers {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			r := leftBehind(t, writer, "moved", edit)
			if err := os.Remove(r.GitPath("index.lock")); err != nil {
				t.Fatal(err)
			}
			r.Append("AGENTS.md", "- y\n")
			r.Git("add", "AGENTS.md")
			if _, err := r.Open().Recover(context.Background()); err != nil {
				t.Fatal(err)
			}
			want := []string{"M  AGENTS.md"}
			if writer == "git" {
				want = append(want, "MM MEMORY.md") // it has a whole index to put there, or none
			}
			r.CheckClean(want...)
		})
	}
}

// A lock of somebody else in the place of ours stays.
func TestRecoverLeavesForeignLocks(t *testing.T) {
	t.Parallel()
	for writer := range writers {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			for _, point := range []string{"prepared", "moved"} {
				r := leftBehind(t, writer, point, edit)
				lock := r.GitPath("index.lock")
				if err := os.WriteFile(lock, []byte("somebody"), 0o666); err != nil {
					t.Fatal(err)
				}
				if _, err := r.Open().Recover(context.Background()); err != nil {
					t.Fatal(err)
				}
				if got := gittest.ReadFile(t, lock); got != "somebody" {
					t.Errorf("%s: the lock is %q", point, got)
				}
			}
		})
	}
}

func TestRecoverLeavesEditedFiles(t *testing.T) {
	t.Parallel()
	place := func(r *gittest.Repo, repo *gitops.Repo) gitops.Tx {
		h, err := repo.Head(context.Background())
		if err != nil {
			panic(err)
		}
		tx := gitops.Tx{Message: "x", Head: h.Commit}
		for _, name := range []string{"MEMORY.md", "notes/b.md"} {
			b := []byte(r.Read(name))
			id := repo.BlobID(b)
			tx.Changes = append(tx.Changes, gitops.Change{
				Path: name, Content: []byte("placed\n"), HeadID: id, IndexID: id,
				Place: &gitops.Place{Base: b, Existed: true, Content: []byte("placed\n")},
			})
		}
		return tx
	}
	for writer := range writers {
		r := leftBehind(t, writer, "moved", place)
		r.Append("MEMORY.md", "- by hand\n")
		left, err := r.Open().Recover(context.Background())
		if err != nil || len(left) != 1 || left[0] != "MEMORY.md" {
			t.Errorf("%v %v", left, err)
		}
		if r.Read("notes/b.md") != "placed\n" || r.InHead("MEMORY.md") != "placed\n" {
			t.Error("the other file was not placed")
		}
		r.CheckClean(" M MEMORY.md")
	}
}

func TestRecoverFromRubbish(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"v":2}`, "null", `{"v":1}`, `{"v":1,"lock":"FILE","text":"other","index":"FILE","places":[{"path":"Li4vZg=="}]}`} {
		r := gittest.New(t)
		repo := r.Open()
		other := r.Base + "/f"
		if err := os.WriteFile(other, []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "FILE", other)
		if err := os.MkdirAll(repo.ClawDir(), 0o777); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{"journal": text, "stage.1": "x", "lock.2": "x", "place.3": "x", ".journal.4.tmp": "x"} {
			if err := os.WriteFile(filepath.Join(repo.ClawDir(), name), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r.Append("MEMORY.md", "- x\n")
		if _, err := gittest.Save(context.Background(), repo, gitWriter(repo, gitops.WriterOptions{LockTimeout: time.Second}), "x"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if gittest.ReadFile(t, other) != "precious" {
			t.Errorf("%q changed a file that is not ours", text)
		}
		_ = os.Remove(filepath.Join(repo.ClawDir(), "journal.bad"))
		r.CheckClean()
	}
}

// A commit that its writer died over was never written, and HEAD has moved on.
func TestRecoverWithoutTheCommit(t *testing.T) {
	t.Parallel()
	r := leftBehind(t, "git", "prepared", edit)
	journal := r.GitPath("claw/journal")
	text := gittest.ReadFile(t, journal)
	i := strings.Index(text, `"new":"`) + len(`"new":"`)
	if err := os.WriteFile(journal, []byte(text[:i]+strings.Repeat("ab", 20)+text[i+40:]), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := r.Git("rev-parse", "HEAD^{tree}")
	r.Git("update-ref", "HEAD", r.Git("commit-tree", "-m", "moved on", "-p", "HEAD", tree))
	if _, err := r.Open().Recover(context.Background()); err != nil {
		t.Error(err)
	}
	r.CheckClean(" M MEMORY.md")
}

// HEAD that never stands still ends in an error, not in silence.
func TestHeadAlwaysMoves(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	tree := r.Git("rev-parse", "HEAD^{tree}")
	tries := 0
	seam := gitops.Seam{At: func(p string) {
		if p == "committed" {
			tries++
			r.Git("update-ref", "HEAD", r.Git("commit-tree", "-m", "x", "-p", "HEAD", tree))
		}
	}}
	tx := edit(r, repo)
	res, err := repo.Writer(seam.With(gitops.WriterOptions{})).Commit(context.Background(), tx)
	var moved *gitops.MovedError
	if !errors.As(err, &moved) || !res.Commit.IsZero() || tries < 10 {
		t.Errorf("%v %v after %d tries", res, err, tries)
	}
	r.CheckClean(" M MEMORY.md")
}
