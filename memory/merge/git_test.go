package merge

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// gitMerge merges as git does, and reports whether that left no conflict.
func gitMerge(t *testing.T, dir string, o, a, b []byte) ([]byte, bool) {
	t.Helper()
	for name, text := range map[string][]byte{"o": o, "a": a, "b": b} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "merge-file", "-p", "a", "o", "b")
	cmd.Dir = dir
	out, err := cmd.Output()
	return out, err == nil
}

// TestAsGitWhereClean: where git merges without a conflict, the merge by entry gives the same bytes. Of
// what one side put in the place of an entry, and the other behind it, the order may be another one.
func TestAsGitWhereClean(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	clean, differ := 0, 0
	for seed := range seeds(500) {
		w := newWorld(seed)
		w.dull = true
		base := w.note(10 + w.r.IntN(30))
		o, a, b := render(base), render(w.work(base, 1+w.r.IntN(4))), render(w.work(base, 1+w.r.IntN(4)))
		want, ok := gitMerge(t, dir, o, a, b)
		if !ok {
			continue
		}
		clean++
		got := mustMerge(t, Markdown, o, a, b)
		if !bytes.Equal(got, want) {
			differ++
		}
		if !sameLines(got, want) {
			t.Fatalf("seed %d\n--- base\n%s--- one\n%s--- two\n%s--- git\n%s--- merged\n%s", seed, o, a, b, want, got)
		}
	}
	t.Logf("git merged %d histories without a conflict, %d in another order", clean, differ)
	if clean < int(seeds(500))/2 || differ*200 > clean {
		t.Errorf("of %d histories that git merges %d differ", clean, differ)
	}
}

// sameLines compares texts as sets of lines; blank ones do not count.
func sameLines(a, b []byte) bool {
	sorted := func(text []byte) [][]byte {
		lines := slices.DeleteFunc(bytes.Split(text, newline), func(l []byte) bool { return len(bytes.TrimSpace(l)) == 0 })
		slices.SortFunc(lines, bytes.Compare)
		return lines
	}
	return slices.EqualFunc(sorted(a), sorted(b), bytes.Equal)
}
