package doc

import (
	"bytes"
	"unicode/utf8"
)

// endSpace is what hosts take off the end of a text: white space as JavaScript
// knows it.
const endSpace = " \t\r\n\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// Chars counts the characters of a text as hosts do: UTF-16 code units without the
// white space at its end (SPEC 0.2).
func Chars(text []byte) int {
	return Units(TrimEnd(text))
}

// TrimEnd takes off the white space that hosts take off the end of a text.
func TrimEnd(text []byte) []byte { return bytes.TrimRight(text, endSpace) }

// Units counts UTF-16 code units. What is not UTF-8 counts as the replacement
// characters that a host reads in its place.
func Units(text []byte) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		size, units := unit(text[i:])
		i += size
		n += units
	}
	return n
}

// unit gives the bytes of the character that text begins with, which is no ASCII, and
// its code units.
func unit(text []byte) (size, units int) {
	r, size := utf8.DecodeRune(text)
	switch {
	case r > 0xffff:
		return size, 2
	case r == utf8.RuneError && size == 1:
		return broken(text), 1
	}
	return size, 1
}

// broken is the length of what is replaced by one character: the beginning of one
// that goes on otherwise, or a byte that begins none (Unicode 3.9, "maximal subpart").
func broken(text []byte) int {
	low, high, n := byte(0x80), byte(0xbf), 0 // of the next byte, and how many may follow
	switch b := text[0]; {
	case b < 0xc2 || b > 0xf4:
		return 1
	case b < 0xe0:
		return 1 // only one could follow, and does not
	case b == 0xe0:
		low, n = 0xa0, 1
	case b == 0xed:
		high, n = 0x9f, 1
	case b < 0xf0:
		n = 1
	case b == 0xf0:
		low, n = 0x90, 2
	case b == 0xf4:
		high, n = 0x8f, 2
	default:
		n = 2
	}
	size := 1
	for ; n > 0 && size < len(text) && text[size] >= low && text[size] <= high; n-- {
		size++
		low, high = 0x80, 0xbf
	}
	return size
}

// ByteAt returns the byte at which a UTF-16 code unit of text begins. In the middle
// of a pair it is that of the character, or with up the one behind it.
func ByteAt(text []byte, number int, up bool) int {
	i := 0
	for n := 0; i < len(text) && n < number; {
		size, units := 1, 1
		if text[i] >= utf8.RuneSelf {
			size, units = unit(text[i:])
		}
		if n+units > number && !up {
			break
		}
		n += units
		i += size
	}
	return i
}
