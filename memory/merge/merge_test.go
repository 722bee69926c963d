package merge

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// both merges in both directions, which must give the same.
func both(t *testing.T, in Input) string {
	t.Helper()
	got, err := Three(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Ours, in.Theirs = in.Theirs, in.Ours
	if newer := in.Newer; newer != nil {
		in.Newer = func() int { return -newer() }
	}
	swapped, err := Three(in)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Content, swapped.Content) || got.Contradictions != swapped.Contradictions {
		t.Fatalf("swapped sides give\n%s\nand not\n%s", swapped.Content, got.Content)
	}
	return string(got.Content)
}

// lines makes a file of lines.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, base, one, two, want string }{
		{
			"both append", lines("# T", "", "- a"), lines("# T", "", "- a", "- 10:00 x"), lines("# T", "", "- a", "- 09:00 y"),
			lines("# T", "", "- a", "- 09:00 y", "- 10:00 x"),
		},
		{
			"both append the same", lines("- a"), lines("- a", "- b", "- c"), lines("- a", "- b", "- d"),
			lines("- a", "- b", "- c", "- d"),
		},
		{
			"a log that grows at its beginning", lines("- 09:00 b", "- 08:00 a"), lines("- 11:00 d", "- 09:00 b", "- 08:00 a"), lines("- 10:00 c", "- 09:00 b", "- 08:00 a"),
			lines("- 11:00 d", "- 10:00 c", "- 09:00 b", "- 08:00 a"),
		},
		{
			"neighbours", lines("- one thing here", "- other stuff there"), lines("- one thing here now", "- other stuff there"), lines("- one thing here", "- other stuff there then"),
			lines("- one thing here now", "- other stuff there then"),
		},
		{
			"one section, two additions", lines("# D", "", "## S", "", "- a"), lines("# D", "", "## S", "", "- a", "- b"), lines("# D", "", "## S", "", "- a", "", "## T", "", "- c"),
			lines("# D", "", "## S", "", "- a", "- b", "", "## T", "", "- c"),
		},
		{
			"the same new section", "", lines("# D", "", "## 10:00 Deploy", "", "- x"), lines("# D", "", "## 10:00 Deploy", "", "- y", "  - z"),
			lines("# D", "", "## 10:00 Deploy", "", "- x", "- y", "  - z"),
		},
		{
			"lists keep their introduction", lines("# D"), lines("# D", "", "Steps:", "", "1. build", "2. push"), lines("# D", "", "- note", "", "Also:", "", "- q"),
			lines("# D", "", "- note", "", "Also:", "", "- q", "", "Steps:", "", "1. build", "2. push"),
		},
		{
			"nested items stay below their item", lines("- p"), lines("- p", "  - a", "  - b"), lines("- p", "  - c", "- q"),
			lines("- p", "  - a", "  - b", "  - c", "- q"),
		},
		{
			"edited twice", lines("- the port is 80"), lines("- the port is 81"), lines("- the port is 82"),
			lines("<!-- claw:conflict id=98e4dc50 kind=edit n=2 -->", "- the port is 81", "- the port is 82"),
		},
		{
			"edited twice, nested", lines("- g", "  - the port is 80"), lines("- g", "  - the port is 81"), lines("- g", "  - the port is 82"),
			lines("- g", "  <!-- claw:conflict id=56112cb3 kind=edit n=2 -->", "  - the port is 81", "  - the port is 82"),
		},
		{
			"paragraphs edited twice", lines("the port is 80", "", "end"), lines("the port is 81", "", "end"), lines("the port is 82", "", "end"),
			lines("<!-- claw:conflict id=a3649003 kind=edit n=2 -->", "the port is 81", "", "the port is 82", "", "end"),
		},
		{
			"edited here, deleted there", lines("- a", "- the port is 80"), lines("- a", "- the port is 81"), lines("- a"),
			lines("- a", "<!-- claw:conflict id=9ea0c6ab kind=delete n=1 -->", "- the port is 81"),
		},
		{
			"written anew on both sides", lines("# T", "", "- call the bank", "- z"), lines("# T", "", "- buy two lamps", "- z"), lines("# T", "", "- water all plants", "- z"),
			lines("# T", "", "<!-- claw:conflict id=ea838bd0 kind=edit n=2 -->", "- buy two lamps", "- water all plants", "- z"),
		},
		{
			"written anew here, edited there", lines("- call the bank at nine"), lines("- buy two lamps"), lines("- call the bank at ten"),
			lines("<!-- claw:conflict id=1f099545 kind=edit n=2 -->", "- buy two lamps", "- call the bank at ten"),
		},
		{
			"written anew here, deleted there", lines("- a", "- call the bank"), lines("- a", "- buy two lamps"), lines("- a"),
			lines("- a", "- buy two lamps"),
		},
		{
			"a comment above what both edited", lines("<!-- id=1 -->", "- the port is 80", "- z"), lines("<!-- id=1 -->", "- the port is 81", "- z"), lines("<!-- id=1 -->", "- the port is 82", "- z"),
			lines("<!-- id=1 -->", "<!-- claw:conflict id=3fe38e92 kind=edit n=2 -->", "- the port is 81", "- the port is 82", "- z"),
		},
		{
			"two comments above what both edited", lines("- g", "  <!-- id=1 -->", "  - the port is 80"), lines("- g", "  <!-- id=1 -->", "  - the port is 81"), lines("- g", "  <!-- id=2 -->", "  - the port is 82"),
			lines("- g", "  <!-- claw:conflict id=4224c36c kind=edit n=2 -->", "  <!-- id=1 -->", "  - the port is 81", "  <!-- id=2 -->", "  - the port is 82"),
		},
		{
			"deleted here, as it was there", lines("- a", "- b", "- c"), lines("- a", "- c"), lines("- a", "- b", "- c", "- d"),
			lines("- a", "- c", "- d"),
		},
		{
			"an edit follows a move", lines("# D", "", "- the gateway listens on 80", "", "## Done", "", "- x"),
			lines("# D", "", "## Done", "", "- x", "- the gateway listens on 80"), lines("# D", "", "- the gateway listens on 81", "", "## Done", "", "- x"),
			lines("# D", "", "## Done", "", "- x", "- the gateway listens on 81"),
		},
		{
			"an edit of what is nested now", lines("- a", "- the gateway listens on 80"), lines("- a", "  - the gateway listens on 80"), lines("- a", "- the gateway listens on 81", "  now"),
			lines("- a", "  - the gateway listens on 81", "    now"),
		},
		{
			"a child of what was nested elsewhere", lines("- the first thing of all", "- b", "- c"), lines("- b", "  - the first thing of all", "- c"), lines("- the first thing of all", "  - a child of that thing", "- b", "- c"),
			lines("- b", "  - the first thing of all", "  - a child of that thing", "- c"),
		},
		{
			"an addition follows its section", lines("# D", "", "## S", "", "- a thing of some length", "", "## T", "", "- c", "- d"),
			lines("# D", "", "## T", "", "- c", "- d", "", "## S", "", "- a thing of some length"),
			lines("# D", "", "## S", "", "- a thing of some length", "- new", "", "## T", "", "- c", "- d"),
			lines("# D", "", "## T", "", "- c", "- d", "", "## S", "", "- a thing of some length", "- new"),
		},
		{
			"a section with another name", lines("# D", "", "## Todo", "", "- a"), lines("# D", "", "## Open", "", "- a"), lines("# D", "", "## Todo", "", "- a", "- b"),
			lines("# D", "", "## Open", "", "- a", "- b"),
		},
		{
			"an addition to a deleted section", lines("# D", "", "## S", "", "- a", "", "## T"), lines("# D", "", "## T"), lines("# D", "", "## S", "", "- a", "- b", "", "## T"),
			lines("# D", "", "<!-- claw:conflict id=eee4c6ab kind=delete n=1 -->", "## S", "", "- b", "", "## T"),
		},
		{
			"the head of MEMORY.md", lines("# Agent Memory", "#tags: a b", "last_verified: 2026-01-01", "last_updated: 2026-01-01", "", "- x"),
			lines("# Agent Memory", "#tags: a b c", "last_verified: 2026-01-01", "last_updated: 2026-01-03", "", "- x"),
			lines("# Agent Memory", "#tags: a d", "last_verified: 2026-01-02", "last_updated: 2026-01-02", "", "- x"),
			lines("# Agent Memory", "#tags: a c d", "last_verified: 2026-01-02", "last_updated: 2026-01-03", "", "- x"),
		},
		{
			"a date that somebody must choose", lines("- Due: 2026-01-01"), lines("- Due: 2026-01-02"), lines("- Due: 2026-01-03"),
			lines("<!-- claw:conflict id=30bdd7fe kind=edit n=2 -->", "- Due: 2026-01-02", "- Due: 2026-01-03"),
		},
		{
			"rows of a table", lines("| a | b |", "|---|---|", "| 1 | 2 |"), lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4 |"), lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 5 | 6 |"),
			lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4 |", "| 5 | 6 |"),
		},
		{
			"neighbouring rows", lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4 |"), lines("| a | b |", "|---|---|", "| 1 | 2x |", "| 3 | 4 |"), lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4y |", "| 5 | 6 |"),
			lines("| a | b |", "|---|---|", "| 1 | 2x |", "| 3 | 4y |", "| 5 | 6 |"),
		},
		{
			"a row added behind one that was edited", lines("| a | b |", "|---|---|", "| 1 | 2 |"), lines("| a | b |", "|---|---|", "| 1 | 3 |"), lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 5 | 6 |"),
			lines("| a | b |", "|---|---|", "| 1 | 3 |", "| 5 | 6 |"),
		},
		{
			"two cells of a row", lines("| a | b | c |", "|---|---|---|", "| 1 | 2 | 3 |"), lines("| a | b | c |", "|---|---|---|", "| 1 | x\\|y | 3 |"), lines("| a | b | c |", "|---|---|---|", "| 1 | 2 | z |"),
			lines("| a | b | c |", "|---|---|---|", "| 1 | x\\|y | z |"),
		},
		{
			"a row taken out, another one added", lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4 |"), lines("| a | b |", "|---|---|", "| 3 | 4 |"), lines("| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4 |", "| 5 | 6 |"),
			lines("| a | b |", "|---|---|", "| 3 | 4 |", "| 5 | 6 |"),
		},
		{
			"many rows", lines("# D", "", "| a | b |", "|---|---|", "| 1 | 2 |"), lines("# D", "", "| a | b |", "|---|---|", "| 1 | 2 |", "| red | green |", "| blue | yellow |", "| black | white |", "| pink | grey |"), lines("# D", "", "| a | b |", "|---|---|", "| 1 | 3 |"),
			lines("# D", "", "| a | b |", "|---|---|", "| 1 | 3 |", "| red | green |", "| blue | yellow |", "| black | white |", "| pink | grey |"),
		},
		{
			"one cell set twice", lines("| a | b |", "|---|---|", "| 1 | 2 |"), lines("| a | b |", "|---|---|", "| 1 | 3 |"), lines("| a | b |", "|---|---|", "| 1 | 4 |"),
			lines("<!-- claw:conflict id=624cdf33 kind=edit n=2 -->", "| a | b |", "|---|---|", "| 1 | 3 |", "", "| a | b |", "|---|---|", "| 1 | 4 |"),
		},
		{
			"lines of a fence", lines("```", "a", "b c d e f g", "c", "```"), lines("```", "A", "b c d e f g", "c", "```"), lines("```", "a", "b c d e f g", "C", "```"),
			lines("```", "A", "b c d e f g", "C", "```"),
		},
		{
			"frontmatter", lines("---", "title: a", "count: 1", "---", "", "text"), lines("---", "title: b", "count: 1", "new: x", "---", "", "text"), lines("---", "title: a", "count: 2", "---", "", "text"),
			lines("---", "title: b", "count: 2", "new: x", "---", "", "text"),
		},
		{
			"frontmatter on both sides of none", lines("text"), lines("---", "a: 1", "---", "", "text"), lines("---", "b: 1", "---", "", "text", "", "more"),
			lines("---", "a: 1", "b: 1", "---", "", "text", "", "more"),
		},
		{
			"a comment belongs to its entry", lines("- a", "<!-- id=1 -->", "- b"), lines("- a", "<!-- id=1 -->", "- b", "- c"), lines("- a", "- z", "<!-- id=1 -->", "- b"),
			lines("- a", "- z", "<!-- id=1 -->", "- b", "- c"),
		},
		{"no line end", "- a", "- a\n- b", "- a\n- c\n", "- a\n- b\n- c\n"},
		{"CRLF", "- a\r\n", "- a\r\n- b\r\n", "- a\r\n- c\r\n", "- a\r\n- b\r\n- c\r\n"},
		{"CRLF on one side", "- a\n", "- a\n- b\n", "- a\r\n- c\r\n", "- a\r\n- b\r\n- c\r\n"},
		{"byte order mark", "\xef\xbb\xbf- a\n", "\xef\xbb\xbf- a\n- b\n", "\xef\xbb\xbf- a\n- c\n", "\xef\xbb\xbf- a\n- b\n- c\n"},
		{"not UTF-8", "- \xff\xfe\n", "- \xff\xfe\n- \xc3\n", "- \xff\xfe\n- \x80\n", "- \xff\xfe\n- \x80\n- \xc3\n"},
		{"a fence that never ends", "- a\n", "- a\n\n```\ncode\n", "- a\n\n# H\n", "- a\n\n```\ncode\n```\n\n# H\n"},
		{"white space at the end of lines", "- a \n- b\n", "- a\n- b\n", "- a \n- b\n- c\n", "- a\n- b\n- c\n"},
		{"all is gone", "- a\n", "", "- a\n- b\n", "- b\n"},
		{"nothing but blank lines", "\n", "\n\n", "\n\n\n", "\n\n"},
	} {
		got := both(t, Input{Kind: Markdown, Base: []byte(c.base), Ours: []byte(c.one), Theirs: []byte(c.two)})
		if got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, c.want)
		}
		for _, side := range []string{c.one, c.two} {
			if again := both(t, Input{Kind: Markdown, Base: []byte(c.base), Ours: []byte(side), Theirs: []byte(got)}); again != got {
				t.Errorf("%s: merged again\n%q\nwant\n%q", c.name, again, got)
			}
		}
	}
}

