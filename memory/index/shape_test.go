package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory/lexical"
)

// finds lists the paths of notes that hold a word.
func finds(t testing.TB, s *Snapshot, word string) []string {
	t.Helper()
	r, err := s.View.Search(lexical.Query{Words: lexical.NewAnalyser().ParseWords(word), Weights: lexical.DefaultWeights()})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range r.Hits {
		stored, err := s.View.Stored(h)
		if err != nil {
			t.Fatal(err)
		}
		n, err := DecodeNote(stored)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wantFinds refreshes, compares with a fresh index, and looks for a word.
func (w *world) wantFinds(word string, want ...string) {
	w.t.Helper()
	w.same(word)
	w.with(Options{}, func(s *Snapshot) {
		if got := finds(w.t, s, word); !slices.Equal(got, want) {
			w.t.Errorf("'%s' is in %q, want %q", word, got, want)
		}
	})
}

// Every kind of repository that writers serve.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, shape := range gittest.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", shape.Options...)
			w.same("at first")
			w.note("memory/2026-03-01.md", "- amber\n")
			w.note("memory/new.md", "- amber\n")
			w.wantFinds("amber", "memory/2026-03-01.md", "memory/new.md")
			w.commit()
			w.wantFinds("amber", "memory/2026-03-01.md", "memory/new.md")
			if err := w.git("revert", "--no-edit", "HEAD"); err != nil {
				t.Fatal(err)
			}
			w.wantFinds("amber")
		})
	}
}

func TestUnbornAndDetached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", gittest.Unborn())
	w.same("without a note")
	w.note("memory/a.md", "- amber\n")
	w.wantFinds("amber", "memory/a.md")
	w.commit()
	w.wantFinds("amber", "memory/a.md")
	w.note("memory/a.md", "- birch\n")
	w.commit()
	w.Git("checkout", "-q", "HEAD~1")
	w.wantFinds("amber", "memory/a.md")
	w.Git("checkout", "-q", "--orphan", "other")
	w.Git("rm", "-q", "-r", "--cached", ".")
	w.wantFinds("amber", "memory/a.md")
	w.Remove("memory")
	w.wantFinds("amber")
	w.Git("checkout", "-q", "-f", "main")
	w.wantFinds("birch", "memory/a.md")
}

func TestBare(t *testing.T) {
	t.Parallel()
	source := newWorld(t, "")
	source.note("memory/a.md", "- amber\n")
	source.note("memory/large.md", "- amber\n"+strings.Repeat("x", 5<<20))
	source.commit()
	w := &world{Repo: gittest.New(t, gittest.Bare()), t: t}
	w.same("without a commit")
	source.Git("push", "-q", w.Dir, "main")
	w.wantFinds("amber", "memory/a.md")
	source.note("memory/a.md", "- birch\n")
	source.commit()
	source.Git("push", "-q", w.Dir, "main")
	w.wantFinds("amber")
	w.wantFinds("birch", "memory/a.md")
}

// A note that a sparse checkout leaves out is found as HEAD has it, one that
// somebody deleted is not.
func TestSparse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", gittest.Files(map[string]string{
		"memory/a.md": "- amber\n", "memory/b.md": "- amber\n", "memory/out/c.md": "- amber\n", ".learnings/d.md": "- amber\n",
	}))
	w.wantFinds("amber", ".learnings/d.md", "memory/a.md", "memory/b.md", "memory/out/c.md")
	w.Git("sparse-checkout", "set", "--no-cone", "/*", "!/memory/out/", "!/.learnings/")
	w.wantFinds("amber", ".learnings/d.md", "memory/a.md", "memory/b.md", "memory/out/c.md")
	w.Remove("memory/b.md")
	w.wantFinds("amber", ".learnings/d.md", "memory/a.md", "memory/out/c.md")
	w.note("memory/out/c.md", "- birch\n") // there after all
	w.wantFinds("amber", ".learnings/d.md", "memory/a.md")
	w.Git("sparse-checkout", "disable")
	w.wantFinds("birch", "memory/out/c.md")
}

