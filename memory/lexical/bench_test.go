package lexical

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// large is an index of 100,000 chunks of 60 words in 5,000 files, made once.
func large(b *testing.B) *Part {
	b.Helper()
	builder := NewBuilder()
	for _, f := range prose(rand.New(rand.NewPCG(1, 2)), 5000, 20, 60) {
		builder.Add(f)
	}
	s, totals, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	var buf bytes.Buffer
	if err := s.Write(&buf); err != nil {
		b.Fatal(err)
	}
	if s, err = Open(buf.Bytes()); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d bytes", buf.Len())
	return NewPart(s, totals)
}

func BenchmarkSearch(b *testing.B) {
	p := large(b)
	v := View{Parts: []*Part{p}}
	for _, c := range []struct{ name, query string }{
		{"one rare word", "ab12346"},
		{"two words", "ba1 ca2"},
		{"six common words", "ba1 ca2 ea4 fa5 ha7 ia8"},
		{"identifier", "user_session_token"},
		{"Han", "日志备份"},
		{"one Han character", "日"},
	} {
		words := NewAnalyser().ParseWords(c.query)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := v.Search(Query{Words: words, Weights: DefaultWeights(), Limit: 50})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Chunks[0]), "held")
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	var buf bytes.Buffer
	if err := large(b).Segment.Write(&buf); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Open(buf.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBuild indexes 50 files of 20 chunks a turn: analysing, and writing the
// segment.
func BenchmarkBuild(b *testing.B) {
	files := prose(rand.New(rand.NewPCG(1, 2)), 50, 20, 60)
	size := 0
	for _, f := range files {
		for _, c := range f.Chunks {
			size += len(c.Text)
		}
	}
	for _, whole := range []bool{false, true} {
		b.Run(map[bool]string{false: "add", true: "add and build"}[whole], func(b *testing.B) {
			b.SetBytes(int64(size))
			builder := NewBuilder()
			for b.Loop() {
				for _, f := range files {
					builder.Add(f)
				}
				if !whole {
					builder.docs = builder.docs[:0]
					continue
				}
				if _, _, err := builder.Build(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
