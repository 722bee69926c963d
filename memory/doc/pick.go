package doc

import "bytes"

// Pick takes over into old those changes to new that are wanted, by their place in
// Diff(old, new). All of them give new, none give old.
func Pick(old, new []byte, want func(i int) bool) []byte {
	p := picker{want: want, took: true, left: true}
	p.run(old, new)
	switch {
	case p.took:
		return new
	case p.left:
		return old
	}
	return p.out
}

type picker struct {
	want       func(int) bool
	n          int
	took, left bool // every change so far
	out        []byte
	eol        string
	last       *Entry
}

// next decides about the next change of Diff.
func (p *picker) next() bool {
	yes := p.want(p.n)
	p.n++
	p.took, p.left = p.took && yes, p.left && !yes
	return yes
}

// emit writes an entry with its blank lines. Two paragraphs that did not follow each
// other get one between them, or they would be one.
func (p *picker) emit(e *Entry) {
	if n := len(p.out); n > 0 && p.out[n-1] != '\n' {
		p.out = append(p.out, p.eol...)
	}
	if l := p.last; l != nil && e.Kind == Paragraph && l.Kind != Heading && l.End == l.Next && (l.doc != e.doc || l.Next != e.Start) {
		p.out = append(p.out, p.eol...)
	}
	p.out = append(p.out, e.doc.Src[e.Start:e.Next]...)
	p.last = e
}

func (p *picker) run(old, new []byte) {
	a, b := Parse(old), Parse(new)
	ids := make(interner)
	keysA, keysB := a.keys(ids), b.keys(ids)
	al := align(a, b, keysA, keysB)
	p.eol = EOL(old)
	if len(bytes.TrimSpace(old)) == 0 {
		p.eol = EOL(new)
	}
	p.out = append(p.out, old[:a.Lead]...)
	// What moved is decided where it goes to, which Diff tells only later: look ahead.
	moves := p.moves(al, b, keysA, keysB)
	i := 0
	gone := func() {
		for ; i < len(al.to) && (al.to[i] < 0 || al.moved[i]); i++ {
			switch {
			case al.to[i] < 0 && !p.next(), al.moved[i] && !moves[i]:
				p.emit(&a.Entries[i])
			}
		}
	}
	for j := range b.Entries {
		gone()
		switch from := al.from[j]; {
		case from < 0:
			if p.next() {
				p.emit(&b.Entries[j])
			}
		case al.moved[from]:
			if p.next() {
				p.emit(&b.Entries[j])
			}
		default:
			if keysA[from] != keysB[j] && p.next() {
				p.emit(&b.Entries[j])
			} else {
				p.emit(&a.Entries[from])
			}
			i = from + 1
		}
	}
	gone()
}

// moves tells of each entry of a that moved whether that is wanted. It counts the
// changes as run does.
func (p *picker) moves(al *alignment, b *Doc, keysA, keysB []int) map[int]bool {
	moves := map[int]bool{}
	n, i := 0, 0
	gone := func() {
		for ; i < len(al.to) && (al.to[i] < 0 || al.moved[i]); i++ {
			if al.to[i] < 0 {
				n++
			}
		}
	}
	for j := range b.Entries {
		gone()
		switch from := al.from[j]; {
		case from < 0:
			n++
		case al.moved[from]:
			moves[from] = p.want(n)
			n++
		default:
			if keysA[from] != keysB[j] {
				n++
			}
			i = from + 1
		}
	}
	return moves
}
