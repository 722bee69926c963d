package lexical

import (
	"cmp"
	"math"
	"math/bits"
	"runtime/debug"
	"slices"

	"github.com/RoaringBitmap/roaring"
)

// View is what is searched: parts of an index, as if they were one.
type View struct{ Parts []*Part }

// Totals counts what is in the view.
func (v View) Totals() Totals {
	var t Totals
	for _, p := range v.Parts {
		t.add(p.Live, 1)
	}
	return t
}

// Hit is a chunk that was found.
type Hit struct {
	Part  int     // in View.Parts
	File  uint32  // what Stored takes
	Chunk int     // which chunk of the file, from 0
	Score float64 // greater than 0
	Named bool    // the file's path holds a word, or its day is one of the query's
	Held  uint64  // bit i: the chunk, a heading of it, or its file's path or day holds word i; days follow the words
}

// Result of a search.
type Result struct {
	Hits   []Hit
	Chunks []int // for each word, then each day: how many chunks hold it
}

// Stored returns what is stored of a hit's file.
func (v View) Stored(h Hit) (stored []byte, err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	_, stored, err = v.Parts[h.Part].Segment.stored(h.File)
	return stored, err
}

// k1 is how soon a word that is repeated stops counting.
const k1 = 1.2

// shortB: names and headings are short and their length says little.
const shortB = 0.3

// Search scores all chunks that hold a word of the query, or whose file is named
// or dated by one, and returns the best. The order of equal scores is not
// defined.
//
// The score of a chunk is BM25 over its words and its headings, plus the share
// Weights.Parent of its file's, plus what path and dates give. All counts leave
// out dropped files.
func (v View) Search(q Query) (r Result, err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s := &search{query: q, totals: v.Totals(), marks: min(len(q.Words)+len(q.Days), 64)}
	s.chunkLength = average(s.totals.Length, s.totals.Chunks)
	s.fileLength = average(s.totals.Length, s.totals.Files)
	for i, p := range v.Parts {
		sp, err := newPartSearch(i, p, q)
		if err != nil {
			return Result{}, err
		}
		s.parts = append(s.parts, sp)
	}
	r.Chunks = make([]int, len(q.Words)+len(q.Days))
	for i, w := range q.Words {
		if r.Chunks[i], err = s.word(i, w); err != nil {
			return Result{}, err
		}
	}
	for i, d := range q.Days {
		if r.Chunks[len(q.Words)+i], err = s.day(len(q.Words)+i, d); err != nil {
			return Result{}, err
		}
	}
	r.Hits = s.best(r.Chunks)
	return r, nil
}

