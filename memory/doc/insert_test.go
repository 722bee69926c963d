package doc

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"
)

func TestInsertLines(t *testing.T) {
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
		if got := string(AppendLines([]byte(c.text), []string{c.line})); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestInsertKeepsLines: whatever the text is, its lines stay as they were,
// in order, and the inserted line is an entry of its own.
func TestInsertKeepsLines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(1))
	for range 20000 {
		text := randomText(r)
		if r.Intn(3) == 0 {
			text = toCRLF(text)
		}
		line := []string{"- the note", "the note", "## The note"}[r.Intn(3)]
		out := AppendLines(text, []string{line})
		if !subsequence(SplitLines(text), SplitLines(out)) {
			t.Fatalf("lines lost:\n%q\n%q", text, out)
		}
		if n := bytes.Count(out, []byte("\n")) - bytes.Count(text, []byte("\n")); n < 1 || n > 4 {
			t.Fatalf("%d lines added:\n%q\n%q", n, text, out)
		}
		at := bytes.Index(out, []byte(line))
		e := Parse(out).At(1 + bytes.Count(out[:at], []byte("\n")))
		if e == nil || !strings.HasSuffix(string(e.Text()), line) || e.Kind == Fence {
			t.Fatalf("the note is no entry of its own:\n%q\n%q", text, out)
		}
		if strings.Contains(string(text), "\r\n") && EOL(text) == "\r\n" && EOL(out) != "\r\n" {
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
