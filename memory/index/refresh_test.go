package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/lexical"
)

// world is a workspace in a repository.
type world struct {
	t   testing.TB
	dir string
	sub string
	env []string
}

func newWorld(t testing.TB, sub string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, sub: sub, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Li", "GIT_AUTHOR_EMAIL=li@example.org", "GIT_COMMITTER_NAME=Li", "GIT_COMMITTER_EMAIL=li@example.org",
	}}
	w.git("init", "-q", "-b", "main")
	w.write(".claw/config", "[claw]\n\thost = openclaw\n\ttimezone = UTC\n")
	return w
}

func (w *world) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (w *world) path(rel string) string { return filepath.Join(w.dir, w.sub, filepath.FromSlash(rel)) }

func (w *world) write(rel, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(rel)), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(rel), []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open() *memory.Workspace {
	w.t.Helper()
	if err := os.MkdirAll(w.path("."), 0o777); err != nil { // git removes folders that get empty
		w.t.Fatal(err)
	}
	g := gitops.NewGit(gitops.Env{Environ: w.env, Dir: filepath.Join(w.dir, w.sub), Now: time.Now})
	ws, err := memory.Open(context.Background(), g, filepath.Join(w.dir, w.sub), "")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = ws.Repo.Close() })
	return ws
}

func (w *world) refresh(opt index.Options) *index.Snapshot {
	w.t.Helper()
	opt.Clock = time.Now
	s, err := index.Refresh(context.Background(), w.open(), opt)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// tell says all that a snapshot answers: its files, and the hits of some queries.
func tell(t testing.TB, s *index.Snapshot) string {
	t.Helper()
	var out []string
	for e := range s.Entries.All() {
		if !e.Want.IsZero() {
			out = append(out, fmt.Sprintf("%s %s %s %s %v", e.Path, e.Want.Short(), e.Head.Short(), e.Commit.Short(), e.Unsaved()))
		}
	}
	a := lexical.NewAnalyser()
	for _, q := range []string{"alpha", "beta gamma", "REF-0500-11", "备份 alpha", "n3", "walrus"} {
		r, err := s.View.Search(lexical.Query{Words: a.ParseWords(q), Weights: lexical.DefaultWeights(), Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		var hits []string
		for _, h := range r.Hits {
			stored, err := s.View.Stored(h)
			if err != nil {
				t.Fatal(err)
			}
			n, err := index.DecodeNote(stored)
			if err != nil {
				t.Fatal(err)
			}
			p := n.Pieces[h.Chunk]
			hits = append(hits, fmt.Sprintf("%q %.12f %s:%d-%d %s", q, h.Score, n.Path, p.From, p.To, n.Blob.Short()))
		}
		slices.Sort(hits)
		out = append(append(out, hits...), fmt.Sprint(r.Chunks))
	}
	return strings.Join(out, "\n")
}

// same compares the index as it was brought up to date with a new one.
func (w *world) same(what string) {
	w.t.Helper()
	kept := w.refresh(index.Options{})
	defer kept.Close()
	fresh := w.refresh(index.Options{Rebuild: true, ReadOnly: true})
	defer fresh.Close()
	if got, want := tell(w.t, kept), tell(w.t, fresh); got != want {
		w.t.Fatalf("after %s the index answers\n%s\na new one\n%s", what, got, want)
	}
	if kept.Pending != 0 {
		w.t.Fatalf("after %s %d are pending", what, kept.Pending)
	}
}

// history makes random changes.
type history struct {
	*world
	rnd *rand.Rand
	n   int
}

func (h *history) text() string {
	words := strings.Fields("alpha beta gamma delta REF-0500-11 备份窗口 walrus deploy")
	var b strings.Builder
	for range 1 + h.rnd.IntN(40) {
		b.WriteString(words[min(h.rnd.IntN(len(words)), h.rnd.IntN(len(words)))])
		b.WriteString([]string{" ", "\n", "\n\n## section\n"}[min(h.rnd.IntN(3), h.rnd.IntN(3))])
	}
	return b.String() + "\n"
}

func (h *history) file() string {
	return []string{"memory/n%d.md", "memory/sub/n%d.md", "memory/2026-03-0%d.md", "reference/n%d.md", ".learnings/n%d.md", "code/n%d.md"}[h.rnd.IntN(6)]
}

func (h *history) step() string {
	h.n++
	rel := fmt.Sprintf(h.file(), 1+h.rnd.IntN(5))
	switch h.rnd.IntN(14) {
	case 0, 1, 2:
		h.write(rel, h.text())
		return "edit " + rel
	case 3, 4:
		_, _ = h.try("add", "-A")
		_, _ = h.try("commit", "-qm", fmt.Sprint(h.n))
		return "commit"
	case 5:
		_ = os.Remove(h.path(rel))
		return "remove " + rel
	case 6:
		_, _ = h.try("mv", filepath.Join(h.sub, rel), filepath.Join(h.sub, fmt.Sprintf("memory/moved%d.md", h.rnd.IntN(3))))
		return "move " + rel
	case 7:
		_, _ = h.try("add", "-A")
		_, _ = h.try("commit", "-qm", fmt.Sprint(h.n))
		_, _ = h.try("switch", "-q", "-C", fmt.Sprintf("b%d", h.rnd.IntN(3)), fmt.Sprintf("HEAD~%d", h.rnd.IntN(3)))
		return "new branch"
	case 8:
		_, _ = h.try("switch", "-q", "-f", []string{"main", "b0", "b1", "b2"}[h.rnd.IntN(4)])
		return "switch"
	case 9:
		_, _ = h.try("add", "-A")
		_, _ = h.try("commit", "-qm", fmt.Sprint(h.n))
		_, _ = h.try("revert", "--no-edit", "HEAD")
		_, _ = h.try("revert", "--abort")
		return "revert"
	case 10:
		_, _ = h.try("add", "-A")
		_, _ = h.try("commit", "-qm", fmt.Sprint(h.n))
		if _, err := h.try("merge", "-q", "--no-edit", []string{"main", "b0", "b1"}[h.rnd.IntN(3)]); err != nil {
			_, _ = h.try("merge", "--abort")
		}
		return "merge"
	case 11:
		_, _ = h.try("add", "-A")
		_, _ = h.try("commit", "-q", "--amend", "-m", fmt.Sprint(h.n))
		return "amend"
	case 12:
		h.write(rel, h.text())
		_, _ = h.try("add", filepath.Join(h.sub, rel))
		h.write(rel, h.text())
		return "stage and edit " + rel
	default:
		h.write(fmt.Sprintf("memory/ignored%d.md", h.rnd.IntN(3)), h.text())
		return "ignored note"
	}
}

// TestIncrementalEqualsFresh: after any history the index that was brought up to
// date step by step answers exactly as one that is made anew.
func TestIncrementalEqualsFresh(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := &history{world: newWorld(t, []string{"", "agents/main"}[seed%2]), rnd: rand.New(rand.NewPCG(seed, 2))}
			h.write(".gitignore", "ignored*\n")
			h.write("MEMORY.md", "- alpha\n- beta\n")
			h.git("add", "-A")
			h.git("commit", "-qm", "one")
			var did []string
			for range 40 {
				did = append(did, h.step())
				if h.rnd.IntN(3) > 0 {
					h.same(strings.Join(did, ", "))
				}
			}
			h.same(strings.Join(did, ", "))
		})
	}
}

