package merge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/merge"
)

func TestStale(t *testing.T) {
	t.Parallel()
	const base = "# Memory\n\n- the office has two floors\n- lunch is at noon\n"
	const came = base + "- from A\n"
	for _, c := range []struct {
		name            string
		kind            merge.Kind
		base, now, work string
		want            bool
	}{
		{"an old read", merge.Markdown, base, came, base + "- from B\n", true},
		{"with CRLF", merge.Markdown, base, came, strings.ReplaceAll(base+"- from B\n", "\n", "\r\n"), true},
		{"an entry edited besides", merge.Markdown, base, came, strings.Replace(base, "at noon", "at one", 1) + "- from B\n", true},
		{"one word apart from what came", merge.Markdown, base, base + "- line 7 of machine A\n", base + "- line 7 of machine B\n", true},
		{"what went is back", merge.Markdown, base, strings.Replace(base, "- lunch is at noon\n", "", 1), base + "- from B\n", true},
		{"an edit is back", merge.Markdown, base, strings.Replace(base, "at noon", "at one", 1), base + "- from B\n", true},
		{"a title of both", merge.Daily, "", "# 2026-03-04\n\n- from A\n", "# 2026-03-04\n\n- from B\n", true},
		{"a heading alone came", merge.Markdown, base, base + "\n## Plans\n", base + "- from B\n", true},
		{"frontmatter of both", merge.Markdown, "---\nat: 1\n---\n" + base, "---\nat: 2\n---\n" + came, "---\nat: 3\n---\n" + base + "- from B\n", true},
		{"lines", merge.Lines, "one\ntwo\n", "one\ntwo\nA\n", "one\ntwo\nB\n", true},
		{"text", merge.Text, "one\ntwo\n", "one\ntwo\nA\n", "B\none\ntwo\n", true},
		{"JSON", merge.JSON, `{"a":1}`, `{"a":1,"b":{"c":2}}`, `{"a":1,"d":3}`, true},
		{"a JSON value back", merge.JSON, `{"a":1}`, `{"a":2}`, `{"a":1,"d":3}`, true},

		{"taken back", merge.Markdown, base, came, base, false},
		{"nothing came", merge.Markdown, base, base, base + "- from B\n", false},
		{"read", merge.Markdown, base, came, came + "- from B\n", false},
		{"one of two is there", merge.Markdown, base, came + "- more of A\n", base + "- more of A\n- from B\n", false},
		{"what came was made longer", merge.Markdown, base, came, base + "- from A, at ten\n", false},
		{"what came was ticked off", merge.Markdown, base, base + "- [ ] call Kim\n", base + "- [x] call Kim\n", false},
		{"consolidated", merge.Markdown, base, came, "# Memory\n\n- all in all an office\n", false},
		{"an old entry is gone", merge.Markdown, base, came, strings.Replace(base, "- lunch is at noon\n", "", 1) + "\n## Later\n\n- from B\n", false},
		{"an edit written over", merge.Markdown, base, strings.Replace(base, "at noon", "at one", 1), strings.Replace(base, "at noon", "at two", 1), false},
		{"moved only", merge.Markdown, base, "# Memory\n\n- lunch is at noon\n- the office has two floors\n", base + "- from B\n", false},
		{"only frontmatter is its own", merge.Markdown, "---\nat: 1\n---\n" + base, "---\nat: 1\n---\n" + came, "---\nat: 3\n---\n" + base, false},
		{"derived", merge.Derived, base, came, base + "- from B\n", false},
		{"binary", merge.Text, "a\x00\n", "a\x00\nA\n", "a\x00\nB\n", false},
		{"a line is gone", merge.Lines, "one\ntwo\n", "one\ntwo\nA\n", "one\nB\n", false},
		{"JSON without a key", merge.JSON, `{"a":1}`, `{"a":1,"b":2}`, `{"d":3}`, false},
		{"another JSON value", merge.JSON, `{"a":1}`, `{"a":2}`, `{"a":3}`, false},
		{"JSON taken back", merge.JSON, `{"a":1}`, `{"a":1,"b":2}`, `{ "a": 1 }`, false},
		{"broken JSON", merge.JSON, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"d":`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := merge.Stale(c.kind, []byte(c.base), []byte(c.now), []byte(c.now), []byte(c.work)); got != c.want {
				t.Errorf("stale: %t", got)
			}
		})
	}
}

// TestStaleRandom: whatever came, and whatever was added to an old read, is found and united:
// no line is lost, and nobody has to choose.
func TestStaleRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		n := 0
		line := func(who string) string {
			n++
			return fmt.Sprintf("- %s saw %d things in house number %d", who, rnd.IntN(3), n)
		}
		add := func(lines []string, who string, count int) []string {
			for range count {
				lines = slices.Insert(slices.Clone(lines), 1+rnd.IntN(len(lines)), line(who))
			}
			return lines
		}
		text := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
		base := []string{"# Notes", ""}
		for i := range rnd.IntN(12) {
			if base = append(base, line("everybody")); rnd.IntN(4) == 0 {
				base = append(base, "", fmt.Sprintf("## Part %d", i), "")
			}
		}
		now := slices.Clone(base)
		if last := len(now) - 1; rnd.IntN(3) == 0 && last > 1 && now[last] != "" {
			now = now[:last] // and one that went
		}
		now, work := add(now, "A", 1+rnd.IntN(3)), add(base, "B", 1+rnd.IntN(3))
		if !merge.Stale(merge.Markdown, text(base), text(now), text(now), text(work)) {
			t.Fatalf("seed %d: not found:\n%s\n-- came\n%s\n-- written\n%s", seed, text(base), text(now), text(work))
		}
		got, err := merge.Three(merge.Input{Kind: merge.Markdown, Base: text(base), Ours: text(work), Theirs: text(now)})
		if err != nil || got.Contradictions != 0 {
			t.Fatalf("seed %d: %v, %d contradictions:\n%s", seed, err, got.Contradictions, got.Content)
		}
		for _, l := range slices.Concat(now, work) {
			gone := slices.Contains(base, l) && !slices.Contains(now, l)
			if l != "" && strings.Contains(string(got.Content), l+"\n") == gone {
				t.Fatalf("seed %d: %q in\n%s", seed, l, got.Content)
			}
		}
	}
}

// TestStaleSince: what came is looked for in what became of the file since.
func TestStaleSince(t *testing.T) {
	t.Parallel()
	const base = "# Memory\n\n- the office has two floors\n"
	const came = base + "- from A\n"
	for _, c := range []struct {
		name                  string
		kind                  merge.Kind
		base, came, now, work string
		want                  bool
	}{
		{"the same buffer again, with more", merge.Markdown, base, came, came + "- from B\n", base + "- from B\n- more of B\n", true},
		{"nothing new in it", merge.Markdown, base, came, came + "- from B\n", base + "- from B\n", false},
		{"it was taken out since", merge.Markdown, base, came, base + "- from B\n", base + "- from B\n- more of B\n", false},
		{"JSON, again", merge.JSON, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"b":2,"c":3}`, `{"a":1,"c":3,"d":4}`, true},
		{"JSON, set since", merge.JSON, `{"p":81,"h":"y"}`, `{"p":82,"h":"y"}`, `{"p":84,"h":"x"}`, `{"p":81,"h":"x"}`, false},
		{"JSON, taken out since", merge.JSON, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"d":4}`, false},
	} {
		if got := merge.Stale(c.kind, []byte(c.base), []byte(c.came), []byte(c.now), []byte(c.work)); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
