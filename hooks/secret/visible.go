package secret

// byteKind says how a scan treats a byte.
type byteKind uint8

const (
	bytePlain byteKind = iota
	byteNewline
	byteDrop // not visible
	byteLook // may begin something that is not visible
)

// byteKinds returns the kinds of all bytes. Dropping NUL makes UTF-16 read as
// its ASCII part, its line ends included.
func byteKinds() (k [256]byteKind) {
	for b := range 0x20 {
		k[b] = byteDrop
	}
	k[0x7F] = byteDrop
	k['\t'], k['\r'] = bytePlain, bytePlain
	k['\n'] = byteNewline
	k[0x1B] = byteLook
	k['\\'] = byteLook
	for _, b := range []byte{0xC2, 0xCD, 0xE1, 0xE2, 0xEF, 0xF3} {
		k[b] = byteLook
	}
	return k
}

// invisible returns the length of the invisible thing text begins with, 0 if
// there is none: a terminal control sequence, a backslash that escapes
// punctuation for Markdown, or a code point without a shape.
func invisible(text []byte) int {
	switch text[0] {
	case 0x1B:
		return escape(text)
	case '\\':
		if len(text) > 1 {
			switch text[1] {
			case '_', '-', '.', '~', '=', ':', '/', '+', '@':
				return 1
			}
		}
	case 0xC2: // soft hyphen
		return prefix(text, 1, 0xAD, 0xAD)
	case 0xCD: // combining grapheme joiner
		return prefix(text, 1, 0x8F, 0x8F)
	case 0xE1: // Hangul fillers, Mongolian vowel separator
		return prefix(text, 2, 0x859F, 0x85A0) + prefix(text, 2, 0xA08B, 0xA08F)
	case 0xE2: // zero-width and bidirectional marks, word joiner and invisible operators
		return prefix(text, 2, 0x808B, 0x808F) + prefix(text, 2, 0x80AA, 0x80AE) + prefix(text, 2, 0x81A0, 0x81AF)
	case 0xEF: // variation selectors, byte order mark
		return prefix(text, 2, 0xB880, 0xB88F) + prefix(text, 2, 0xBBBF, 0xBBBF)
	case 0xF3: // tags and variation selectors of plane 14
		if len(text) >= 4 && text[1] == 0xA0 && text[2] >= 0x80 && text[2] <= 0x87 {
			return 4
		}
	}
	return 0
}

// prefix returns 1+n if the n bytes (1 or 2) after the first, read as a
// number, lie in the range, else 0.
func prefix(text []byte, n int, from, to uint16) int {
	if len(text) < 1+n {
		return 0
	}
	v := uint16(text[1])
	if n == 2 {
		v = v<<8 | uint16(text[2])
	}
	if v < from || v > to {
		return 0
	}
	return 1 + n
}

// escape returns the length of a terminal control sequence such as a colour,
// or 1 for a lone ESC.
func escape(text []byte) int {
	if len(text) < 2 || text[1] != '[' {
		return 1
	}
	for i := 2; i < len(text) && i < 32; i++ {
		switch b := text[i]; {
		case b >= 0x40 && b <= 0x7E:
			return i + 1
		case b < 0x20:
			return 1
		}
	}
	return 1
}
