package unseen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s as one line that is safe to print on a terminal: control
// characters (line breaks and tabs too), bidirectional controls, invisible
// characters and bytes that are not UTF-8 are spelled out, a character as
// <U+202E>, a stray byte as <0x9B>. Everything else is unchanged, so Escape of
// an escaped text is that text.
func Escape(s string) string { return escape(s, false) }

// EscapeText is Escape for text of several lines: line feeds and tabs stay.
func EscapeText(s string) string { return escape(s, true) }

func escape(s string, multiline bool) string {
	start := plainPrefix(s, multiline)
	if start == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:start])
	// The joiners look one character back, so the walk starts before the
	// first suspicious byte, at the character that precedes it.
	prev, before := lastTwo(s[:start])
	for i := start; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<0x%02X>", s[i])
			r = 0
		case multiline && (r == '\n' || r == '\t'):
			b.WriteByte(byte(r))
		case hidden(r) && !joins(before, prev, r, s[i+size:]):
			fmt.Fprintf(&b, "<U+%04X>", r)
			r = 0
		default:
			b.WriteString(s[i : i+size])
		}
		before, prev = prev, r
		i += size
	}
	return b.String()
}

// plainPrefix is the length of the part of s that is printable ASCII.
func plainPrefix(s string, multiline bool) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c < 0x7f || multiline && (c == '\n' || c == '\t') {
			continue
		}
		return i
	}
	return len(s)
}

// lastTwo gives the last character of s and the one before it, 0 where there
// is none.
func lastTwo(s string) (last, before rune) {
	if s == "" {
		return 0, 0
	}
	last, size := utf8.DecodeLastRuneInString(s)
	if rest := s[:len(s)-size]; rest != "" {
		before, _ = utf8.DecodeLastRuneInString(rest)
	}
	return last, before
}

// Hidden reports whether a terminal would obey r, or show nothing for it, or
// change the order of its neighbours because of it.
func Hidden(r rune) bool { return hidden(r) }

// Joins reports whether a hidden character is an ordinary part of the writing
// around it, where it hides nothing; before and prev are the two characters in
// front of it, 0 where there is none, rest the text behind it.
func Joins(before, prev, r rune, rest string) bool { return joins(before, prev, r, rest) }

func hidden(r rune) bool {
	if r < 0x7f {
		return r < 0x20
	}
	if r < 0xa0 { // DEL and C1
		return true
	}
	if r < 0x300 {
		return r == 0xad // soft hyphen
	}
	if r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef { // noncharacters
		return true
	}
	if unicode.In(r, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Bidi_Control) {
		return true
	}
	// Format characters are invisible but for a few Arabic and Indic signs
	// that surround a number.
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

const (
	zwnj   = '\u200c' // zero width non-joiner
	zwj    = '\u200d' // zero width joiner
	vs15   = '\ufe0e' // text presentation
	vs16   = '\ufe0f' // emoji presentation
	keycap = '\u20e3' // combining enclosing keycap
)

// joins reports whether a hidden character is an ordinary part of the writing
// around it, as in a heart that is red (U+2764 U+FE0F), a family emoji, or a
// Persian or Indic word. Spelling these out would make such notes unreadable,
// and where they stand they hide nothing.
func joins(before, prev, r rune, rest string) bool {
	switch r {
	case vs15, vs16:
		if pictograph(prev) {
			return true
		}
		next, _ := utf8.DecodeRuneInString(rest)
		return next == keycap && (prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
	case zwj:
		next, _ := utf8.DecodeRuneInString(rest)
		if pictograph(next) {
			return pictograph(prev) || skinTone(prev) || prev == vs16 && pictograph(before)
		}
		return joining(prev) && joining(next)
	case zwnj:
		next, _ := utf8.DecodeRuneInString(rest)
		return joining(prev) && joining(next)
	}
	return false
}

// pictograph reports whether r can be the base of an emoji.
func pictograph(r rune) bool {
	switch {
	case r == 0xa9 || r == 0xae || r == 0x2139:
		return true
	case r < 0x203c || r == utf8.RuneError:
		return false
	}
	return unicode.In(r, unicode.So, unicode.Sm) || r == 0x203c || r == 0x2049 || r == 0x3030 || r == 0x303d
}

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// joining reports whether r belongs to a script in which the joiners decide
// how letters are drawn (Unicode Standard Annex 31, section 2.3).
func joining(r rune) bool {
	if r < 0x600 || !unicode.In(r, unicode.L, unicode.M) {
		return false
	}
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
		unicode.Khmer, unicode.Myanmar) ||
		r < 0x1000 && unicode.Is(unicode.Inherited, r)
}
