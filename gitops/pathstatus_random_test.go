package gitops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// statusWalk edits a work tree at random, by hand and with git.
type statusWalk struct {
	*gittest.Repo
	t    testing.TB
	rnd  *rand.Rand
	repo *gitops.Repo

	certain, asked int
	letters        map[string]bool
	last           string // what was done, for the message
}

var statusNames = []string{
	"a", "a/b", "a/b/c", "AGENTS.md", "MEMORY.md", "a.md", "b.md", "b-", "memory/x.md", "memory/y.md", "memory/2026/11/1.md", "memory/2026/11/2.md", "memory/2026/z.md",
	"n e w/ \xff.md", "é.md", ":(top)q", "AGENTS.md", "MEMORY.md", "notes/b.md", "notes/deep/er/a.md", "bin/run.sh", "tmp/x.log", "tmp/deep/y",
}

func (w *statusWalk) name() string { return statusNames[w.rnd.IntN(len(statusNames))] }

// edit does something to the work tree; what cannot be done is left undone.
func (w *statusWalk) edit() {
	p := w.Path(w.name())
	content := []string{"one\n", "two\n", "three\n", "", "# Memory\n\n- one fact\n"}[w.rnd.IntN(5)]
	w.last = fmt.Sprintf("edit of %s", p)
	switch w.rnd.IntN(12) {
	case 0:
		_ = os.Remove(p)
	case 1:
		_ = os.RemoveAll(p)
	case 2:
		_ = os.Chmod(p, []os.FileMode{0o755, 0o644}[w.rnd.IntN(2)])
	case 3:
		if w.rnd.IntN(2) == 0 {
			_ = os.Remove(p)
			_ = os.Symlink([]string{"x", "memory"}[w.rnd.IntN(2)], p)
		}
	case 4:
		_ = os.Rename(p, w.Path(w.name()))
	case 5:
		_ = os.MkdirAll(p, 0o777)
	case 6:
		if w.rnd.IntN(3) == 0 {
			_ = os.RemoveAll(p)
		}
		fallthrough
	default:
		_ = os.MkdirAll(filepath.Dir(p), 0o777)
		_ = os.WriteFile(p, []byte(content), 0o666)
	}
}

// git does something with git; what it refuses is left undone.
func (w *statusWalk) git() {
	p := w.name()
	args := [][]string{
		{"add", "-A"},
		{"add", "--", p},
		{"rm", "-q", "-r", "--cached", "--", p},
		{"rm", "-q", "-r", "-f", "--", p},
		{"commit", "-q", "-m", "x"},
		{"commit", "-q", "-a", "-m", "x"},
		{"reset", "-q"},
		{"reset", "-q", "--hard"},
		{"checkout", "-q", "--", p},
		{"stash", "-q"},
		{"write-tree"},
		{"update-index", "-q", "--refresh"},
		{"commit", "-q", "-m", "x", "--only", "--", p},
		{"status"},
		{"reset", "-q", "--soft", "HEAD~1"},
	}[w.rnd.IntN(15)]
	w.last = fmt.Sprint(args)
	_, _ = w.TryEnv([]string{"GIT_LITERAL_PATHSPECS=1"}, "", args...)
	if args[0] == "add" {
		for _, p := range statusNames { // what is staged is edited again
			if fi, err := os.Lstat(w.Path(p)); err == nil && fi.Mode().IsRegular() && w.rnd.IntN(4) == 0 {
				_ = os.WriteFile(w.Path(p), []byte("four\n"), 0o666)
			}
		}
	}
}

