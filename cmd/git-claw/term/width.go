package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	eastasian "golang.org/x/text/width"
)

// Ellipsis ends a text that was cut.
const Ellipsis = "…"

// joiners would be invisible at the end of a cut text.
const joiners = "\u200d\u200c"

// Width is the number of terminal columns that s takes, where s has passed
// Escape. Wide and full-width East Asian characters take two columns,
// combining marks none, all others one (ambiguous ones too, as in a terminal
// that is not set up for East Asia).
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) || unicode.Is(unicode.Variation_Selector, r) {
		return 0
	}
	switch eastasian.LookupRune(r).Kind() {
	case eastasian.EastAsianWide, eastasian.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Truncate cuts s to at most cols columns; a cut text ends with an ellipsis.
// A cols below one gives the empty string.
func Truncate(s string, cols int) string {
	if cols < 1 {
		return ""
	}
	if len(s) <= cols || Width(s) <= cols {
		return s
	}
	used, end := 0, 0
	for i, r := range s {
		w := runeWidth(r)
		if used+w > cols-1 {
			break
		}
		used += w
		end = i + utf8.RuneLen(r)
	}
	return strings.TrimRight(s[:end], joiners) + Ellipsis
}

// Pad fills s with spaces up to n columns.
func Pad(s string, n int) string {
	if w := Width(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}

// Wrap breaks one paragraph into lines of at most cols columns, at spaces; a
// word that is longer stands alone on its line. Text without spaces, such as
// Chinese, is broken between characters. width measures a word; nil stands for
// Width.
func Wrap(s string, cols int, width func(string) int) []string {
	if width == nil {
		width = Width
	}
	var lines []string
	line, used := "", 0
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line, used = "", 0
	}
	for _, word := range strings.Fields(s) {
		w := width(word)
		if used > 0 && used+1+w > cols {
			flush()
		}
		for w > cols && wideText(word) {
			cut := columns(word, cols)
			lines = append(lines, word[:cut])
			word = word[cut:]
			w = width(word)
		}
		if used > 0 {
			line += " "
			used++
		}
		line += word
		used += w
	}
	flush()
	return lines
}

// wideText reports whether a word is mostly of two-column characters.
func wideText(s string) bool { return Width(s) > utf8.RuneCountInString(s)*3/2 }

// columns is the length in bytes of the longest start of s, at least one
// character, that takes at most cols columns.
func columns(s string, cols int) int {
	used := 0
	for i, r := range s {
		used += runeWidth(r)
		if used > cols && i > 0 {
			return i
		}
	}
	return len(s)
}
