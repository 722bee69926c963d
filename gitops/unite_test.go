//go:build unix

package gitops_test

import (
	"context"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// prepend is a transaction that puts a line before what two files hold, in the work tree
// as well.
func prepend(r *gittest.Repo, repo *gitops.Repo) gitops.Tx {
	h, err := repo.Head(context.Background())
	if err != nil {
		panic(err)
	}
	tx := gitops.Tx{Message: "x", Head: h.Commit}
	for _, name := range []string{"MEMORY.md", "notes/b.md"} {
		b := []byte(r.Read(name))
		id, next := repo.BlobID(b), append([]byte("- came in\n"), b...)
		tx.Changes = append(tx.Changes, gitops.Change{
			Path: name, Content: next, HeadID: id, IndexID: id, Place: &gitops.Place{Base: b, Existed: true, Content: next},
		})
	}
	return tx
}

// TestRecoverUnites: an edit that was made after a writer was killed, and before anybody
// noticed, has what the commit changed when it is committed next: else it would take it
// back. It does not matter whether the file was put into place before.
func TestRecoverUnites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, writer   string
		placed, reboot bool
	}{
		{"git, before files", "git", false, false},
		{"git, after files", "git", true, false},
		{"fast, before files", "fast", false, false},
		{"fast, after files", "fast", true, false},
		{"fast, before files, power cut", "fast", false, true},
		{"fast, after files, power cut", "fast", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			point := "moved"
			if c.writer == "git" && c.placed {
				point = "placed"
			}
			r := leftBehind(t, c.writer, point, prepend)
			const first = "- came in\n"
			was := map[string]string{}
			for _, name := range []string{"MEMORY.md", "notes/b.md"} {
				was[name] = strings.TrimPrefix(r.Read(name), first)
				if !c.placed {
					r.Write(name, was[name])
				} else if r.Read(name) != first+was[name] {
					t.Fatalf("'%s' was not placed", name)
				}
			}
			r.Append("MEMORY.md", "\n\n\n- by hand\n")
			repo := r.Open()
			if c.reboot {
				gitops.WithBoot(repo, "another")
			}
			left, err := repo.Recover(context.Background())
			if err != nil || len(left) != 0 {
				t.Fatalf("%v %v", left, err)
			}
			if got, want := r.Read("MEMORY.md"), first+was["MEMORY.md"]+"\n\n\n- by hand\n"; got != want {
				t.Errorf("the file is\n%s\nwant\n%s", got, want)
			}
			if got, want := r.Read("notes/b.md"), first+was["notes/b.md"]; got != want {
				t.Errorf("the other file is\n%s\nwant\n%s", got, want)
			}
			if got := r.InHead("MEMORY.md"); got != first+was["MEMORY.md"] {
				t.Errorf("HEAD has\n%s", got)
			}
			r.CheckClean(" M MEMORY.md")
		})
	}
}

// TestUniteByRule: what knows the file comes before git, and is asked with the contents of
// both commits; where it has no answer and the texts conflict, the edit stays.
func TestUniteByRule(t *testing.T) {
	t.Parallel()
	for _, knows := range []bool{true, false} {
		r := leftBehind(t, "git", "moved", prepend)
		was := r.Read("MEMORY.md")
		r.Write("MEMORY.md", "- another\n"+was)
		repo := r.Open()
		repo.Unite = func(path string, base, theirs, work []byte) ([]byte, bool) {
			if path != "MEMORY.md" || string(base) != was || string(theirs) != "- came in\n"+was || string(work) != "- another\n"+was {
				t.Errorf("asked about %s: %q, %q, %q", path, base, theirs, work)
			}
			return []byte("united\n"), knows
		}
		left, err := repo.Recover(context.Background())
		want := "united\n"
		if !knows {
			want = "- another\n" + was
		}
		if got := r.Read("MEMORY.md"); err != nil || got != want || (len(left) == 0) != knows {
			t.Errorf("%v, %v: %q", left, err, got)
		}
		r.CheckClean(" M MEMORY.md")
	}
}
