package curate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
)

var day = time.Date(2026, 5, 2, 9, 0, 0, 0, time.UTC)

func TestTrimFile(t *testing.T) {
	t.Parallel()
	text := "# A\n\nintro\n\n## One\n- a\n  more of a\n  - nested\n- b\n\n## Two\n```\nx\n\ny\n```\n- c\n"
	note := "# 2026-05-02\n\n- noted\n\nUpdated: 2026-05-02\nDecisions: none\nSignal: none\nOpen: none\n"
	for most, want := range map[int]string{
		100: "# A\n\nintro\n\n## One\n- a\n  more of a\n  - nested\n- b\n\n→ Trimmed: n.md#trimmed-from-agentsmd\n", // not `## Two` alone, and no fence in two
		82:  "# A\n\nintro\n\n## One\n- a\n  more of a\n  - nested\n\n→ Trimmed: n.md#trimmed-from-agentsmd\n",
		60:  "# A\n\nintro\n\n→ Trimmed: n.md#trimmed-from-agentsmd\n",
	} {
		c, ok := trimFile("AGENTS.md", []byte(text), "n.md", []byte(note), day, func(b []byte) bool { return len(b) <= most+6 })
		if !ok || string(c.kept) != want || !c.exact {
			t.Errorf("%d: %v %v\n%s", most, ok, c.exact, c.kept)
		}
		rest := strings.TrimSpace(text[len(want)-len("\n→ Trimmed: n.md#trimmed-from-agentsmd\n"):])
		if wantNote := strings.Replace(note, "- noted\n", "- noted\n\n## Trimmed from AGENTS.md\n\n"+rest+"\n", 1); string(c.note) != wantNote {
			t.Errorf("%d: note %q\nwant %q", most, c.note, wantNote)
		}
	}
	if _, ok := trimFile("AGENTS.md", []byte(text), "n.md", []byte(note), day, func(b []byte) bool { return len(b) < 20 }); ok {
		t.Error("a heading was parted from its first child")
	}
	// A second time on the same day: another heading, both pointers stay at the end.
	first, _ := trimFile("AGENTS.md", []byte(text), "n.md", []byte(note), day, func(b []byte) bool { return len(b) <= 106 })
	again, ok := trimFile("AGENTS.md", first.kept, "n.md", first.note, day, func(b []byte) bool { return len(b) <= 120 })
	if !ok || !again.exact || !strings.HasSuffix(string(again.kept), "\n→ Trimmed: n.md#trimmed-from-agentsmd\n\n→ Trimmed: n.md#trimmed-from-agentsmd-1\n") || !doc.Parse(again.note).Anchors()["trimmed-from-agentsmd-1"] {
		t.Errorf("%v %s\n%s", ok, again.kept, again.note)
	}
}

var pieces = []string{
	"# T\n", "## A\n", "- a\n", "- b\n  more\n", "  - nested\n", "\n", "text\n", "text\nof two lines\n", "```\ncode\n\n# no\n```\n", "~~~\nopen\n", "A\n===\n",
	"<!-- c -->\n", "<!-- open\n", "| a | b |\n", "> quote\n", "1. one\n", "---\n", "é 记住\n", "    indented\n", "→ Trimmed: memory/2026-05-01.md#trimmed-from-agentsmd\n", "- x\r\n", "\r\n", "  \n",
}

func randomText(r *rand.Rand, most int) []byte {
	var b bytes.Buffer
	for range r.IntN(most) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	if r.IntN(4) == 0 {
		return bytes.TrimRight(b.Bytes(), "\n")
	}
	return b.Bytes()
}

// TestNothingLost is the test of SPEC TL-16: for any documents the lines taken out are the
// lines put in, but for the pointer, the heading and what closes an open fence.
func TestNothingLost(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	cuts, exact := 0, 0
	for i := range 8000 {
		text, note := randomText(r, 20), append([]byte("# 2026-05-02\n"), randomText(r, 5)...)
		if r.IntN(2) == 0 {
			note = daily.WithClosure(note, nil, daily.Closure{Updated: "2026-05-01", Decisions: "x"})
		}
		if i%5 == 0 {
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
		}
		most := 40 + r.IntN(max(1, doc.Tokens(text)))
		c, ok := trimFile("AGENTS.md", text, "memory/2026-05-02.md", note, day, func(b []byte) bool { return doc.Tokens(b) <= most })
		if !ok {
			continue
		}
		cuts++
		if c.exact {
			exact++
		}
		if doc.Tokens(c.kept) > most {
			t.Fatalf("%d tokens, not %d", doc.Tokens(c.kept), most)
		}
		if why := unbalanced(text, c.kept, note, c.note, c.exact); why != "" {
			t.Fatalf("%s\nof   %q\nkept %q\nnote %q\nwas  %q", why, text, c.kept, c.note, note)
		}
		if c.swallowed {
			if !bytes.Contains(note, []byte("<!-- open")) {
				t.Fatalf("nothing in %q swallows anything", note)
			}
			continue
		}
		if _, _, had := daily.FindClosure(note); had {
			if _, _, has := daily.FindClosure(c.note); !has {
				t.Fatalf("the closure block is gone from %q", c.note)
			}
		}
		d := doc.Parse(c.kept)
		for i, e := range d.Entries {
			if strings.HasPrefix(string(e.Text()), pointerMark) && i > 0 && d.Entries[i-1].Kind == doc.Heading && !bytes.Contains(text, []byte(pointerMark)) {
				t.Fatalf("a heading stands alone in %q of %q", c.kept, text)
			}
		}
		if !doc.Parse(c.note).Anchors()[c.to[strings.IndexByte(c.to, '#')+1:]] {
			t.Fatalf("'%s' leads nowhere in %q", c.to, c.note)
		}
	}
	if cuts < 1000 || exact < cuts/2 {
		t.Errorf("%d cuts, %d exact", cuts, exact)
	}
}

// unbalanced counts lines by itself. What is gained beside pointer and heading may only
// close a fence, and then the cut must not call itself exact.
func unbalanced(text, kept, oldNote, note []byte, exact bool) string {
	count := map[string]int{}
	for _, part := range []struct {
		text []byte
		n    int
	}{{text, -1}, {kept, 1}, {oldNote, -1}, {note, 1}} {
		for l := range bytes.Lines(part.text) {
			if s := strings.TrimRight(string(l), "\r\n"); strings.TrimSpace(s) != "" && !strings.HasPrefix(s, "Updated: ") {
				count[s] += part.n
			}
		}
	}
	for line, n := range count {
		switch {
		case n == 0, n == 1 && (line == "## Trimmed from AGENTS.md" || strings.HasPrefix(line, "→ Trimmed: memory/2026-05-02.md#")):
		case n > 0 && !exact && strings.Trim(line, " ~`") == "":
		default:
			return fmt.Sprintf("%+d times %q (exact: %v)", n, line, exact)
		}
	}
	return ""
}
