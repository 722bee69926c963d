package memory

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// A marked block holds our lines in a file that others write too.
const (
	blockBegin = "# >>> git claw >>>"
	blockEnd   = "# <<< git claw <<<"
)

// withBlock returns a file with our lines in a marked block. Existing bytes never
// change: a file without the block gets it at its end, after a line end where the
// last line has none; a block that lacks some of the lines gets those before its
// end, whatever else a person put there. A file that has all of them stays as it
// is, so that doing it again changes nothing.
func withBlock(old []byte, lines []string) []byte {
	eol := doc.EOL(old)
	begin, end, have := findBlock(old)
	if begin < 0 {
		var b bytes.Buffer
		b.Write(old)
		if n := len(old); n > 0 && old[n-1] != '\n' {
			b.WriteString(eol)
		}
		if len(old) > 0 {
			b.WriteString(eol)
		}
		for _, l := range slices.Concat([]string{blockBegin}, lines, []string{blockEnd}) {
			b.WriteString(l + eol)
		}
		return b.Bytes()
	}
	var missing strings.Builder
	for _, l := range lines {
		if !slices.Contains(have, l) {
			missing.WriteString(l + eol)
		}
	}
	if missing.Len() == 0 {
		return old
	}
	return slices.Concat(old[:end], []byte(missing.String()), old[end:])
}

// findBlock returns the offsets of the first complete block and of its end mark,
// and the lines between; -1 where there is none. A begin mark without end mark
// before the next begin mark is no block.
func findBlock(text []byte) (begin, end int, lines []string) {
	begin = -1
	at := 0
	for _, l := range doc.SplitLines(text) {
		switch line := strings.TrimRight(string(l), "\r\n"); {
		case line == blockBegin:
			begin, lines = at, nil
		case line == blockEnd && begin >= 0:
			return begin, at, lines
		default:
			lines = append(lines, line)
		}
		at += len(l)
	}
	return -1, -1, nil
}

// appendLines returns a file with text at its end, in the line ends of the file.
func appendLines(old []byte, text string) []byte {
	eol := doc.EOL(old)
	if n := len(old); n > 0 && old[n-1] != '\n' {
		text = "\n" + text
	}
	return slices.Concat(old, []byte(strings.ReplaceAll(text, "\n", eol)))
}
