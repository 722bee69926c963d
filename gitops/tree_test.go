package gitops_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// randomHistory makes n commits of files, folders, links, submodules and modes
// that come, go and take each other's place, with git fast-import.
func randomHistory(t *testing.T, r *gittest.Repo, seed uint64, n int, packed bool) []gitops.ID {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"a", "a-b", "a.b", "a0", "b", "B", "c d", "é", "~", "[x]", "zz"}
	var s strings.Builder
	name := func() string {
		p := make([]string, 1+rnd.IntN(4))
		for i := range p {
			p[i] = parts[rnd.IntN(len(parts))]
		}
		return strings.Join(p, "/")
	}
	quote := func(p string) string { return `"` + strings.ReplaceAll(p, `"`, `\"`) + `"` }
	for i := range n {
		fmt.Fprintf(&s, "commit refs/heads/random\nmark :%d\ncommitter T <t@example.com> %d +0000\ndata 1\nx\n", i+1, 1_000_000_000+i)
		if i > 0 && rnd.IntN(12) == 0 {
			fmt.Fprintf(&s, "from :%d\n", 1+rnd.IntN(i)) // jump back: a branch
		} else if i > 0 {
			fmt.Fprintf(&s, "from :%d\n", i)
		}
		for range 1 + rnd.IntN(6) {
			switch rnd.IntN(10) {
			case 0, 1, 2:
				fmt.Fprintf(&s, "D %s\n", quote(name()))
			case 3:
				fmt.Fprintf(&s, "M 160000 %040x %s\n", 1+rnd.IntN(3), quote(name()))
			case 4:
				fmt.Fprintf(&s, "M 120000 inline %s\ndata 2\nt%d\n", quote(name()), rnd.IntN(3))
			case 5:
				fmt.Fprintf(&s, "M 100755 inline %s\ndata 2\nf%d\n", quote(name()), rnd.IntN(3))
			default:
				fmt.Fprintf(&s, "M 100644 inline %s\ndata 2\nf%d\n", quote(name()), rnd.IntN(3))
			}
		}
	}
	limit := "100000"
	if packed {
		limit = "1"
	}
	if _, err := r.TryEnv(nil, s.String(), "-c", "fastimport.unpackLimit="+limit, "fast-import", "--quiet", "--export-marks="+r.Base+"/marks"); err != nil {
		t.Fatal(err)
	}
	ids := make([]gitops.ID, n)
	for line := range strings.Lines(gittest.ReadFile(t, r.Base+"/marks")) {
		var mark int
		var hex string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &hex); err != nil {
			continue
		}
		id, err := gitops.ParseID(hex)
		if err != nil {
			t.Fatal(err)
		}
		ids[mark-1] = id
	}
	return ids
}

