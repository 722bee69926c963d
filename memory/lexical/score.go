package lexical

import (
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/vellum"
)

// posting is one term in one document.
type posting struct {
	doc, tf uint32
	step    uint32 // of the length, see toStep
}

// read returns the postings of a term, without documents to skip.
func (p *partSearch) read(fieldName, term string) ([]posting, error) {
	list, err := p.part.Segment.postings(fieldName, term)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if list == nil {
		return nil, nil
	}
	out := make([]posting, 0, list.count(p.part.Segment.format))
	err = list.each(func(doc, tf, norm uint32) {
		if p.skip == nil || !p.skip.Contains(doc) {
			out = append(out, posting{doc, tf, min(norm, maxStep)})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return out, nil
}

// readGroup reads all forms of a term; a document that holds several counts once,
// with their sum.
func (p *partSearch) readGroup(fieldName string, g group) ([]posting, error) {
	var out []posting
	var err error
	forms := g.forms
	if g.prefix {
		if forms, err = p.expand(fieldName, forms[0]); err != nil {
			return nil, err
		}
	}
	for i, f := range forms {
		var spoken []bool
		if g.langs != nil && !g.langs[i].has(english) {
			if spoken = p.spoken(g.langs[i]); spoken == nil {
				continue
			}
		}
		var more []posting
		if more, err = p.read(fieldName, f); err != nil {
			return nil, err
		}
		if spoken != nil {
			// The French stem of httpx is http, which is another word in English.
			more = slices.DeleteFunc(more, func(h posting) bool { return !spoken[p.fileOf[h.doc]] })
		}
		if i == 0 {
			out = more
		} else if len(more) > 0 {
			out = union(out, more)
		}
	}
	return out, nil
}

// spoken says which files have text in one of the languages; nil when none has.
func (p *partSearch) spoken(langs languageSet) []bool {
	var out []bool
	for l := range languages {
		switch {
		case !langs.has(l) || p.speaks[l] == nil:
		case out == nil:
			out = slices.Clone(p.speaks[l])
		default:
			for i, yes := range p.speaks[l] {
				out[i] = out[i] || yes
			}
		}
	}
	return out
}

// union merges two lists ordered by document.
func union(a, b []posting) []posting {
	if len(a) == 0 {
		return b
	}
	out := make([]posting, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].doc < b[0].doc:
			out, a = append(out, a[0]), a[1:]
		case a[0].doc > b[0].doc:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, posting{a[0].doc, a[0].tf + b[0].tf, a[0].step})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// maxExpanded bounds the terms that one character stands for.
const maxExpanded = 2048

// expand lists the terms that begin with a prefix.
func (p *partSearch) expand(fieldName, prefix string) ([]string, error) {
	dict := p.part.Segment.dicts[fieldName]
	if dict == nil {
		return nil, nil
	}
	it, err := dict.Iterator([]byte(prefix), []byte(prefix+"\xff"))
	var out []string
	for ; err == nil && len(out) < maxExpanded; err = it.Next() {
		term, _ := it.Current()
		out = append(out, string(term))
	}
	if err != nil && !errors.Is(err, vellum.ErrIteratorDone) {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return out, nil
}

// word scores a word of the query, marks what holds it, and counts the chunks.
func (s *search) word(index int, w Word) (chunks int, err error) {
	mark := uint64(0)
	if index < s.marks {
		mark = 1 << index
	}
	var count []map[uint32]int // for words that are held when all their terms are
	if w.whole < 0 {
		count = make([]map[uint32]int, len(s.parts))
		for i := range count {
			count[i] = map[uint32]int{}
		}
	}
	for i, g := range w.groups {
		whole := uint64(0)
		if i == w.whole {
			whole = mark
		}
		if err := s.term(g, whole, count); err != nil {
			return 0, err
		}
	}
	for i, p := range s.parts {
		if count != nil {
			for doc, n := range count[i] {
				if n == len(w.groups) {
					p.held[doc] |= mark
				}
			}
		}
		chunks += p.marked(mark)
	}
	return chunks, nil
}

// marked counts the chunks that hold a mark, by themselves or by their file.
func (p *partSearch) marked(mark uint64) int {
	if mark == 0 {
		return 0
	}
	n := 0
	files := p.part.Segment.files
	for i, start := range files {
		if !p.touched[i] {
			continue
		}
		end := p.part.Segment.docs
		if i+1 < len(files) {
			end = int(files[i+1])
		}
		for d := int(start) + 1; d < end; d++ {
			if (p.held[d]|p.held[start])&mark != 0 {
				n++
			}
		}
	}
	return n
}

// term scores one term in all fields.
func (s *search) term(g group, mark uint64, count []map[uint32]int) error {
	w := s.query.Weights
	note := func(part int, p *partSearch, doc uint32, seen bool) {
		p.held[doc] |= mark
		p.touched[p.fileOf[doc]] = true
		if count != nil && !seen {
			count[part][doc]++
		}
	}
	lists, found, files, err := s.lists(fieldText, g)
	if err != nil {
		return err
	}
	weight, fileWeight := idf(s.totals.Chunks, found), idf(s.totals.Files, files)
	for i, p := range s.parts {
		p.addText(lists[i], weight, s.chunkLength, w.B)
		p.addFile(lists[i], fileWeight, s.fileLength, w.FileB)
		for _, h := range lists[i] {
			note(i, p, h.doc, false)
		}
	}
	for _, f := range []struct {
		name   string
		weight float64
		all    int
	}{{fieldHeading, w.Heading, s.totals.Chunks}, {fieldName, w.Name, s.totals.Files}} {
		if f.weight == 0 {
			continue
		}
		short, found, _, err := s.lists(f.name, g)
		if err != nil {
			return err
		}
		weight := f.weight * idf(f.all, found)
		for i, p := range s.parts {
			for _, h := range short[i] {
				p.score[h.doc] += weight * saturate(1, lengthOfStep(h.step), 4, shortB)
				note(i, p, h.doc, count != nil && holds(lists[i], h.doc))
			}
		}
	}
	return nil
}

// holds reports whether a list ordered by document has one.
func holds(list []posting, doc uint32) bool {
	lo, hi := 0, len(list)
	for lo < hi {
		m := (lo + hi) / 2
		if list[m].doc < doc {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(list) && list[lo].doc == doc
}

// lists reads a term in all parts and counts its documents and their files.
func (s *search) lists(fieldName string, g group) (lists [][]posting, docs, files int, err error) {
	lists = make([][]posting, len(s.parts))
	for i, p := range s.parts {
		if lists[i], err = p.readGroup(fieldName, g); err != nil {
			return nil, 0, 0, err
		}
		docs += len(lists[i])
		last := -1
		for _, h := range lists[i] {
			if f := int(p.fileOf[h.doc]); f != last {
				files++
				last = f
			}
		}
	}
	return lists, docs, files, nil
}

func (p *partSearch) addText(list []posting, weight, mean, b float64) {
	var lengths [maxStep + 1]float64
	for step := range lengths {
		lengths[step] = damping(lengthOfStep(uint32(step)), mean, b)
	}
	for _, h := range list {
		tf := float64(h.tf)
		p.score[h.doc] += weight * (tf * (k1 + 1) / (tf + lengths[h.step]))
	}
}

// addFile adds to the scores of whole files. A word in the overlap of two chunks
// counts twice, in all files alike.
func (p *partSearch) addFile(list []posting, weight, mean, b float64) {
	for len(list) > 0 {
		f := p.fileOf[list[0].doc]
		var tf float64
		for len(list) > 0 && p.fileOf[list[0].doc] == f {
			tf += float64(list[0].tf)
			list = list[1:]
		}
		p.file[f] += weight * saturate(tf, float64(p.part.Segment.lengths[f]), mean, b)
	}
}

// day scores a date of the query.
func (s *search) day(index int, d Day) (chunks int, err error) {
	mark := uint64(0)
	if index < s.marks {
		mark = 1 << index
	}
	lists, docs, _, err := s.lists(fieldDay, group{forms: []string{d.term}})
	if err != nil {
		return 0, err
	}
	weight := s.query.Weights.Day * idf(s.totals.Files, min(docs, s.totals.Files))
	for i, p := range s.parts {
		for _, h := range lists[i] {
			p.score[h.doc] += weight
			p.held[h.doc] |= mark
			p.touched[p.fileOf[h.doc]] = true
		}
		chunks += p.marked(mark)
	}
	return chunks, nil
}
