package agent

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestWithHeld: each line that is held back is there, and each line of what came but those
// that the held ones replaced.
func TestWithHeld(t *testing.T) {
	t.Parallel()
	const seed = 7
	rnd := rand.New(rand.NewPCG(seed, seed))
	text := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	for round := range 2000 {
		var now []string
		for i := range rnd.IntN(8) {
			now = append(now, fmt.Sprintf("line %d", i))
		}
		work, held := slices.Clone(now), []string{}
		for i := range 1 + rnd.IntN(3) {
			line, at := fmt.Sprintf("held %d", i), rnd.IntN(len(work)+1)
			held = append(held, line)
			if at < len(work) && rnd.IntN(2) == 0 && strings.HasPrefix(work[at], "line") {
				work[at] = line
				continue
			}
			work = slices.Insert(work, at, line)
		}
		want := slices.Clone(now)
		for i := range rnd.IntN(4) {
			line, at := fmt.Sprintf("new %d", i), rnd.IntN(len(want)+1)
			switch {
			case at < len(want) && rnd.IntN(3) == 0:
				want = slices.Delete(want, at, at+1)
			case at < len(want) && rnd.IntN(2) == 0:
				want[at] = line
			default:
				want = slices.Insert(want, at, line)
			}
		}
		got := strings.Split(strings.TrimSuffix(string(withHeld(text(now), text(work), text(want))), "\n"), "\n")
		rest := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return strings.HasPrefix(l, "held") })
		for _, l := range held {
			if !slices.Contains(got, l) {
				t.Fatalf("%d: '%s' is lost\nnow %q\nwork %q\nwant %q\ngot %q", round, l, now, work, want, got)
			}
		}
		for _, l := range want {
			if !slices.Contains(rest, l) && slices.Contains(work, l) {
				t.Fatalf("%d: '%s' is lost\nnow %q\nwork %q\nwant %q\ngot %q", round, l, now, work, want, got)
			}
			if strings.HasPrefix(l, "new") && !slices.Contains(rest, l) {
				t.Fatalf("%d: '%s' is lost\nnow %q\nwork %q\nwant %q\ngot %q", round, l, now, work, want, got)
			}
		}
		at := 0
		for _, l := range rest { // in the order of what came
			i := slices.Index(want[at:], l)
			if i < 0 && l != "" {
				t.Fatalf("%d: '%s' is not of what came\nnow %q\nwork %q\nwant %q\ngot %q", round, l, now, work, want, got)
			}
			at += max(i, 0)
		}
	}
}
