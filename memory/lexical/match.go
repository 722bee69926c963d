package lexical

// Matcher finds the words of a query in text, by the rules of the index.
type Matcher struct {
	a     *Analyser
	terms map[string]int // to the number of its word, from 0
}

// Matcher returns a matcher for words of this analyser. Not for concurrent use.
func (a *Analyser) Matcher(words []Word) *Matcher {
	m := &Matcher{a: a, terms: map[string]int{}}
	for i, w := range words {
		for _, g := range w.groups {
			for _, f := range g.forms {
				m.terms[f] = i
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
	for at := 0; ; {
		r, ok := nextRun(text, at)
		if !ok {
			return
		}
		at = r.to
		if r.wide {
			m.wide(text, r, visit)
			continue
		}
		m.a.split(normalise(text[r.from:r.to]))
	words:
		for _, w := range m.a.words {
			for lang := range languages {
				if i, ok := m.terms[m.a.term(w, lang)]; ok {
					visit(r, i)
					break words
				}
				if w.kind != plain {
					break
				}
			}
		}
	}
}

func (m *Matcher) wide(text string, r run, visit func(r run, word int)) {
	for from := r.from; from < r.to; {
		_, size := runeAt(text, from)
		to := from + size
		if to < r.to {
			_, next := runeAt(text, to)
			to += next
		}
		if i, ok := m.terms[normalise(text[from:to])]; ok {
			visit(run{from, to, true}, i)
		} else if i, ok := m.terms[normalise(text[from:from+size])]; ok {
			visit(run{from, from + size, true}, i)
		}
		from += size
	}
}
