package chunk

import (
	"math"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/doc"
)

// piece is a line, or a piece of a line that is too long for one chunk.
type piece struct {
	start, end int
	line       int
	parts      int  // estimate in doc.TokenParts
	blank      bool // nothing of it is searched
	level      int  // a heading starts here: 1 to 6
	opens      bool // text behind a blank line
}

// cut returns the spans of all chunks in order, before equal texts are joined.
func (s *source) cut(opt Options) []span {
	p := newPacker(opt)
	sections := []section{{}}
	if opt.Entries {
		sections = s.sections()
	}
	var fences doc.Fences
	heads := s.outline.heads
	level, afterBlank, skip := 0, true, false
	for at, line := 0, 1; at < len(s.content); line++ {
		for len(sections) > 0 && sections[0].start <= at {
			p.finish()
			skip, sections = sections[0].skip, sections[1:]
		}
		end := lineEnd(s.content, at)
		for len(heads) > 0 && heads[0].start < end {
			level, heads = heads[0].level, heads[1:]
		}
		fenced := false
		u := piece{start: at, end: end, line: line, blank: s.isBlank(at, end), parts: (end - at) * asciiParts}
		if !s.ascii {
			fenced = fences.Next(s.content[at:end])
			u.parts = doc.LineParts(s.content[at:end], fenced)
		}
		switch {
		case !u.blank:
			u.level, u.opens = level, afterBlank
			level = 0
		case len(touching(s.out, u.start, u.end)) > 0:
			u.parts = asciiParts // its line end is all that the text has of it
		}
		afterBlank = u.blank
		at = end
		switch {
		case skip:
		case u.parts > p.limit && !u.blank:
			s.pieces(u, fenced, p)
		default:
			p.add(u)
		}
	}
	p.finish()
	return p.spans
}

// asciiParts is the weight of an ASCII character.
const asciiParts = doc.TokenParts / 4

// isBlank reports whether a part of a line holds nothing but white space, control characters and what
// is left out.
func (s *source) isBlank(start, end int) bool {
	gaps := touching(s.out, start, end)
	for i := start; i < end; i++ {
		if len(gaps) > 0 && i >= gaps[0].start {
			i = gaps[0].end - 1
			gaps = gaps[1:]
			continue
		}
		if c := s.content[i]; c > ' ' && c != 0x7f {
			return false
		}
	}
	return true
}

