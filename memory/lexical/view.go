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

// nameB, headingB: names and headings are short and their length says little.
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
	for _, p := range s.parts {
		r.Hits = append(r.Hits, p.hits(q.Weights.Parent)...)
	}
	slices.SortFunc(r.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	r.Hits = bound(r.Hits, q.Limit)
	return r, nil
}

// bound cuts a sorted list to a limit, but not between equal scores, so that what
// is left out does not depend on the order of segments. Chunks with a mark of
// their own kind are bounded apart: a rare word must not be cut off.
func bound(hits []Hit, limit int) []Hit {
	if limit <= 0 || len(hits) <= limit {
		return hits
	}
	var counts [64]int
	keep := hits[:0]
	last := hits[limit-1].Score
	for _, h := range hits {
		wanted := h.Score >= last
		for m := h.Held; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m); counts[i] < limit {
				counts[i]++
				wanted = true
			}
		}
		if wanted {
			keep = append(keep, h)
		}
	}
	return keep
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
	return tf * (k1 + 1) / (tf + k1*(1-b+b*length/mean))
}

// partSearch gathers the scores of one part.
type partSearch struct {
	index   int
	part    *Part
	skip    *roaring.Bitmap // dropped, or not asked for
	fileOf  []uint32        // document to index in Segment.files
	score   []float64       // by document; of a file document: what path and date give
	file    []float64       // by index in Segment.files: BM25 over the whole file
	held    []uint64
	touched []bool // files in which something was found
}

func newPartSearch(index int, p *Part, q Query) (*partSearch, error) {
	s := p.Segment
	ps := &partSearch{
		index: index, part: p,
		fileOf: make([]uint32, s.docs), score: make([]float64, s.docs), held: make([]uint64, s.docs),
		file: make([]float64, len(s.files)), touched: make([]bool, len(s.files)),
	}
	for i, start := range s.files {
		end := uint32(s.docs)
		if i+1 < len(s.files) {
			end = s.files[i+1]
		}
		for d := start; d < end; d++ {
			ps.fileOf[d] = uint32(i)
		}
	}
	ps.skip = p.dropped
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

// hits lists the chunks in which, or in whose file's name or date, something was
// found.
func (p *partSearch) hits(parent float64) []Hit {
	var out []Hit
	for i, start := range p.part.Segment.files {
		if !p.touched[i] {
			continue
		}
		end := p.part.Segment.span(start)
		for d := start + 1; d < end; d++ {
			held := p.held[d] | p.held[start]
			score := p.score[d] + p.score[start] + parent*p.file[i]
			if p.score[d] == 0 && p.held[start] == 0 || score <= 0 {
				continue
			}
			out = append(out, Hit{Part: p.index, File: start, Chunk: int(d - start - 1), Score: score, Held: held})
		}
	}
	return out
}
