//go:build unix

package index

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// The names of a folder are not read again while its stat data are what they were.
// What can change without them is seen all the same.
func TestFoldersThatAreNotReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Git("config", "claw.maxFileBytes", "1000")
	for _, f := range []string{"memory/a.md", "memory/sub/b.md", "memory/sub/deep/c.md", "memory/sub/deep/d.md", "MEMORY.md"} {
		w.note(f, "- amber "+f+"\n")
	}
	large := "- birch " + strings.Repeat("cedar ", 400) + "\n"
	w.note("memory/large.md", large)
	w.note("memory/sub/grows.md", "- delta-7\n")
	w.note("memory/aside/e.md", "- ember fjord grove\n")
	w.commit()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	must(os.MkdirAll(elsewhere, 0o777))
	must(os.WriteFile(filepath.Join(elsewhere, "c.md"), []byte("- harbor iris\n"), 0o666))

	for _, step := range []struct {
		what string
		do   func()
	}{
		{"nothing", func() {}},
		{"a note that was too large shrinks in place", func() { must(os.Truncate(w.Path("memory/large.md"), 300)) }},
		{"and grows", func() { must(os.WriteFile(w.Path("memory/large.md"), []byte(large), 0o666)) }},
		{"one becomes too large", func() { must(os.WriteFile(w.Path("memory/sub/grows.md"), []byte(large), 0o666)) }},
		{"and small again", func() { must(os.Truncate(w.Path("memory/sub/grows.md"), 500)) }},
		{"an edit in place", func() { must(os.WriteFile(w.Path("memory/sub/deep/c.md"), []byte("- birch new\n"), 0o666)) }},
		{"a new note", func() { w.note("memory/sub/deep/new.md", "- juniper kelp\n") }},
		{"a removed one", func() { w.Remove("memory/sub/deep/d.md") }},
		{"a renamed one", func() { must(os.Rename(w.Path("memory/a.md"), w.Path("memory/aa.md"))) }},
		{"a new folder", func() { w.note("memory/fresh/folder/x.md", "- lotus meadow\n") }},
		{"a moved folder", func() { must(os.Rename(w.Path("memory/fresh"), w.Path("memory/sub/fresh"))) }},
		{"a folder becomes a repository", func() {
			must(exec.Command("git", "init", "-q", w.Path("memory/sub/fresh/folder")).Run())
		}},
		{"and is none any more", func() { must(os.RemoveAll(w.Path("memory/sub/fresh/folder/.git"))) }},
		{"a note becomes a link", func() {
			w.Remove("memory/aside/e.md")
			must(os.Symlink(filepath.Join(elsewhere, "c.md"), w.Path("memory/aside/e.md")))
		}},
		{"a folder becomes a link", func() {
			must(os.Rename(w.Path("memory/sub"), w.Path("memory/old")))
			must(os.Symlink(elsewhere, w.Path("memory/sub")))
		}},
		{"and is back", func() {
			w.Remove("memory/sub")
			must(os.Rename(w.Path("memory/old"), w.Path("memory/sub")))
		}},
		{"the commit of it all", w.commit},
		{"a branch without most of it", func() {
			w.Git("checkout", "-q", "-b", "other", "HEAD~1")
		}},
		{"and back", func() { w.Git("checkout", "-q", "-") }},
		{"a root folder goes", func() { must(os.RemoveAll(w.Path("memory"))) }},
		{"and comes", func() { w.note("memory/again.md", "- amber again\n") }},
	} {
		time.Sleep(15 * time.Millisecond) // so that the clock of the disk goes on
		step.do()
		time.Sleep(15 * time.Millisecond)
		w.same(step.what)
		w.same(step.what + ", once more")
	}
	if !gitops.LocalDisk(w.Dir) {
		t.Log("the disk is not known to be local: folders are read each time")
	}
}

// A search in which nothing changed reads no names and no notes, and writes
// nothing.
func TestNothingChangedReadsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	if !gitops.LocalDisk(w.Dir) {
		t.Skip("the disk is not known to be local")
	}
	for _, f := range []string{"memory/a.md", "memory/sub/b.md", "MEMORY.md"} {
		w.note(f, "- amber "+f+"\n")
	}
	w.commit()
	time.Sleep(15 * time.Millisecond)
	w.refresh(Options{})
	w.with(Options{}, func(s *Snapshot) {
		if s.Saved || s.Built > 0 {
			t.Errorf("saved %v, built %d", s.Saved, s.Built)
		}
		found, err := s.walkWork(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(found.changed)+len(found.missing) > 0 || found.moved {
			t.Errorf("found %+v", found)
		}
		for _, f := range found.folders {
			if f.stat == (stat{}) || s.racy(f.stat) {
				t.Errorf("folder %q is read each time", f.path)
			}
		}
	})
}
