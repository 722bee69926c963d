package syncing_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/agent/syncing"
)

// foreseen are states of two machines; the second one syncs.
var foreseen = map[string]func(t *testing.T, f *fleet, a, b *agenttest.Lab){
	"nothing": func(*testing.T, *fleet, *agenttest.Lab, *agenttest.Lab) {},
	"forward": func(_ *testing.T, _ *fleet, a, _ *agenttest.Lab) {
		a.Write("memory/a.md", "# A\n")
		a.Write("SOUL.md", soul+"- more\n")
		doSync(a)
	},
	"unsaved": func(_ *testing.T, _ *fleet, a, b *agenttest.Lab) {
		a.Write("memory/a.md", "# A\n")
		doSync(a)
		b.Write("MEMORY.md", "# Memory\n\n- b\n")
		b.Write("SOUL.md", soul+"- more\n")
	},
	"contradiction": func(_ *testing.T, _ *fleet, a, b *agenttest.Lab) {
		a.Write("SOUL.md", strings.Replace(soul, "be brief", "be brief and clear", 1))
		doSync(a)
		b.Write("SOUL.md", strings.Replace(soul, "be brief", "be brief and loud", 1))
	},
	"proposals": func(t *testing.T, f *fleet, a, b *agenttest.Lab) {
		t.Helper()
		propose(a, soul+"- of a\n")
		old := propose(a, soul+"- old\n")
		doSync(a)
		doSync(b)
		if err := proposal.Reject(t.Context(), a.Workspace(), human, find(a, old.ID), person, "no"); err != nil {
			t.Fatal(err)
		}
		propose(a, soul+"- later\n")
		a.Git("push", "-q", "origin", "main:refs/heads/claw/odd/x")
		doSync(a)
		propose(b, soul+"- of b\n")
		f.m[1].Write("memory/b.md", "# B\n")
	},
	"foreign": func(_ *testing.T, _ *fleet, _, b *agenttest.Lab) {
		b.Write("src.go", "package x\n")
		b.Commit("code")
	},
	"purged": func(_ *testing.T, _ *fleet, a, b *agenttest.Lab) {
		b.Write("memory/b.md", "# B\n")
		b.Commit("b")
		a.Write(".claw/tombstones", "purged "+b.Git("rev-parse", "HEAD")+"\n")
		doSync(a)
	},
	"rewritten": func(_ *testing.T, _ *fleet, a, b *agenttest.Lab) {
		a.Write("MEMORY.md", "# Memory\n\n- a\n")
		doSync(a)
		doSync(b)
		a.Git("reset", "-q", "--hard", "HEAD~1")
		a.Write("MEMORY.md", "# Memory\n\n- instead\n")
		a.Commit("instead")
		a.Git("push", "-q", "-f", "origin", "main")
	},
	"cut back": func(_ *testing.T, f *fleet, a, b *agenttest.Lab) {
		a.Write("MEMORY.md", "# Memory\n\n- a\n")
		doSync(a)
		doSync(b)
		f.at("update-ref", "refs/heads/main", "main~1")
	},
	"unrelated": func(_ *testing.T, f *fleet, _, b *agenttest.Lab) {
		f.at("update-ref", "refs/heads/main", f.at("commit-tree", "-m", "other", f.at("rev-parse", "main^{tree}")))
		b.Git("update-ref", "-d", "refs/claw/synced/origin/main")
	},
	"unmergeable": func(_ *testing.T, _ *fleet, a, b *agenttest.Lab) {
		a.Write("memory/picture.png", "\x00one")
		doSync(a)
		b.Write("memory/picture.png", "\x00two") // not saved
	},
	"in the way": func(t *testing.T, _ *fleet, a, b *agenttest.Lab) {
		t.Helper()
		a.Write("src.go", "package x\n")
		a.Commit("code")
		if _, err := trySync(a, syncing.Options{WithForeign: true}); err != nil {
			t.Fatal(err)
		}
		b.Write("src.go", "package y\n")
	},
	"staged in part": func(_ *testing.T, _ *fleet, a, b *agenttest.Lab) {
		a.Write("MEMORY.md", "# Memory\n\n- a\n")
		doSync(a)
		b.Write("MEMORY.md", "# Memory\n\n- staged\n")
		b.Git("add", "MEMORY.md")
		b.Write("MEMORY.md", "# Memory\n\n- staged\n- and not\n")
	},
	"verdicts": func(_ *testing.T, _ *fleet, a, b *agenttest.Lab) {
		judge(a, "of a")
		judge(b, "of b")
		doSync(a)
	},
}

// TestForeseen: a dry run says what the real one does, ends as it does, and moves nothing.
func TestForeseen(t *testing.T) {
	t.Parallel()
	long := map[string]bool{"nothing": true, "forward": true, "contradiction": true, "unrelated": true, "rewritten": true}
	for name, prepare := range foreseen {
		if long[name] && os.Getenv("CLAW_TEST_BIG") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2, "MEMORY.md", "# Memory\n", "SOUL.md", soul)
			a, b := f.m[0], f.m[1]
			doSync(b)
			prepare(t, f, a, b)
			before := stand(f, b)
			dry, derr := trySync(b, syncing.Options{DryRun: true})
			if after := stand(f, b); after != before {
				t.Errorf("something moved:\n%s\nwas\n%s", after, before)
			}
			res, err := trySync(b, syncing.Options{})
			if fmt.Sprint(derr) != fmt.Sprint(err) || fmt.Sprintf("%T", derr) != fmt.Sprintf("%T", err) {
				t.Fatalf("foreseen: %v\nseen: %v", derr, err)
			}
			if got, want := counts(dry), counts(res); got != want {
				t.Errorf("foreseen:\n%s\nseen:\n%s", got, want)
			}
		})
	}
}

// counts is what both kinds of run tell.
func counts(r *syncing.Result) string {
	return fmt.Sprintf("in %d, out %d, merged %t, files %d, contradictions %d, %+v, verdicts %t %t, strange %d, foreign %d, saved %d, skipped %d",
		r.In, r.Out, r.Merged, r.Files, r.Contradictions, r.Proposals, r.Verdicts, r.VerdictsOut, len(r.Strange), len(r.Foreign), len(r.Save.Commits), len(r.Save.Skipped))
}

// stand is all refs, and all files that are no objects.
func stand(f *fleet, l *agenttest.Lab) string {
	f.t.Helper()
	out := f.at("for-each-ref") + "\n" + l.Git("for-each-ref") + "\n" + l.Git("status", "--porcelain") + "\n"
	err := filepath.WalkDir(l.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "objects" {
			return fs.SkipDir
		}
		if !d.IsDir() && d.Name() != "index" {
			fi, err := d.Info()
			if err != nil {
				return err
			}
			out += fmt.Sprintln(path, fi.ModTime(), fi.Size())
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}