func TestLinksAndNestedRepositories(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Write("elsewhere/secret.md", "- amber\n")
	w.Write("memory/real.md", "- amber\n")
	w.Symlink("../elsewhere/secret.md", "memory/link.md")
	w.Symlink("../elsewhere", "memory/folder")
	w.Symlink("nowhere", "memory/dangling.md")
	w.Symlink(".", "memory/loop")
	w.Symlink("elsewhere/secret.md", "USER.md")
	w.Write("memory/nested/n.md", "- amber\n")
	w.Git("init", "-q", "memory/nested")
	w.wantFinds("amber", "memory/real.md")
	w.Git("-C", "memory/nested", "commit", "-q", "--allow-empty", "-m", "x")
	w.commit()
	w.wantFinds("amber", "memory/real.md")
	// The whole folder becomes a link: what HEAD has is not there any more.
	if err := os.Rename(w.Path("memory"), w.Path("moved")); err != nil {
		t.Fatal(err)
	}
	w.Symlink("moved", "memory")
	w.wantFinds("amber")
	w.Remove("memory")
	if err := os.Rename(w.Path("moved"), w.Path("memory")); err != nil {
		t.Fatal(err)
	}
	w.wantFinds("amber", "memory/real.md")
	// A folder, a pipe or a link where a note was.
	w.Remove("memory/real.md")
	w.Write("memory/real.md/inner.md", "- amber\n")
	w.wantFinds("amber", "memory/real.md/inner.md")
}

// What git stores with LF and puts into the work tree with CRLF is the same note.
func TestCRLF(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", gittest.Config("core.autocrlf", "true"))
	w.note("memory/a.md", "# one\r\n\r\n- amber\r\n- birch\r\n")
	w.commit()
	check := func(unsaved bool) {
		t.Helper()
		w.wantFinds("amber", "memory/a.md")
		w.with(Options{Rebuild: true}, func(s *Snapshot) {
			e, ok := s.Entries.Get("memory/a.md")
			if !ok || e.Unsaved() != unsaved {
				t.Fatalf("entry %+v", e)
			}
			if unsaved {
				return
			}
			// Its byte ranges are those of the blob it names.
			blob, err := s.ws.Repo.Objects().Blob(context.Background(), e.Blob)
			if err != nil {
				t.Fatal(err)
			}
			var stored []byte
			err = s.View.Parts[0].Each(func(b []byte) bool {
				n, err := DecodeNote(b)
				if err == nil && n.Path == "memory/a.md" {
					stored = b
				}
				return stored == nil
			})
			if err != nil {
				t.Fatal(err)
			}
			n, err := DecodeNote(stored)
			if err != nil || len(n.Pieces) != 1 || n.Pieces[0].End != len(blob) {
				t.Errorf("pieces %+v of %d bytes, %v", n.Pieces, len(blob), err)
			}
		})
	}
	check(false)
	w.Git("rm", "-q", "--cached", "memory/a.md")
	w.Git("reset", "-q", "--hard")
	check(false)
	w.note("memory/a.md", "# one\r\n\r\n- amber\r\n- cedar\r\n")
	check(true)
}

func TestRootMemoryNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", gittest.Unborn())
	w.note("memory.md", "- amber\n")
	w.wantFinds("amber", "memory.md")
	w.note("MEMORY.md", "- amber\n")
	w.wantFinds("amber", "MEMORY.md", "memory.md")
	w.commit()
	w.wantFinds("amber", "MEMORY.md", "memory.md")
}

func TestLargeNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Write(".claw/config", "[claw]\n\tmaxFileBytes = 70000\n")
	large := "- amber\n" + strings.Repeat("- birch\n", 9_000)
	w.note("memory/a.md", large)
	w.wantFinds("amber")
	w.commit()
	w.wantFinds("amber")
	w.with(Options{}, func(s *Snapshot) {
		if err := s.At(context.Background(), s.Commit); err != nil {
			t.Fatal(err)
		}
		if got := finds(t, s, "amber"); len(got) > 0 || s.Pending > 0 {
			t.Errorf("at HEAD: %q, %d pending", got, s.Pending)
		}
	})
	w.note("memory/a.md", large[:60_000])
	w.wantFinds("amber", "memory/a.md")
	w.note("memory/a.md", large)
	w.wantFinds("amber")
	w.Write(".claw/config", "[claw]\n\tmaxFileBytes = 80000\n")
	w.wantFinds("amber", "memory/a.md")
}

