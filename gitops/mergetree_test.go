package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// textMerge merges as git does; what conflicts becomes both sides, in order of bytes.
func textMerge(t *testing.T, repo *gitops.Repo, asked *int) gitops.MergeContent {
	return func(ctx context.Context, f gitops.FileMerge) ([]byte, error) {
		*asked++
		dir := t.TempDir()
		names := make([]string, 3)
		texts := make([]string, 3)
		for i, e := range []gitops.TreeEntry{f.Ours, f.Base, f.Theirs} {
			names[i] = filepath.Join(dir, fmt.Sprint(i))
			if !e.IsZero() {
				b, err := repo.Objects().Blob(ctx, e.ID)
				if err != nil {
					return nil, err
				}
				texts[i] = string(b)
			}
			if err := os.WriteFile(names[i], []byte(texts[i]), 0o666); err != nil {
				return nil, err
			}
		}
		out, err := exec.Command("git", "merge-file", "-p", names[0], names[1], names[2]).Output()
		if err != nil {
			return []byte(min(texts[0], texts[2]) + max(texts[0], texts[2])), nil
		}
		return out, nil
	}
}

// mergeLab is a repository with two branches, a and b, that go different ways.
type mergeLab struct {
	*gittest.Repo
	t   *testing.T
	rnd *rand.Rand
}

func (l *mergeLab) names() []string {
	return strings.Fields(l.Git("ls-files"))
}

// edit does one random thing to the work tree.
func (l *mergeLab) edit(side string) {
	names := l.names()
	name := names[l.rnd.IntN(len(names))]
	text := func(n string) []string {
		b, err := os.ReadFile(l.Path(n))
		if err != nil {
			l.t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
	switch k := l.rnd.IntN(10); {
	case k < 5: // a line
		lines := text(name)
		i := l.rnd.IntN(len(lines))
		lines[i] = fmt.Sprintf("%s %s %d", lines[i], side, l.rnd.IntN(1000))
		l.Write(name, strings.Join(lines, "\n")+"\n")
	case k < 7: // a new file
		l.Write(fmt.Sprintf("d%d/new-%s-%d.md", l.rnd.IntN(4), side, l.rnd.IntN(1000)), fmt.Sprintf("new %d\n", l.rnd.IntN(1000)))
	case k == 7 && len(names) > 10:
		l.Git("rm", "-q", "-f", "--", name)
	case k == 8:
		l.Git("add", "-A")
		l.Git("mv", "-f", "--", name, fmt.Sprintf("moved-%s-%d.md", side, l.rnd.IntN(1000)))
	default:
		l.Chmod(name, 0o755)
	}
	l.Git("add", "-A")
}

func newMergeLab(t *testing.T, seed uint64, edits int) *mergeLab {
	l := &mergeLab{Repo: gittest.New(t), t: t, rnd: rand.New(rand.NewPCG(seed, 7))}
	for i := range 16 {
		var b strings.Builder
		for line := range 30 {
			fmt.Fprintf(&b, "file %d line %d of some length\n", i, line)
		}
		l.Write(fmt.Sprintf("d%d/f%d.md", i%4, i), b.String())
	}
	l.Git("add", "-A")
	l.Git("commit", "-q", "-m", "files")
	for _, side := range []string{"a", "b"} {
		l.Git("switch", "-q", "-c", side, "main")
		for range edits {
			l.edit(side)
		}
		l.Git("commit", "-q", "--allow-empty", "-m", side)
	}
	return l
}

// TestMergeTreesAsGit: where git merges cleanly the tree is git's, and both directions
// give one tree.
func TestMergeTreesAsGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	rounds := 12
	if os.Getenv("CLAW_TEST_BIG") != "" {
		rounds = 200
	}
	clean, byGit, asked := 0, 0, 0
	for seed := range rounds {
		l := newMergeLab(t, uint64(seed), 1+seed%6)
		repo := l.Open()
		ctx := context.Background()
		a, b := l.id("a"), l.id("b")
		bases, err := repo.MergeBases(ctx, a, b)
		if err != nil || len(bases) != 1 {
			t.Fatalf("bases %v, %v", bases, err)
		}
		w := repo.Writer(gitops.WriterOptions{})
		one, err := w.MergeTrees(ctx, bases, a, b, textMerge(t, repo, &asked))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		two, err := w.MergeTrees(ctx, bases, b, a, textMerge(t, repo, &asked))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if one.ByGit {
			byGit++
		}
		out, err := l.Try("merge-tree", "--write-tree", "--no-messages", "a", "b")
		if err == nil {
			clean++
			if out != one.Tree.String() || len(one.Conflicts) > 0 {
				t.Errorf("seed %d: %s, git has %s\n%s", seed, one.Tree, out, l.Git("diff-tree", "-r", "--no-renames", out, one.Tree.String()))
			}
		}
		if len(one.Conflicts) == 0 && one.Tree != two.Tree {
			t.Errorf("seed %d: the other way round\n%s", seed, l.Git("diff-tree", "-r", "--no-renames", one.Tree.String(), two.Tree.String()))
		}
		if len(one.Conflicts) != len(two.Conflicts) {
			t.Errorf("seed %d: conflicts %v and %v", seed, one.Conflicts, two.Conflicts)
		}
	}
	t.Logf("%d of %d clean for git, %d went through git, %d files asked about", clean, rounds, byGit, asked)
	if clean == 0 || byGit == 0 || byGit == rounds || asked == 0 {
		t.Error("the histories do not reach all of it")
	}
}

func (l *mergeLab) id(rev string) gitops.ID {
	id, err := gitops.ParseID(l.Git("rev-parse", rev))
	if err != nil {
		l.t.Fatal(err)
	}
	return id
}

// TestMergeTreesFollows: what one side renamed gets the edit of the other side.
func TestMergeTreesFollows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	asked := 0
	text := func(change string) string {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, "- a bullet %d\n", i)
		}
		return strings.Replace(b.String(), "bullet 7", "bullet 7"+change, 1)
	}
	l := &mergeLab{Repo: gittest.New(t, gittest.Files(map[string]string{"memory/old.md": text(""), "x": "x\n"})), t: t}
	branch := func(name string, do func()) {
		l.Git("switch", "-q", "-c", name, "main")
		do()
		l.Git("add", "-A")
		l.Git("commit", "-q", "-m", name)
	}
	branch("a", func() { l.Git("mv", "memory/old.md", "archive.md") })
	branch("b", func() { l.Write("memory/old.md", text(" edited")) })
	branch("c", func() { l.Git("mv", "memory/old.md", "elsewhere.md") })
	branch("d", func() { l.Git("rm", "-q", "memory/old.md") })
	repo := l.Open()
	w := repo.Writer(gitops.WriterOptions{})
	merge := func(a, b string) *gitops.TreeMerge {
		t.Helper()
		m, err := w.MergeTrees(ctx, []gitops.ID{l.id("main")}, l.id(a), l.id(b), textMerge(t, repo, &asked))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	at := func(m *gitops.TreeMerge, path string) string {
		out, err := l.Try("cat-file", "-p", m.Tree.String()+":"+path)
		if err != nil {
			return ""
		}
		return out + "\n"
	}
	if m := merge("a", "b"); at(m, "archive.md") != text(" edited") || at(m, "memory/old.md") != "" || len(m.Conflicts) > 0 {
		t.Errorf("the edit is not in the archive: %+v", m)
	}
	if m := merge("a", "c"); at(m, "archive.md") != text("") || at(m, "elsewhere.md") != text("") || at(m, "memory/old.md") != "" || len(m.Conflicts) > 0 {
		t.Errorf("renamed twice: %+v", m)
	}
	m := merge("b", "d")
	if len(m.Conflicts) != 1 || m.Conflicts[0].Path != "memory/old.md" || !m.Conflicts[0].Theirs.IsZero() {
		t.Errorf("deleted there: %+v", m.Conflicts)
	}
}

