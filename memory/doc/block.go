package doc

import "bytes"

// The functions of this file look at one line, without its terminator.

const tabStop = 4

// indentOf returns the width of the leading white space in columns and the text behind it.
func indentOf(line []byte) (int, []byte) {
	col := 0
	for i, c := range line {
		switch c {
		case ' ':
			col++
		case '\t':
			col += tabStop - col%tabStop
		default:
			return col, line[i:]
		}
	}
	return col, nil
}

func isBlank(line []byte) bool {
	return len(bytes.TrimLeft(line, " \t\r\v\f")) == 0
}

func trimRight(line []byte) []byte {
	return bytes.TrimRight(line, " \t\r\v\f")
}

// headingLevel returns 1 to 6 for an ATX heading and 0 for anything else. `#tag` and `##Title` are
// text, as in CommonMark: workspaces use them as tags.
func headingLevel(text []byte) int {
	n := 0
	for n < len(text) && text[n] == '#' {
		n++
	}
	if n == 0 || n > 6 {
		return 0
	}
	if n < len(text) && text[n] != ' ' && text[n] != '\t' && text[n] != '\r' {
		return 0
	}
	return n
}

// underlineLevel returns 1 or 2 for the underline of a setext heading and 0 for anything else.
func underlineLevel(text []byte) int {
	text = trimRight(text)
	if len(text) == 0 || (text[0] != '=' && text[0] != '-') {
		return 0
	}
	for _, c := range text {
		if c != text[0] {
			return 0
		}
	}
	if text[0] == '=' {
		return 1
	}
	return 2
}

// isBreak reports a thematic break: three or more of one of `*`, `-`, `_`, spaces between allowed.
func isBreak(text []byte) bool {
	var mark byte
	n := 0
	for _, c := range text {
		switch {
		case c == ' ' || c == '\t' || c == '\r':
		case n == 0 && (c == '*' || c == '-' || c == '_'):
			mark, n = c, 1
		case n > 0 && c == mark:
			n++
		default:
			return false
		}
	}
	return n >= 3
}

// fenceMark is an opening code fence: its character, length and indent.
type fenceMark struct {
	char   byte
	length int
	indent int
}

func fenceOpen(indent int, text []byte) (fenceMark, bool) {
	if len(text) < 3 || (text[0] != '`' && text[0] != '~') {
		return fenceMark{}, false
	}
	n := 0
	for n < len(text) && text[n] == text[0] {
		n++
	}
	// An info string with a backtick makes it inline code, not a fence.
	if n < 3 || (text[0] == '`' && bytes.IndexByte(text[n:], '`') >= 0) {
		return fenceMark{}, false
	}
	return fenceMark{char: text[0], length: n, indent: indent}, true
}

// closedBy reports whether a line closes the fence. A closing fence with less indent than its
// opening one counts as well: agents often write it so inside list items.
func (f fenceMark) closedBy(line []byte) bool {
	indent, text := indentOf(line)
	text = trimRight(text)
	if indent > f.indent+3 || len(text) < f.length {
		return false
	}
	for _, c := range text {
		if c != f.char {
			return false
		}
	}
	return true
}

// itemMark is the marker of a list item.
type itemMark struct {
	offset  int    // column where the item's content starts
	content []byte // the text behind the marker
	first   bool   // a bullet, or the number 1: what may follow a paragraph without a blank line
	ordered bool
}

func itemOpen(indent int, text []byte) (itemMark, bool) {
	if len(text) == 0 {
		return itemMark{}, false
	}
	var m itemMark
	width := 1
	switch c := text[0]; {
	case c == '-' || c == '*' || c == '+':
		m.first = true
	case c >= '0' && c <= '9':
		for width < len(text) && width < 10 && text[width] >= '0' && text[width] <= '9' {
			width++
		}
		if width > 9 || width == len(text) || (text[width] != '.' && text[width] != ')') {
			return itemMark{}, false
		}
		m.ordered, m.first = true, width == 1 && c == '1'
		width++
	default:
		return itemMark{}, false
	}
	rest := text[width:]
	m.offset = indent + width + 1
	if len(trimRight(rest)) == 0 {
		return m, true
	}
	if rest[0] != ' ' && rest[0] != '\t' {
		return itemMark{}, false
	}
	spaces, content := indentOf(rest)
	if spaces > 4 { // indented code inside the item: the content starts one column behind the marker
		spaces, content = 1, rest[1:]
	}
	m.offset, m.content = indent+width+spaces, content
	return m, true
}
