package gitops_test

import (
	"context"
	"slices"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestBlameLines: many lines at once say the same as each of them alone, and moves
// inside the file and renames are followed.
func TestBlameLines(t *testing.T) {
	t.Parallel()
	r := gittest.New(t, gittest.Config("blame.ignoreRevsFile", ".ignore-revs"), gittest.Config("blame.coloring", "highlightRecent"))
	const name = "Mémoire \"x\".md"
	r.Git("mv", "MEMORY.md", name)
	r.Git("commit", "-q", "-m", "move")
	for _, line := range []string{"- two\n", "\tauthor-time 7\n", "- four, a longer line that can be moved about\n"} {
		r.Append(name, line)
		r.Git("commit", "-q", "-a", "-m", "author-time 9")
	}
	r.Write(".ignore-revs", r.Head()+"\n")
	r.Append(name, "- not committed\n")
	repo, ctx := r.Open(), context.Background()
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	all, err := repo.BlameLines(ctx, head, name)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d lines, %v; want 6", len(all), err)
	}
	some, err := repo.BlameLines(ctx, head, name, [2]int{1, 2}, [2]int{2, 3}, [2]int{5, 5})
	if err != nil || len(some) != 4 {
		t.Fatalf("%d lines, %v; want 4", len(some), err)
	}
	for n, got := range all {
		want, err := repo.BlameLine(ctx, "HEAD", name, n)
		if err != nil || got.ID != want.Commit {
			t.Errorf("line %d: %s, alone %s, %v", n, got.ID, want.Commit, err)
		}
		if c, err := repo.Objects().Commit(ctx, got.ID); err != nil || !got.Author.Equal(c.Author.When) {
			t.Errorf("line %d: %s, the commit says %s, %v", n, got.Author, c.Author.When, err)
		}
		if s, ok := some[n]; ok && s != got {
			t.Errorf("line %d: %+v in a span, %+v among all", n, s, got)
		}
	}
	for _, bad := range []struct {
		path string
		span [2]int
	}{{"none.md", [2]int{1, 1}}, {name, [2]int{6, 99}}, {name, [2]int{99, 100}}} {
		if b, err := repo.BlameLines(ctx, head, bad.path, bad.span); err == nil && len(b) > 1 {
			t.Errorf("%+v gives %+v", bad, b)
		}
	}
}

func TestIndependent(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	var commits []gitops.ID
	for _, branch := range []string{"", "side", ""} {
		if branch != "" {
			r.Git("checkout", "-q", "-b", branch, commits[0].String()+"^")
		}
		r.Git("commit", "-q", "--allow-empty", "-m", "x"+branch)
		id, err := gitops.ParseID(r.Head())
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, id)
	}
	got, err := r.Open().Independent(context.Background(), commits)
	if err != nil || len(got) != 2 || !slices.Contains(got, commits[0]) || !slices.Contains(got, commits[2]) {
		t.Errorf("%v of %v, %v", got, commits, err)
	}
}

func FuzzParseBlameLines(f *testing.F) {
	f.Add([]byte(someID + " 1 1 2\nauthor A\nauthor-time 12\nfilename \"a\\nb\"\n\ttext\n" + someID + " 2 2\n\tmore\n"))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		lines, err := gitops.ParseBlameLines(b)
		for n := range lines {
			if err != nil || n < 1 {
				t.Errorf("line %d, %v", n, err)
			}
		}
	})
}
