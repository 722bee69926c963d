package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory/doc"
)

func TestWholeWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, want string }{
		{"date", "due 2026-12-09.", "due 2026-12-16 (late).", "due [-2026-12-09.-]{+2026-12-16 (late).+}"},
		{"word", "a red kiln", "a blue kiln", "a [-red-]{+blue+} kiln"},
		{"part of a word", "kilns are hot", "kiln is hot", "[-kilns are-]{+kiln is+} hot"},
		{"added words", "calm", "calm and short", "calm{+ and short+}"},
		{"removed words", "calm and short", "calm", "calm[- and short-]"},
		{"chinese", "青窑在景德镇", "青窑在宜兴", "青窑在[-景德镇-]{+宜兴+}"},
		{"chinese beside a date", "到2026-12-09为止", "到2026-12-16为止", "到[-2026-12-09-]{+2026-12-16+}为止"},
		{"path", "see memory/a.md now", "see memory/b.md now", "see [-memory/a.md-]{+memory/b.md+} now"},
		{"all", "x", "y", "[-x-]{+y+}"},
		{"nothing", "same", "same", "same"},
	}
	for _, tt := range tests {
		var b strings.Builder
		for _, s := range wholeWords(doc.Words(tt.old, tt.new)) {
			b.WriteString(diffPrinter{}.mark(s.Op, s.Text))
		}
		if got := b.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// FuzzWholeWords holds that widening marks loses and invents no text.
func FuzzWholeWords(f *testing.F) {
	f.Add("due 2026-12-09. 记忆", "due 2026-12-16 (late). 忆记")
	f.Add("a b c d", "a-x b c-y d")
	f.Fuzz(func(t *testing.T, old, new string) {
		var a, b strings.Builder
		for _, s := range wholeWords(doc.Words(old, new)) {
			if s.Op != doc.Insert {
				a.WriteString(s.Text)
			}
			if s.Op != doc.Delete {
				b.WriteString(s.Text)
			}
		}
		if a.String() != old || b.String() != new {
			t.Errorf("(%q, %q) became (%q, %q)", old, new, a.String(), b.String())
		}
	})
}

func TestDiffPrinter(t *testing.T) {
	t.Parallel()
	f := agent.FileDiff{
		Path: "memory/a\x1b.md", From: "memory/b.md", Change: agent.FileRenamed,
		Entries: []agent.EntryDiff{
			{Kind: doc.Added, Heading: []string{"Day", "Mail\u202e"}, NewLine: 3, New: "- one\r\n  more"},
			{Kind: doc.Deleted, Heading: []string{"Day", "Mail\u202e"}, OldLine: 9, Old: "- two\x07"},
			{Kind: doc.Moved, NewLine: 12, New: "- three"},
			{Kind: doc.Edited, OldLine: 14, NewLine: 15, Old: "- red\nkiln", New: "- blue\nkiln"},
		},
	}
	want := `memory/b.md -> memory/a<U+001B>.md  renamed
  @ Day > Mail<U+202E>
      3 + - one
      4 +   more
      9 - - two<U+0007>
     12 > - three
     15 ~ - [-red-]{+blue+}
     16 ~ kiln
`
	var out bytes.Buffer
	if err := (diffPrinter{w: &out}).file(f); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	out.Reset()
	if err := (diffPrinter{w: &out, style: term.Style{On: true}}).file(f); err != nil {
		t.Fatal(err)
	}
	colours := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[36m", "", "\x1b[m", "")
	if text := colours.Replace(out.String()); term.EscapeText(text) != text {
		t.Errorf("with colours something else came through raw: %q", text)
	}
	if !strings.Contains(out.String(), "- \x1b[31mred\x1b[m\x1b[32mblue\x1b[m") {
		t.Errorf("with colours no marked words: %q", out.String())
	}
}

func TestQuotePath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"memory/a b.md": "memory/a b.md",
		"a\"b\\c":       `"a\"b\\c"`,
		"a\nb\tc\x1b":   `"a\nb\tc\033"`,
		"记":             `"\350\256\260"`,
	} {
		if got := quotePath(path); got != want {
			t.Errorf("quotePath(%q) = %s, want %s", path, got, want)
		}
	}
}
