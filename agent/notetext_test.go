package agent

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

func TestAsEntry(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"moved the job":          "- moved the job",
		"  padded ":              "- padded",
		"- an item":              "- an item",
		"1. first":               "1. first",
		"# Heading":              "# Heading",
		"#tag said so":           "- #tag said so",
		"> quoted":               "> quoted",
		"| a | b |":              "| a | b |",
		"one\ntwo":               "one\ntwo",
		"```\ncode\n```":         "```\ncode\n```",
		"夜间任务移到 02:30":           "- 夜间任务移到 02:30",
		"\n\nafter blank\n\n":    "- after blank",
		"first\r\n\r\n  second ": "first\n\n  second",
	} {
		if got := strings.Join(asEntry(said(in)), "\n"); got != want {
			t.Errorf("asEntry(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAsItems(t *testing.T) {
	t.Parallel()
	got := asItems(said("a fact\n\n* another\n  - third  \n"))
	if want := []string{"- a fact", "- another", "- third"}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("asItems = %q, want %q", got, want)
	}
}

func TestInsertBlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, line, want string }{
		{"empty", "", "- b", "- b\n"},
		{"list goes on", "- a\n", "- b", "- a\n- b\n"},
		{"nested list goes on", "- a\n  - c\n", "- b", "- a\n  - c\n- b\n"},
		{"no newline at the end", "- a", "- b", "- a\n- b\n"},
		{"blank lines at the end stay", "- a\n\n\n", "- b", "- a\n- b\n\n\n"},
		{"white space line at the end", "- a\n  \n", "- b", "- a\n- b\n  \n"},
		{"after a heading", "# T\n", "- b", "# T\n\n- b\n"},
		{"after a paragraph", "text\n", "- b", "text\n\n- b\n"},
		{"a paragraph after an item", "- a\n", "text", "- a\n\ntext\n"},
		{"CRLF", "# T\r\n\r\n- a\r\n", "- b", "# T\r\n\r\n- a\r\n- b\r\n"},
		{"CRLF without end", "- a\r\n- c", "- b", "- a\r\n- c\r\n- b\r\n"},
		{"frontmatter", "---\nk: v\n---\n", "- b", "---\nk: v\n---\n\n- b\n"},
		{"open fence", "```sh\nls\n", "- b", "```sh\nls\n```\n\n- b\n"},
		{"open fence of tildes", "- a\n\n~~~~\nls\n", "- b", "- a\n\n~~~~\nls\n~~~~\n\n- b\n"},
		{"closed fence", "```\nls\n```\n", "- b", "```\nls\n```\n\n- b\n"},
	} {
		if got := string(appendBlock([]byte(c.text), []string{c.line})); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// pieces that texts are made of at random.
var pieces = []string{
	"- item\n", "- item\n  more\n", "  - nested\n", "# H\n", "## H2\n", "text\n", "text\ntext\n", "\n", "\n\n", "```\ncode\n```\n",
	"```\nopen\n", "1. one\n", "> q\n", "| a |\n|---|\n", "<!-- c -->\n", "Setext\n===\n", "---\n", "  \n", "Updated: 2026-05-01\n",
	"Decisions: x\n", "Signal: y\n", "Open: none\n",
}

func randomText(r *rand.Rand, eol string) []byte {
	var b strings.Builder
	for range r.IntN(9) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	s := strings.ReplaceAll(b.String(), "\n", eol)
	if r.IntN(4) == 0 {
		s = strings.TrimSuffix(s, eol)
	}
	return []byte(s)
}

// TestInsertBlockKeepsLines: whatever the text is, its lines stay as they were,
// in order, and the inserted line is an entry of its own.
func TestInsertBlockKeepsLines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		eol := "\n"
		if r.IntN(3) == 0 {
			eol = "\r\n"
		}
		text := randomText(r, eol)
		line := []string{"- the note", "the note", "## The note"}[r.IntN(3)]
		out := appendBlock(text, []string{line})
		if !subsequence(doc.SplitLines(text), doc.SplitLines(out)) {
			t.Fatalf("lines lost:\n%q\n%q", text, out)
		}
		if n := bytes.Count(out, []byte("\n")) - bytes.Count(text, []byte("\n")); n < 1 || n > 4 {
			t.Fatalf("%d lines added:\n%q\n%q", n, text, out)
		}
		at := bytes.Index(out, []byte(line))
		e := doc.Parse(out).At(1 + bytes.Count(out[:at], []byte("\n")))
		if e == nil || !strings.HasSuffix(string(e.Text()), line) || e.Kind == doc.Fence {
			t.Fatalf("the note is no entry of its own:\n%q\n%q", text, out)
		}
		if strings.Contains(string(text), "\r\n") && doc.EOL(text) == "\r\n" && doc.EOL(out) != "\r\n" {
			t.Fatalf("CRLF lost:\n%q\n%q", text, out)
		}
	}
}

