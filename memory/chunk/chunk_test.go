package chunk

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/doc"
)

var byLine, byEntry = Options{Tokens: 400, Overlap: 80}, Options{Tokens: 400, Overlap: 80, Entries: true}

// render shows a chunk as `from-to heading > heading (date) | text`.
func render(c Chunk) string {
	s := fmt.Sprintf("%d-%d %s", c.From, c.To, strings.Join(c.Heading, " > "))
	if c.Date != "" {
		s += " (" + c.Date + ")"
	}
	return s + " | " + strings.ReplaceAll(c.Text, "\n", "⏎")
}

func renderAll(f File) []string {
	var out []string
	for _, c := range f.Chunks {
		out = append(out, render(c))
	}
	return out
}

// check fails unless what Split promises of every file holds.
func check(t *testing.T, content []byte, opt Options) File {
	t.Helper()
	f := Split(content, opt)
	starts := lineStarts(content)
	s := newSource(content)
	spans := s.cut(opt)
	limit := newPacker(opt).limit
	texts := make(map[string]bool)
	last := -1
	for i, c := range f.Chunks {
		if c.Start <= last || c.End <= c.Start || c.End > len(content) {
			t.Fatalf("chunk %d: [%d %d) behind %d of %d", i, c.Start, c.End, last, len(content))
		}
		last = c.Start
		if from, to := lineAt(starts, c.Start), lineAt(starts, c.End-1); from != c.From || to != c.To {
			t.Fatalf("chunk %d says lines %d-%d, has %d-%d", i, c.From, c.To, from, to)
		}
		if !utf8.ValidString(c.Text) || strings.ContainsAny(c.Text, "\r\x00\ufeff") || strings.TrimRight(c.Text, white) != c.Text {
			t.Fatalf("chunk %d: text %q", i, c.Text)
		}
		if n := strings.Count(c.Text, "\n"); n > c.To-c.From {
			t.Fatalf("chunk %d: %d line ends in lines %d-%d", i, n, c.From, c.To)
		}
		if texts[c.Text] {
			t.Fatalf("chunk %d: %q again", i, c.Text)
		}
		texts[c.Text] = true
		if c.Hash != half([]byte(c.Text)) {
			t.Fatalf("chunk %d: hash", i)
		}
		// Invalid bytes weigh as one character each before and after.
		if got := doc.LineParts([]byte(c.Text), true); got > limit+limit/5+doc.TokenParts {
			t.Fatalf("chunk %d: %d of at most %d parts", i, got, limit)
		}
	}
	checkCover(t, s, spans, texts)
	if again := Split(bytes.Clone(content), opt); !slices.EqualFunc(f.Chunks, again.Chunks, same) {
		t.Fatal("not deterministic")
	}
	return f
}

func same(a, b Chunk) bool {
	return a.From == b.From && a.End == b.End && a.Start == b.Start && a.Text == b.Text && a.Date == b.Date && slices.Equal(a.Heading, b.Heading)
}

// checkCover fails unless every line that holds a word is in a span, and every span a chunk unless its
// text stands in another one. In a file of entries a heading with something below it is in a path.
func checkCover(t *testing.T, s *source, spans []span, texts map[string]bool) {
	t.Helper()
	at := 0
	for _, sp := range spans {
		if sp.start > at {
			checkGap(t, s, at, sp.start)
		}
		at = max(at, sp.end)
		if text, _ := s.text(sp); hasWord(text) && !texts[text] {
			t.Fatalf("lines %d-%d are in no chunk: %q", sp.from, sp.to, text)
		}
	}
	checkGap(t, s, at, len(s.content))
}

func checkGap(t *testing.T, s *source, start, end int) {
	t.Helper()
	for start < end {
		stop := min(end, lineEnd(s.content, start))
		i := s.outline.last(stop - 1)
		heading := i >= 0 && start < s.outline.heads[i].end
		text := clean(s.content, start, stop, touching(s.out, start, stop))
		if !heading && hasWord(string(text)) {
			t.Fatalf("bytes %d-%d are in no span: %q", start, stop, text)
		}
		start = stop
	}
}

