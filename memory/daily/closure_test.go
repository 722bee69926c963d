package daily

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

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
		got, at, ok := FindClosure([]byte(c.text))
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
	if got := string(WithNote([]byte(text), []string{"- b"}, "2026-05-02")); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := string(WithNote([]byte(want), nil, "2026-05-02")); got != want {
		t.Errorf("a second time: %q", got)
	}
}

// TestClosureStaysLast: the block is the last four lines, once, after any note.
func TestClosureStaysLast(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		text := randomText(r)
		c := Closure{Updated: "2026-05-02", Decisions: "d"}
		closed := WithClosure(text, []string{"- first"}, c)
		noted := WithNote(closed, []string{"- second"}, "2026-05-03")
		got, _, ok := FindClosure(noted)
		if !ok || got != (Closure{"2026-05-03", "d", "none", "none"}) {
			t.Fatalf("closure %+v %v of\n%q\nfrom %q", got, ok, noted, text)
		}
		if _, _, had := FindClosure(text); !had {
			checkKept(t, text, noted)
		}
		if bytes.Count(noted, []byte("- first\n"))+bytes.Count(noted, []byte("- second\n")) != 2 {
			t.Fatalf("notes lost in\n%q", noted)
		}
	}
}

// pieces that texts are made of at random.
var pieces = []string{
	"- item\n", "- item\n  more\n", "  - nested\n", "# H\n", "text\ntext\n", "\n", "\n\n", "```\ncode\n```\n", "```\nopen\n",
	"<!-- c -->\n", "Setext\n===\n", "---\n", "  \n", "Updated: 2026-05-01\n", "Decisions: x\n", "Signal: y\n", "Open: none\n",
}

func randomText(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range r.IntN(9) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	if r.IntN(4) == 0 {
		return bytes.TrimRight(b.Bytes(), "\n")
	}
	return b.Bytes()
}

// checkKept fails unless all lines of old are in text, in order.
func checkKept(t *testing.T, old, text []byte) {
	t.Helper()
	want := doc.SplitLines(old)
	for _, l := range doc.SplitLines(text) {
		if len(want) > 0 && bytes.Equal(bytes.TrimRight(want[0], "\r\n"), bytes.TrimRight(l, "\r\n")) {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Fatalf("line %q lost:\n%q\n%q", want[0], old, text)
	}
}

func FuzzFindClosure(f *testing.F) {
	f.Add([]byte("- a\n\nUpdated: 2026-05-02\nDecisions: a\nSignal: b\nOpen: none\n\n"))
	f.Add([]byte("```\nUpdated: x\r\nDecisions:\r\nSignal:\r\nOpen: "))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, at, ok := FindClosure(text)
		if !ok {
			return
		}
		if at < 0 || at > len(text) || !bytes.HasPrefix(bytes.TrimSpace(text[at:]), []byte("Updated:")) {
			t.Fatalf("block at %d of %q", at, text)
		}
		if again, _, ok := FindClosure(WithClosure(text, nil, c)); !ok || again.Over(Closure{"none", "none", "none", "none"}) != c.Over(Closure{"none", "none", "none", "none"}) {
			t.Fatalf("written again it reads %+v, not %+v", again, c)
		}
	})
}
