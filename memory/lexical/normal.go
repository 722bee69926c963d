package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalise brings text into NFKC, which makes full-width letters and half-width
// Kana the ordinary ones. Text that is so already is returned as it is.
func normalise(text string) string {
	if isASCII(text) {
		return text
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	if norm.NFKC.IsNormalString(text) {
		return text
	}
	return norm.NFKC.String(text)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fold takes the accents off Latin and Greek letters and the points off Hebrew
// and Arabic ones: people leave them out when they search. Cyrillic keeps й,
// which is a letter of its own, and gives ё away, which is written as е as often.
func fold(word string) string {
	if isASCII(word) {
		return word
	}
	var b strings.Builder
	for _, r := range word {
		switch {
		case r < 0xc0:
			b.WriteRune(r)
		case r == 'ё':
			b.WriteRune('е')
		case special[r] != "":
			b.WriteString(special[r])
		case unicode.In(r, unicode.Latin, unicode.Greek):
			d := norm.NFD.PropertiesString(string(r)).Decomposition()
			if len(d) == 0 {
				b.WriteRune(r)
				continue
			}
			first, _ := utf8.DecodeRune(d)
			b.WriteRune(first)
		case unicode.Is(unicode.Mn, r) && (r < 0x700 || r == '\u0301'):
			// accents that did not compose, Hebrew and Arabic points
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// special are letters that Unicode does not take apart.
var special = map[rune]string{
	'ß': "ss", 'æ': "ae", 'ø': "o", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ς': "σ",
}

// clip shortens a word to maxWord bytes at a character.
func clip(word string) string {
	if len(word) <= maxWord {
		return word
	}
	n := maxWord
	for n > 0 && !utf8.RuneStart(word[n]) {
		n--
	}
	return word[:n]
}