func lineStarts(content []byte) []int {
	starts := []int{0}
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func lineAt(starts []int, at int) int {
	return sort.SearchInts(starts, at+1)
}

func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i+1)
	}
	return b.String()
}

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		opt       Options
		want      []string
	}{
		{"empty", "", byLine, nil},
		{"blank", "\n \t\n\r\n", byLine, nil},
		{"no heading, no end", "\n\ntext\nand more", byLine, []string{"3-4  | text⏎and more"}},
		{"first heading counts", "# A\n## B\ntext\n\n\n", byLine, []string{"1-3 A | # A⏎## B⏎text"}},
		{"tags and headings without space", "#hashtag #two\n##Heading\n", byLine, []string{"1-2  | #hashtag #two⏎##Heading"}},
		{"frontmatter", "---\nname: pump\n---\n\n# Pump 2026-03-04\ntext\n", byLine, []string{
			"1-6 Pump 2026-03-04 (2026-03-04) | ---⏎name: pump⏎---⏎⏎# Pump 2026-03-04⏎text",
		}},
		{"setext", "Day 2026/03/04\n===\ntext\n", byLine, []string{"1-3 Day 2026/03/04 (2026-03-04) | Day 2026/03/04⏎===⏎text"}},
		{"a chunk that is only a rule", "---\n\n***\n", byLine, nil},
		{"entries", "# M\n\nintro\n\n## Facts\n- one\n  more\n  - inner\n- two\n\n```\n# no\n- no\n```\n## Empty\n## Next\n1. x\n", byEntry, []string{
			"3-3 M | intro", "6-8 M > Facts | - one⏎  more⏎  - inner", "9-9 M > Facts | - two", "11-14 M > Facts | ```⏎# no⏎- no⏎```",
			"15-15 M > Empty | ## Empty", "17-17 M > Next | 1. x",
		}},
		{"entries, one text under two headings", "# A\n- done\n# B\n- done\n- open\n", byEntry, []string{"2-2 A | - done", "5-5 B | - open"}},
		{"entries, frontmatter and rule", "---\na: b\n---\n- x\n\n---\n\n- y\n", byEntry, []string{"1-3  | ---⏎a: b⏎---", "4-4  | - x", "8-8  | - y"}},
		{"entries, the last heading has only a mark", "- x\n## Later\n<!-- claw:end -->\n", byEntry, []string{"1-1  | - x", "2-2 Later | ## Later"}},
		{"entries, promotion", "## Promoted From Short-Term Memory (2026-03-04)\n<!-- openclaw-memory-promotion:memory/a.md:3 -->\n- fact\n", byEntry, []string{
			"3-3 Promoted From Short-Term Memory (2026-03-04) (2026-03-04) | - fact",
		}},
		{"chinese", "# 2026年3月4日 工作\n\n## 决定\n- 选择甲方案，因为便宜。\n", byEntry, []string{"4-4 2026年3月4日 工作 > 决定 (2026-03-04) | - 选择甲方案，因为便宜。"}},
		{"japanese", "# メモ 2026.03.04\n- 会議は水曜日。\n", byEntry, []string{"2-2 メモ 2026.03.04 (2026-03-04) | - 会議は水曜日。"}},
		{"korean", "# 2026년 3월 4일\n- 회의 결과\n", byEntry, []string{"2-2 2026년 3월 4일 (2026-03-04) | - 회의 결과"}},
		{"russian", "# Заметки\n- насос перезапущен\n", byEntry, []string{"2-2 Заметки | - насос перезапущен"}},
		{"german", "# Über\n* größer\n", byEntry, []string{"2-2 Über | * größer"}},
		{"portuguese", "# Reunião\n+ decisão de março\n", byEntry, []string{"2-2 Reunião | + decisão de março"}},
		{"code", "# Run\n\n```sh\n# 2026-03-04\nmake <!-- claw:x -->\n```\n", byLine, []string{"1-6 Run | # Run⏎⏎```sh⏎# 2026-03-04⏎make <!-- claw:x -->⏎```"}},
		{"bytes", "caf\xe9 \a\u200b\u202e\na\x00b\x1b[31m\rc\r\n", byLine, []string{"1-2  | caf\ufffd \u200b\u202e⏎ab[31m c"}},
		{"BOM and CRLF", "\ufeff# A\r\n- one\r\n", byLine, []string{"1-2 A | # A⏎- one"}},
		{"UTF-16", "\xff\xfe-\x00 \x00x\x00\n\x00", byLine, []string{"1-1  | \ufffd\ufffd- x"}},
	}
	for _, tt := range tests {
		if got := renderAll(check(t, []byte(tt.src), tt.opt)); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(3))
	parts := []string{
		"# A\n", "## B 2026-03-04\n", "### C\n", "\n", "\n\n", "- item\n", "  - inner\n", "text and words\n", "```\n", "~~~\n", "---\n", "===\n",
		"<!-- claw:x -->", "<!-- note -->\n", "<!--", "-->", "\r\n", "\xff", "\x00", "记忆。", "слово ", "\ufeff", "# Session: x\n", "user: ", "a: b\n", "\t",
		strings.Repeat("long line ", 60), strings.Repeat("记忆", 90), lines(40, "line %d of a list that goes on and on"),
	}
	for range 3000 {
		var b bytes.Buffer
		for range rng.Intn(25) {
			b.WriteString(parts[rng.Intn(len(parts))])
		}
		opt := Options{Tokens: []int{1, 10, 60, 400}[rng.Intn(4)], Overlap: rng.Intn(90), Entries: rng.Intn(2) == 0}
		check(t, b.Bytes(), opt)
	}
}
