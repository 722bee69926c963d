//go:build unix

package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func mustID(t testing.TB, hex string) gitops.ID {
	t.Helper()
	id, err := gitops.ParseID(hex)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// refPoints are the moments at which a dying writer leaves different things behind, and
// whether the refs are moved then.
var refPoints = map[string]bool{
	"refs prepared": false, "refs locked": false, "refs decided": true, "refs moving": true, "refs moved": true,
}

// deadRefs closes a proposal and makes another one in one transaction, and dies at a
// point.
func deadRefs(t testing.TB, r *gittest.Repo, point string, seam gitops.Seam) (before, after map[string]string) {
	t.Helper()
	if !gitops.LocalDisk(r.Dir) {
		t.Skip("the disk is not known to be local")
	}
	one := r.Head()
	r.Append("MEMORY.md", "- x\n")
	r.Git("commit", "-q", "-a", "-m", "two")
	two := r.Head()
	r.Git("update-ref", refBranch, one)
	r.Git("update-ref", refOpen, one)
	r.Git("pack-refs", "--all")
	r.Git("update-ref", refNotes, one)
	before = map[string]string{refBranch: one, refOpen: one, refNotes: one}
	after = map[string]string{refClosed: two, refNotes: two}
	ups := []gitops.RefUpdate{
		{Name: refBranch, Old: mustID(t, one)},
		{Name: refOpen, Old: mustID(t, one)},
		{Name: refClosed, New: mustID(t, two)},
		{Name: refNotes, Old: mustID(t, one), New: mustID(t, two)},
	}
	repo := r.Open()
	came := false
	seam.At = func(p string) {
		if p == point {
			came = true
			runtime.Goexit() // nothing that is deferred tidies up while there is an intent
		}
	}
	w := repo.Writer(seam.With(gitops.WriterOptions{}))
	dead := make(chan bool)
	go func() {
		defer close(dead)
		if err := w.UpdateRefs(context.Background(), ups, "close"); err != nil {
			t.Error(err)
		}
	}()
	<-dead
	if !came {
		t.Fatalf("the writer does not come to '%s'", point)
	}
	return before, after
}

// refsAre compares all refs below those of git claw.
func refsAre(t testing.TB, r *gittest.Repo, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(r.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/claw", "refs/claw", "refs/notes") + "\n") {
		if name, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			got[name] = id
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("refs are %v, want %v", got, want)
	}
}

// Whatever the next command is, it finishes the transaction or withdraws it.
func TestRefsOfADeadWriter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	next := map[string]func(t *testing.T, r *gittest.Repo, repo *gitops.Repo) error{
		"recover": func(_ *testing.T, _ *gittest.Repo, repo *gitops.Repo) error {
			_, err := repo.Recover(ctx)
			return err
		},
		"read": func(_ *testing.T, _ *gittest.Repo, repo *gitops.Repo) error {
			_, err := repo.Refs(ctx, "refs/claw")
			return err
		},
		"save": func(t *testing.T, _ *gittest.Repo, repo *gitops.Repo) error {
			return saveIn(t, repo, "MEMORY.md", "- y\n")
		},
		"update through git": func(_ *testing.T, r *gittest.Repo, repo *gitops.Repo) error {
			return gitWriter(repo, gitops.WriterOptions{LockTimeout: time.Second}).UpdateRefs(ctx, []gitops.RefUpdate{{Name: "refs/heads/other", New: mustID(t, r.Head())}}, "x")
		},
		"update": func(_ *testing.T, r *gittest.Repo, repo *gitops.Repo) error {
			return fastWriter(repo, gitops.WriterOptions{LockTimeout: time.Second}).UpdateRefs(ctx, []gitops.RefUpdate{{Name: "refs/heads/other", New: mustID(t, r.Head())}}, "x")
		},
		"another worktree": func(t *testing.T, r *gittest.Repo, _ *gitops.Repo) error {
			r.Git("worktree", "add", "-q", "-b", "side", filepath.Join(r.Base, "side"))
			other, err := gitops.Open(ctx, gitops.NewGit(r.Env()), filepath.Join(r.Base, "side"))
			if err != nil {
				return err
			}
			return saveIn(t, other, "AGENTS.md", "- side\n")
		},
	}
	for point, moved := range refPoints {
		for name, run := range next {
			t.Run(point+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := gittest.New(t)
				before, after := deadRefs(t, r, point, gitops.Seam{})
				repo := r.Open()
				if !repo.NeedsRecovery() {
					t.Error("doctor would find nothing")
				}
				if err := run(t, r, repo); err != nil {
					t.Fatal(err)
				}
				if repo.NeedsRecovery() {
					t.Error("there is something left")
				}
				if moved {
					refsAre(t, r, after)
				} else {
					refsAre(t, r, before)
				}
				log := ""
				if b, err := os.ReadFile(r.GitPath("logs/" + refNotes)); err == nil {
					log = string(b)
				}
				if n := strings.Count(log, "\tclose\n"); moved && n != 1 || !moved && n != 0 {
					t.Errorf("the log of the notes is %q", log)
				}
				if _, err := os.Stat(r.GitPath("logs/" + refBranch)); (err == nil) == moved {
					t.Errorf("the log of the branch: %v", err)
				}
				r.CheckClean()
			})
		}
	}
}

