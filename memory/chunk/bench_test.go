package chunk

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"
)

// heartbeats is a daily note of 340 KB with one heading for each heartbeat.
func heartbeats() []byte {
	var b bytes.Buffer
	for i := range 6000 {
		fmt.Fprintf(&b, "## %02d:%02d heartbeat\n- no change, system stable (run %d)\n\n", i/60%24, i%60, i+1)
	}
	return b.Bytes()
}

// prose is a note of size bytes: sections of paragraphs of words from a list.
func prose(size int, words []string, sep string) []byte {
	rng := rand.New(rand.NewSource(5))
	var b bytes.Buffer
	for n := 0; b.Len() < size; n++ {
		if n%7 == 0 {
			fmt.Fprintf(&b, "## Section %d\n\n", n)
		}
		for range 2 + rng.Intn(5) {
			for range 12 {
				b.WriteString(words[rng.Intn(len(words))] + sep)
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func english(size int) []byte {
	return prose(size, strings.Fields("the pump was restarted because pressure fell below what valve and sensor allow"), " ")
}

func BenchmarkSplit(b *testing.B) {
	const size = 1 << 20
	list := []byte(lines(size/40, "- entry %d about an item and why"))
	inputs := []struct {
		name string
		text []byte
		opt  Options
	}{
		{"english", english(size), byLine},
		{"heartbeats", heartbeats(), byLine},
		{"list", list, byLine},
		{"entries", list, byEntry},
		{"crlf", bytes.ReplaceAll(english(size), []byte("\n"), []byte("\r\n")), byLine},
		{"russian", prose(size, strings.Fields("насос перезапущен потому что давление упало ниже нормы"), " "), byLine},
		{"chinese", prose(size, strings.Fields("水泵 重启 因为 压力 低于 标准 。"), ""), byLine},
		{"one line", bytes.Repeat([]byte("one line, "), size/10), byLine},
		{"annotated", bytes.Repeat([]byte("- item of a list <!-- claw:k1 -->\n"), size/34), byLine},
		{"dump", append([]byte("# Session: x\n"), english(size)...), byLine},
	}
	for _, in := range inputs {
		b.Run(in.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.text)))
			b.ReportAllocs()
			for b.Loop() {
				Split(in.text, in.opt)
			}
		})
	}
}

// TestLinear cuts texts of 2 MB of the kinds that make a careless parser quadratic.
func TestLinear(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	const size = 2 << 20
	fill := func(s string) []byte { return bytes.Repeat([]byte(s), size/len(s)) }
	tests := []struct {
		name string
		text []byte
	}{
		{"one line", fill("one line, ")},
		{"one word", fill("x")},
		{"one word of Han", fill("记")},
		{"newlines", fill("\n")},
		{"newlines between words", append(append([]byte("a\n"), fill("\n")...), 'b')},
		{"one letter a line", fill("a\n")},
		{"spaces", append(fill(" "), 'x')},
		{"empty headings", fill("# \n")},
		{"headings", fill("# a\n## b\n### c\n")},
		{"a long heading with children", append(append([]byte("# "), fill("title ")...), fill("\n## a\n"+strings.Repeat("word ", 300))...)},
		{"open comments", append(fill("<!-- claw:x\n"), "-->"...)},
		{"comments", fill("<!-- claw:x --> <!-- y -->")},
		{"open fences", fill("```\n<!-- claw:x -->\n\n")},
		{"bullets", fill("- a\n")},
		{"nested bullets", fill("- a\n  - b\n    - c\n")},
		{"dump", append([]byte("# Session: x\n"), fill("user: words that are long enough to be left out again\n")...)},
		{"NUL", fill("\x00")},
		{"not UTF-8", fill("\xff\xfe\n")},
		{"large and small lines", fill(strings.Repeat("a\n", 150) + strings.Repeat("word ", 310) + "\n")},
	}
	for _, tt := range tests {
		for _, opt := range []Options{byLine, byEntry, {Tokens: 1}} {
			text := tt.text
			if opt.Tokens == 1 {
				text = text[:len(text)/16] // a chunk for every four letters
			}
			start := time.Now()
			f := Split(text, opt)
			took := time.Since(start)
			t.Logf("%s: %d chunks, %v %+v", tt.name, len(f.Chunks), took, opt)
			if took > 20*time.Second {
				t.Errorf("%s took %v", tt.name, took)
			}
		}
	}
}
