package gitops_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// indexLab is a repository whose index is patched by us and by git.
type indexLab struct {
	*gittest.Repo
	t    testing.TB
	file string
}

func newIndexLab(t testing.TB, opts ...gittest.Option) *indexLab {
	t.Helper()
	l := &indexLab{Repo: gittest.New(t, opts...), t: t}
	l.file = l.GitPath("index")
	return l
}

func (l *indexLab) check(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *indexLab) raw() []byte {
	l.t.Helper()
	b, err := os.ReadFile(l.file)
	if !errors.Is(err, os.ErrNotExist) {
		l.check(err)
	}
	return b
}

// with runs git on another index.
func (l *indexLab) with(index, stdin string, args ...string) string {
	l.t.Helper()
	out, err := l.TryEnv([]string{"GIT_INDEX_FILE=" + index}, stdin, args...)
	l.check(err)
	return out
}

// copyTo makes a copy of the index with its time, so that the same is racy.
func (l *indexLab) copyTo(name string) string {
	l.t.Helper()
	to := filepath.Join(l.Base, name)
	_ = os.Remove(to)
	if err := gitops.CopyIndex(l.file, to); !errors.Is(err, os.ErrNotExist) {
		l.check(err)
	}
	return to
}

// blob stores content.
func (l *indexLab) blob(content string) gitops.ID {
	l.t.Helper()
	out, err := l.TryEnv(nil, content, "hash-object", "-w", "--stdin")
	l.check(err)
	id, err := gitops.ParseID(out)
	l.check(err)
	return id
}

func (l *indexLab) set(path, content string) gitops.IndexPatch {
	l.t.Helper()
	return gitops.IndexPatch{Path: path, Mode: gitops.ModeFile, ID: l.blob(content)}
}

func del(path string) gitops.IndexPatch { return gitops.IndexPatch{Path: path, Delete: true} }

// info is what `git update-index --index-info` reads.
func info(patches []gitops.IndexPatch, head bool) string {
	var b strings.Builder
	for _, p := range patches {
		switch {
		case p.Keep && !head:
		case p.Delete:
			fmt.Fprintf(&b, "0 %s\t%s\x00", gitops.ID{}, p.Path)
		default:
			fmt.Fprintf(&b, "%s %s\t%s\x00", p.Mode, p.ID, p.Path)
		}
	}
	return b.String()
}

// byGit is the index as git patches it.
func (l *indexLab) byGit(patches []gitops.IndexPatch) string {
	l.t.Helper()
	index := l.copyTo("by-git")
	// Removals first, as git's writer has it.
	sorted := slices.Clone(patches)
	slices.SortStableFunc(sorted, func(a, b gitops.IndexPatch) int {
		return strings.Compare(fmt.Sprint(!a.Delete), fmt.Sprint(!b.Delete))
	})
	l.with(index, info(sorted, false), "update-index", "-z", "--index-info")
	return index
}

// trees are the directories of a tree object, "" for itself.
func (l *indexLab) trees(tree string) map[string]gitops.ID {
	l.t.Helper()
	out := map[string]gitops.ID{}
	if tree == "" {
		return out
	}
	id, err := gitops.ParseID(tree)
	l.check(err)
	out[""] = id
	for rec := range strings.SplitSeq(l.Git("ls-tree", "-r", "-t", "-d", "-z", tree), "\x00") {
		if meta, path, ok := strings.Cut(rec, "\t"); ok && strings.Contains(meta, " tree ") {
			out[path], err = gitops.ParseID(meta[strings.LastIndexByte(meta, ' ')+1:])
			l.check(err)
		}
	}
	return out
}

// moves are the directories of HEAD that a commit changes.
func (l *indexLab) moves(oldTree, newTree string) map[string]gitops.TreeMove {
	l.t.Helper()
	before, after := l.trees(oldTree), l.trees(newTree)
	out := map[string]gitops.TreeMove{}
	for _, m := range []map[string]gitops.ID{before, after} {
		for dir := range m {
			if before[dir] != after[dir] {
				out[dir] = gitops.TreeMove{Old: before[dir], New: after[dir]}
			}
		}
	}
	return out
}

// headTree is HEAD's tree, "" where there is none.
func (l *indexLab) headTree() string {
	out, err := l.Try("rev-parse", "-q", "--verify", "HEAD^{tree}")
	if err != nil {
		return ""
	}
	return out
}

// nextTree is the tree of the commit that the patches make of HEAD.
func (l *indexLab) nextTree(head string, patches []gitops.IndexPatch) string {
	l.t.Helper()
	index := filepath.Join(l.Base, "next")
	_ = os.Remove(index)
	if head != "" {
		l.with(index, "", "read-tree", head)
	}
	l.with(index, info(patches, true), "update-index", "-z", "--index-info")
	return l.with(index, "", "write-tree")
}

// same holds a patched index against git's: the bytes but for stat data and
// optional extensions, and that whatever TREE claims is true. whole: TREE claims
// all that git would.
func (l *indexLab) same(ours []byte, byGit string, whole bool) {
	l.t.Helper()
	theirs, err := os.ReadFile(byGit)
	l.check(err)
	a, err := gitops.BareIndex(ours)
	l.check(err)
	b, err := gitops.BareIndex(theirs)
	l.check(err)
	if !bytes.Equal(a, b) {
		l.t.Fatalf("the index is\n%q\ngit makes\n%q", a, b)
	}
	mine := filepath.Join(l.Base, "mine")
	l.check(os.WriteFile(mine, ours, 0o666))
	got, want := l.with(mine, "", "ls-files", "-s", "-v", "-z"), l.with(byGit, "", "ls-files", "-s", "-v", "-z")
	if got != want {
		l.t.Fatalf("git reads\n%q\ninstead of\n%q", got, want)
	}
	tree := l.with(byGit, "", "write-tree")
	if got := l.with(mine, "", "write-tree"); got != tree {
		l.t.Fatalf("git writes the tree %s, want %s", got, tree)
	}
	if theirs, err = os.ReadFile(byGit); err != nil { // with TREE as git knows it
		l.t.Fatal(err)
	}
	l.sameTree(ours, theirs, whole)
	if _, err := l.TryEnv([]string{"GIT_INDEX_FILE=" + mine, "GIT_TEST_CHECK_CACHE_TREE=1"}, "", "update-index", "--force-write-index"); err != nil {
		l.t.Fatalf("git does not believe TREE: %v", err)
	}
}

func (l *indexLab) sameTree(ours, theirs []byte, whole bool) {
	l.t.Helper()
	got, _, err := gitops.CacheTree(ours)
	l.check(err)
	want, _, err := gitops.CacheTree(theirs)
	l.check(err)
	if whole {
		if !slices.Equal(got, want) {
			l.t.Fatalf("TREE is\n%v\nwant\n%v", got, want)
		}
		return
	}
	known := map[string]gitops.CacheNode{}
	for _, n := range want {
		known[n.Dir] = n
	}
	for _, n := range got {
		if n.Count >= 0 && n != known[n.Dir] {
			l.t.Fatalf("TREE claims %v of '%s', it is %v", n, n.Dir, known[n.Dir])
		}
	}
}

// patch patches the present index, as a commit on HEAD does, and holds it against
// git's.
func (l *indexLab) patch(patches []gitops.IndexPatch, whole bool) []byte {
	l.t.Helper()
	head := l.headTree()
	moves := l.moves(head, l.nextTree(head, patches))
	ours, err := gitops.PatchIndex(l.raw(), patches, moves, gitops.PatchOptions{IndexFile: l.file})
	l.check(err)
	l.same(ours, l.byGit(patches), whole)
	return ours
}
