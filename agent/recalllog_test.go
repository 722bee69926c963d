package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// recalledLog reads the log of a workspace.
func (l *lab) recalledLog(file string) []recalled {
	l.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		l.t.Fatal(err)
	}
	var out []recalled
	for line := range strings.Lines(string(b)) {
		var r recalled
		if err := json.Unmarshal([]byte(line), &r); err != nil || !strings.HasSuffix(line, "\n") {
			l.t.Fatalf("line %q: %v", line, err)
		}
		out = append(out, r)
	}
	return out
}

// TestRecallLog: with claw.recall.log each search and get leaves one line that leads
// to the text, without secrets and what a session may not see.
func TestRecallLog(t *testing.T) {
	t.Parallel()
	l := newLab(t, "agents/main", "memory/a.md", "- an osprey\n", "MEMORY.md", "- osprey tea\n")
	ctx := t.Context()
	file := filepath.Join(l.dir, ".git", "claw", recallLogName)
	get := func(opt GetOptions) {
		t.Helper()
		opt.Warn = func(f string, a ...any) { t.Errorf("warning: "+f, a...) }
		if _, err := Get(ctx, l.ws(), opt); err != nil {
			t.Fatal(err)
		}
	}
	l.search(SearchOptions{Query: "osprey"})
	get(GetOptions{What: "memory/a.md"})
	if _, err := os.Lstat(file); !os.IsNotExist(err) {
		t.Fatalf("there is a log without the setting: %v", err)
	}
	l.git("config", "claw.recall.log", "true")
	head, old := strings.TrimSpace(l.git("rev-parse", "HEAD")), "- an osprey\n"
	l.write("memory/a.md", "line\n- an osprey in the work tree\n")
	l.search(SearchOptions{Query: "osprey", Kind: "group"})
	l.gitCommit("two")
	l.search(SearchOptions{Query: "osprey", Kind: "group", At: "HEAD~1"})
	l.search(SearchOptions{Query: "nothing like it"})
	l.search(SearchOptions{Query: "where is\nthe key " + fakeKey() + " now"})
	l.search(SearchOptions{Query: strings.Repeat("é", loggedQuery)})
	get(GetOptions{What: "memory/a.md", From: 2})
	get(GetOptions{What: "memory/a.md", At: "HEAD~1"})
	if _, err := Get(ctx, l.ws(), GetOptions{What: "MEMORY.md", Kind: "group"}); err == nil {
		t.Error("MEMORY.md is shown to a group")
	}
	l.write("memory/"+fakeKey()+".md", "- a kite\n")
	l.search(SearchOptions{Query: "kite"})
	get(GetOptions{What: "memory/" + fakeKey() + ".md"})

	b, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(b), fakeKey()) {
		t.Errorf("the log holds a secret, or %v: %s", err, b)
	}
	if fi, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	log := l.recalledLog(file)
	if len(log) != 9 {
		t.Fatalf("%d lines, want 9: %s", len(log), b)
	}
	first := recalledLines{"memory/a.md", 1, 1, l.ws().Repo.BlobID([]byte(old))}
	for i, want := range map[int]string{
		0: "search osprey false 1", 1: "search osprey true 1", 2: "search nothing like it false 0",
		3: "search where is\n<secret: stripe-key> false", 5: "get memory/a.md false 1", 6: "get memory/a.md true 1",
	} {
		got := fmt.Sprint(log[i].Command, " ", log[i].Query, log[i].Path, " ", log[i].At != nil, " ", len(log[i].Results))
		if !strings.HasPrefix(got, want) {
			t.Errorf("line %d: %s, want %s", i, got, want)
		}
		if log[i].Schema != "claw.recall/1" || log[i].Time != "2026-05-02T09:00:00Z" || log[i].Head == nil || (i == 0) != (log[i].Head.String() == head) {
			t.Errorf("line %d: %+v", i, log[i])
		}
	}
	if log[1].Results[0] != first || log[6].Results[0] != first || log[1].At.String() != head {
		t.Errorf("at the first commit: %+v, %+v", log[1], log[6])
	}
	if got := log[5].Results[0]; got.From != 2 || got.To != 2 || l.git("cat-file", "blob", got.Blob.String()) != "line\n- an osprey in the work tree\n" {
		t.Errorf("get --from 2: %+v", got)
	}
	if n := len(log[4].Query); n > loggedQuery+3 {
		t.Errorf("a query of %d bytes", n)
	}
}

// TestRecallLogFails: a log that cannot be written hinders nobody, and that of a
// linked worktree is the one of all.
func TestRecallLogFails(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/a.md", "- an osprey\n")
	l.git("config", "claw.recall.log", "true")
	file := filepath.Join(l.dir, ".git", "claw", recallLogName)
	if err := os.MkdirAll(file, 0o777); err != nil {
		t.Fatal(err)
	}
	warned := 0
	warn := func(string, ...any) { warned++ }
	if got := first(l.search(SearchOptions{Query: "osprey", Warn: warn})); got != "memory/a.md" || warned != 1 {
		t.Errorf("finds %s, %d warnings", got, warned)
	}
	if g, err := Get(t.Context(), l.ws(), GetOptions{What: "memory/a.md", Warn: warn}); err != nil || g.Text == "" || warned != 2 {
		t.Errorf("get: %+v, %v, %d warnings", g, err, warned)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	main := l.dir
	l.git("worktree", "add", "-q", filepath.Join(main, "..", filepath.Base(main)+"-linked"))
	l.dir = main + "-linked"
	t.Cleanup(func() { _ = os.RemoveAll(main + "-linked") })
	l.search(SearchOptions{Query: "osprey"})
	l.dir = main
	if log := l.recalledLog(file); len(log) != 1 {
		t.Errorf("%d lines", len(log))
	}
}

// TestRecallLogTogether: lines of many writers stay whole while the log is begun anew,
// it stays within its bound, and one that a full disk cut spoils no other.
func TestRecallLogTogether(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), recallLogName)
	if err := os.WriteFile(file, []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	const limit, writers, each = 20_000, 8, 100
	line := func(w, i int) string { return fmt.Sprintf("%d:%03d %s\n", w, i, strings.Repeat("x", 90)) }
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := appendLog(file, []byte(line(w, i)), limit); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, name := range []string{file + ".1", file} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > limit+writers*100 || name != file && len(b) < limit/2 {
			t.Errorf("%s has %d bytes, the bound is %d", filepath.Base(name), len(b), limit)
		}
		for l := range strings.Lines(string(b)) {
			var w, i int
			if _, err := fmt.Sscanf(l, "%d:%03d ", &w, &i); err != nil || l != line(w, i) {
				t.Errorf("a line is not whole: %q", l)
			}
		}
	}
	if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 3 {
		t.Errorf("%v, %v", list, err)
	}
}
