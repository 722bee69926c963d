package doc

import (
	"bytes"
	"unicode/utf8"
)

// endSpace is what hosts take off the end of a text: white space as JavaScript
// knows it.
const endSpace = " \t\r\n\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// Chars counts the characters of a text as hosts do: UTF-16 code units without the
// white space at its end (SPEC 0.2). A byte that is not UTF-8 counts as one.
func Chars(text []byte) int {
	return Units(TrimEnd(text))
}

// TrimEnd takes off the white space that hosts take off the end of a text.
func TrimEnd(text []byte) []byte { return bytes.TrimRight(text, endSpace) }

// Units counts UTF-16 code units. A byte that is not UTF-8 counts as one.
func Units(text []byte) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r > 0xffff {
			n++
		}
		n++
		i += size
	}
	return n
}

// ByteAt returns the byte at which a UTF-16 code unit of text begins. In the middle
// of a pair it is that of the character, or with up the one behind it.
func ByteAt(text []byte, unit int, up bool) int {
	i := 0
	for n := 0; i < len(text) && n < unit; {
		size, units := 1, 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(text[i:]); r > 0xffff {
				units = 2
			}
		}
		if n+units > unit && !up {
			break
		}
		n += units
		i += size
	}
	return i
}