// gitDiff asks git for the differences of many pairs at once.
func gitDiff(t *testing.T, r *gittest.Repo, repo *gitops.Repo, pairs [][2]gitops.ID) [][]string {
	t.Helper()
	tree := func(id gitops.ID) string {
		tr, err := repo.Objects().TreeOf(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		return tr.String()
	}
	var in strings.Builder
	keys := make([]string, len(pairs))
	for i, p := range pairs {
		keys[i] = tree(p[0]) + " " + tree(p[1])
		in.WriteString(keys[i] + "\n")
	}
	out, err := r.TryEnv(nil, in.String(), "diff-tree", "--stdin", "-r", "-z", "--no-renames", "--no-abbrev")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	key := ""
	for rec := range strings.SplitSeq(out, "\x00") {
		// A pair is announced by its two ids and a newline; those that do not
		// differ have nothing more.
		for len(rec) > 81 && rec[40] == ' ' && rec[81] == '\n' {
			key, rec = rec[:81], rec[82:]
			found[key] = nil
		}
		if rec != "" {
			found[key] = append(found[key], rec)
		}
	}
	all := make([][]string, len(pairs))
	for i, k := range keys {
		all[i] = found[k]
	}
	return all
}

// raw prints a difference as git diff-tree does.
func raw(d gitops.TreeChange) []string {
	letter := "M"
	kind := func(m gitops.Mode) gitops.Mode { return m & 0o170000 }
	switch {
	case d.Old.IsZero():
		letter = "A"
	case d.New.IsZero():
		letter = "D"
	case kind(d.Old.Mode) != kind(d.New.Mode):
		letter = "T"
	}
	return []string{fmt.Sprintf(":%s %s %s %s %s", d.Old.Mode, d.New.Mode, d.Old.ID, d.New.ID, letter), d.Path}
}

func TestDiffTreesEqualsGit(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(4) {
		r := gittest.New(t, gittest.Unborn())
		ids := randomHistory(t, r, seed, 60, seed%2 == 0)
		repo := r.Open()
		rnd := rand.New(rand.NewPCG(seed, 2))
		var pairs [][2]gitops.ID
		for i := 1; i < len(ids); i++ {
			pairs = append(pairs, [2]gitops.ID{ids[i-1], ids[i]}, [2]gitops.ID{ids[rnd.IntN(len(ids))], ids[i]})
		}
		want := gitDiff(t, r, repo, pairs)
		for i, p := range pairs {
			diff, err := repo.DiffTrees(context.Background(), p[0], p[1])
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range diff {
				got = append(got, raw(d)...)
			}
			if !slices.Equal(got, want[i]) {
				t.Fatalf("seed %d, %s..%s:\n got %q\nwant %q", seed, p[0].Short(), p[1].Short(), got, want[i])
			}
			compared += len(diff)
		}
	}
	if compared < 2000 {
		t.Errorf("only %d differences were compared", compared)
	}
}

func TestDiffTreesFromNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo, ctx := r.Open(), context.Background()
	head, err := repo.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	added, err := repo.DiffTrees(ctx, gitops.ID{}, head.Commit)
	if err != nil || len(added) != 8 || !added[0].Old.IsZero() {
		t.Errorf("%v %v", added, err)
	}
	removed, err := repo.DiffTrees(ctx, head.Commit, gitops.ID{})
	if err != nil || len(removed) != 8 || !removed[0].New.IsZero() {
		t.Errorf("%v %v", removed, err)
	}
	if same, err := repo.DiffTrees(ctx, head.Commit, head.Commit); err != nil || len(same) != 0 {
		t.Errorf("%v %v", same, err)
	}
	blob := repo.BlobID([]byte("a\n"))
	if _, err := repo.DiffTrees(ctx, blob, head.Commit); err == nil {
		t.Error("a blob was compared as a tree")
	}
	none, err := gitops.ParseID(strings.Repeat("12", 20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.DiffTrees(ctx, none, head.Commit); err == nil {
		t.Error("a missing tree was compared")
	}
}

// Trees of old programs have modes that git reads as others.
func TestOldModes(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	blob := r.Git("rev-parse", "HEAD:notes/b.md")
	tree := func(mode string) gitops.ID {
		rawID, err := hex.DecodeString(blob)
		if err != nil {
			t.Fatal(err)
		}
		name, err := r.TryEnv(nil, mode+" x\x00"+string(rawID), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
		if err != nil {
			t.Fatal(err)
		}
		id, err := gitops.ParseID(name)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	repo, ctx := r.Open(), context.Background()
	if diff, err := repo.DiffTrees(ctx, tree("100664"), tree("100644")); err != nil || len(diff) != 0 {
		t.Errorf("100664 and 100644 differ: %v %v", diff, err)
	}
	if diff, err := repo.DiffTrees(ctx, tree("100775"), tree("100644")); err != nil || len(diff) != 1 || diff[0].Old.Mode != gitops.ModeExecutable {
		t.Errorf("100775 and 100644: %v %v", diff, err)
	}
}

func TestBuildTreeEqualsGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	ctx := context.Background()
	for seed := range uint64(3) {
		r := gittest.New(t, gittest.Unborn())
		ids := randomHistory(t, r, 100+seed, 50, seed == 0)
		repo := r.Open()
		rnd := rand.New(rand.NewPCG(seed, 3))
		for range 100 {
			from, to := ids[rnd.IntN(len(ids))], ids[rnd.IntN(len(ids))]
			diff, err := repo.DiffTrees(ctx, from, to)
			if err != nil {
				t.Fatal(err)
			}
			rnd.Shuffle(len(diff), func(i, j int) { diff[i], diff[j] = diff[j], diff[i] })
			base, err := repo.Objects().TreeOf(ctx, from)
			if err != nil {
				t.Fatal(err)
			}
			want, err := repo.Objects().TreeOf(ctx, to)
			if err != nil {
				t.Fatal(err)
			}
			got, err := gitops.BuildTree(ctx, repo, base, diff)
			if err != nil || got != want {
				t.Fatalf("%s with the changes to %s is %s, want %s (%v)", from.Short(), to.Short(), got, want, err)
			}
		}
		buildBesideIndex(t, r, repo, ids[len(ids)-1], rnd)
		r.Fsck()
	}
}

// buildBesideIndex applies a part of a change to a tree and to an index.
func buildBesideIndex(t *testing.T, r *gittest.Repo, repo *gitops.Repo, from gitops.ID, rnd *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	blob := r.Git("hash-object", "-w", r.Base+"/marks")
	id, err := gitops.ParseID(blob)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 15 {
		r.Git("read-tree", from.String())
		files := strings.Split(r.Git("ls-files", "-z"), "\x00")
		var changes []gitops.TreeChange
		var info strings.Builder
		for range 1 + rnd.IntN(10) {
			name := files[rnd.IntN(len(files))]
			if name == "" || slices.ContainsFunc(changes, func(c gitops.TreeChange) bool { return c.Path == name }) {
				continue
			}
			c := gitops.TreeChange{Path: name}
			if rnd.IntN(2) == 0 {
				c.New = gitops.TreeEntry{Mode: gitops.ModeFile, ID: id}
				fmt.Fprintf(&info, "100644 %s\t%s\x00", blob, name)
			} else {
				fmt.Fprintf(&info, "0 %040d\t%s\x00", 0, name)
			}
			changes = append(changes, c)
		}
		fresh := fmt.Sprintf("new %d/x", i)
		changes = append(changes, gitops.TreeChange{Path: fresh, New: gitops.TreeEntry{Mode: gitops.ModeExecutable, ID: id}})
		fmt.Fprintf(&info, "100755 %s\t%s\x00", blob, fresh)
		if _, err := r.TryEnv(nil, info.String(), "update-index", "-z", "--index-info"); err != nil {
			t.Fatal(err)
		}
		want := r.Git("write-tree", "--missing-ok")
		base, err := repo.Objects().TreeOf(ctx, from)
		if err != nil {
			t.Fatal(err)
		}
		got, err := gitops.BuildTree(ctx, repo, base, changes)
		if err != nil || got.String() != want {
			t.Fatalf("tree is %s, git write-tree makes %s (%v) of %v", got, want, err, changes)
		}
	}
	if err := os.Remove(r.GitPath("index")); err != nil {
		t.Fatal(err)
	}
}
