package chunk

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

func TestOverlap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		least     int // tokens that a chunk repeats of the one before
		most      int
	}{
		{"lines", lines(600, "line %d of a list that goes on and on"), 60, 80},
		{"paragraphs", lines(200, "line %d opens a paragraph of two lines\nand this is the other one\n"), 40, 120},
		{"one line", lines(1, strings.Repeat("some words on the pump and %%d more ", 400)), 40, 80},
		{"one line of Han", strings.Repeat("水泵重启因为压力低于标准。", 300), 40, 80},
		{"one line of Cyrillic", strings.Repeat("насос перезапущен потому что давление упало ", 100), 40, 80},
		{"one word", strings.Repeat("x", 20000), 40, 80},
		{"lines too large to repeat", lines(20, "%d "+strings.Repeat("some words on the pump ", 60)), 0, 0},
	}
	for _, tt := range tests {
		// Distinct beginnings keep equal pieces from being joined.
		spans := newSource([]byte(tt.src)).cut(byLine)
		if len(spans) < 3 {
			t.Fatalf("%s: %d spans", tt.name, len(spans))
		}
		for i := 1; i < len(spans); i++ {
			shared := doc.Tokens([]byte(tt.src[spans[i].start:max(spans[i].start, spans[i-1].end)]))
			if shared < tt.least || shared > tt.most+1 {
				t.Errorf("%s: span %d repeats %d tokens", tt.name, i, shared)
			}
			size := doc.Tokens([]byte(tt.src[spans[i-1].start:spans[i-1].end]))
			if size > 401 || (tt.most > 0 && size < 320) {
				t.Errorf("%s: span %d has %d tokens", tt.name, i-1, size)
			}
		}
	}
}

// TestLongLine shows that a line is cut between characters, and between words where it has some.
func TestLongLine(t *testing.T) {
	t.Parallel()
	src := "# Title\n\n" + strings.Repeat("word ", 1000) + "\nlast\n"
	f := check(t, []byte(src), Options{Tokens: 100, Overlap: 20})
	spans := newSource([]byte(src)).cut(Options{Tokens: 100, Overlap: 20})
	for _, sp := range spans {
		if text := src[sp.start:sp.end]; sp.start > 9 && !strings.HasPrefix(text, "word ") && !strings.HasPrefix(text, "last") {
			t.Errorf("span %q is cut inside a word", text)
		}
	}
	if first := f.Chunks[0]; first.From != 1 || first.To != 3 {
		t.Errorf("the heading stands alone: %+v", first)
	}
	for _, c := range f.Chunks {
		if len(c.Heading) != 1 || c.Heading[0] != "Title" {
			t.Errorf("heading %q", c.Heading)
		}
	}
	check(t, []byte(strings.Repeat("é\xe9記🙂", 5000)), Options{Tokens: 3, Overlap: 1})
}

func TestStartsAtHeading(t *testing.T) {
	t.Parallel()
	// Sections of about 110 tokens: the fourth would start in the last fifth of a chunk.
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "## Section %d\n\n%s\n", i, lines(9, "- line %d of the section and some more words"))
	}
	f := check(t, []byte(b.String()), byLine)
	for _, c := range f.Chunks {
		if !strings.HasPrefix(c.Text, "## Section") {
			t.Errorf("lines %d-%d start with %q", c.From, c.To, c.Text[:20])
		}
	}
	if len(f.Chunks) != 4 {
		t.Errorf("%d chunks", len(f.Chunks))
	}
	// The outermost heading near the limit wins.
	src := lines(33, "- line %d of the section and some more words") + "# Outer\n\ntext\n\n## Inner\n\n" + lines(30, "- item %d of the section and some more words")
	f = check(t, []byte(src), byLine)
	if c := f.Chunks[1]; !strings.HasPrefix(c.Text, "# Outer") || f.Chunks[0].To != 33 {
		t.Errorf("second chunk %+v, first ends in line %d", c, f.Chunks[0].To)
	}
}

// TestHeartbeats: thousands of headings that differ in a number are cut as cheaply as text.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	text := heartbeats()
	f := check(t, text, byLine)
	if n, most := len(f.Chunks), doc.Tokens(text)/320+1; n > most {
		t.Errorf("%d chunks, at most %d expected", n, most)
	}
	same := check(t, bytes.Repeat([]byte("- rule about something useful\n"), 400), byLine)
	if len(same.Chunks) > 3 {
		t.Errorf("%d chunks of one line", len(same.Chunks))
	}
}

