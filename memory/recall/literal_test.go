package recall

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/lexical"
)

func TestLiteralSpans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text, want string }{
		{"->", "a -> b -> c", "->|->"},
		{"...", "wait… what", "…"},
		{"!!", "so！！！", "！！"},
		{`"..."`, "no quotes ...", "..."},
		{`"..." "`, "other ...", ""},
		{"to be or not to be", "To be,\nor not. TO  BE\n  or\tnot to be", "TO  BE\n  or\tnot to be"},
		{"- [ ]", "-  [ ] task", "-  [ ]"},
		{"the", "other THE", "the|THE"},
		{"\u00e0", "a\u0300 \u00c0", "a\u0300|\u00c0"},
		{"\xff", "a\xffb", "\xff"},
		{"\x1b", "a\x1b[m", "\x1b"},
		{"🎉", "done 🎉🎉", "🎉|🎉"},
		{"¨", "x ¨", "¨"}, // its form is white space and an accent
		{".", "wait… what.", "…|."},
	} {
		var got []string
		for _, s := range newLiteral(c.query).spans(c.text) {
			got = append(got, c.text[s[0]:s[1]])
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, g, c.want)
		}
	}
}

func TestWordless(t *testing.T) {
	t.Parallel()
	a := lexical.NewAnalyser()
	for query, want := range map[string]bool{
		"...": true, "!!": true, "->": true, "the": true, "To be or not to be": true, "WHO IS IT": true, `"the"`: true,
		"\x1b": true, "🎉": true, "the kiln": false, "c++": false, "-1": false, "备": false, "-> x1": false,
	} {
		if got := wordless(a, query, nil); got != want {
			t.Errorf("%q: %t", query, got)
		}
	}
	if wordless(a, "may", []lexical.Day{lexical.InMonth("2026-05")}) {
		t.Error("a date is something to look up")
	}
}

// TestLiteralSnippet: the lines shown are those in which the literal stands, where it
// runs over an end of line and in a line too long to be shown too.
func TestLiteralSnippet(t *testing.T) {
	t.Parallel()
	m := newMarker(lexical.NewAnalyser(), nil)
	m.literal = newLiteral("not to be")
	chunk := strings.Repeat("filler that is no answer\n", 10) + "or not\nto be\n" + strings.Repeat("more filler\n", 10)
	if s, line := m.snippet([]byte(chunk), 5, 60, nil); line != 15 || !strings.Contains(s, "or not\nto be") {
		t.Errorf("line %d: %q", line, s)
	}
	long := strings.Repeat("x ", 4000) + "not to be" + strings.Repeat(" x", 4000) + "\n"
	if s, line := m.snippet([]byte(long), 1, 60, nil); line != 1 || !strings.Contains(s, "not to be") {
		t.Errorf("line %d: %q", line, s)
	}
	if s, _ := m.snippet([]byte("a\nnot to be\n"), 1, 60, map[int]bool{2: true}); strings.Contains(s, "not") {
		t.Errorf("a line that holds a secret: %q", s)
	}
}

func FuzzLiteral(f *testing.F) {
	f.Add("->", "a ->\x00 b", 3)
	f.Add("to  be", "To\u00a0be\xff\u0300", 1)
	f.Fuzz(func(t *testing.T, query, text string, from int) {
		l := newLiteral(query)
		last := 0
		spans := l.spans(text)
		for _, s := range spans {
			if s[0] < last || s[1] <= s[0] || s[1] > len(text) {
				t.Fatalf("%q in %q: %v", query, text, spans)
			}
			last = s[1]
		}
		if l.needle != "" && l.in([]byte(text)) != strings.Contains(plain(text), l.needle) {
			t.Errorf("%q in %q: %t", query, text, l.in([]byte(text)))
		}
		if len(spans) > 0 && !l.in([]byte(text)) {
			t.Errorf("%q in %q: %v, but it is not in", query, text, spans)
		}
		m := newMarker(lexical.NewAnalyser(), nil)
		m.literal = l
		if s, _ := m.snippet([]byte(text), from, 100, nil); !utf8.ValidString(s) || units(s) > 100 {
			t.Errorf("snippet of %q: %q", text, s)
		}
	})
}