// pieces adds a line that is too long in pieces of a tenth of a chunk, so that chunks are packed, and
// overlap, as they do with lines of that size.
func (s *source) pieces(line piece, fenced bool, p *packer) {
	target := p.limit / 10
	u := line
	u.parts = 0
	split, splitParts := 0, 0 // the last good place to cut, and the estimate up to it
	for i := line.start; i < line.end; {
		r, n := rune(s.content[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(s.content[i:line.end])
		}
		parts := asciiParts
		if r >= utf8.RuneSelf && !fenced {
			parts = doc.RuneParts(r)
		}
		if u.parts > 0 && u.parts+parts > target {
			end, rest := i, 0
			if split > u.start {
				end, rest = split, u.parts-splitParts
			}
			u.end, u.parts = end, u.parts-rest
			p.add(s.marked(u))
			u = piece{start: end, end: line.end, line: line.line, parts: rest}
		}
		i += n
		u.parts += parts
		if u.parts >= target/2 && isBreak(r) {
			split, splitParts = i, u.parts
		}
	}
	u.end = line.end
	p.add(s.marked(u))
}

func (s *source) marked(u piece) piece {
	u.blank = s.isBlank(u.start, u.end)
	return u
}

// isBreak reports whether a line may be cut behind a character: white space, and the punctuation of
// scripts that write no spaces.
func isBreak(r rune) bool {
	switch r {
	case ' ', '\t', '\u3000', '。', '、', '，', '！', '？', '；':
		return true
	}
	return false
}

// packer joins pieces to spans. window holds what the next span starts with.
type packer struct {
	limit, overlap int // in doc.TokenParts
	window         []piece
	parts          int // of the window
	done           int // offset up to which the spans reach
	spans          []span
}

func newPacker(opt Options) *packer {
	tokens := opt.Tokens
	if tokens <= 0 {
		tokens = defaultTokens
	}
	tokens = min(tokens, math.MaxInt32)
	overlap := min(max(opt.Overlap, 0), tokens/2)
	return &packer{limit: tokens * doc.TokenParts, overlap: overlap * doc.TokenParts}
}

// add appends a piece and writes the span that it no longer fits into. What is small stays with what
// follows even if both are a little too large: it is a heading more often than not.
func (p *packer) add(u piece) {
	if len(p.window) == 0 && u.blank {
		return
	}
	if p.parts+u.parts > p.limit && p.parts > p.limit/5 {
		p.flush(u)
	}
	if len(p.window) == 0 && u.blank {
		return
	}
	p.window = append(p.window, u)
	p.parts += u.parts
}

// finish writes what is left and forgets it.
func (p *packer) finish() {
	p.write(p.window)
	p.keep(len(p.window))
}

// flush writes a span before the piece next is added, and keeps what the next span starts with.
func (p *packer) flush(next piece) {
	if i := p.headingNear(next); i > 0 {
		p.write(p.window[:i])
		p.keep(i)
		return
	}
	p.write(p.window)
	p.keep(p.repeatFrom(next))
}

// headingNear returns the index in the window of a heading in the last fifth of a chunk, the outermost
// of several and the last of these, len(window) for next, or 0 for none. A section that starts there
// goes on in the next span only: repeating the end of the section before it would put that one's
// heading over it.
func (p *packer) headingNear(next piece) int {
	best, level := 0, 7
	if next.level > 0 {
		best, level = len(p.window), next.level
	}
	tail := 0
	for i := len(p.window) - 1; i > 0; i-- {
		tail += p.window[i].parts
		if tail > p.limit/5 || p.window[i].start < p.done {
			break
		}
		if l := p.window[i].level; l > 0 && l < level && p.isFresh(p.window[:i]) {
			best, level = i, l
		}
	}
	return best
}

// repeatFrom returns the index in the window from where the next span repeats it: of the headings, else
// of the paragraphs, the one whose distance from the end is nearest to the overlap; else the first piece
// within the overlap.
func (p *packer) repeatFrom(next piece) int {
	room := min(p.limit-next.parts, p.overlap+p.overlap/2)
	from, rank, off := len(p.window), 0, 0
	parts := 0
	for i := len(p.window) - 1; i > 0; i-- {
		u := p.window[i]
		if parts += u.parts; parts > room {
			break
		}
		r, o := 0, max(parts-p.overlap, p.overlap-parts)
		switch {
		case u.level > 0:
			r = 2
		case u.opens && parts >= p.overlap/4:
			r = 1
		case parts > p.overlap:
			continue
		}
		if r > rank || (r == rank && (o <= off || from == len(p.window))) {
			from, rank, off = i, r, o
		}
	}
	return from
}

// keep drops the first n pieces of the window and the blank ones behind them.
func (p *packer) keep(n int) {
	for n < len(p.window) && p.window[n].blank {
		n++
	}
	p.window = p.window[:copy(p.window, p.window[n:])]
	p.parts = 0
	for i := range p.window {
		p.parts += p.window[i].parts
	}
}

// isFresh reports whether pieces hold text that no span has yet.
func (p *packer) isFresh(pieces []piece) bool {
	for i := len(pieces) - 1; i >= 0 && pieces[i].start >= p.done; i-- {
		if !pieces[i].blank {
			return true
		}
	}
	return false
}

// write appends the span of pieces without the blank ones at its end.
func (p *packer) write(pieces []piece) {
	if !p.isFresh(pieces) {
		return
	}
	n := len(pieces)
	for pieces[n-1].blank {
		n--
	}
	first, last := pieces[0], pieces[n-1]
	p.spans = append(p.spans, span{from: first.line, to: last.line, start: first.start, end: last.end})
	p.done = last.end
}
