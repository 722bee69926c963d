package lexical

import (
	"unicode"
	"unicode/utf8"
)

// maxWord bounds a word in bytes. What is longer is cut, in notes and queries
// alike, so that a long key is still found.
const maxWord = 64

// A class of characters, as far as words are concerned.
type class uint8

const (
	other     class = iota // ends a word
	letter                 // letters and marks of scripts that put spaces between words
	digit                  // decimal digits
	joiner                 // joins words to a compound when it stands between two
	quote                  // an apostrophe
	wide                   // scripts without spaces, indexed as bigrams
	invisible              // as if it were not there
)

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = digit
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			t[c] = letter
		}
	}
	for _, c := range "-_./:#@" {
		t[c] = joiner
	}
	t['\''] = quote
	t['\\'] = joiner
	return t
}()

// unspaced are the scripts that write no spaces between words. Hangul has spaces,
// but particles grow on its words, and a substring is what people type.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClass[r]
	}
	switch {
	case r == '’' || r == 'ʼ':
		return quote
	case r == '‐' || r == '‑':
		return joiner // hyphens that text processors write
	case r == 'ー' || r == '々' || r == '〇' || r == '〆':
		return wide
	case r >= 0x0e00 && unicode.In(r, unspaced...):
		return wide
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	case unicode.Is(unicode.Cf, r):
		return invisible
	case unicode.IsNumber(r):
		return letter
	}
	return other
}

// A run is the longest stretch of text that is one compound, or one stretch of an
// unspaced script: text[from:to].
type run struct {
	from, to int
	wide     bool
}

// nextRun finds the next run at or after a position; ok is false at the end.
// Joiners count only between two characters of words.
func nextRun(text string, at int) (r run, ok bool) {
	for at < len(text) {
		c, size := runeAt(text, at)
		switch classOf(c) {
		case wide:
			return run{at, endWide(text, at+size), true}, true
		case letter, digit:
			return run{at, endCompound(text, at+size), false}, true
		}
		at += size
	}
	return run{}, false
}

func runeAt(s string, i int) (rune, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

func endWide(text string, at int) int {
	for at < len(text) {
		c, size := runeAt(text, at)
		k := classOf(c)
		if k != wide && k != invisible && !unicode.IsMark(c) {
			break
		}
		at += size
	}
	return at
}

// endCompound returns the end of the compound that at lies in. Between its words
// stands one joiner, or `::` or `://`.
func endCompound(text string, at int) int {
	for at < len(text) {
		c, size := runeAt(text, at)
		switch classOf(c) {
		case letter, digit, invisible:
			at += size
			continue
		case joiner, quote:
			next := at + size
			if rest := text[at:]; len(rest) > 2 && (rest[:2] == "::" || rest[:2] == "--") {
				next = at + 2
			} else if len(rest) > 3 && rest[:3] == "://" {
				next = at + 3
			}
			if next < len(text) {
				if c, _ := runeAt(text, next); isWord(classOf(c)) {
					at = next
					continue
				}
			}
		}
		break
	}
	// c++, c#, f#: the names of languages end in what joins or stands alone.
	if rest := text[at:]; len(rest) > 0 && (at == 1 || at > 1 && !isWord(classOfLast(text[:at-1]))) {
		switch {
		case len(rest) > 1 && rest[:2] == "++":
			return at + 2
		case rest[0] == '#':
			return at + 1
		}
	}
	return at
}

func classOfLast(s string) class {
	c, _ := utf8.DecodeLastRuneInString(s)
	return classOf(c)
}

func isWord(k class) bool { return k == letter || k == digit }
