package agent

import (
	"fmt"
	"testing"
)

// TestSearchDiverse: with claw.recall.mmr a note that says something else comes
// before one more that says the same; exact words and the minimum count as before.
func TestSearchDiverse(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	for i := range 4 {
		l.write(fmt.Sprintf("memory/2026-01-0%d.md", i+1), "the osprey came back to the nest on the old mast by the harbour osprey\n")
	}
	l.write("memory/2026-01-05.md", "a ticket REF-0500-11 on the osprey and on many other things that somebody has to look after before long\n")
	l.write("memory/2026-01-06.md", "invoices, cups, kilns, a ferry and the customs office; an osprey is printed on all the boxes that we ship\n")
	for i := range 8 {
		l.write(fmt.Sprintf("memory/filler%d.md", i), "nothing of that kind is in here, only more and more of words\n")
	}
	same := "memory/2026-01-04.md:1 memory/2026-01-03.md:1 memory/2026-01-02.md:1 memory/2026-01-01.md:1"
	for _, c := range []struct {
		mmr, lambda, query, want string
		limit                    int
	}{
		{"false", "0.7", "osprey", same + " memory/2026-01-06.md:1 memory/2026-01-05.md:1", 6},
		{"true", "0.7", "osprey", "memory/2026-01-04.md:1 memory/2026-01-06.md:1 memory/2026-01-03.md:1 memory/2026-01-02.md:1 memory/2026-01-01.md:1 memory/2026-01-05.md:1", 6},
		{"true", "1", "osprey", same + " memory/2026-01-06.md:1 memory/2026-01-05.md:1", 6},
		{"true", "nan", "osprey", "memory/2026-01-04.md:1 memory/2026-01-06.md:1", 2},
		{"true", "0.7", "osprey REF-0500-11", "memory/2026-01-05.md:1 memory/2026-01-04.md:1 memory/2026-01-06.md:1", 3},
		{"true", "0", "osprey REF-0500-11", "memory/2026-01-05.md:1", 1},
	} {
		l.git("config", "claw.recall.mmr", c.mmr)
		l.git("config", "claw.recall.mmrLambda", c.lambda)
		for range 3 {
			if got := l.paths(SearchOptions{Query: c.query, Limit: c.limit}); got != c.want {
				t.Fatalf("%+v: %s", c, got)
			}
		}
	}
	// Without a number of results the minimum ends them, in either order.
	for _, least := range []string{"0.35", "0.9", "1"} {
		l.git("config", "claw.recall.minScore", least)
		n := map[string]int{}
		for _, mmr := range []string{"false", "true"} {
			l.git("config", "claw.recall.mmr", mmr)
			n[mmr] = len(l.search(SearchOptions{Query: "osprey"}))
		}
		if n["true"] != n["false"] || n["true"] == 0 {
			t.Errorf("minimum %s: %d results, %d without mmr", least, n["true"], n["false"])
		}
	}
}
