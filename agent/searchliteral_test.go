package agent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/index"
)

// paths tells where results stand.
func (l *lab) paths(opt SearchOptions) string {
	l.t.Helper()
	var out []string
	for _, r := range l.search(opt) {
		out = append(out, fmt.Sprintf("%s:%d", r.Path, r.Line))
	}
	return strings.Join(out, " ")
}

// TestSearchLiteral: a query without a word that an index has is looked for as it
// is typed, in what the search is about, the newest first.
func TestSearchLiteral(t *testing.T) {
	t.Parallel()
	l := newLab(t, "agents/main",
		"memory/2026-01-02.md", "# January\n\nold -> new, To be,\n",
		"memory/2026-03-04.md", "# March\n\nnothing\n\nin -> out, to be or\nnot to be\n",
		"memory/topic.md", "other -> things\n",
		".learnings/ERRORS.md", "a -> b\n",
		"self-improving/memory.md", "b -> c\n",
		"MEMORY.md", "# Memory\n\n- [2026-02-01] keep -> it\n")
	l.write("memory/unsaved.md", "work -> tree\n")
	l.write("memory/2026-02-03.md", "# February\n\nlong\n")
	l.clock("2026-04-01T09:00:00Z")
	l.git("add", "agents/main/memory/2026-02-03.md")
	l.git("commit", "-q", "-m", "later")
	l.write("memory/2026-02-03.md", "# February\n\nlate -> edit\n")
	l.clock("2026-05-01T09:00:00Z")
	for _, c := range []struct {
		opt  SearchOptions
		want string
	}{
		{SearchOptions{Query: "->"}, "MEMORY.md:3 memory/topic.md:1 memory/unsaved.md:1 memory/2026-03-04.md:5 memory/2026-02-03.md:3 memory/2026-01-02.md:3"},
		{SearchOptions{Query: "->", Limit: 2, Kind: "group"}, "memory/topic.md:1 memory/unsaved.md:1"},
		{SearchOptions{Query: "->", Tier: "scratch"}, ".learnings/ERRORS.md:1"},
		{SearchOptions{Query: "->", Tier: "hot"}, "MEMORY.md:3 self-improving/memory.md:1"},
		{SearchOptions{Query: "->", Tier: "hot", Kind: "group"}, ""},
		{SearchOptions{Query: "->", Tier: "all", Limit: 20, At: "HEAD"}, ".learnings/ERRORS.md:1 MEMORY.md:3 memory/topic.md:1 self-improving/memory.md:1 memory/2026-03-04.md:5 memory/2026-01-02.md:3"},
		{SearchOptions{Query: "->", Since: "2026-05-03"}, "memory/unsaved.md:1 memory/2026-02-03.md:3"},
		{SearchOptions{Query: "=>"}, ""},
		{SearchOptions{Query: "to be or not to be"}, "memory/2026-03-04.md:5"},
		{SearchOptions{Query: "TO BE OR NOT"}, "memory/2026-03-04.md:5"},
		{SearchOptions{Query: `"to be"`}, "memory/2026-03-04.md:5 memory/2026-01-02.md:3"},
		{SearchOptions{Query: strings.Repeat("to be or not ", 2500)}, ""},
	} {
		if got := l.paths(c.opt); got != c.want {
			t.Errorf("%.20q %+v finds\n%s, want\n%s", c.opt.Query, c.opt, got, c.want)
		}
	}
	for _, r := range l.search(SearchOptions{Query: "->"}) {
		if !r.Parts.Exact || r.Score != 1 || !strings.Contains(r.Snippet, "->") || r.Unsaved != r.Commit.IsZero() {
			t.Errorf("%+v", r)
		}
	}
	// The index makes no difference: it is the notes that are read.
	if err := IndexDrop(l.ws()); err != nil {
		t.Fatal(err)
	}
	if got := l.paths(SearchOptions{Query: "->", Limit: 1}); got != "MEMORY.md:3" {
		t.Errorf("with a new index: %s", got)
	}
}

// TestSearchLiteralBound: the oldest notes are passed over where there is too much to
// read, which is said, and not where the newest are answer enough.
func TestSearchLiteralBound(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.git("config", "claw.maxFileBytes", "50000000")
	l.git("config", "claw.recall.catchupMs", "600000")
	long := strings.Repeat("filler is here and here\n", 1_000_000)
	for day := range 3 {
		l.write(fmt.Sprintf("memory/2026-01-0%d.md", day+2), long)
	}
	l.write("memory/2026-01-01.md", "old ->\n")
	l.write("memory/2026-01-09.md", "new ->\n")
	var warned []string
	warn := func(f string, a ...any) { warned = append(warned, fmt.Sprintf(f, a...)) }
	if got := l.paths(SearchOptions{Query: "->", Limit: 1, Warn: warn}); got != "memory/2026-01-09.md:1" || len(warned) > 0 {
		t.Errorf("one: %s, %q", got, warned)
	}
	if got := l.paths(SearchOptions{Query: "->", Warn: warn}); got != "memory/2026-01-09.md:1" || len(warned) != 1 || !strings.Contains(warned[0], "in 1 notes") {
		t.Errorf("all: %s, %q", got, warned)
	}
}

// TestSearchLiteralByMeaning: with an embedder what is near in meaning comes behind
// the notes that hold the query, none of them twice.
func TestSearchLiteralByMeaning(t *testing.T) {
	t.Parallel()
	m := newMeaning(t)
	l := newLab(t, "", "memory/a.md", "- the heron of it all\n", "memory/b.md", "- invoices are due\n", "memory/c.md", "- invoice: who is it for\n")
	for name, value := range map[string]string{"embedder": "openai", "embedderUrl": m.URL, "embedderModel": "test"} {
		l.git("config", "claw."+name, value)
	}
	if _, err := IndexUpdate(t.Context(), l.ws(), index.Options{Clock: time.Now}); err != nil {
		t.Fatal(err)
	}
	if got := l.paths(SearchOptions{Query: "who is it"}); got != "memory/c.md:1 memory/b.md:1" {
		t.Errorf("finds %s", got)
	}
}