// odd does what git treats in a way of its own.
func (w *statusWalk) odd() {
	p := w.name()
	kind := w.rnd.IntN(9)
	w.last = fmt.Sprintf("oddity %d of %s", kind, p)
	switch kind {
	case 0, 1, 2:
		rules := []string{"*.log\n", "/tmp/\n", "memory/2026/\n!memory/2026/z.md\n", "a*\n!a.md\n", "# nothing\n", "é.md\n", "deep\n"}
		file := []string{".gitignore", "memory/.gitignore", ".git/info/exclude"}[w.rnd.IntN(3)]
		_ = os.WriteFile(w.Path(file), []byte(rules[w.rnd.IntN(len(rules))]), 0o666)
	case 3:
		_ = os.WriteFile(w.Path(".gitattributes"), []byte([]string{"*.md text\n", "* -text\n", "*.md merge=union\n"}[w.rnd.IntN(3)]), 0o666)
	case 4:
		_, _ = w.Try("update-index", "--assume-unchanged", "AGENTS.md")
	case 5:
		_, _ = w.TryEnv([]string{"GIT_LITERAL_PATHSPECS=1"}, "", "add", "-N", "--", p)
	case 6:
		_ = os.MkdirAll(w.Path("inner"), 0o777)
		_, _ = w.Try("init", "-q", "inner")
		_ = os.WriteFile(w.Path("inner/x.md"), nil, 0o666)
	case 7:
		_, _ = w.Try("config", "core.filemode", []string{"true", "false"}[w.rnd.IntN(2)])
	case 8:
		_, _ = w.Try("update-index", "--no-assume-unchanged", "AGENTS.md")
	}
	w.repo = w.Open()
}

// back undoes what would make all further answers uncertain.
func (w *statusWalk) back() {
	_ = os.RemoveAll(w.Path("inner"))
	_ = os.Remove(w.Path(".gitattributes"))
	_, _ = w.Try("rm", "-q", "-f", "--cached", "--ignore-unmatch", ".gitattributes", "inner")
}

func (w *statusWalk) scope() gitops.StatusOptions {
	opt := gitops.StatusOptions{Untracked: w.rnd.IntN(4) > 0}
	switch w.rnd.IntN(6) {
	case 0:
	case 1:
		opt.Paths = []string{"."}
	case 2:
		opt.Paths = []string{}
	default:
		for range 1 + w.rnd.IntN(4) {
			p := w.name()
			if w.rnd.IntN(2) == 0 {
				p = strings.SplitN(p, "/", 2)[0]
			}
			opt.Paths = append(opt.Paths, p)
		}
	}
	return opt
}

func (w *statusWalk) compare(opt gitops.StatusOptions) {
	ctx := context.Background()
	w.asked++
	got, certain, err := gitops.LookAt(ctx, w.repo, opt)
	if err != nil {
		w.t.Fatalf("after %s, %+v: %v", w.last, opt, err)
	}
	if !certain {
		return
	}
	w.certain++
	want, err := w.repo.Status(ctx, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	if got.Head != want.Head || got.Seen != want.Seen {
		w.t.Fatalf("after %s: head and stamp are %+v, want %+v", w.last, got, want)
	}
	if !slices.Equal(got.Entries, want.Entries) {
		w.t.Fatalf("after %s, %+v: status is\n%+v\ngit says\n%+v", w.last, opt, got.Entries, want.Entries)
	}
	for _, e := range want.Entries {
		w.letters[string([]byte{e.Index, e.Work})] = true
	}
}

// What is found without git is what git says.
func TestPathStatusAtRandom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	letters := map[string]bool{}
	for seed := range uint64(4) {
		w := &statusWalk{Repo: gittest.New(t), t: t, rnd: rand.New(rand.NewPCG(seed, 2)), letters: letters}
		w.repo = w.Open()
		for i := range 60 {
			switch n := w.rnd.IntN(20); {
			case n < 11:
				w.edit()
			case n < 18:
				w.git()
			default:
				w.odd()
			}
			if i%10 == 9 {
				w.back()
			}
			for range 3 {
				w.compare(w.scope())
			}
		}
		t.Logf("seed %d: %d of %d answers were certain", seed, w.certain, w.asked)
		if w.certain < w.asked/3 {
			t.Errorf("%d of %d answers were certain", w.certain, w.asked)
		}
	}
	for _, l := range []string{".M", ".D", "A.", "M.", "D.", "MM", "AM", "??", "DA"} {
		if !letters[l] {
			t.Errorf("the walk never met '%s'", l)
		}
	}
}