func TestDay(t *testing.T) {
	t.Parallel()
	tests := []struct{ title, want string }{
		{"2026-03-04", "2026-03-04"},
		{"Wed 2026/03/04, late", "2026-03-04"},
		{"(2026.03.04)", "2026-03-04"},
		{"2026年3月4日 会议", "2026-03-04"},
		{"会议2026年12月04日", "2026-12-04"},
		{"2026년 3월 4일", "2026-03-04"},
		{"2026-03-02 to 2026-03-08", "2026-03-02"},
		{"2024-02-29", "2024-02-29"},
		{"2026-02-30, rather 2026-03-02", "2026-03-02"},
		{"2026-02-29", ""},
		{"2026-13-01", ""},
		{"2026-00-10", ""},
		{"0000-01-01", ""},
		{"2026-03/04", ""},
		{"2026-3-4", ""},
		{"v2026.03.04", ""},
		{"2026.03.04.1", ""},
		{"12026-03-04", ""},
		{"2026-03-045", ""},
		{"LRN-20260304-001", ""},
		{"2026年13月4日", ""},
		{"2026年3月", ""},
		{"2026", ""},
	}
	for _, tt := range tests {
		if got := day([]byte(tt.title)); got != tt.want {
			t.Errorf("day(%q) = %q, want %q", tt.title, got, tt.want)
		}
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		want      []string // date of each chunk of one entry
	}{
		{"inherited", "# 2026-03-04\n## Notes\n- a\n### Deeper\n- b\n", []string{"2026-03-04", "2026-03-04"}},
		{"inner one first", "# 2026-03-04\n## Notes 2026-03-05\n- a\n", []string{"2026-03-05"}},
		{"not of a section beside", "## 2026-03-04\n- a\n## Backlog\n- b\n", []string{"2026-03-04", ""}},
		{"none", "# 2026\n- a 2026-03-04\n", []string{""}},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range check(t, []byte(tt.src), byEntry).Chunks {
			got = append(got, c.Date)
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	// Headings at the top of a chunk count although the path ends with the first of them.
	c := check(t, []byte("# Log\n\n## 2026-03-04\n### Morning\n\ntext\n## 2026-03-05\nmore\n"), byLine).Chunks[0]
	if c.Date != "2026-03-04" || fmt.Sprint(c.Heading) != "[Log]" {
		t.Errorf("date %s, heading %q", c.Date, c.Heading)
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("много ", 1000)
	tests := []struct{ src, want string }{
		{"# A <!-- claw:k -->\n- x\n", "[A]"},
		{"# A\xff\x00\n- x\n", "[A\ufffd]"},
		{"#\n## B ##\n- x\n", "[B]"},
		{"# A\n### C\n- x\n", "[A C]"},
		{"# " + long + "\n- x\n", "[" + long[:200] + "]"},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(check(t, []byte(tt.src), byEntry).Chunks[0].Heading); got != tt.want {
			t.Errorf("%.40q: %s, want %s", tt.src, got, tt.want)
		}
	}
	if f := Split([]byte("#\n\n## B\n"), byLine); f.Title != "B" || f.Dump {
		t.Errorf("title %q", f.Title)
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	tests := []struct{ src, want string }{
		{"- a <!-- claw:conflict id=0 --> b", "- a  b"},
		{"- a <!--openclaw-memory-promotion:k1-->", "- a"},
		{"- a <!-- openclaw: x -->", "- a"},
		{"- a <!-- other-host:k1 -->", "- a"},
		{"- a <!-- claw:x\n spans\n lines --> b", "- a \n\n b"},
		{"- a <!-- TODO: ask Ann -->", "- a <!-- TODO: ask Ann -->"},
		{"- a <!-- note: mine -->", "- a <!-- note: mine -->"},
		{"- a <!-- https://example.org -->", "- a <!-- https://example.org -->"},
		{"- a <!-- plain -->", "- a <!-- plain -->"},
		{"- a <!-- clawfoot tub: white -->", "- a <!-- clawfoot tub: white -->"},
		{"- a <!-- : -->", "- a <!-- : -->"},
		{"- a `<!-- claw:x -->`", "- a `<!-- claw:x -->`"},
		{"- a <!-- claw:x b", "- a <!-- claw:x b"},
		{"- a <!-- claw:x b <!-- claw:y --> c", "- a <!-- claw:x b  c"},
		{"<!-- claw:x -->\n- a\n<!-- claw:y -->\n", "- a"},
	}
	for _, tt := range tests {
		f := check(t, []byte(tt.src), byLine)
		if len(f.Chunks) != 1 || f.Chunks[0].Text != tt.want {
			t.Errorf("%q: %q, want %q", tt.src, renderAll(f), tt.want)
		}
	}
}

func TestDump(t *testing.T) {
	t.Parallel()
	said := "user: please restart the pump in the north greenhouse today"
	src := "# Session: 2026-03-04 14:30:00 UTC\n\n- **Source**: chat\n\n" +
		said + "\nassistant: ok\nassistant: The pump runs again, pressure is back to normal now.\n\n" +
		"user: please  restart the pump\n in the north greenhouse today\nassistant: ok\nuser: and the other one, which stands beside the south wall?\n"
	want := "# Session: 2026-03-04 14:30:00 UTC\n\n- **Source**: chat\n\n" + said +
		"\nassistant: ok\nassistant: The pump runs again, pressure is back to normal now.\n\n\n\nassistant: ok\nuser: and the other one, which stands beside the south wall?"
	f := check(t, []byte(src), byLine)
	if !f.Dump || len(f.Chunks) != 1 || f.Chunks[0].Text != want || f.Chunks[0].Date != "2026-03-04" {
		t.Errorf("dump %v, got %q", f.Dump, renderAll(f))
	}
	if f := check(t, []byte(strings.Replace(src, "# Session", "# Notes", 1)), byLine); f.Dump || strings.Count(f.Chunks[0].Text, "greenhouse") != 2 {
		t.Errorf("a note is cut like a dump: %q", renderAll(f))
	}
	// A conversation written again with every turn costs what is new in it.
	var b strings.Builder
	b.WriteString("# Session: x\n\n")
	for i := range 60 {
		for j := range i {
			fmt.Fprintf(&b, "**User**: question number %d about the pump, the valve and the sensor\n\n", j)
		}
	}
	f = check(t, []byte(b.String()), byLine)
	if n := strings.Count(fmt.Sprint(renderAll(f)), "number 3 about"); n != 1 || len(f.Chunks) > 6 {
		t.Errorf("%d times in %d chunks", n, len(f.Chunks))
	}
	for _, line := range []string{"user: a", "**Assistant:** a", "- **Tool**: a", "Human：你好"} {
		if !isTurn([]byte(line)) {
			t.Errorf("%q opens no turn", line)
		}
	}
	for _, line := range []string{"users: a", "the user: a", "user", "user a"} {
		if isTurn([]byte(line)) {
			t.Errorf("%q opens a turn", line)
		}
	}
}
