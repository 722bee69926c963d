package doc

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

// outline renders the entries of a text: kind, level, lines, first line of its text.
func outline(d *Doc) []string {
	var out []string
	for i := range d.Entries {
		e := &d.Entries[i]
		first, _, _ := strings.Cut(string(e.Text()), "\n")
		out = append(out, fmt.Sprintf("%s %d %d-%d %s", e.Kind, e.Level, e.Line, e.EndLine, strings.TrimRight(first, "\r")))
	}
	return out
}

// checkWhole fails unless the entries cover the text without gap or overlap, with right line numbers.
func checkWhole(t *testing.T, d *Doc) {
	t.Helper()
	at := d.Lead
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Start != at || e.End <= e.Start || e.Next < e.End {
			t.Fatalf("entry %d covers [%d %d %d), expected to start at %d", i, e.Start, e.End, e.Next, at)
		}
		if line := 1 + bytes.Count(d.Src[:e.Start], []byte("\n")); line != e.Line {
			t.Fatalf("entry %d says line %d, stands in %d", i, e.Line, line)
		}
		if got := e.Line + bytes.Count(e.Text(), []byte("\n")); got != e.EndLine {
			t.Fatalf("entry %d says last line %d, has %d", i, e.EndLine, got)
		}
		if e.Own < e.Start || e.Own >= e.End || e.OwnLine != e.Line+bytes.Count(d.Src[e.Start:e.Own], []byte("\n")) {
			t.Fatalf("entry %d itself begins at %d, line %d, of [%d %d), line %d", i, e.Own, e.OwnLine, e.Start, e.End, e.Line)
		}
		if !isBlank(bytes.ReplaceAll(d.Src[e.End:e.Next], []byte("\n"), nil)) {
			t.Fatalf("entry %d: text %q behind it belongs to no entry", i, d.Src[e.End:e.Next])
		}
		at = e.Next
	}
	if at != len(d.Src) {
		t.Fatalf("entries end at %d of %d", at, len(d.Src))
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		want      []string
	}{
		{"empty", "", nil},
		{"blank only", "\n  \n\t\n", nil},
		{"headings, items, paragraph", "# A\n\ntext\nmore\n\n- a\n- b\n## B\n1. x\n", []string{
			"heading 1 1-1 # A", "paragraph 0 3-4 text", "item 0 6-6 - a", "item 0 7-7 - b", "heading 2 8-8 ## B", "item 0 9-9 1. x",
		}},
		{"item with continuation and nested items", "- a\n  more\n\n  still a\n  - b\n    b too\n  - c\n- d\nlazy\n\nnot d\n", []string{
			"item 0 1-4 - a", "item 1 5-6   - b", "item 1 7-7   - c", "item 0 8-9 - d", "paragraph 0 11-11 not d",
		}},
		{"fence inside an item", "- run\n  ```sh\n# no heading\n\n- no item\n  ```\n- next\n", []string{
			"item 0 1-6 - run", "item 0 7-7 - next",
		}},
		{"fence on the marker line", "- ```\n  - x\n  ```\n- y\n", []string{"item 0 1-3 - ```", "item 0 4-4 - y"}},
		{"code on the marker line is no fence", "-     ~~~\n- y\n", []string{"item 0 1-1 -     ~~~", "item 0 2-2 - y"}},
		{"fence, longer close", "````\n```\n# x\n`````\nafter\n", []string{"fence 0 1-4 ````", "paragraph 0 5-5 after"}},
		{"unclosed fence ends with the file", "text\n~~~\n# x\n\n- y\n", []string{"paragraph 0 1-1 text", "fence 0 2-5 ~~~"}},
		{"setext heading, conflict-like lines", "Title\n=====\nTwo\nlines\n---\n", []string{"heading 1 1-2 Title", "heading 2 3-5 Two"}},
		{"tags and headings without space are text", "# T\n#tags: a b\n##Heading\n", []string{"heading 1 1-1 # T", "paragraph 0 2-3 #tags: a b"}},
		{"thematic breaks", "a\n\n---\n* * *\nb\n", []string{"paragraph 0 1-1 a", "paragraph 0 3-3 ---", "paragraph 0 4-4 * * *", "paragraph 0 5-5 b"}},
		{"comment belongs to the entry after it", "# P\n<!-- openclaw-memory-promotion:k1 -->\n- a\n  <!-- c -->\n  - b\n\n<!-- two\nlines -->\n\n- c\n", []string{
			"heading 1 1-1 # P", "item 0 2-3 <!-- openclaw-memory-promotion:k1 -->", "item 1 4-5   <!-- c -->", "item 0 7-10 <!-- two",
		}},
		{"comment at the end", "- a\n\n<!-- end -->\n\n", []string{"item 0 1-1 - a", "comment 0 3-3 <!-- end -->"}},
		{"comment with text behind it, unclosed comment", "<!-- a --> b\nc\n\n<!-- open\nd\n", []string{"paragraph 0 1-2 <!-- a --> b", "paragraph 0 4-5 <!-- open"}},
		{"comment in a fence", "```\n<!-- x -->\n```\n- a\n", []string{"fence 0 1-3 ```", "item 0 4-4 - a"}},
		{"frontmatter", "---\nname: a\ndescription: Rule: never\n---\n\n# B\n", []string{"frontmatter 0 1-4 ---", "heading 1 6-6 # B"}},
		{"frontmatter behind BOM, blank line, CRLF", "\xef\xbb\xbf\r\n---\r\nname: a\r\n---\r\nbody\r\n", []string{"frontmatter 0 2-4 ---", "paragraph 0 5-5 body"}},
		{"no frontmatter: no key, no end", "---\nplain\n---\n", []string{"paragraph 0 1-1 ---", "heading 2 2-3 plain"}},
		{"frontmatter without end is text", "---\na: b\n", []string{"paragraph 0 1-1 ---", "paragraph 0 2-2 a: b"}},
		{"a number in a paragraph is no item", "It was\n2026. A year.\n1. one\n", []string{"paragraph 0 1-2 It was", "item 0 3-3 1. one"}},
		{"code by indent", "    - code\n    # more\n\ntext\n", []string{"paragraph 0 1-2     - code", "paragraph 0 4-4 text"}},
		{"task items, other bullets, parentheses", "* [ ] a\n+ b\n1) c\n-\n- \n", []string{
			"item 0 1-1 * [ ] a", "item 0 2-2 + b", "item 0 3-3 1) c", "item 0 4-4 -", "item 0 5-5 - ",
		}},
		{"table and quote", "| a |\n|---|\n| b |\n> q\n> # no heading\n", []string{"paragraph 0 1-5 | a |"}},
		{"no line end at the end", "- a\n- b", []string{"item 0 1-1 - a", "item 0 2-2 - b"}},
		{"invalid UTF-8 and controls", "caf\xe9 \x07\n- \xe2\x80\xae x\n", []string{"paragraph 0 1-1 caf\xe9 \x07", "item 0 2-2 - \xe2\x80\xae x"}},
	}
	for _, tt := range tests {
		d := Parse([]byte(tt.src))
		checkWhole(t, d)
		if got := outline(d); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestParseSameWithCRLF(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		src := randomText(rng)
		lf, crlf := Parse(src), Parse(toCRLF(src))
		checkWhole(t, crlf)
		if a, b := outline(lf), outline(crlf); !reflect.DeepEqual(a, b) {
			t.Fatalf("with CRLF other entries:\n%q\n%q", a, b)
		}
	}
}