// subsequence reports whether all of a occur in b in order; a line end that was
// missing may be there.
func subsequence(a, b [][]byte) bool {
	i := 0
	for _, l := range b {
		if i < len(a) && bytes.Equal(bytes.TrimRight(a[i], "\r\n"), bytes.TrimRight(l, "\r\n")) {
			i++
		}
	}
	return i == len(a)
}

func TestClosure(t *testing.T) {
	t.Parallel()
	const block = "Updated: 2026-05-02\nDecisions: a\nSignal: b\nOpen: none\n"
	for _, c := range []struct {
		name, text string
		ok         bool
		at         int
	}{
		{"none", "# T\n\n- a\n", false, 0},
		{"only", block, true, 0},
		{"last", "- a\n\n" + block, true, 5},
		{"blank lines behind", "- a\n\n" + block + "\n\n", true, 5},
		{"no newline", "- a\n\n" + strings.TrimSuffix(block, "\n"), true, 5},
		{"CRLF", "- a\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n"), true, 7},
		{"not last", block + "\n- a\n", false, 0},
		{"wrong order", "Updated: x\nSignal: b\nDecisions: a\nOpen: none\n", false, 0},
		{"in a fence", "```\n" + block, false, 0},
		{"three lines", "Decisions: a\nSignal: b\nOpen: none\n", false, 0},
	} {
		got, at, ok := findClosure([]byte(c.text))
		if ok != c.ok || at != c.at {
			t.Errorf("%s: found %v at %d, want %v at %d", c.name, ok, at, c.ok, c.at)
		}
		if ok && (got.Decisions != "a" || got.Open != "none") {
			t.Errorf("%s: read %+v", c.name, got)
		}
	}
}

func TestWithNoteAboveClosure(t *testing.T) {
	t.Parallel()
	text := "# D\n\n- a\n\nUpdated: 2026-05-01\nDecisions: x\nSignal: \nOpen: none\n\n"
	want := "# D\n\n- a\n- b\n\nUpdated: 2026-05-02\nDecisions: x\nSignal: none\nOpen: none\n\n"
	if got := string(withNote([]byte(text), []string{"- b"}, "2026-05-02")); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := string(withNote([]byte(want), nil, "2026-05-02")); got != want {
		t.Errorf("a second time: %q", got)
	}
}

// TestClosureStaysLast: the block is the last four lines, once, after any note.
func TestClosureStaysLast(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		text := randomText(r, "\n")
		c := closure{Updated: "2026-05-02", Decisions: "d"}
		closed := withClosure(text, []string{"- first"}, c)
		noted := withNote(closed, []string{"- second"}, "2026-05-03")
		got, _, ok := findClosure(noted)
		if !ok || got != (closure{"2026-05-03", "d", "none", "none"}) {
			t.Fatalf("closure %+v %v of\n%q\nfrom %q", got, ok, noted, text)
		}
		if _, _, had := findClosure(text); !had && !subsequence(doc.SplitLines(text), doc.SplitLines(noted)) {
			t.Fatalf("lines lost:\n%q\n%q", text, noted)
		}
		if bytes.Count(noted, []byte("- first\n"))+bytes.Count(noted, []byte("- second\n")) != 2 {
			t.Fatalf("notes lost in\n%q", noted)
		}
	}
}

