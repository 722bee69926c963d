package gitops_test

import (
	"fmt"
	"testing"

	"github.com/git-claw/git-claw/gitops"
)

// bigIndex has n files, 100 in a directory.
func bigIndex(t testing.TB, n int) []byte {
	t.Helper()
	id, err := gitops.ParseID(someID)
	if err != nil {
		t.Fatal(err)
	}
	patches := make([]gitops.IndexPatch, n)
	moves := map[string]gitops.TreeMove{"": {New: id}}
	for i := range patches {
		dir := fmt.Sprintf("dir%03d", i/100)
		moves[dir] = gitops.TreeMove{New: id}
		patches[i] = gitops.IndexPatch{Path: fmt.Sprintf("%s/file-%05d.md", dir, i), Mode: gitops.ModeFile, ID: id}
	}
	b, err := gitops.PatchIndex(nil, patches, moves, gitops.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The size of an index costs bytes, not allocations.
func TestPatchIndexAllocates(t *testing.T) {
	b := bigIndex(t, 20_000)
	if n := testing.AllocsPerRun(5, func() { _, _ = gitops.ScanIndex(b) }); n > 2 {
		t.Errorf("a scan takes %v allocations", n)
	}
	patches := somePatches(t, "dir050/file-05000.md", "dir051/file-05100.md", "new/x.md")
	moves := someMoves(t, patches, patches[0].ID)
	if n := testing.AllocsPerRun(5, func() { _, _ = gitops.PatchIndex(b, patches, moves, gitops.PatchOptions{}) }); n > 80 {
		t.Errorf("a patch takes %v allocations", n)
	}
}

func BenchmarkPatchIndex(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 50_000} {
		old := bigIndex(b, n)
		patches := somePatches(b, "dir005/file-00500.md")
		moves := someMoves(b, patches, patches[0].ID)
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := gitops.PatchIndex(old, patches, moves, gitops.PatchOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("scan/files=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := gitops.ScanIndex(old); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