// TestContradictions: three versions of one entry, a choice made by hand, and a second edit while the
// first is waiting.
func TestContradictions(t *testing.T) {
	t.Parallel()
	merge := func(o, a, b string) string {
		return both(t, Input{Kind: Markdown, Base: []byte(o), Ours: []byte(a), Theirs: []byte(b)})
	}
	o, a, b, c := "- the port is 80\n", "- the port is 81\n", "- the port is 82\n", "- the port is 83\n"
	three := merge(o, merge(o, a, b), c)
	if n := strings.Count(three, "- the port"); n != 3 || !strings.Contains(three, "kind=edit n=3") {
		t.Errorf("three versions:\n%s", three)
	}
	if other := merge(o, a, merge(o, b, c)); other != three {
		t.Errorf("in another order:\n%s", other)
	}
	two := merge(o, a, b)
	if got := merge(two, a, two+"- more\n"); got != a+"- more\n" {
		t.Errorf("a choice, and more beside it:\n%s", got)
	}
	if got := merge(two, a, strings.Replace(two, "82", "84", 1)); strings.Count(got, "\n") != 3 || !strings.Contains(got, "84") {
		t.Errorf("a choice, and another edit:\n%s", got)
	}
	if got := merge(two, two+"- x\n", two+"- y\n"); got != two+"- x\n- y\n" {
		t.Errorf("left alone:\n%s", got)
	}
	// A choice made by hand, and the line forgotten: the next entry is none of the versions.
	forgot := strings.Replace(two, "- the port is 82\n", "", 1) + "- unlike all of that\n"
	if got := merge(forgot, forgot+"- x\n", strings.Replace(forgot, "unlike", "like", 1)); got != strings.Replace(forgot, "unlike", "like", 1)+"- x\n" {
		t.Errorf("the line forgotten:\n%s", got)
	}
	gone := merge("- p\n"+o, "- p\n", "- p\n"+a)
	if !strings.Contains(gone, "kind=delete n=1 -->\n- the port is 81") {
		t.Errorf("deleted and edited:\n%s", gone)
	}
	if got := merge(gone, "- p\n", gone+"- q\n"); got != "- p\n- q\n" {
		t.Errorf("the deletion chosen:\n%s", got)
	}
}