// TestDamagedFiles: whatever happens to a file of the index, the answers stay.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for i := range 5 {
		w.write(fmt.Sprintf("memory/n%d.md", i), "alpha beta\n\nREF-0500-11 备份\n")
	}
	w.git("add", "-A")
	w.git("commit", "-qm", "one")
	first := w.refresh(index.Options{})
	want := tell(t, first)
	first.Close()
	dir := index.Dir(w.open())
	rnd := rand.New(rand.NewPCG(3, 3))
	for round := range 60 {
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, names[rnd.IntN(len(names))].Name())
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch at := rnd.IntN(max(len(data), 1)); {
		case round%3 == 0:
			err = os.Remove(name)
		case round%3 == 1:
			err = os.Truncate(name, int64(at))
		case len(data) > 0:
			data[at] ^= 1 << rnd.IntN(8)
			err = os.WriteFile(name, data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := w.refresh(index.Options{})
		if got := tell(t, s); got != want {
			t.Fatalf("after damage of %s it answers\n%s\nnot\n%s", name, got, want)
		}
		s.Close()
	}
}

// TestNoWriting: where the index cannot be written, and where it may not catch up.
func TestNoWriting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.write("memory/a.md", "alpha\n")
	dir := index.Dir(w.open())
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := w.refresh(index.Options{})
	if s.Saved || s.Pending != 0 || s.View.Totals().Files != 1 {
		t.Errorf("a file in its place: saved %v, %d pending, %d files", s.Saved, s.Pending, s.View.Totals().Files)
	}
	s.Close()
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	s = w.refresh(index.Options{Budget: -1})
	if s.Pending != 1 || s.View.Totals().Files != 0 {
		t.Errorf("no budget: %d pending, %d files", s.Pending, s.View.Totals().Files)
	}
	s.Close()
	if _, err := os.Stat(dir); err == nil {
		t.Error("an index was written without budget")
	}
}
