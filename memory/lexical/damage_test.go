package lexical

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
)

func isCorrupt(err error) bool { return errors.Is(err, ErrCorrupt) }

// prose makes files of words that come as often as in text: few often, most rarely.
func prose(rnd *rand.Rand, files, chunks, length int) []File {
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%c%c%d", 'a'+i%26, 'a'+i/26%26, i)
		if i%3 == 0 {
			vocabulary[i] = strings.Map(func(r rune) rune { return 'a' + (r*7)%26 }, vocabulary[i]) + string(rune('a'+i%26))
		}
	}
	zipf := rand.NewZipf(rnd, 1.1, 4, uint64(len(vocabulary)-1))
	var out []File
	for i := range files {
		f := File{Key: fmt.Sprintf("memory/%d.md", i), Name: fmt.Sprintf("memory/%d.md", i), Stored: []byte("stored"), Attrs: []string{fmt.Sprint("x", i%3)}}
		f.Days = []string{fmt.Sprintf("2026-%02d-%02d", 1+i%12, 1+i%28)}
		for j := range chunks {
			var b strings.Builder
			for range length {
				b.WriteString(vocabulary[zipf.Uint64()])
				b.WriteByte(' ')
			}
			if j%5 == 0 {
				b.WriteString("日志备份 user_session_token")
			}
			c := Chunk{Text: b.String(), Heading: vocabulary[zipf.Uint64()]}
			copy(c.Hash[:], fmt.Sprintf("%d %d", i, j))
			f.Chunks = append(f.Chunks, c)
		}
		out = append(out, f)
	}
	return out
}

// tryAll calls everything on damaged bytes. It returns errors that do not say what
// they should.
func tryAll(data []byte, words []Word, healthy *Part, merge bool) (wrong []error) {
	check := func(name string, err error) {
		if err != nil && !isCorrupt(err) {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	s, err := Open(data)
	if check("open", err); err != nil {
		return wrong
	}
	p := NewPart(s, healthy.Live)
	v := View{Parts: []*Part{p, healthy.Clone()}}
	for range 2 { // what failed once must not wait for ever the second time
		r, err := v.Search(Query{Words: words, Days: []Day{InMonth("2026-03")}, With: []string{"x0", "x1"}, Without: []string{"x2"}, Weights: DefaultWeights(), Limit: 20})
		check("search", err)
		for _, h := range r.Hits {
			_, err := v.Stored(h)
			check("stored", err)
		}
	}
	_, err = v.Holding([16]byte{'1', ' ', '1'})
	check("holding", err)
	_, _, err = p.Get("memory/3.md")
	check("get", err)
	check("each", p.Each(func([]byte) bool { return true }))
	if merge {
		_, err = Merge(v.Parts, io.Discard)
		check("merge", err)
	}
	_, err = p.Drop("memory/3.md")
	check("drop", err)
	if merge {
		_, err = Merge([]*Part{p}, io.Discard)
		check("merge after drop", err)
	}
	check("write", s.Write(io.Discard))
	return wrong
}

// TestDamageEverywhere: as TestDamage, for all functions and a segment with lists
// of every encoding, and nothing takes memory or time out of proportion.
func TestDamageEverywhere(t *testing.T) {
	t.Parallel()
	for i, shape := range [][3]int{{8, 2, 20}, {60, 30, 30}} {
		rnd := rand.New(rand.NewPCG(uint64(i), 3))
		healthy := segmentOf(t, prose(rnd, shape[0], shape[1], shape[2])...)
		var buf bytes.Buffer
		if err := healthy.Segment.Write(&buf); err != nil {
			t.Fatal(err)
		}
		words := NewAnalyser().ParseWords("aa0 ba1 ca2 da3 日 日志 user_session_token")
		for n := range []int{2000, 40}[i] {
			data := bytes.Clone(buf.Bytes())
			what := ""
			switch rnd.IntN(4) {
			case 0:
				data = data[:rnd.IntN(len(data))]
				what = fmt.Sprintf("cut to %d", len(data))
			case 1: // the end holds the offsets of everything
				at := len(data) - 1 - rnd.IntN(200)
				data[at] = byte(rnd.Uint32())
				what = fmt.Sprintf("%d is %d", at-len(data), data[at])
			default:
				at := rnd.IntN(len(data))
				data[at] ^= byte(1 + rnd.IntN(255))
				what = fmt.Sprintf("%d is %d", at, data[at])
			}
			done := make(chan []error, 1)
			go func() { done <- tryAll(data, words, healthy, n%8 == 0) }()
			select {
			case wrong := <-done:
				if len(wrong) > 0 {
					t.Errorf("%s: %v", what, wrong)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s: no answer within a minute", what)
			}
		}
	}
}

// TestDamageTakesNoMemory: a number that several flipped bytes make huge is not
// reserved. ice alone asks for it, which nothing recovers from.
func TestDamageTakesNoMemory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	var files []File
	for i := range 30 {
		files = append(files, fileOf(fmt.Sprint("m", i), "alpha beta beta gamma delta", "alpha alpha gamma gamma delta delta"))
	}
	healthy := segmentOf(t, files...)
	var buf bytes.Buffer
	if err := healthy.Segment.Write(&buf); err != nil {
		t.Fatal(err)
	}
	words := NewAnalyser().ParseWords("alpha beta gamma delta m1 m2")
	const most = 16 << 20
	for n := range 4000 {
		data := bytes.Clone(buf.Bytes())
		long := 1 + rnd.IntN(8)
		at := rnd.IntN(len(data) - long)
		if n%4 == 0 {
			at = len(data) - long - 1 - rnd.IntN(600)
		}
		for i := range long { // a varint of so many bytes, and one
			data[at+i] |= 0x80 | byte(rnd.Uint32())
		}
		data[at+long] &= 0x7f
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, err := range tryAll(data, words, healthy, n%16 == 0) {
			t.Errorf("%d bytes at %d of %d: %v", long, at, len(data), err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > most {
			t.Errorf("%d bytes at %d of %d: %d MB", long, at, len(data), n>>20)
		}
	}
}

// TestMergeDamaged: a flipped bit is found before it gets into another segment, and
// a full disk is not taken for one.
func TestMergeDamaged(t *testing.T) {
	t.Parallel()
	p := segmentOf(t, fileOf("a", "alpha", "beta"))
	for at := range p.Segment.data {
		data := bytes.Clone(p.Segment.data)
		data[at] ^= 1
		s, err := Open(data)
		if err == nil {
			_, err = Merge([]*Part{NewPart(s, p.Live)}, io.Discard)
		}
		if !isCorrupt(err) {
			t.Errorf("byte %d of %d: %v", at, len(data), err)
		}
	}
	if _, err := Merge([]*Part{p}, full{}); err == nil || isCorrupt(err) || !errors.Is(err, errFull) {
		t.Errorf("merge to a full disk: %v", err)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
