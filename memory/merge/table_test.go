package merge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRandomTables: three machines add rows anywhere and each sets cells of a column of its own: no
// contradiction, every cell is there once, and the same bytes whatever is merged first.
func TestRandomTables(t *testing.T) {
	t.Parallel()
	for seed := range seeds(1000) {
		w := newWorld(seed)
		n := 0
		cell := func() string { n++; return fmt.Sprintf("c%d %s", n, w.words(1)) }
		row := func() []string { return []string{cell(), cell(), cell(), cell()} }
		var base [][]string
		for range w.r.IntN(6) {
			base = append(base, row())
		}
		write := func(rows [][]string) []byte {
			var b strings.Builder
			b.WriteString("# Table\n\n| k | a | b | c |\n|---|---|---|---|\n")
			for _, r := range rows {
				b.WriteString("| " + strings.Join(r, " | ") + " |\n")
			}
			return []byte(b.String() + "\nEnd.\n")
		}
		o := write(base)
		var sides [3][]byte
		written, edited := map[string]bool{}, map[string]bool{}
		for i := range sides {
			rows := make([][]string, len(base))
			for k := range base {
				rows[k] = slices.Clone(base[k])
			}
			for range 1 + w.r.IntN(4) {
				if w.r.IntN(2) == 0 || len(base) == 0 {
					r := row()
					for _, c := range r {
						written[c] = true
					}
					rows = slices.Insert(rows, w.r.IntN(len(rows)+1), r)
					continue
				}
				k := slices.IndexFunc(rows, func(r []string) bool { return r[0] == base[w.r.IntN(len(base))][0] })
				if k < 0 {
					continue
				}
				delete(written, rows[k][i+1])
				edited[rows[k][i+1]] = true
				rows[k][i+1] = cell()
				written[rows[k][i+1]] = true
			}
			sides[i] = write(rows)
		}
		var results [3][]byte
		for i := range results {
			first := mustMerge(t, Markdown, o, sides[i], sides[(i+1)%3])
			if again := mustMerge(t, Markdown, o, sides[(i+1)%3], first); !bytes.Equal(again, first) {
				t.Fatalf("seed %d: merged again\n%s\n%s", seed, first, again)
			}
			results[i] = mustMerge(t, Markdown, o, first, sides[(i+2)%3])
		}
		if !bytes.Equal(results[0], results[1]) || !bytes.Equal(results[1], results[2]) {
			t.Fatalf("seed %d\n%s---\n%s---\n%s---\n%s=== %s\n%s\n%s", seed, o, sides[0], sides[1], sides[2], results[0], results[1], results[2])
		}
		for c := range written {
			if bytes.Count(results[0], []byte("| "+c+" |")) != 1 {
				t.Fatalf("seed %d: %q in\n%s", seed, c, results[0])
			}
		}
		for c := range edited {
			if bytes.Contains(results[0], []byte("| "+c+" |")) {
				t.Fatalf("seed %d: %q is back in\n%s", seed, c, results[0])
			}
		}
		if bytes.Contains(results[0], []byte("claw:conflict")) {
			t.Fatalf("seed %d: a contradiction\n%s", seed, results[0])
		}
	}
}

// FuzzTable: rows that both sides have whole are there, and nothing that neither has.
func FuzzTable(f *testing.F) {
	f.Add("| 1 | 2 |\n| 3 |", "| 1 | x |\n| 3 |", "| 1 | 2 |\n| 3 |\n|4\\||")
	f.Fuzz(func(t *testing.T, o, a, b string) {
		text := func(rows string) []byte {
			return []byte("| a | b |\n|---|---|\n" + strings.ReplaceAll(rows, "\r", "") + "\n")
		}
		if strings.Contains(o+a+b, "\x00") {
			return
		}
		in := Input{Kind: Markdown, Base: text(o), Ours: text(a), Theirs: text(b)}
		got := mustMerge(t, Markdown, in.Base, in.Ours, in.Theirs)
		if swapped := mustMerge(t, Markdown, in.Base, in.Theirs, in.Ours); !bytes.Equal(got, swapped) {
			t.Fatalf("%q and, swapped, %q", got, swapped)
		}
		have := lineCounts(got)
		for l := range lineCounts(in.Ours) {
			if lineCounts(in.Theirs)[l] > 0 && have[l] == 0 && !bytes.Contains(got, []byte(l)) {
				t.Fatalf("%q is lost:\n%q\n%q\n%q\n%q", l, o, a, b, got)
			}
		}
	})
}