// TestMergeTreesConflicts: what nobody can merge is named.
func TestMergeTreesConflicts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := &mergeLab{Repo: gittest.New(t, gittest.Files(map[string]string{"f": "one\ntwo\n", "g": "g\n"})), t: t}
	for _, side := range []string{"a", "b"} {
		l.Git("switch", "-q", "-c", side, "main")
		l.Write("f", side+"\ntwo\n")
		if side == "a" {
			l.Git("rm", "-q", "g")
			l.Write("g/in", "a directory\n")
		} else {
			l.Write("g", "edited\n")
		}
		l.Git("add", "-A")
		l.Git("commit", "-q", "-m", side)
	}
	repo := l.Open()
	m, err := repo.Writer(gitops.WriterOptions{}).MergeTrees(ctx, []gitops.ID{l.id("main")}, l.id("a"), l.id("b"),
		func(context.Context, gitops.FileMerge) ([]byte, error) { return nil, gitops.ErrMergeText })
	if err != nil || len(m.Conflicts) < 2 || m.Conflicts[0].Path != "f" {
		t.Errorf("%+v, %v", m, err)
	}
	broken := errors.New("broken")
	_, err = repo.Writer(gitops.WriterOptions{}).MergeTrees(ctx, []gitops.ID{l.id("main")}, l.id("a"), l.id("b"),
		func(context.Context, gitops.FileMerge) ([]byte, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestMergeTreesByLine: what the driver would merge, and nobody can merge by entry, is
// merged as git does without the driver.
func TestMergeTreesByLine(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := &mergeLab{Repo: gittest.New(t, gittest.Files(map[string]string{"f": "one\ntwo\nthree\nfour\nfive\n", "g": "g\n", ".gitattributes": "* merge=claw\n"})), t: t}
	for side, text := range map[string]string{"a": "A\none\ntwo\nthree\nfour\nfive\n", "b": "one\ntwo\nthree\nfour\nfive\nB\n"} {
		l.Git("switch", "-q", "-c", side, "main")
		l.Write("f", text)
		l.Write("g", side+"\n")
		l.Git("add", "-A")
		l.Git("commit", "-q", "-m", side)
	}
	var trees []gitops.ID
	for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
		repo := l.Open()
		m, err := repo.Writer(gitops.WriterOptions{}).MergeTrees(ctx, []gitops.ID{l.id("main")}, l.id(order[0]), l.id(order[1]),
			func(_ context.Context, f gitops.FileMerge) ([]byte, error) { return nil, gitops.ErrMergeLines })
		if err != nil || len(m.Conflicts) != 1 || m.Conflicts[0].Path != "g" {
			t.Fatalf("%+v, %v", m, err)
		}
		if got := l.Git("show", m.Tree.String()+":f"); got != "A\none\ntwo\nthree\nfour\nfive\nB" {
			t.Errorf("%q", got)
		}
		e, ok, err := repo.Objects().Lookup(ctx, m.Tree, "f")
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		trees = append(trees, e.ID)
	}
	if trees[0] != trees[1] {
		t.Error("the directions differ")
	}
}
