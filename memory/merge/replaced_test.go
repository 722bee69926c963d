package merge

import (
	"bytes"
	"testing"
)

// TestRewritten: three machines edit entries, or write something else in their place. Whatever is merged
// first all get the same bytes, each version is there once, and what is unlike is under a comment line.
func TestRewritten(t *testing.T) {
	t.Parallel()
	for seed := range seeds(1000) {
		w := newWorld(seed)
		base := w.note(2 + w.r.IntN(8))
		o := render(base)
		var sides [3][]byte
		changed := make([]int, len(base))
		written, gone := map[string]bool{}, map[string]bool{}
		for i := range sides {
			note := make([]block, len(base))
			copy(note, base)
			for k := range note {
				if note[k].kind == 'h' || w.r.IntN(3) > 0 {
					continue
				}
				for l := range lineCounts([]byte(note[k].text)) {
					gone[l] = true
				}
				note[k] = w.fresh(note[k].kind)
				changed[k]++
				for l := range lineCounts([]byte(note[k].text)) {
					written[l] = true
				}
			}
			sides[i] = render(note)
		}
		var results [3][]byte
		for i := range results {
			a, b := sides[i], sides[(i+1)%3]
			first := mustMerge(t, Markdown, o, a, b)
			for name, again := range mergedAgain(t, o, a, b, first) {
				if !bytes.Equal(again, first) {
					t.Fatalf("seed %d, %s:\n%s---\n%s---\n%s--- merged\n%s--- again\n%s", seed, name, o, a, b, first, again)
				}
			}
			results[i] = mustMerge(t, Markdown, o, first, sides[(i+2)%3])
		}
		if !bytes.Equal(results[0], results[1]) || !bytes.Equal(results[1], results[2]) {
			t.Fatalf("seed %d\n%s---\n%s---\n%s---\n%s=== results\n%s---\n%s---\n%s", seed, o, sides[0], sides[1], sides[2], results[0], results[1], results[2])
		}
		marks := 0
		for _, n := range changed {
			if n > 1 {
				marks++
			}
		}
		have := lineCounts(results[0])
		for l := range written {
			if have[l] != 1 {
				t.Fatalf("seed %d: %q stands %d times in\n%s", seed, l, have[l], results[0])
			}
		}
		for l := range gone {
			if have[l] != 0 {
				t.Fatalf("seed %d: %q is back in\n%s", seed, l, results[0])
			}
		}
		if n := bytes.Count(results[0], []byte("<!-- claw:conflict ")); n != marks {
			t.Fatalf("seed %d: %d marks, not %d\n%s---\n%s---\n%s---\n%s===\n%s", seed, n, marks, o, sides[0], sides[1], sides[2], results[0])
		}
	}
}
