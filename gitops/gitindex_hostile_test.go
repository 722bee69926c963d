package gitops_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/git-claw/git-claw/gitops"
)

// somePatches touch what hostileIndexes hold, and what they do not.
func somePatches(t testing.TB, names ...string) []gitops.IndexPatch {
	t.Helper()
	id, err := gitops.ParseID(someID)
	if err != nil {
		t.Fatal(err)
	}
	var out []gitops.IndexPatch
	for i, n := range names {
		out = append(out, gitops.IndexPatch{Path: n, Delete: i%3 == 1, Mode: gitops.ModeFile, ID: id})
	}
	return out
}

// someMoves claim that every directory of the patches becomes one tree.
func someMoves(t testing.TB, patches []gitops.IndexPatch, old gitops.ID) map[string]gitops.TreeMove {
	t.Helper()
	id, err := gitops.ParseID(someID)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]gitops.TreeMove{"": {Old: old, New: id}}
	for _, p := range patches {
		for i, c := range p.Path {
			if c == '/' {
				out[p.Path[:i]] = gitops.TreeMove{New: id}
			}
		}
	}
	return out
}

// checkPatched patches an index that may be anything: an error, or what the
// patches say. damaged is the file without its checksum.
func checkPatched(t testing.TB, damaged []byte, patches []gitops.IndexPatch) {
	t.Helper()
	file := gitops.SumIndex(slices.Clone(damaged))
	before := slices.Clone(file)
	var root gitops.ID
	if nodes, ok, err := gitops.CacheTree(file); ok && err == nil {
		root = nodes[0].ID
	}
	got, err := gitops.PatchIndex(file, patches, someMoves(t, patches, root), gitops.PatchOptions{})
	if !bytes.Equal(file, before) {
		t.Fatal("the old index was written to")
	}
	if err != nil {
		if got != nil {
			t.Fatalf("an index beside %v", err)
		}
		return
	}
	_, lines, err := gitops.ReadIndex(file)
	if err != nil {
		t.Fatalf("an index was patched that cannot be read: %v", err)
	}
	sameAsGoGit(t, file, lines)
	version, now, err := gitops.ReadIndex(got)
	if err != nil {
		t.Fatalf("the patched index is broken: %v", err)
	}
	if want := patchLines(lines, patches); !slices.Equal(now, want) {
		t.Fatalf("the index holds\n%v\nwant\n%v", now, want)
	}
	extended := slices.ContainsFunc(now, func(l gitops.IndexLine) bool { return strings.Trim(l.Flags, "A") != "" })
	if (version == 3) != extended {
		t.Fatalf("version %d", version)
	}
	if _, _, err := gitops.CacheTree(got); err != nil {
		t.Fatalf("TREE is broken: %v", err)
	}
	again, err := gitops.PatchIndex(got, nil, nil, gitops.PatchOptions{})
	if err != nil || !bytes.Equal(again, got) {
		t.Fatalf("no patch changes the index: %v", err)
	}
}

