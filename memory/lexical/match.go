package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Matcher finds the words of a query in text, by the rules of the index.
type Matcher struct {
	a     *Analyser
	terms map[string]int // to the number of its word, from 0
	// heads are the first two bytes of the terms: stemming leaves them, so most words
	// of a text need not be stemmed in every language to see that they are none.
	heads map[[2]byte]bool
}

// Matcher returns a matcher for words of this analyser. Not for concurrent use.
func (a *Analyser) Matcher(words []Word) *Matcher {
	m := &Matcher{a: a, terms: map[string]int{}, heads: map[[2]byte]bool{}}
	for i, w := range words {
		for _, g := range w.groups {
			for _, f := range g.forms {
				m.terms[f] = i
				m.heads[head(f)] = true
			}
		}
	}
	return m
}

// Weigh counts the different words of the query in a text; one that comes again
// counts a little.
func (m *Matcher) Weigh(text string) float64 {
	seen := map[int]bool{}
	weight := 0.0
	m.each(text, func(_ run, word int) {
		if seen[word] {
			weight += 0.1
			return
		}
		seen[word] = true
		weight++
	})
	return weight
}

// Spans returns the byte ranges of a text that match, in order and apart.
func (m *Matcher) Spans(text string) [][2]int {
	var out [][2]int
	m.each(text, func(r run, _ int) {
		if n := len(out); n > 0 && out[n-1][1] >= r.from {
			out[n-1][1] = max(out[n-1][1], r.to)
			return
		}
		out = append(out, [2]int{r.from, r.to})
	})
	return out
}

// each calls visit for the runs that hold a term; in unspaced text for each bigram.
func (m *Matcher) each(text string, visit func(r run, word int)) {
	text, origin := normaliseAligned(text)
	found := func(r run, word int) { visit(origin.of(r), word) }
	for at := 0; ; {
		r, ok := nextRun(text, at)
		if !ok {
			return
		}
		if long, end := thousandsRun(text, r); long {
			r.to = end
		}
		at = r.to
		if r.wide {
			m.wide(text, r, found)
			continue
		}
		m.a.split(text[r.from:r.to])
		if i, ok := m.first(); ok {
			found(r, i)
		}
	}
}

func head(s string) (h [2]byte) {
	copy(h[:], s)
	return h
}

// first returns the query's word that the first of the words at hand belongs to
// that does to any, in whatever language.
func (m *Matcher) first() (int, bool) {
	for _, w := range m.a.words {
		if h := head(w.text); h[0] < utf8.RuneSelf && h[1] < utf8.RuneSelf && !m.heads[h] && !m.heads[[2]byte{h[0]}] {
			continue
		}
		for lang := range languages {
			if i, ok := m.terms[m.a.term(w, lang)]; ok {
				return i, true
			}
			if w.kind != plain {
				break
			}
		}
	}
	return 0, false
}

// wide takes the characters that the analyser takes, see grams.
func (m *Matcher) wide(text string, r run, visit func(r run, word int)) {
	from, end := r.from, r.from // of the character before
	single := func() {
		if i, ok := m.terms[text[from:end]]; ok {
			visit(run{from, end, true}, i)
		}
	}
	for at := r.from; at < r.to; {
		c, size := runeAt(text, at)
		if classOf(c) != wide && !unicode.IsMark(c) {
			at += size
			continue
		}
		if end > from {
			if i, ok := m.terms[text[from:end]+text[at:at+size]]; ok {
				visit(run{from, at + size, true}, i)
			} else {
				single()
			}
		}
		from, end = at, at+size
		at = end
	}
	single()
}

// origins says for each byte of normalised text which bytes it came from; nil when
// nothing was changed.
type origins [][2]int

func (o origins) of(r run) run {
	if o == nil {
		return r
	}
	return run{o[r.from][0], o[r.to-1][1], r.wide}
}

// normaliseAligned is normalise for text in which something is to be shown.
func normaliseAligned(text string) (string, origins) {
	if isASCII(text) || utf8.ValidString(text) && norm.NFKC.IsNormalString(text) {
		return text, nil
	}
	var b strings.Builder
	var o origins
	for at := 0; at < len(text); {
		n := norm.NFKC.NextBoundaryInString(text[at:], true)
		if n <= 0 {
			n = len(text) - at
		}
		b.WriteString(normalise(text[at : at+n]))
		for len(o) < b.Len() {
			o = append(o, [2]int{at, at + n})
		}
		at += n
	}
	return b.String(), o
}
