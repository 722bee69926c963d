package doc

import "bytes"

// EOL returns the line end to write into a text: "\r\n" where every line of it ends so, else "\n".
func EOL(text []byte) string {
	if style(text) == styleCRLF {
		return "\r\n"
	}
	return "\n"
}

// SplitLines cuts a text into its lines, terminators included.
func SplitLines(text []byte) [][]byte {
	lines := make([][]byte, 0, bytes.Count(text, []byte("\n"))+1)
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		lines = append(lines, text[:n:n])
		text = text[n:]
	}
	return lines
}

// LineHunk is a range of lines that differs: old lines [OldFrom, OldTo) were replaced by new lines
// [NewFrom, NewTo). Lines count from 0; one of the two ranges may be empty.
type LineHunk struct{ OldFrom, OldTo, NewFrom, NewTo int }

// LineDiff returns the hunks that turn old into new, in order. Two lines are equal when they differ in
// nothing but their terminator, so that a last line is not new because another one was added behind it.
func LineDiff(old, new []byte) []LineHunk {
	return lineDiff(SplitLines(old), SplitLines(new))
}

func lineDiff(old, new [][]byte) []LineHunk {
	ids := make(interner)
	a, b := make([]int, len(old)), make([]int, len(new))
	for i, l := range old {
		a[i] = ids.id(lineKey(l))
	}
	for i, l := range new {
		b[i] = ids.id(lineKey(l))
	}
	return DiffSequence(a, b)
}

// WithoutLines returns new without the flagged lines that old does not have. flagged is asked with the
// number of a line of new, from 1. Where a hunk replaces lines they are paired by position, and a
// flagged line leaves the old line of its pair in its place; without a pair it is dropped. All other
// bytes are those of new, except that a line without terminator gets one where another line follows it.
func WithoutLines(old, new []byte, flagged func(line int) bool) []byte {
	oldLines, newLines := SplitLines(old), SplitLines(new)
	out := make([]byte, 0, len(new))
	add := func(line []byte) {
		switch n := len(out); {
		case n == 0 || out[n-1] == '\n':
		case out[n-1] == '\r':
			out = append(out, '\n')
		default:
			out = append(out, EOL(new)...)
		}
		out = append(out, line...)
	}
	at := 0
	for _, h := range lineDiff(oldLines, newLines) {
		for ; at < h.NewFrom; at++ {
			add(newLines[at])
		}
		for ; at < h.NewTo; at++ {
			if !flagged(at + 1) {
				add(newLines[at])
			} else if pair := h.OldFrom + at - h.NewFrom; pair < h.OldTo {
				add(oldLines[pair])
			}
		}
	}
	for ; at < len(newLines); at++ {
		add(newLines[at])
	}
	return out
}

// lineKey is what two equal lines have in common. A carriage return counts as terminator also where
// the file ends behind it.
func lineKey(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

func trimEOL(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
		if n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
		}
	}
	return line
}

// lineStyle is how the lines of a text end.
type lineStyle uint8

const (
	styleNone lineStyle = iota // no line end at all
	styleLF
	styleCRLF
	styleMixed
)

func style(text []byte) lineStyle {
	lf := bytes.Count(text, []byte("\n"))
	switch crlf := bytes.Count(text, []byte("\r\n")); {
	case lf == 0:
		return styleNone
	case crlf == 0:
		return styleLF
	case crlf == lf:
		return styleCRLF
	}
	return styleMixed
}

// toLF and toCRLF are inverse to each other for a text of one style.
func toLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

func toCRLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