// patchLines is what patches do to a list of entries.
func patchLines(lines []gitops.IndexLine, patches []gitops.IndexPatch) []gitops.IndexLine {
	var out []gitops.IndexLine
	for _, l := range lines {
		goes := false
		for _, p := range patches {
			goes = goes || l.Path == p.Path || !p.Delete && (below(l.Path, p.Path) || below(p.Path, l.Path))
		}
		if !goes {
			out = append(out, l)
		}
	}
	for _, p := range patches {
		if !p.Delete {
			out = append(out, gitops.IndexLine{Path: p.Path, Mode: p.Mode, ID: p.ID, StatIsZeroed: true})
		}
	}
	slices.SortFunc(out, func(a, b gitops.IndexLine) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// sameAsGoGit reads an index with another reader, unless that gives up.
func sameAsGoGit(t testing.TB, file []byte, lines []gitops.IndexLine) {
	t.Helper()
	var other index.Index
	if err := index.NewDecoder(bytes.NewReader(file)).Decode(&other); err != nil {
		return
	}
	if len(other.Entries) != len(lines) {
		t.Fatalf("%d entries, go-git sees %d", len(lines), len(other.Entries))
	}
	for i, e := range other.Entries {
		if l := lines[i]; l.Path != e.Name || l.ID.String() != e.Hash.String() || uint32(l.Mode) != uint32(e.Mode) || l.Size != e.Size {
			t.Fatalf("entry %+v, go-git sees %+v", l, e)
		}
	}
}

// hostileIndexes are sound ones to be damaged, without their checksum.
func hostileIndexes(t *testing.T) map[string][]byte {
	t.Helper()
	plain := newIndexLab(t)
	flagged := newIndexLab(t)
	flagged.Write("new/a.md", "x")
	flagged.Git("add", "-N", "new/a.md")
	flagged.Git("update-index", "--skip-worktree", "src/main.txt")
	flagged.Git("update-index", "--assume-unchanged", "bin/run.sh")
	conflict := newIndexLab(t)
	id := conflict.blob("x")
	conflict.with(conflict.file, fmt.Sprintf("100644 %s 1\tu\n100644 %s 2\tu\n", id, id), "update-index", "--index-info")
	resolved := newIndexLab(t)
	resolved.with(resolved.file, fmt.Sprintf("100644 %s 2\tu\n100644 %s 3\tu\n", id, id), "update-index", "--index-info")
	resolved.Write("u", "x")
	resolved.Git("add", "u")
	out := map[string][]byte{}
	for name, l := range map[string]*indexLab{"plain": plain, "flagged": flagged, "conflict": conflict, "resolved": resolved} {
		b := l.raw()
		out[name] = b[:len(b)-20]
	}
	return out
}

// Whatever is wrong with an index: an error, or the right answer.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	patches := somePatches(t, "MEMORY.md", "notes/b.md", "new/x", "AGENTS.md", "none", "zz")
	for name, b := range hostileIndexes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := range b {
				checkPatched(t, b[:n], patches)
				for _, v := range []byte{0, 1, 0x2f, 0x40, 0x7f, 0x80, 0xff, b[n] ^ 1, b[n] + 1} {
					c := slices.Clone(b)
					c[n] = v
					checkPatched(t, c, patches)
				}
			}
			for n := 0; n+8 < len(b); n += 3 {
				checkPatched(t, slices.Concat(b[:n], b[n+8:]), patches)
				checkPatched(t, slices.Concat(b[:n], b[n:n+8], b[n:]), patches)
			}
		})
	}
}

// A byte that flipped on the disk is not signed anew.
func TestPatchIndexChecksum(t *testing.T) {
	t.Parallel()
	l := newIndexLab(t)
	b := l.raw()
	for _, n := range []int{20, 60, 80, len(b) - 25, len(b) - 1} {
		c := slices.Clone(b)
		c[n] ^= 4
		if got, err := gitops.PatchIndex(c, nil, nil, gitops.PatchOptions{}); !gitops.IsIndexBroken(err) || got != nil {
			t.Errorf("byte %d: %v", n, err)
		}
	}
	for _, n := range []int{0, 1, 12, 31, 32, 100} {
		_, err := gitops.PatchIndex(b[:n], nil, nil, gitops.PatchOptions{})
		if !gitops.IsIndexBroken(err) && n > 0 {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func FuzzPatchIndex(f *testing.F) {
	head := "DIRC\x00\x00\x00\x02\x00\x00\x00\x01"
	entry := strings.Repeat("\x00", 24) + "\x00\x00\x81\xa4" + strings.Repeat("\x00", 12) + strings.Repeat("\x11", 20) + "\x00\x03a/b" + strings.Repeat("\x00", 7)
	f.Add([]byte(head+entry), "a/b", "a/c", "a")
	f.Add([]byte(head+entry), "//c", "a//b", "a/")
	f.Add([]byte(head+entry+"TREE\x00\x00\x00\x31\x001 1\n"+strings.Repeat("\x22", 20)+"a\x001 0\n"+strings.Repeat("\x33", 20)), "a/c", "a/b", "b/c")
	f.Add([]byte(head+entry+"REUC\x00\x00\x00\x01xlink\x00\x00\x00\x00"), "b", "c", "d/e")
	f.Add([]byte("DIRC\x00\x00\x00\x03\xff\xff\xff\xff"), "b", "c", "d/e")
	f.Fuzz(func(t *testing.T, b []byte, p1, p2, p3 string) {
		checkPatched(t, b, somePatches(t, p1, p2, p3))
	})
}