// best returns the hits that are wanted: those with the best scores, and of each
// exact word the best, and all that hold a word that few do. It does not cut
// between equal scores, so that what is left out does not depend on the order of
// segments.
func (s *search) best(chunks []int) []Hit {
	limit := s.query.Limit
	few, own := uint64(0), uint64(0)
	for i, n := range chunks[:s.marks] {
		switch {
		case n <= limit:
			few |= 1 << i
		case i < len(s.query.Words) && s.query.Words[i].Exact:
			own |= 1 << i
		}
	}
	// The cuts only rise: what passes at last passed when it was seen.
	cuts := newCuts(own, limit)
	var out []Hit
	for _, p := range s.parts {
		p.each(s.query.Weights.Parent, func(file, doc uint32, score float64, held uint64, named bool) {
			if limit <= 0 || cuts.see(score, held) || held&few != 0 {
				out = append(out, Hit{Part: p.index, File: file, Chunk: int(doc - file - 1), Score: score, Held: held, Named: named})
			}
		})
	}
	if limit > 0 {
		out = slices.DeleteFunc(out, func(h Hit) bool { return h.Held&few == 0 && !cuts.passes(h.Score, h.Held) })
	}
	slices.SortFunc(out, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// cuts finds the score from which on a hit is one of the best: of all, and of those
// that hold each of some words.
type cuts struct {
	own  uint64
	all  lowest
	word [64]lowest
}

func newCuts(own uint64, limit int) *cuts {
	c := &cuts{own: own, all: lowest{limit: limit}}
	for m := own; m != 0; m &= m - 1 {
		c.word[bits.TrailingZeros64(m)].limit = limit
	}
	return c
}

// see takes in a hit and reports whether it is one of the best so far.
func (c *cuts) see(score float64, held uint64) bool {
	best := c.all.see(score)
	for m := held & c.own; m != 0; m &= m - 1 {
		best = c.word[bits.TrailingZeros64(m)].see(score) || best
	}
	return best
}

func (c *cuts) passes(score float64, held uint64) bool {
	if score >= c.all.cut() {
		return true
	}
	for m := held & c.own; m != 0; m &= m - 1 {
		if score >= c.word[bits.TrailingZeros64(m)].cut() {
			return true
		}
	}
	return false
}

// lowest keeps the largest of many numbers in a heap, of which the first is the
// least.
type lowest struct {
	limit int
	heap  []float64
}

func (l *lowest) cut() float64 {
	if len(l.heap) < l.limit {
		return 0
	}
	return l.heap[0]
}

// see takes in a number and reports whether it is one of the largest so far, or as
// large as the least of them.
func (l *lowest) see(v float64) bool {
	if len(l.heap) < l.limit {
		l.heap = append(l.heap, v)
		for i := len(l.heap) - 1; i > 0 && l.heap[(i-1)/2] > l.heap[i]; i = (i - 1) / 2 {
			l.heap[(i-1)/2], l.heap[i] = l.heap[i], l.heap[(i-1)/2]
		}
		return true
	}
	if v <= l.heap[0] {
		return v == l.heap[0]
	}
	l.heap[0] = v
	for i := 0; ; {
		least := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(l.heap) && l.heap[c] < l.heap[least] {
				least = c
			}
		}
		if least == i {
			return true
		}
		l.heap[i], l.heap[least] = l.heap[least], l.heap[i]
		i = least
	}
}

func average(sum, n int) float64 {
	if n == 0 {
		return 1
	}
	return max(float64(sum)/float64(n), 1)
}

// search is one search over all parts.
type search struct {
	query                   Query
	totals                  Totals
	chunkLength, fileLength float64
	marks                   int
	parts                   []*partSearch
}

// idf is the weight of a term that n of all documents hold (Robertson and Spärck
// Jones, with the 1 that keeps it positive, as in Lucene).
func idf(all, n int) float64 {
	return math.Log(1 + (float64(all)-float64(n)+0.5)/(float64(n)+0.5))
}

// saturate is BM25's weight of a term that comes tf times in a text of a length.
func saturate(tf, length, mean, b float64) float64 {
	return tf * (k1 + 1) / (tf + damping(length, mean, b))
}

// damping is the part of saturate that the length makes.
func damping(length, mean, b float64) float64 { return k1 * (1 - b + b*length/mean) }

// partSearch gathers the scores of one part.
type partSearch struct {
	index   int
	part    *Part
	skip    *roaring.Bitmap // dropped, or not asked for
	fileOf  []uint32        // document to index in Segment.files
	score   []float64       // by document; of a file document: what path and date give
	file    []float64       // by index in Segment.files: BM25 over the whole file
	held    []uint64
	touched []bool            // files in which something was found
	speaks  [languages][]bool // files that have text in a language; nil when none has. English is not told.
}

func newPartSearch(index int, p *Part, q Query) (*partSearch, error) {
	s := p.Segment
	ps := &partSearch{
		index: index, part: p,
		fileOf: s.fileOf, score: make([]float64, s.docs), held: make([]uint64, s.docs),
		file: make([]float64, len(s.files)), touched: make([]bool, len(s.files)),
	}
	ps.skip = p.dropped
	if err := ps.readLanguages(); err != nil {
		return nil, err
	}
	hidden, err := hiddenFiles(s, q)
	if err != nil || hidden == nil {
		return ps, err
	}
	if ps.skip != nil {
		hidden.Or(ps.skip)
	}
	ps.skip = hidden
	return ps, nil
}

func (p *partSearch) readLanguages() error {
	for l := english + 1; l < languages; l++ {
		bm, err := p.part.Segment.bitmap(fieldAttr, languageAttr(l))
		if err != nil {
			return err
		}
		if bm.IsEmpty() {
			continue
		}
		p.speaks[l] = make([]bool, len(p.file))
		for it := bm.Iterator(); it.HasNext(); {
			p.speaks[l][p.fileOf[it.Next()]] = true
		}
	}
	return nil
}

// hiddenFiles returns the documents that Query.With and Without leave out.
func hiddenFiles(s *Segment, q Query) (*roaring.Bitmap, error) {
	if len(q.With) == 0 && len(q.Without) == 0 {
		return nil, nil
	}
	out := roaring.New()
	for _, a := range q.Without {
		bm, err := s.bitmap(fieldAttr, a)
		if err != nil {
			return nil, err
		}
		out.Or(bm)
	}
	if len(q.With) > 0 {
		some := roaring.New()
		for _, a := range q.With {
			bm, err := s.bitmap(fieldAttr, a)
			if err != nil {
				return nil, err
			}
			some.Or(bm)
		}
		all := roaring.New()
		all.AddMany(s.files)
		out.Or(roaring.AndNot(all, some))
	}
	hidden := roaring.New()
	for it := out.Iterator(); it.HasNext(); {
		d := it.Next()
		hidden.AddRange(uint64(d), uint64(s.span(d)))
	}
	return hidden, nil
}

// each calls visit for the chunks in which, or in whose file's name or date,
// something was found.
func (p *partSearch) each(parent float64, visit func(file, doc uint32, score float64, held uint64, named bool)) {
	files := p.part.Segment.files
	for i, start := range files {
		if !p.touched[i] {
			continue
		}
		end := uint32(p.part.Segment.docs)
		if i+1 < len(files) {
			end = files[i+1]
		}
		base := p.score[start] + parent*p.file[i]
		for d := start + 1; d < end; d++ {
			if p.score[d] == 0 && p.held[start] == 0 {
				continue
			}
			if score := p.score[d] + base; score > 0 {
				visit(start, d, score, p.held[d]|p.held[start], p.held[start] != 0)
			}
		}
	}
}
