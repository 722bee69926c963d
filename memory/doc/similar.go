package doc

import (
	"unicode"
	"unicode/utf8"
)

const (
	// maxPairs bounds the table of a hunk in which edits are looked for.
	maxPairs = 1 << 14
	// maxFeatureBytes bounds how much of an entry is looked at to find its edited version.
	maxFeatureBytes = 4096
	// similar is the similarity, in thousandths, from which on two texts are one entry, edited.
	similar = 500
)

// pairing finds in a hunk which entries of a were edited into which of b.
type pairing struct {
	a, b *features
	link func(i, j int)
}

func (p *pairing) edits(h hunk) {
	if (h.a1-h.a0)*(h.b1-h.b0) <= maxPairs {
		p.table(h)
		return
	}
	// A hunk too large for a table is first cut at entries that begin alike. What is still too large
	// then counts as deleted and written anew.
	ids := make(interner)
	a, b := p.a.beginnings(h.a0, h.a1, ids), p.b.beginnings(h.b0, h.b1, ids)
	walk(diffTokens(a, b), len(a),
		func(i, j int) { p.link(h.a0+i, h.b0+j) },
		func(sub hunk) {
			if (sub.a1-sub.a0)*(sub.b1-sub.b0) <= maxPairs {
				p.table(hunk{h.a0 + sub.a0, h.a0 + sub.a1, h.b0 + sub.b0, h.b0 + sub.b1})
			}
		})
}

// table links the entries of a hunk, in order, so that their similarities add up to the most. In a
// hunk of as many entries on both sides those at the same place are linked even when nothing else
// speaks for it: that is where a text was written over.
func (p *pairing) table(h hunk) {
	rows, cols := h.a1-h.a0, h.b1-h.b0
	if rows == 0 || cols == 0 {
		return
	}
	score := func(i, j int) int32 {
		x, y := &p.a.doc.Entries[h.a0+i], &p.b.doc.Entries[h.b0+j]
		if x.Kind != y.Kind {
			return 0
		}
		if s := jaccard(p.a.words(h.a0+i), p.b.words(h.b0+j)); s >= similar {
			return 2 * s
		}
		if rows == cols && i == j {
			return 1
		}
		return 0
	}
	best := make([]int32, (rows+1)*(cols+1))
	own := make([]int32, rows*cols)
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			here := i*(cols+1) + j
			best[here] = max(best[here+1], best[here+cols+1])
			if s := score(i, j); s > 0 {
				own[i*cols+j] = s
				best[here] = max(best[here], s+best[here+cols+2])
			}
		}
	}
	for i, j := 0, 0; i < rows && j < cols; {
		here := i*(cols+1) + j
		switch s := own[i*cols+j]; {
		case s > 0 && best[here] == s+best[here+cols+2]:
			p.link(h.a0+i, h.b0+j)
			i, j = i+1, j+1
		case best[here] == best[here+cols+1]:
			i++
		default:
			j++
		}
	}
}

// features holds the words of the entries of a text, made when asked for.
type features struct {
	doc  *Doc
	sets map[int][]uint64
}

func newFeatures(d *Doc) *features { return &features{doc: d, sets: make(map[int][]uint64)} }

// words returns the word set of entry i.
func (f *features) words(i int) []uint64 {
	set, ok := f.sets[i]
	if !ok {
		set = WordSet(f.doc.Entries[i].Text())
		f.sets[i] = set
	}
	return set
}

// beginnings interns kind and first three words of the entries [from, to).
func (f *features) beginnings(from, to int, ids interner) []int {
	const words = 3
	keys := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		key := []byte{byte(f.doc.Entries[i].Kind)}
		text := f.doc.Entries[i].Text()
		for n := 0; len(text) > 0 && n < words && len(key) < maxFeatureBytes; {
			token, _ := nextToken(text)
			text = text[len(token):]
			if r, _ := utf8.DecodeRune(token); unicode.IsLetter(r) {
				key = append(append(key, ' '), token...)
				n++
			}
		}
		keys = append(keys, ids.id(key))
	}
	return keys
}

// hash is FNV-1a over both parts: the same in every process, so that results are.
func hash(a, b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, part := range [2][]byte{a, b} {
		for _, c := range part {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return h
}

// jaccard returns the similarity of two sorted sets in thousandths.
func jaccard(a, b []uint64) int32 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return int32(1000 * common / all)
	}
	return 0
}