func TestPathAndTitle(t *testing.T) {
	t.Parallel()
	d := Parse([]byte("pre\n# One #\n## Two ##\n- a\n### C#\n- b\n\nTop\n===\n- c\n#\n- d\n"))
	for line, want := range map[int]string{1: "", 3: "One", 4: "One/Two", 6: "One/Two/C#", 9: "", 10: "Top", 12: ""} {
		if got := strings.Join(d.At(line).Path(), "/"); got != want {
			t.Errorf("line %d: path %q, want %q", line, got, want)
		}
	}
	for line, want := range map[int]string{1: "", 2: "One", 3: "Two", 4: "", 5: "C#", 8: "Top", 11: ""} {
		if got := d.At(line).Title(); got != want {
			t.Errorf("line %d: title %q, want %q", line, got, want)
		}
	}
}

func TestOwnText(t *testing.T) {
	t.Parallel()
	d := Parse([]byte("<!-- a -->\n\n<!-- b\nc -->\n- item\n  more\n<!-- end -->\n"))
	for i, want := range []string{"- item\n  more", "<!-- end -->"} {
		if got := string(d.Entries[i].OwnText()); got != want {
			t.Errorf("entry %d: %q, want %q", i, got, want)
		}
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	d := Parse([]byte("\n\n# A\n\n- a\n  b\n\n\n- c\n"))
	for line, want := range map[int]int{1: -1, 2: -1, 3: 0, 4: 0, 5: 1, 6: 1, 7: 1, 8: 1, 9: 2, 99: 2} {
		got := -1
		if e := d.At(line); e != nil {
			got = e.Line
		}
		wantLine := -1
		if want >= 0 {
			wantLine = d.Entries[want].Line
		}
		if got != wantLine {
			t.Errorf("line %d: entry of line %d, want %d", line, got, wantLine)
		}
	}
}

// fragments are what random texts are made of: every kind of entry, repeated ones, broken ones.
var fragments = []string{
	"# Head", "## Second", "- item", "- other item with some more words", "  - nested", "    deep text", "  more", "1. one", "2. two",
	"text", "a paragraph of a few words", "", "", "  ", "```", "~~~", "---", "===", "<!-- c -->", "<!-- open", "-->", "> quote", "| a |",
	"key: value", "*", "-", "\ttab", "记忆和事实", "- no change", "- no change", "\xff\xfe", "#tag",
}

func randomText(rng *rand.Rand) []byte {
	var b bytes.Buffer
	for range rng.Intn(25) {
		b.WriteString(fragments[rng.Intn(len(fragments))])
		if rng.Intn(3) == 0 {
			fmt.Fprintf(&b, " %d", rng.Intn(50))
		}
		b.WriteByte('\n')
	}
	if rng.Intn(4) == 0 {
		return bytes.TrimRight(b.Bytes(), "\n")
	}
	return b.Bytes()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"# a\n- b\n", "---\na: b\n---\n", "```\nx", "<!-- \n-->\n- a\n\n  b", "\xef\xbb\xbf\r\n- a\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d := Parse(src)
		checkWhole(t, d)
		for i := range d.Entries {
			d.Entries[i].Path()
		}
	})
}
