package index

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// HEAD moved, and the commit that the index knew was pruned.
func TestPrunedCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.note("memory/a.md", "- amber\n")
	w.note("memory/b.md", "- birch\n")
	w.commit()
	w.wantFinds("amber", "memory/a.md")
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.note("memory/b.md", "- birch amber\n")
	w.commit()
	w.Git("reflog", "expire", "--expire=now", "--all")
	w.Git("gc", "-q", "--prune=now")
	w.wantFinds("amber", "memory/b.md")
	w.Git("update-ref", "-d", "HEAD")
	w.Git("reflog", "expire", "--expire=now", "--all")
	w.Git("gc", "-q", "--prune=now")
	w.wantFinds("amber", "memory/b.md")
}

func TestBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", gittest.Unborn())
	for i := range 10 {
		w.note(fmt.Sprintf("memory/n%d.md", i), "- amber\n")
	}
	w.with(Options{Budget: -1}, func(s *Snapshot) {
		if s.Pending != 10 || s.Built != 0 || s.Saved || len(s.View.Parts) > 0 {
			t.Errorf("nothing is to be indexed: %d pending, %d built", s.Pending, s.Built)
		}
	})
	// A clock that moves by a second when it is looked at.
	now := time.Unix(0, 0)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	left := 10
	for round := range 20 {
		w.with(Options{Budget: 3 * time.Second, Clock: clock}, func(s *Snapshot) {
			if s.Pending >= left {
				t.Fatalf("round %d: %d pending, before it %d", round, s.Pending, left)
			}
			left = s.Pending
		})
		if left == 0 {
			break
		}
	}
	w.wantFinds("amber", "memory/n0.md", "memory/n1.md", "memory/n2.md", "memory/n3.md", "memory/n4.md",
		"memory/n5.md", "memory/n6.md", "memory/n7.md", "memory/n8.md", "memory/n9.md")
	w.note("memory/n3.md", "- birch\n")
	w.Remove("memory/n4.md")
	w.with(Options{Budget: -1}, func(s *Snapshot) {
		if got := finds(t, s, "amber"); s.Pending != 2 || s.Built != 0 || len(got) != 10 {
			t.Errorf("%d pending, %d built, amber is in %q", s.Pending, s.Built, got)
		}
	})
}

// Another revision: what HEAD has no more is found, and nothing that is unsaved.
func TestAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "team/", gittest.Files(map[string]string{"team/memory/a.md": "- amber\n", "team/memory/b.md": "- birch\n", "memory/top.md": "- amber\n"}))
	first, err := gitops.ParseID(w.Head())
	if err != nil {
		t.Fatal(err)
	}
	w.Remove("team/memory/a.md")
	w.note("memory/b.md", "- birch cedar\n")
	w.commit()
	second, err := gitops.ParseID(w.Head())
	if err != nil {
		t.Fatal(err)
	}
	w.note("memory/b.md", "- birch delta\n")
	w.note("memory/c.md", "- amber\n")
	w.note("memory/a.md", "- ember\n")
	for _, opt := range []Options{{}, {Budget: -1}, {Rebuild: true, ReadOnly: true}, {ReadOnly: true}} {
		for _, tt := range []struct {
			at   gitops.ID
			word string
			want []string
		}{
			{first, "amber", []string{"memory/a.md"}},
			{first, "cedar", nil},
			{first, "birch", []string{"memory/b.md"}},
			{first, "ember", nil},
			{second, "amber", nil},
			{second, "cedar", []string{"memory/b.md"}},
			{second, "delta", nil},
			{gitops.ID{}, "birch", nil},
		} {
			w.with(opt, func(s *Snapshot) {
				if err := s.At(context.Background(), tt.at); err != nil {
					t.Fatal(err)
				}
				if got := finds(t, s, tt.word); !slices.Equal(got, tt.want) {
					t.Errorf("at %s, with %+v: '%s' is in %q, want %q", tt.at.Short(), opt, tt.word, got, tt.want)
				}
				for e := range s.Entries.All() {
					if e.Unsaved() || e.Want != e.Blob || !e.Want.IsZero() && e.Commit.IsZero() {
						t.Errorf("at %s: entry %+v", tt.at.Short(), e)
					}
				}
				if s.Pending > 0 {
					t.Errorf("at %s: %d pending", tt.at.Short(), s.Pending)
				}
			})
		}
	}
	w.same("the index on disk is that of HEAD")
	w.with(Options{}, func(s *Snapshot) {
		if err := s.At(context.Background(), s.ws.Repo.BlobID([]byte("none"))); err == nil {
			t.Error("a revision that is not there was found")
		}
	})
}