// TestArchived: an entry that was archived here and edited there is edited in the archive.
func TestArchived(t *testing.T) {
	t.Parallel()
	in := Input{
		Kind: Lessons, Base: []byte("- a\n- the port is 80\n"), Ours: []byte("- a\n"), Theirs: []byte("- a\n- the port is 81\n- b\n"),
		Archived: func(e []byte) bool { return string(e) == "- the port is 80" },
	}
	got, err := Three(in)
	if err != nil || string(got.Content) != "- a\n- b\n" || got.Contradictions != 0 || len(got.Moved) != 1 {
		t.Fatalf("%q %+v %v", got.Content, got, err)
	}
	archive := []byte("# Archive\r\n\r\n- x\r\n- the port is 80\r\n- y\r\n")
	want := "# Archive\r\n\r\n- x\r\n- the port is 81\r\n- y\r\n"
	if out, left := Follow(archive, got.Moved); string(out) != want || len(left) != 0 {
		t.Errorf("the archive is %q, %d edits left", out, len(left))
	}
	if _, left := Follow([]byte("- other\n"), got.Moved); len(left) != 1 {
		t.Error("an edit without its entry is not handed back")
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Markdown, Daily, Lessons, Candidate, Records, Lines, JSONLines, JSON, Derived} {
		for _, c := range [][4]string{{"a", "a", "b", "b"}, {"a", "b", "a", "b"}, {"a", "b", "b", "b"}, {"", "b", "b", "b"}} {
			got := both(t, Input{Kind: kind, Base: []byte(c[0]), Ours: []byte(c[1]), Theirs: []byte(c[2])})
			if got != c[3] {
				t.Errorf("kind %d: %q", kind, got)
			}
		}
		_, err := Three(Input{Kind: kind, Base: []byte("a"), Ours: []byte("a\x00b"), Theirs: []byte("a")})
		if !errors.Is(err, ErrText) {
			t.Errorf("kind %d: a binary file: %v", kind, err)
		}
	}
	if _, err := Three(Input{Kind: Text}); !errors.Is(err, ErrText) {
		t.Errorf("text: %v", err)
	}
	if got := both(t, Input{Kind: Derived, Base: []byte("a"), Ours: []byte("b"), Theirs: []byte("c")}); got != "c" {
		t.Errorf("derived: %q", got)
	}
}
