package agent

import (
	"slices"
	"strings"
	"testing"
)

// commits tells the results with their commits, by the names given to these.
func (l *lab) commits(names map[string]string, opt SearchOptions) string {
	l.t.Helper()
	var out []string
	for _, r := range l.search(opt) {
		name := names[r.Commit.String()]
		if r.Commit.IsZero() {
			name = "none"
		}
		text, _, _ := strings.Cut(r.Snippet, "\n")
		out = append(out, text+" "+name+" "+r.Date)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestSearchBlame: with blame the commit of a result is that of its newest line,
// be the commits of one second or not, here and at an older revision.
func TestSearchBlame(t *testing.T) {
	t.Parallel()
	l := newLab(t, "agents/main", "memory/topic.md", "osprey\nfirst\nlast\n", "MEMORY.md", "- osprey of the old times by the pond\n")
	names := map[string]string{}
	commit := func(name, day string) {
		l.clock(day + "T09:00:00Z")
		l.gitCommit(name)
		names[strings.TrimSpace(l.git("rev-parse", "HEAD"))] = name
	}
	l.write("memory/topic.md", "osprey\nfirst\nmiddle\nlast\n")
	l.write("MEMORY.md", "- osprey of the old times by the pond\n- osprey of late\n")
	commit("one", "2026-06-02")
	l.write("memory/topic.md", "osprey\nsecond, which is new\nmiddle\nlast\n")
	commit("two", "2026-06-02")
	l.write("memory/topic.md", "osprey\nsecond, which is new\nmiddle\n")
	l.write("MEMORY.md", "- osprey of late\n- osprey of the old times by the pond\n")
	commit("three", "2026-06-03")
	l.write("memory/unsaved.md", "osprey in the work tree\n")
	names[strings.TrimSpace(l.git("rev-list", "--max-parents=0", "HEAD"))] = "adopt"

	for _, c := range []struct {
		opt  SearchOptions
		want string
	}{
		{SearchOptions{}, "- osprey of late three 2026-06-03, - osprey of the old times by the pond three 2026-06-03, osprey in the work tree none , osprey three 2026-06-03"},
		{SearchOptions{Blame: true}, "- osprey of late one 2026-06-02, - osprey of the old times by the pond adopt 2026-05-02, osprey in the work tree none , osprey two 2026-06-02"},
		{SearchOptions{Blame: true, At: "HEAD~2"}, "- osprey of late one 2026-06-02, - osprey of the old times by the pond adopt 2026-05-02, osprey one 2026-06-02"},
		{SearchOptions{Blame: true, At: "HEAD", Since: "2026-06-02"}, "- osprey of late one 2026-06-02, osprey two 2026-06-02"},
		{SearchOptions{Blame: true, At: "HEAD", Since: "2026-06-03"}, ""},
		{SearchOptions{At: "HEAD", Since: "2026-06-03"}, "- osprey of late three 2026-06-03, - osprey of the old times by the pond three 2026-06-03, osprey three 2026-06-03"},
	} {
		c.opt.Query = "osprey"
		if got := l.commits(names, c.opt); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c.opt, got, c.want)
		}
	}
	// A date that the note names stays.
	l.write("memory/2026-01-02.md", "kite\n")
	commit("four", "2026-06-04")
	if got := l.commits(names, SearchOptions{Query: "kite", Blame: true}); got != "kite four 2026-01-02" {
		t.Errorf("a dated note: %s", got)
	}
	// What is indexed is not what the commit has: its lines are others.
	l.write("memory/2026-01-02.md", strings.Repeat("\n", 40)+"kite\n")
	commit("five", "2026-06-05")
	l.write("memory/2026-01-02.md", "short\n")
	commit("six", "2026-06-06")
	l.git("config", "claw.recall.catchupMs", "0")
	if got := l.commits(names, SearchOptions{Query: "kite", Blame: true}); got != "kite six 2026-01-02" {
		t.Errorf("a note that is not indexed yet: %s", got)
	}
}

// TestSearchBlameFails: a note that cannot be blamed keeps its commit, with a warning.
func TestSearchBlameFails(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/a.md", "osprey\n", "memory/b.md", "osprey\n")
	ws := l.ws()
	ctx := t.Context()
	head, err := ws.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	results := l.search(SearchOptions{Query: "osprey"})
	results[0].From, results[0].To = 98, 99
	warned := 0
	b := &lineBlame{ws: ws, at: head, warn: func(string, ...any) { warned++ }}
	if err := b.fill(ctx, results); err != nil || warned != 1 || len(results) != 2 || results[0].Commit != head || results[1].Commit != head {
		t.Errorf("%v, %d warnings, %+v", err, warned, results)
	}
}
