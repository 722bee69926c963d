package doc

import (
	"bytes"
	"unicode/utf8"
)

// TokenParts is how many parts make a token. The weights of the estimate (1, 1/2.5 and 1/4) are whole
// numbers of parts, so that the estimates of lines can be added and taken away without an error.
const TokenParts = 20

// The weight of a code point in parts of a token.
const (
	wideParts   = TokenParts         // Han, Kana, Hangul, CJK punctuation, full-width forms
	middleParts = TokenParts * 2 / 5 // Cyrillic, Greek, Arabic, Hebrew
	narrowParts = TokenParts / 4     // all others, and whatever stands in a code fence
)

// Tokens estimates how many tokens a language model sees in a text: ceil(a + b/2.5 + c/4) over code
// points (SPEC 0.2). A byte that is not UTF-8 counts as one code point.
func Tokens(text []byte) int {
	if IsASCII(text) {
		return tokens(len(text) * narrowParts)
	}
	var fences Fences
	parts := 0
	for len(text) > 0 {
		line := text
		if n := bytes.IndexByte(text, '\n'); n >= 0 {
			line = text[:n+1]
		}
		parts += LineParts(line, fences.Next(line))
		text = text[len(line):]
	}
	return tokens(parts)
}

func tokens(parts int) int { return (parts + TokenParts - 1) / TokenParts }

// LineParts estimates a piece of a line in parts of a token. fenced says that it is part of a code
// fence.
func LineParts(line []byte, fenced bool) int {
	if fenced {
		return utf8.RuneCount(line) * narrowParts
	}
	parts := 0
	for i := 0; i < len(line); {
		if line[i] < utf8.RuneSelf {
			parts += narrowParts
			i++
			continue
		}
		r, n := utf8.DecodeRune(line[i:])
		parts += RuneParts(r)
		i += n
	}
	return parts
}

// IsASCII reports whether a text has no byte above 127. Then the estimate does not depend on fences.
func IsASCII(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if (text[0]|text[1]|text[2]|text[3]|text[4]|text[5]|text[6]|text[7])&0x80 != 0 {
			return false
		}
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// RuneParts returns the weight of a code point outside a code fence in parts of a token. It goes by
// blocks of Unicode, not by letters: the punctuation of a script costs as much as its letters.
func RuneParts(r rune) int {
	switch {
	case r < 0x370:
		return narrowParts
	case r < 0x1100:
		return oldWorldParts(r)
	case r <= 0x11ff, // Hangul Jamo
		r >= 0x2e80 && r <= 0xa4cf,   // radicals to Yi: CJK punctuation, Kana, Bopomofo, Han
		r >= 0xa960 && r <= 0xa97f,   // Hangul Jamo Extended-A
		r >= 0xac00 && r <= 0xd7ff,   // Hangul
		r >= 0xf900 && r <= 0xfaff,   // Han, compatibility
		r >= 0xfe30 && r <= 0xfe4f,   // CJK compatibility forms
		r >= 0xff00 && r <= 0xffef,   // full-width and half-width forms
		r >= 0x16fe0 && r <= 0x18cff, // ideographic symbols, Tangut, Khitan
		r >= 0x1aff0 && r <= 0x1b16f, // Kana, extensions
		r == 0x1f200,                 // a Kana sign among the enclosed ideographs
		r >= 0x20000 && r <= 0x3ffff: // Han, extensions
		return wideParts
	case r >= 0x1c80 && r <= 0x1c8f, r >= 0x2de0 && r <= 0x2dff, r >= 0xa640 && r <= 0xa69f, // Cyrillic
		r >= 0x1f00 && r <= 0x1fff, // Greek
		r >= 0xfb1d && r <= 0xfdff, // Hebrew and Arabic presentation forms
		r >= 0xfe70 && r <= 0xfefe:
		return middleParts
	}
	return narrowParts
}

// oldWorldParts is RuneParts for the blocks from Greek to Georgian.
func oldWorldParts(r rune) int {
	switch {
	case r <= 0x52f: // Greek, Coptic, Cyrillic
		return middleParts
	case r >= 0x590 && r <= 0x6ff, r >= 0x750 && r <= 0x77f, r >= 0x870 && r <= 0x8ff: // Hebrew, Arabic
		return middleParts
	}
	return narrowParts
}

// Fences tells line by line what stands in a code fence. It reads a text in one go and keeps nothing
// of it, where Parse builds entries; the two differ only in odd mixtures of lists and indents. The zero
// value stands before the first line.
type Fences struct {
	fence fenceMark
	open  bool
	list  bool // inside a list people indent a fence as they like
}

// Next reports whether the next line is part of a code fence; the lines that open and close one are.
func (f *Fences) Next(line []byte) bool {
	line = trimEOL(line)
	if f.open {
		f.open = !f.fence.closedBy(line)
		return true
	}
	indent, text := indentOf(line)
	if isBlank(text) {
		return false
	}
	if item, ok := itemOpen(indent, text); ok && (indent < tabStop || f.list) {
		f.list = true
		f.fence, f.open = fenceOpen(item.offset, item.content)
		return f.open
	}
	if indent >= tabStop && !f.list {
		return false
	}
	f.list = f.list && indent > 0
	f.fence, f.open = fenceOpen(indent, text)
	return f.open
}
