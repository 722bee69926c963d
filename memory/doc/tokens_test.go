package doc

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"
	"unicode"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"abcd", 1},
		{"abcde", 2},
		{strings.Repeat("abcd ", 80), 100},
		{strings.Repeat("记忆", 6500), 13000},
		{"記憶テスト。", 6},
		{"한국어", 3},
		{"ＡＢ（）", 4},
		{"слово", 2},
		{"λόγος", 2},
		{"مرحبا", 2},
		{"שלום!", 2}, // 1.6 + .25
		{"größer", 2},
		{"🙂🙂🙂🙂", 1},
		{"caf\xe9", 1},
		{"記\n```\n記記記\n```\n記\n", 1 + 4 + 1}, // 2 + 14/4
		{"~~~\n記記", 2},                  // never closed
		{"- a\n      ```\n記記記記記記\n", 6}, // 26 characters, all in the list's fence but "- a"
	}
	for _, tt := range tests {
		if got := Tokens([]byte(tt.text)); got != tt.want {
			t.Errorf("Tokens(%.30q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

// TestRuneParts compares the blocks with the scripts of Unicode.
func TestRuneParts(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		got := RuneParts(r)
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			if got != wideParts {
				t.Errorf("%U weighs %d", r, got)
			}
		case r < 0x10000 && unicode.IsLetter(r) && unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Hebrew, unicode.Arabic) && r >= 0x370:
			// Small caps and modifiers of these scripts lie among phonetic signs.
			if got != middleParts && (r < 0x1d00 || r > 0x1dbf) && r != 0x2126 && r != 0xab65 {
				t.Errorf("%U weighs %d", r, got)
			}
		case unicode.In(r, unicode.Latin) && (r < 0xff00 || r > 0xffef):
			if got != narrowParts {
				t.Errorf("%U weighs %d", r, got)
			}
		}
	}
}

// TestFences compares the line by line reading with the entries of Parse.
func TestFences(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(4))
	parts := []string{"# A\n", "\n", "- a\n", "  - b\n", "text\n", "```\n", "```go\n", "~~~~\n", "  ```\n", "記\n", "- ```\n"}
	for range 4000 {
		var b bytes.Buffer
		for range rng.Intn(12) {
			b.WriteString(parts[rng.Intn(len(parts))])
		}
		inFence := make(map[int]bool)
		d := Parse(b.Bytes())
		var fences Fences
		for i, line := range SplitLines(b.Bytes()) {
			inFence[i+1] = fences.Next(line)
		}
		for i := range d.Entries {
			e := &d.Entries[i]
			for line := e.Line; line <= e.EndLine; line++ {
				if e.Kind == Fence != inFence[line] && (e.Kind == Fence || e.Kind == Heading || e.Kind == Paragraph) {
					t.Fatalf("line %d of a %s is %v\n%s", line, e.Kind, inFence[line], b.String())
				}
			}
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add([]byte("記\n```\n\xff\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := Tokens(text); got < 0 || got > len(text) {
			t.Fatalf("%d tokens in %d bytes", got, len(text))
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	text := bytes.Repeat([]byte("水泵重启 because pressure fell\n"), 30000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Tokens(text)
	}
}
