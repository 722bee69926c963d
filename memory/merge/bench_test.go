package merge

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

func memoryNote() (o, a, b []byte) {
	w := newWorld(1)
	w.dull = true
	base := w.note(200)
	return render(base), render(w.work(base, 12)), render(w.work(base, 12))
}

func BenchmarkMemory200(b *testing.B) {
	o, x, y := memoryNote()
	b.SetBytes(int64(len(o)))
	b.ReportAllocs()
	for b.Loop() {
		mustMerge(b, Markdown, o, x, y)
	}
}

func BenchmarkLog20000(b *testing.B) {
	var base bytes.Buffer
	line := func(buf *bytes.Buffer, machine, i int) {
		fmt.Fprintf(buf, `{"ts":"2026-05-%02dT%02d:%02d:%02dZ","machine":%d,"event":"turn","n":%d}`+"\n", 1+i/3600%28, i/3600%24, i/60%60, i%60, machine, i)
	}
	for i := range 10000 {
		line(&base, 0, i)
	}
	one, two := bytes.NewBuffer(bytes.Clone(base.Bytes())), bytes.NewBuffer(bytes.Clone(base.Bytes()))
	for i := range 5000 {
		line(one, 1, i)
		line(two, 2, i)
	}
	for b.Loop() {
		mustMerge(b, JSONLines, base.Bytes(), one.Bytes(), two.Bytes())
	}
}

// headings are three notes of near-identical sections.
func headings() (o, x, y string) {
	var text [3]strings.Builder
	for i := 0; text[0].Len() < 340<<10; i++ {
		for n := range text {
			text[n].WriteString("## Notes of the day\n")
			if i%7 == n {
				text[n].WriteString("## Notes of the days\n")
			}
		}
	}
	return text[0].String(), text[1].String(), text[2].String()
}

// TestNearLinear: what has many ways to be aligned takes a second at most, on a slow machine.
func TestNearLinear(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	o, x, y := headings()
	many := strings.Repeat("- done\n", 20000)
	for _, c := range [][3]string{
		{o, x, y},
		{"", x, y},
		{many, many + "- a\n", "- b\n" + many},
		{many, strings.ReplaceAll(many, "done", "done well"), strings.ReplaceAll(many, "done", "not done")},
		{"", strings.Repeat("- a\n  - b\n    - c\n", 8000), strings.Repeat("- a\n  - c\n    - b\n", 8000)},
		{"", strings.Repeat("```\n", 30001), strings.Repeat("> ```\n", 30000)},
	} {
		start := time.Now()
		both(t, Input{Kind: Markdown, Base: []byte(c[0]), Ours: []byte(c[1]), Theirs: []byte(c[2])})
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("%.20q, %.20q, %.20q took %v", c[0], c[1], c[2], took)
		} else {
			t.Logf("%.20q, %.20q, %.20q took %v", c[0], c[1], c[2], took)
		}
	}
}

func BenchmarkHeadings340K(b *testing.B) {
	o, x, y := headings()
	for b.Loop() {
		mustMerge(b, Markdown, []byte(o), []byte(x), []byte(y))
	}
}