func TestUniteDaily(t *testing.T) {
	t.Parallel()
	a := "# 2026-05-02\n\n## Morning\n- a\n  - a1\n- shared\n\nUpdated: 2026-05-02\nDecisions: x; y\nSignal: none\nOpen: o\n"
	b := "# 2026-05-02\n\n## Morning\n- shared\n- b\n\n## Evening\n- shared\n\nUpdated: 2026-05-03\nDecisions: z; x; b\nSignal: s\nOpen: none\n"
	want := "# 2026-05-02\n\n## Morning\n- a\n  - a1\n- shared\n\n## Morning\n\n- b\n\n## Evening\n- shared\n\n" +
		"Updated: 2026-05-03\nDecisions: x; y; b; z\nSignal: s\nOpen: o\n"
	got, ok := uniteDaily([]byte(a), []byte(b))
	if !ok || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", ok, got, want)
	}
	if again, _ := uniteDaily(got, []byte(b)); string(again) != want {
		t.Errorf("a second time:\n%s", again)
	}
	if _, ok := uniteDaily([]byte("---\na: 1\n---\nx\n"), []byte("---\na: 2\n---\ny\n")); ok {
		t.Error("two frontmatters were united")
	}
}

// TestUniteLosesNothing: every line of both files is in the result, closure
// blocks apart.
func TestUniteLosesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		a, b := randomText(r, "\n"), randomText(r, []string{"\n", "\r\n"}[r.IntN(2)])
		got, ok := uniteDaily(a, b)
		if !ok {
			continue
		}
		for _, src := range [][]byte{a, b} {
			if _, at, has := findClosure(src); has {
				src = src[:at]
			}
			for _, l := range doc.SplitLines(src) {
				if l = bytes.TrimSpace(l); len(l) > 0 && !bytes.Contains(got, l) {
					t.Fatalf("%q lost:\n%q\n%q\n%q", l, a, b, got)
				}
			}
		}
	}
}

func TestOlderHalf(t *testing.T) {
	t.Parallel()
	text := "# topic\n\n- one\n  - nested\n- two\n\n## more\n- three\n- four\n"
	kept, moved := olderHalf([]byte(text))
	if want := "# topic\n\n## more\n- three\n- four\n"; string(kept) != want {
		t.Errorf("kept %q, want %q", kept, want)
	}
	if want := "- one|  - nested|- two"; strings.Join(moved, "|") != want {
		t.Errorf("moved %q, want %q", moved, want)
	}
	if _, moved := olderHalf([]byte("# t\n\n- one\n")); moved != nil {
		t.Errorf("moved the only fact: %q", moved)
	}
}

func TestStateOffset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"end", "# M\n\n- a\n", "# M\n\n- a\n- N\n"},
		{"active section", "# M\n\n## Active\n- a\n\n## Facts\n- f\n", "# M\n\n## Active\n- a\n- N\n\n## Facts\n- f\n"},
		{"empty active section", "# M\n\n## Active\n\n## Facts\n- f\n", "# M\n\n## Active\n\n- N\n\n## Facts\n- f\n"},
		{
			"above promoted blocks", "# M\n\n- a\n\n## Promoted From Short-Term Memory (2026-05-01)\n\n- p\n",
			"# M\n\n- a\n- N\n\n## Promoted From Short-Term Memory (2026-05-01)\n\n- p\n",
		},
	} {
		got := string(insertBlock([]byte(c.text), stateOffset([]byte(c.text)), []string{"- N"}))
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
