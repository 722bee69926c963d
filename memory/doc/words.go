package doc

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Op says what became of a Span.
type Op uint8

// The operations of a Span.
const (
	Equal Op = iota
	Delete
	Insert
)

// Span is a piece of text that two versions share, or that one of them has.
type Span struct {
	Op   Op
	Text string
}

const (
	// maxWordTokens bounds each side of a word diff behind the common beginning and end.
	maxWordTokens = 4000
	// wordTime stops a word diff that is still too slow; it is for display, and coarser then.
	wordTime = 200 * time.Millisecond
)

// Words compares two texts word by word, for display. The Equal and Delete spans together are old,
// the Equal and Insert spans new; a Delete stands before the Insert that replaces it. Texts that
// differ in more than some thousand words are one Delete and one Insert between what they share at
// their beginning and end.
func Words(old, new string) []Span {
	a, b := tokenEnds(old), tokenEnds(new)
	token := func(s string, ends []int, i int) string { return s[ends[i]:ends[i+1]] }
	lo, hiA, hiB := 0, len(a)-1, len(b)-1
	for lo < hiA && lo < hiB && token(old, a, lo) == token(new, b, lo) {
		lo++
	}
	for hiA > lo && hiB > lo && token(old, a, hiA-1) == token(new, b, hiB-1) {
		hiA, hiB = hiA-1, hiB-1
	}
	var out spans
	out.add(Equal, old[:a[lo]])
	if hiA-lo > maxWordTokens || hiB-lo > maxWordTokens {
		out.add(Delete, old[a[lo]:a[hiA]])
		out.add(Insert, new[b[lo]:b[hiB]])
	} else {
		ids := make(interner)
		runes := func(s string, ends []int, hi int) []rune {
			r := make([]rune, 0, hi-lo)
			for i := lo; i < hi; i++ {
				r = append(r, rune(1+ids.id([]byte(token(s, ends, i))))) // at most 8,000: no surrogates
			}
			return r
		}
		dmp := diffmatchpatch.New()
		dmp.DiffTimeout = wordTime
		i, j := lo, lo
		for _, d := range dmp.DiffMainRunes(runes(old, a, hiA), runes(new, b, hiB), false) {
			n := utf8.RuneCountInString(d.Text)
			switch d.Type {
			case diffmatchpatch.DiffEqual:
				out.add(Equal, old[a[i]:a[i+n]])
				i, j = i+n, j+n
			case diffmatchpatch.DiffDelete:
				out.add(Delete, old[a[i]:a[i+n]])
				i += n
			case diffmatchpatch.DiffInsert:
				out.add(Insert, new[b[j]:b[j+n]])
				j += n
			}
		}
	}
	out.add(Equal, old[a[hiA]:])
	return out.joined()
}

type spans []Span

func (s *spans) add(op Op, text string) {
	if text != "" {
		*s = append(*s, Span{Op: op, Text: text})
	}
}

// joined leaves one Delete and one Insert between two Equal spans. White space alone between two
// changes is part of the change: a replaced sentence reads as one, not as its words in turn.
func (s spans) joined() []Span {
	var out []Span
	var del, ins strings.Builder
	flush := func() {
		if del.Len() > 0 {
			out = append(out, Span{Op: Delete, Text: del.String()})
		}
		if ins.Len() > 0 {
			out = append(out, Span{Op: Insert, Text: ins.String()})
		}
		del.Reset()
		ins.Reset()
	}
	for i, span := range s {
		switch {
		case span.Op == Delete:
			del.WriteString(span.Text)
		case span.Op == Insert:
			ins.WriteString(span.Text)
		case del.Len()+ins.Len() > 0 && i+1 < len(s) && s[i+1].Op != Equal && strings.TrimSpace(span.Text) == "":
			del.WriteString(span.Text)
			ins.WriteString(span.Text)
		default:
			flush()
			if n := len(out); n > 0 && out[n-1].Op == Equal {
				out[n-1].Text += span.Text
			} else {
				out = append(out, span)
			}
		}
	}
	flush()
	return out
}

// tokenEnds returns 0 and the offset behind each token of s.
func tokenEnds(s string) []int {
	ends := make([]int, 1, len(s)/3+2)
	text := []byte(s)
	for at := 0; at < len(text); {
		token, _ := nextToken(text[at:])
		at += len(token)
		ends = append(ends, at)
	}
	return ends
}

// nextToken returns the first token of a text that is not empty: a word, a run of white space without
// line ends, or one character; wide is a character of a script that writes words without spaces.
func nextToken(text []byte) (token []byte, wide bool) {
	class, n := classOf(text)
	if class == classOne || class == classWide {
		return text[:n], class == classWide
	}
	for n < len(text) {
		next, size := classOf(text[n:])
		if next != class {
			break
		}
		n += size
	}
	return text[:n], false
}

const (
	classOne = iota
	classWide
	classWord
	classSpace
)

func classOf(text []byte) (class, size int) {
	if c := text[0]; c < utf8.RuneSelf {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_':
			return classWord, 1
		case c == ' ' || c == '\t':
			return classSpace, 1
		}
		return classOne, 1
	}
	r, size := utf8.DecodeRune(text)
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return classWide, size
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return classWord, size
	}
	return classOne, size
}
