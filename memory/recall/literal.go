package recall

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/lexical"
)

// literalBytes is how much text a search for a literal looks through. It is a size
// and no time, so that the same notes give the same answer on any machine: a second
// at most, and more than most workspaces have.
const literalBytes = 64 << 20

// wordless recognises queries in which no index can find anything: signs and words
// that say nothing, such as `->` and "to be or not to be". In capitals these are
// words, IT and US; a query in capitals that finds none of them is meant as it is.
func wordless(a *lexical.Analyser, query string, days []lexical.Day) bool {
	return len(days) == 0 && len(a.ParseWords(strings.ToLower(query))) == 0
}

// literal is a query that is looked for as it is typed, but for case, the forms of
// characters and how much white space there is. Not for concurrent use.
type literal struct {
	needle string // plain
	signs  bool   // it has neither white space nor letters
	buffer []byte
}

func newLiteral(query string) *literal {
	needle := plain(lexical.Unquoted(query))
	signs := !strings.ContainsFunc(needle, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.ToUpper(r) != r || unicode.ToLower(r) != r
	})
	return &literal{needle: needle, signs: signs}
}

// in reports whether a text holds it. It does what plain does, without making a text
// for each step, where the characters have their usual forms.
func (l *literal) in(text []byte) bool {
	if l.needle == "" {
		return false
	}
	if !utf8.Valid(text) || !norm.NFKC.IsNormal(text) {
		return strings.Contains(plain(string(text)), l.needle)
	}
	if l.signs {
		return bytes.Contains(text, []byte(l.needle))
	}
	b := slices.Grow(l.buffer[:0], len(text))
	white := false
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		i += n
		was := white
		switch white = unicode.IsSpace(r); {
		case white && was:
		case white:
			b = append(b, ' ')
		case r < utf8.RuneSelf:
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			b = append(b, byte(r))
		default:
			b = utf8.AppendRune(b, unicode.ToLower(r))
		}
	}
	l.buffer = b
	return bytes.Contains(b, []byte(l.needle))
}

// spans returns the byte ranges of a text that it stands in, in order and apart.
func (l *literal) spans(text string) [][2]int {
	if !l.in([]byte(text)) {
		return nil
	}
	var b strings.Builder
	var origin [][2]int // of each byte of b
	white := false
	for at := 0; at < len(text); {
		n := norm.NFKC.NextBoundaryInString(text[at:], true)
		if n <= 0 {
			n = len(text) - at
		}
		s := folded(text[at : at+n])
		if r, _ := utf8.DecodeRuneInString(s); unicode.IsSpace(r) && strings.TrimSpace(s) == "" {
			if s = " "; white {
				s = ""
			}
			white = true
		} else {
			white = false
		}
		b.WriteString(s)
		for len(origin) < b.Len() {
			origin = append(origin, [2]int{at, at + n})
		}
		at += n
	}
	var out [][2]int
	for from := 0; ; {
		i := strings.Index(b.String()[from:], l.needle)
		if i < 0 {
			return out
		}
		i += from
		from = i + len(l.needle)
		start, end := origin[i][0], origin[from-1][1]
		if n := len(out); n > 0 && out[n-1][1] > start {
			out[n-1][1] = end // both in one character, which is several in its plain form
			continue
		}
		out = append(out, [2]int{start, end})
	}
}

// spot is a chunk by where it stands in the notes that are looked through.
type spot struct {
	note, piece int
	date        string
	when        int64 // of the note's commit
}

// literals visits the chunks that hold the literal, the newest first. Of notes that
// are read too late for literalBytes it says how many there are.
func (r *ranking) literals(ctx context.Context) iter.Seq[*ranked] {
	return func(yield func(*ranked) bool) {
		notes, spots, err := r.spots()
		if r.err = err; err != nil {
			return
		}
		holds := make([][]bool, len(notes)) // of notes that were read
		left, unread := literalBytes, map[int]bool{}
		for _, p := range spots {
			if ctx.Err() != nil {
				return
			}
			n := &notes[p.note]
			if holds[p.note] == nil {
				if left <= 0 {
					unread[p.note] = true
					continue
				}
				var size int
				holds[p.note], size = r.holding(n)
				left -= size
			}
			if !holds[p.note][p.piece] {
				continue
			}
			x := &ranked{note: *n, piece: n.Pieces[p.piece], parts: Parts{Text: 1, Decay: 1, Exact: true}}
			if r.weigh(x) && !yield(x) {
				return
			}
		}
		if len(unread) > 0 && r.opt.Unread != nil {
			r.opt.Unread(len(unread))
		}
	}
}

// spots are all chunks in the scope of the search, the newest first.
func (r *ranking) spots() (notes []index.Note, spots []spot, err error) {
	today := r.opt.Now.Format(time.DateOnly)
	add := func(n index.Note) {
		e, ok := r.snap.Entries.Get(n.Path)
		if !ok || !r.wanted(n.Path) {
			return
		}
		notes = append(notes, n)
		for i, p := range n.Pieces {
			date, _ := dateOf(n, p, e)
			// What has no date is in no commit yet: nothing is newer.
			spots = append(spots, spot{len(notes) - 1, i, cmp.Or(date, today), e.When})
		}
	}
	for _, part := range r.snap.View.Parts {
		var bad error
		err := part.Each(func(stored []byte) bool {
			n, err := index.DecodeNote(stored)
			if bad = err; err == nil {
				add(n)
			}
			return err == nil
		})
		if err := cmp.Or(bad, err); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(
			cmp.Compare(b.date, a.date), cmp.Compare(b.when, a.when),
			cmp.Compare(notes[a.note].Path, notes[b.note].Path), cmp.Compare(a.piece, b.piece))
	})
	return notes, spots, nil
}

// holding tells which chunks of a note hold the literal, and how much was read.
func (r *ranking) holding(n *index.Note) (holds []bool, size int) {
	holds = make([]bool, len(n.Pieces))
	content, err := r.opt.Read(n.Path, n.Blob)
	if err != nil || !r.literal.in(content) {
		return holds, len(content)
	}
	for i, p := range n.Pieces {
		holds[i] = p.Start <= p.End && p.End <= len(content) && r.literal.in(content[p.Start:p.End])
	}
	return holds, len(content)
}

// ordered are the candidates in the order in which they become results: those that
// hold the literal, where one is looked for, then the list.
func (r *ranking) ordered(ctx context.Context) iter.Seq[*ranked] {
	return func(yield func(*ranked) bool) {
		seen := map[string]bool{}
		if r.literal != nil {
			for x := range r.literals(ctx) {
				seen[chunkID(x.note.Path, x.piece)] = true
				if !yield(x) {
					return
				}
			}
		}
		for i := range r.list {
			x := &r.list[i]
			if r.literal != nil && seen[chunkID(x.note.Path, x.piece)] {
				continue
			}
			if !yield(x) {
				return
			}
		}
	}
}