// Without an intent nobody knows whose the locks are, and half of the refs are moved.
func TestRefsWithoutIntent(t *testing.T) {
	t.Parallel()
	for point, moved := range refPoints {
		if point == "refs prepared" || point == "refs moved" {
			continue // nothing is left of it
		}
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			said := gittest.Probe(t, func(t testing.TB) {
				r := gittest.New(t)
				before, after := deadRefs(t, r, point, gitops.Seam{NoIntent: true})
				if _, err := r.Open().Recover(context.Background()); err != nil {
					t.Fatal(err)
				}
				if moved {
					refsAre(t, r, after)
				} else {
					refsAre(t, r, before)
				}
				r.CheckClean()
			})
			if len(said) == 0 {
				t.Error("a writer without an intent leaves nothing")
			}
			t.Logf("noticed: %.300q", said)
		})
	}
}

// A lock of somebody else stays. One that is in the way of what counts keeps nobody from
// saving, and the transaction is finished when it is gone.
func TestRefsLeaveForeignLocks(t *testing.T) {
	t.Parallel()
	for point, moved := range refPoints {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			before, after := deadRefs(t, r, point, gitops.Seam{})
			lock := r.GitPath(refNotes + ".lock")
			_ = os.Remove(lock)
			if err := os.WriteFile(lock, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			repo := r.Open()
			if err := saveIn(t, repo, "MEMORY.md", "- y\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(lock); err != nil {
				t.Fatal(err)
			}
			waits := point == "refs decided" || point == "refs moving" && !strings.Contains(gittest.ReadFile(t, r.GitPath(refNotes)), after[refNotes])
			if repo.NeedsRecovery() != waits {
				t.Errorf("something is left: %v", repo.NeedsRecovery())
			}
			var locked *gitops.LockedError
			ups := []gitops.RefUpdate{{Name: "refs/heads/other", New: mustID(t, r.Head())}}
			if err := repo.Writer(gitops.WriterOptions{}).UpdateRefs(context.Background(), ups, "x"); errors.As(err, &locked) != waits {
				t.Errorf("an update says %v", err)
			}
			if err := os.Remove(lock); err != nil {
				t.Fatal(err)
			}
			if _, err := repo.Recover(context.Background()); err != nil {
				t.Fatal(err)
			}
			if moved {
				refsAre(t, r, after)
			} else {
				refsAre(t, r, before)
			}
			r.CheckClean()
		})
	}
}

// What somebody did after the transaction stays.
func TestRefsThatMovedOn(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	before, after := deadRefs(t, r, "refs moved", gitops.Seam{})
	r.Git("update-ref", refNotes, before[refNotes]) // back
	r.Git("update-ref", "-d", refClosed)
	r.Git("update-ref", refOpen, before[refOpen])
	if _, err := r.Open().Recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	delete(after, refClosed)
	after[refNotes], after[refOpen] = before[refNotes], before[refOpen]
	refsAre(t, r, after)
	r.CheckClean()
}

// A lock that is held is waited for, and named in the end; nothing is left then.
func TestRefsThatAreLocked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{refNotes, "packed-refs"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			one := mustID(t, r.Head())
			r.Git("update-ref", refBranch, r.Head())
			lock := r.GitPath(name + ".lock")
			if err := os.MkdirAll(filepath.Dir(lock), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(lock, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			ups := []gitops.RefUpdate{{Name: refNotes, New: one}, {Name: refBranch, Old: one}, {Name: refOpen, New: one}}
			var locked *gitops.LockedError
			err := r.Open().Writer(gitops.WriterOptions{LockTimeout: 50 * time.Millisecond}).UpdateRefs(context.Background(), ups, "x")
			if !errors.As(err, &locked) || !strings.HasSuffix(locked.Path, name+".lock") {
				t.Errorf("error is %v", err)
			}
			refsAre(t, r, map[string]string{refBranch: r.Head()})
			time.AfterFunc(30*time.Millisecond, func() { _ = os.Remove(lock) })
			if err := r.Open().Writer(gitops.WriterOptions{}).UpdateRefs(context.Background(), ups, "x"); err != nil {
				t.Error(err)
			}
			refsAre(t, r, map[string]string{refNotes: r.Head(), refOpen: r.Head()})
			r.CheckClean()
		})
	}
}

// Objects of a commit beside HEAD are written in process, too, and waited for.
func TestBuildInProcess(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	if !gitops.LocalDisk(r.Dir) {
		t.Skip("the disk is not known to be local")
	}
	for _, d := range []gitops.Durability{gitops.DurabilityJournal, gitops.DurabilityNone} {
		var kinds []string
		seam := gitops.Seam{Trace: func(op gitops.DiskOp) { kinds = append(kinds, op.Kind) }}
		head := mustID(t, r.Head())
		b := gitops.Build{
			Base: head, Parents: []gitops.ID{head}, Message: "propose\n",
			Changes: []gitops.Change{{Path: "new/deep/" + string(d) + ".md", Content: []byte("- new\n" + string(d))}},
		}
		fast, err := r.Open().Writer(seam.With(gitops.WriterOptions{Durability: d})).Build(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		git, err := gitWriter(r.Open(), gitops.WriterOptions{}).Build(context.Background(), b)
		if err != nil || git != fast {
			t.Errorf("git makes %v, %v, not %v", git, err, fast)
		}
		if !slices.Contains(kinds, "rename") || slices.Contains(kinds, "sync") != (d != gitops.DurabilityNone) {
			t.Errorf("%s: operations are %q", d, kinds)
		}
		r.Git("update-ref", "refs/heads/"+string(d), fast.Commit.String())
	}
	r.CheckClean()
}