// Edits of the same size in one tick of the clock, with the time put back.
func TestRacyEdits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	old := time.Now().Add(-time.Hour)
	for i := range 60 {
		word := []string{"amber", "birch", "cedar"}[i%3]
		w.note("memory/a.md", "- "+word+"\n")
		if i%2 == 0 {
			if err := os.Chtimes(w.Path("memory/a.md"), old, old); err != nil {
				t.Fatal(err)
			}
		}
		w.with(Options{}, func(s *Snapshot) {
			if got := finds(t, s, word); len(got) != 1 {
				t.Fatalf("edit %d: '%s' is in %q", i, word, got)
			}
		})
	}
	// One from the future is looked at each time.
	future := time.Now().Add(time.Hour)
	for _, word := range []string{"delta", "ember", "fjord"} {
		w.note("memory/a.md", "- "+word+"\n")
		if err := os.Chtimes(w.Path("memory/a.md"), future, future); err != nil {
			t.Fatal(err)
		}
		w.wantFinds(word, "memory/a.md")
	}
}

// Notes that are not there, offline: they stay pending, the others are found, and
// when the blobs can be had they are too.
func TestMissingBlobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", gittest.Files(map[string]string{
		"MEMORY.md": "- amber\n", "memory/a.md": "- birch\n", "memory/b.md": "- birch cedar\n",
	}), gittest.Config("uploadpack.allowFilter", "true"))
	source, dir := "file://"+filepath.ToSlash(w.Dir), filepath.Join(w.Base, "clone")
	w.Git("clone", "-q", "--filter=blob:none", "--sparse", source, dir)
	w.Dir = dir
	w.Git("config", "remote.origin.url", "file:///nowhere")
	pending := func(n int) {
		t.Helper()
		for range 2 {
			w.with(Options{}, func(s *Snapshot) {
				if s.Pending != n {
					t.Errorf("%d pending, want %d", s.Pending, n)
				}
				if got := finds(t, s, "amber"); len(got) != 1 {
					t.Errorf("amber is in %q", got)
				}
				if got := finds(t, s, "birch"); len(got) != 2-n {
					t.Errorf("birch is in %q", got)
				}
			})
		}
	}
	pending(2)
	w.Git("config", "remote.origin.url", source)
	pending(0)
}

func TestAbsurdNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	var same strings.Builder
	for i := range 6_000 {
		fmt.Fprintf(&same, "## Entry %d\n- amber, as ever, and on it goes\n", i%10)
	}
	w.note("memory/same.md", same.String())
	w.note("memory/long.md", strings.Repeat("birch "+strings.Repeat("x", 8_000)+" cedar 晨露\n", 5))
	w.note("memory/one-line.md", strings.Repeat("晨露と庭 ", 40_000))
	w.note("memory/bytes.md", "- amber \xff\xfe\x00 \xe6\x99 birch\n\xc3\x28\n")
	w.note("memory/utf16.md", "\xff\xfe-\x00 \x00a\x00m\x00b\x00e\x00r\x00")
	w.note("memory/empty.md", "")
	w.note("memory/blank.md", "\n\n \n")
	w.note("memory/frontmatter.md", "---\ntitle: amber\n")
	w.note("memory/fence.md", "```\n- amber\n")
	w.Write("memory/\xff\n\t\"name.md", "- amber\n")
	w.note("memory/"+strings.Repeat("d/", 200)+"deep.md", "- lotus\n")
	w.wantFinds("cedar", "memory/long.md")
	w.wantFinds("lotus", "memory/"+strings.Repeat("d/", 200)+"deep.md")
	w.commit()
	w.same("committed")
	w.note("memory/same.md", "x\n"+same.String())
	w.same("changed")
}
