package agent

import (
	"bytes"

	"github.com/git-claw/git-claw/memory/doc"
)

// untangle takes conflict markers out of a text in which they do not nest, as after a
// merge into a file that had some: no line of the text is lost, and a list item or heading
// that stands there more than once between the first marker and the last stays once. What
// was a side, or a base, nobody can tell any more. ok is false for a text without a first
// and a last marker.
func untangle(text []byte) (out []byte, ok bool) {
	lines := doc.SplitLines(text)
	first, last := -1, -1
	var fences doc.Fences
	for i, l := range lines {
		if first < 0 && fences.Next(l) {
			continue
		}
		switch mark := markerOf(l); {
		case first < 0 && mark == '<':
			first = i
		case first >= 0 && mark == '>':
			last = i
		}
	}
	if first < 0 || last < 0 {
		return nil, false
	}
	seen := map[string]bool{}
	for i, l := range lines {
		if i >= first && i <= last {
			bare := string(bytes.TrimSpace(l))
			if markerOf(l) != 0 || seen[bare] {
				continue
			}
			if k := kindOfLine(l); k == doc.Item || k == doc.Heading {
				seen[bare] = true
			}
		}
		out = append(out, l...)
	}
	return out, true
}

// markerOf is the sign of a conflict marker, 0 for any other line.
func markerOf(line []byte) byte {
	const size = 7
	bare := bytes.TrimRight(line, "\r\n")
	if len(bare) < size {
		return 0
	}
	c := bare[0]
	if bytes.IndexByte([]byte("<|=>"), c) < 0 || len(bytes.Trim(bare[:size], string(rune(c)))) > 0 {
		return 0
	}
	if len(bare) == size || c != '=' && bare[size] == ' ' {
		return c
	}
	return 0
}

func kindOfLine(line []byte) doc.Kind {
	if e := doc.Parse(line).Entries; len(e) == 1 {
		return e[0].Kind
	}
	return doc.Paragraph
}

// tangled reports whether conflict markers are left in a text.
func tangled(text []byte) bool {
	var fences doc.Fences
	for _, l := range doc.SplitLines(text) {
		if fences.Next(l) {
			continue
		}
		if m := markerOf(l); m == '<' || m == '>' {
			return true
		}
	}
	return false
}

// nestsBases reports whether markers with a base stand between others: what the inner ones
// call a base may be what somebody wrote.
func nestsBases(text []byte) bool {
	depth, bases := 0, false
	for _, l := range doc.SplitLines(text) {
		switch markerOf(l) {
		case '<':
			depth++
		case '|':
			bases = bases || depth > 1
		case '>':
			depth--
		}
	}
	return bases
}
