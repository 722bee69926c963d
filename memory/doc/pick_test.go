package doc

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestPick(t *testing.T) {
	t.Parallel()
	const old = "# Rules\n\n- one\n- two is longer than the rest\n- three\n\n## End\n\nlast words"
	const new = "# Rules\n\n- one\n- zero\n- two is longer than most of the rest\n\n## End\n\nlast words\n\n- four\n"
	// The changes: added zero, edited two, deleted three, added four.
	tests := []struct {
		want []int
		text string
	}{
		{nil, old},
		{[]int{0, 1, 2, 3}, new},
		{[]int{0}, "# Rules\n\n- one\n- zero\n- two is longer than the rest\n- three\n\n## End\n\nlast words"},
		{[]int{1}, "# Rules\n\n- one\n- two is longer than most of the rest\n\n- three\n\n## End\n\nlast words"},
		{[]int{2}, "# Rules\n\n- one\n- two is longer than the rest\n## End\n\nlast words"},
		{[]int{3}, "# Rules\n\n- one\n- two is longer than the rest\n- three\n\n## End\n\nlast words\n- four\n"},
	}
	for _, tt := range tests {
		got := string(Pick([]byte(old), []byte(new), func(i int) bool { return slices.Contains(tt.want, i) }))
		if got != tt.text {
			t.Errorf("%v: got %q\nwant %q", tt.want, got, tt.text)
		}
	}
}

// TestPickIsExact: of two random texts the result holds what old has without what the
// wanted changes take, and what they bring.
func TestPickIsExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		old, new := sketch(r, nil), ""
		new = sketch(r, strings.SplitAfter(old, "\n"))
		chosen := map[int]bool{}
		count := map[string]int{}
		add := func(e *Entry, by int) {
			if e != nil {
				count[string(e.Text())] += by
			}
		}
		d := Parse([]byte(old))
		for i := range d.Entries {
			add(&d.Entries[i], 1)
		}
		for i, c := range Diff([]byte(old), []byte(new)) {
			if chosen[i] = r.IntN(2) == 0; chosen[i] {
				add(c.Old, -1)
				add(c.New, 1)
			}
		}
		out := Pick([]byte(old), []byte(new), func(i int) bool { return chosen[i] })
		got := Parse(out)
		for i := range got.Entries {
			add(&got.Entries[i], -1)
		}
		for text, n := range count {
			if n != 0 {
				t.Fatalf("seed %d: %+d of %q\nold %q\nnew %q\ngot %q", seed, n, text, old, new, out)
			}
		}
	}
}

// sketch writes headings, items and paragraphs anew, or changes some of those given.
func sketch(r *rand.Rand, lines []string) string {
	words := []string{"alpha", "beta", "gamma", "delta", "the long sentence number"}
	line := func() string {
		text := words[r.IntN(len(words))] + " " + words[r.IntN(len(words))] + " " + string(rune('a'+r.IntN(26)))
		switch r.IntN(4) {
		case 0:
			return "## " + text + "\n\n"
		case 1:
			return text + "\n\n"
		}
		return "- " + text + "\n"
	}
	if lines == nil {
		for range 3 + r.IntN(8) {
			lines = append(lines, line())
		}
		return strings.Join(lines, "")
	}
	var out []string
	for _, l := range lines {
		switch {
		case strings.TrimSpace(l) == "" || r.IntN(4) > 0:
			out = append(out, l)
		case r.IntN(2) == 0:
			out = append(out, l, line())
		}
	}
	return strings.Join(out, "")
}
