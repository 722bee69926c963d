package term

import (
	"strings"
	"unicode/utf8"
)

// WrapStyled breaks lines that are wider than cols at spaces, or anywhere where there
// is none; what goes on is indented. Colours are no text, and go on across a break.
func WrapStyled(text string, cols, indent int) string {
	var out strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		body, eol := strings.CutSuffix(line, "\n")
		wrapLine(&out, body, cols, indent)
		if eol {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// wrapLine wraps one line without its end.
func wrapLine(out *strings.Builder, line string, cols, indent int) {
	for {
		cut, next := breakAt(line, cols)
		if cut == len(line) || cols <= indent+1 {
			out.WriteString(line)
			return
		}
		out.WriteString(line[:cut])
		out.WriteByte('\n')
		line = strings.Repeat(" ", indent) + line[next:]
	}
}

// breakAt finds where a line is cut, and where it goes on.
func breakAt(line string, cols int) (cut, next int) {
	used, space, text := 0, -1, false
	for i := 0; i < len(line); {
		if n := escapeLength(line[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		w := runeWidth(r)
		if used+w > cols {
			if space > 0 {
				return space, space + 1
			}
			return i, i
		}
		if r == ' ' && text {
			space = i
		}
		text = text || r != ' '
		used += w
		i += size
	}
	return len(line), len(line)
}

// escapeLength is the length of a colour sequence at the start of s, 0 for none.
func escapeLength(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	return strings.IndexByte(s, 'm') + 1
}
