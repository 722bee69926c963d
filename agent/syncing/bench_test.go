package syncing_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/syncing"
	"github.com/git-claw/git-claw/gitops"
)

// divergent is a workspace of n notes in which the branches main and other went different
// ways: each changed 30 notes, 15 of them the same ones.
func divergent(b *testing.B, n int) *agenttest.Lab { return divergentBy(b, n, 30, 15) }

// divergentBy has each side change some notes, the second from another one on.
func divergentBy(b *testing.B, n, changed, second int) *agenttest.Lab {
	b.Helper()
	l := agenttest.New(b, "", "MEMORY.md", "# Memory\n")
	l.Git("config", "gc.auto", "0")
	name := func(i int) string { return fmt.Sprintf("memory/%03d/note-%05d.md", i/100, i) }
	body := func(i int) string {
		var s strings.Builder
		fmt.Fprintf(&s, "# Note %d\n\n", i)
		for l := range 20 {
			fmt.Fprintf(&s, "- line %d of note %d, with some words in it\n", l, i)
		}
		return s.String()
	}
	for i := range n {
		l.Write(name(i), body(i))
	}
	l.Commit("notes")
	binary := filepath.Join(b.TempDir(), "git-claw")
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/git-claw").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	if _, err := agent.SetUpMerge(context.Background(), l.Workspace(), binary); err != nil {
		b.Fatal(err)
	}
	l.Git("gc", "-q")
	l.Git("branch", "other")
	for _, side := range []struct {
		branch string
		from   int
	}{{"other", 0}, {"main", second}} {
		l.Git("switch", "-q", side.branch)
		for i := side.from; i < side.from+changed; i++ {
			l.Write(name(i), body(i)+"- added by "+side.branch+"\n")
		}
		l.Commit(side.branch)
	}
	return l
}

// BenchmarkMerge compares the merge of two divergent clones in process, all of a sync
// without its network, and git with the merge driver.
func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		l := divergent(b, n)
		main := l.Git("rev-parse", "main")
		ids := make([]gitops.ID, 3)
		for i, rev := range []string{"main", "other"} {
			ids[i], _ = gitops.ParseID(l.Git("rev-parse", rev))
		}
		b.Run(fmt.Sprintf("claw/%d", n), func(b *testing.B) {
			ws := l.Workspace()
			for b.Loop() {
				bases, err := ws.Repo.MergeBases(context.Background(), ids[0], ids[1])
				if err != nil {
					b.Fatal(err)
				}
				if _, err := agent.MergeCommits(context.Background(), ws, bases, ids[0], ids[1], "other"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("git/%d", n), func(b *testing.B) {
			for b.Loop() {
				l.Git("merge", "-q", "--no-edit", "other")
				b.StopTimer()
				l.Git("reset", "-q", "--hard", main)
				b.StartTimer()
			}
		})
		l.Git("init", "-q", "--bare", l.Dir+".git")
		l.Git("remote", "add", "origin", l.Dir+".git")
		l.Git("push", "-q", "origin", "other:main")
		b.Run(fmt.Sprintf("sync/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := trySync(l, syncing.Options{NoPush: true}); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				l.Git("reset", "-q", "--hard", main)
				l.Git("update-ref", "-d", "refs/claw/synced/origin/main")
				b.StartTimer()
			}
		})
	}
}

// BenchmarkManyNotes is a thousand notes that both sides changed.
func BenchmarkManyNotes(b *testing.B) {
	l := divergentBy(b, 1000, 1000, 0)
	main := l.Git("rev-parse", "main")
	l.Git("init", "-q", "--bare", l.Dir+".git")
	l.Git("remote", "add", "origin", l.Dir+".git")
	l.Git("push", "-q", "origin", "other:main")
	for b.Loop() {
		if _, err := trySync(l, syncing.Options{NoPush: true}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		l.Git("reset", "-q", "--hard", main)
		l.Git("update-ref", "-d", "refs/claw/synced/origin/main")
		b.StartTimer()
	}
}

// BenchmarkNothing compares a sync with nothing to do with git's fetch and push.
func BenchmarkNothing(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		l := divergent(b, n)
		l.Git("init", "-q", "--bare", l.Dir+".git")
		l.Git("remote", "add", "origin", l.Dir+".git")
		l.Git("push", "-q", "-u", "origin", "main")
		b.Run(fmt.Sprintf("claw/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := trySync(l, syncing.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("git/%d", n), func(b *testing.B) {
			for b.Loop() {
				l.Git("fetch", "-q")
				l.Git("push", "-q")
			}
		})
	}
}
