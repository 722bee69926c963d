package agent

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/daily"
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
			if _, at, has := daily.FindClosure(src); has {
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
		got := string(doc.InsertLines([]byte(c.text), stateOffset([]byte(c.text)), []string{"- N"}))
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
