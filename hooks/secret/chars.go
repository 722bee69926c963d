package secret

// chars are sets of bytes, one bit for each part of the ASCII table. A set of a
// shape is named by a letter, see sets.
type chars uint16

const (
	charDigit chars = 1 << iota
	charHexLower
	charLower // g to z
	charHexUpper
	charUpper // G to Z
	charUnderscore
	charDash
	charPlusSlash
	charEqual
	charDot
	charTilde
	charPercent
	charValue // what a value without quotes may hold
)

const (
	charLetter = charHexLower | charLower | charHexUpper | charUpper
	charAlnum  = charDigit | charLetter
)

// charTable says to which parts a byte belongs.
func charTable() (t [256]chars) {
	for c := byte('!'); c < 0x7F; c++ {
		if !has("\"'`\\<>|&;,", c) {
			t[c] = charValue
		}
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= charDigit
	}
	for c := 'a'; c <= 'z'; c++ {
		if c <= 'f' {
			t[c] |= charHexLower
			t[c-'a'+'A'] |= charHexUpper
		} else {
			t[c] |= charLower
			t[c-'a'+'A'] |= charUpper
		}
	}
	for c, set := range map[byte]chars{
		'_': charUnderscore, '-': charDash, '+': charPlusSlash, '/': charPlusSlash, '=': charEqual, '.': charDot, '~': charTilde, '%': charPercent,
	} {
		t[c] |= set
	}
	return t
}

// set is the set of bytes that a letter stands for in a shape:
//
//	d digits            h hexadecimal, lower case   g hexadecimal
//	l digits, a to z    u digits, A to Z            a digits and letters
//	w a and _ -         b a and + /                 p b and _
//	v w and = .         x w and = + /               k a and _ ~ . -
//	q b and %           s _ and -                       n all of a value
func set(letter byte) chars {
	switch letter {
	case 'd':
		return charDigit
	case 'h':
		return charDigit | charHexLower
	case 'g':
		return charDigit | charHexLower | charHexUpper
	case 'l':
		return charDigit | charHexLower | charLower
	case 'u':
		return charDigit | charHexUpper | charUpper
	case 'a':
		return charAlnum
	case 'w':
		return charAlnum | charUnderscore | charDash
	case 'b':
		return charAlnum | charPlusSlash
	case 'p':
		return charAlnum | charPlusSlash | charUnderscore
	case 'v':
		return charAlnum | charUnderscore | charDash | charEqual | charDot
	case 'x':
		return charAlnum | charUnderscore | charDash | charEqual | charPlusSlash
	case 'k':
		return charAlnum | charUnderscore | charDash | charDot | charTilde
	case 'q':
		return charAlnum | charPlusSlash | charPercent
	case 's':
		return charUnderscore | charDash
	case 'n':
		return charValue
	}
	return 0
}

func alnum(c byte) bool {
	return digit(c) || letter(c)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return lower(c) || upper(c) }

func lower(c byte) bool { return c >= 'a' && c <= 'z' }

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func hexDigit(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func fold(c byte) byte {
	if upper(c) {
		return c - 'A' + 'a'
	}
	return c
}
