package gitops_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
)

// indexNames are paths of which each may be in the way of another, or stands
// where only the right order finds it.
var indexNames = []string{
	"a", "a.b", "a/b", "a/b/c", "a/b/c/d", "a/b.c", "a/b0", "a-", "a-/x", "a0", "b", "b/x/y/z", "b/x/y.z", "b/x/q", "b/w", "B", "é", "e\u0301/x",
	"sp ace/x y", "sp ace/x", "\xff\xfe/z\x80", "\xff\xfe", "new\nline", "tab\t/x", "-dash", ":(top)x", "~/x", "memory/2026/11/01.md", "memory/2026/11/02.md",
	"memory/2026/12/01.md", "memory/x.md", strings.Repeat(strings.Repeat("d", 250)+"/", 16) + "under", strings.Repeat(strings.Repeat("d", 250)+"/", 16) + strings.Repeat("f", 600),
}

// indexWalk is a random history of an index.
type indexWalk struct {
	*indexLab
	rnd   *rand.Rand
	head  string // tree
	blobs []gitops.ID
	whole int // how often TREE knew the top afterwards
	steps int
}

func (w *indexWalk) name() string { return indexNames[w.rnd.IntN(len(indexNames))] }

func (w *indexWalk) patchOf(path string) gitops.IndexPatch {
	if w.rnd.IntN(4) == 0 {
		return del(path)
	}
	modes := []gitops.Mode{gitops.ModeFile, gitops.ModeFile, gitops.ModeFile, gitops.ModeExecutable, gitops.ModeSymlink}
	return gitops.IndexPatch{Path: path, Mode: modes[w.rnd.IntN(len(modes))], ID: w.blobs[w.rnd.IntN(len(w.blobs))]}
}

// listed are the paths of the index, or of a tree.
func (w *indexWalk) listed(tree string) []string {
	args := []string{"ls-files", "-z"}
	if tree != "" {
		args = []string{"ls-tree", "-r", "-z", "--name-only", tree}
	}
	return strings.FieldsFunc(w.Git(args...), func(r rune) bool { return r == 0 })
}

func below(p, dir string) bool { return strings.HasPrefix(p, dir+"/") }

// transaction is a random commit on head: what would be in its way there is
// removed by it.
func (w *indexWalk) transaction() []gitops.IndexPatch {
	byPath := map[string]gitops.IndexPatch{}
	for range 1 + w.rnd.IntN(4) {
		p := w.patchOf(w.name())
		for q, other := range byPath {
			if !p.Delete && !other.Delete && (below(q, p.Path) || below(p.Path, q)) {
				delete(byPath, q)
			}
		}
		byPath[p.Path] = p
	}
	if w.head != "" {
		for _, q := range w.listed(w.head) {
			for _, p := range byPath {
				if _, ok := byPath[q]; !ok && !p.Delete && (below(q, p.Path) || below(p.Path, q)) {
					byPath[q] = del(q)
				}
			}
		}
	}
	var out []gitops.IndexPatch
	for _, p := range byPath {
		out = append(out, p)
	}
	w.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// keepStaged marks paths at which the index has something else than head.
func (w *indexWalk) keepStaged(list []gitops.IndexPatch) {
	head := "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	if w.head != "" {
		head = w.head
	}
	staged := strings.Split(w.Git("diff-index", "--cached", "--name-only", "-z", head), "\x00")
	for i := range list {
		if slices.Contains(staged, list[i].Path) && w.rnd.IntN(3) == 0 {
			list[i].Keep = true
		}
	}
}

// clashes reports whether something only staged is in the way of a transaction
// that itself replaces nothing.
func (w *indexWalk) clashes(list []gitops.IndexPatch) bool {
	gone := map[string]bool{}
	replaces := false
	for _, p := range list {
		gone[p.Path] = !p.Keep
		for _, q := range list {
			replaces = replaces || p.Delete && !q.Delete && (below(p.Path, q.Path) || below(q.Path, p.Path))
		}
	}
	for _, q := range w.listed("") {
		for _, p := range list {
			if !p.Delete && !p.Keep && !gone[q] && (below(q, p.Path) || below(p.Path, q)) && !replaces {
				return true
			}
		}
	}
	return false
}

func (w *indexWalk) commit() {
	list := w.transaction()
	w.keepStaged(list)
	next := w.nextTree(w.head, list)
	got, err := gitops.PatchIndex(w.raw(), list, w.moves(w.head, next), gitops.PatchOptions{IndexFile: w.file})
	if w.clashes(list) {
		if !is[*gitops.ClashError](err) {
			w.t.Fatalf("%+v: error is %v", list, err)
		}
		return
	}
	if err != nil {
		w.t.Fatalf("%+v: %v", list, err)
	}
	w.steps++
	w.same(got, w.byGit(list), false)
	if nodes, ok, _ := gitops.CacheTree(got); ok && nodes[0].Count >= 0 {
		w.whole++
	}
	w.check(os.WriteFile(w.file, got, 0o666))
	w.head = next
}

// stage does something to the index that somebody beside us does.
func (w *indexWalk) stage() {
	switch w.rnd.IntN(7) {
	case 0, 1:
		var list []gitops.IndexPatch
		for range 1 + w.rnd.IntN(2) {
			list = append(list, w.patchOf(w.name()))
		}
		w.with(w.file, info(list, true), "update-index", "-z", "--index-info")
	case 2:
		w.Git("write-tree")
	case 3, 4:
		if w.head != "" {
			w.Git("read-tree", w.head)
		}
	case 5:
		w.Write("intent/x.md", "x")
		w.Git("add", "-N", "intent/x.md")
	case 6:
		if all := w.listed(""); len(all) > 0 {
			w.with(w.file, all[w.rnd.IntN(len(all))], "update-index", "--assume-unchanged", "-z", "--stdin")
		}
	}
}

// Random commits onto random indexes are what git makes of them.
func TestPatchIndexAtRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := &indexWalk{indexLab: newIndexLab(t), rnd: rand.New(rand.NewPCG(seed, 1))}
			w.Git("read-tree", "--empty")
			for _, c := range []string{"1", "2", "3"} {
				w.blobs = append(w.blobs, w.blob(c))
			}
			for range 60 {
				if w.rnd.IntN(3) == 0 {
					w.stage()
				} else {
					w.commit()
				}
			}
			if w.steps < 20 || w.whole == 0 || w.whole == w.steps {
				t.Errorf("%d commits, TREE knew all after %d", w.steps, w.whole)
			}
			_ = os.Remove(filepath.Join(w.Base, "mine"))
		})
	}
}
