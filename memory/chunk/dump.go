package chunk

import (
	"bytes"
	"unicode/utf8"
)

// minRepeat is the length in characters from which on a block that stood before is left out. A shorter
// one (`user: yes, go on`) is said again more likely than written twice.
const minRepeat = 40

// repeats finds the blocks of a session dump that stood earlier in the file: hosts write the whole
// conversation again with every turn. A block is what stands between blank lines and the lines that
// open a turn; white space does not count.
func repeats(content []byte) []gap {
	var gaps []gap
	seen := make(map[[16]byte]struct{})
	var norm []byte
	from := 0
	block := func(end int) {
		start := from
		from = end
		if end-start <= minRepeat {
			return
		}
		norm = squeeze(norm[:0], content[start:end])
		if utf8.RuneCount(norm) <= minRepeat {
			return
		}
		key := half(norm)
		if _, ok := seen[key]; ok {
			gaps = append(gaps, gap{start, end})
			return
		}
		seen[key] = struct{}{}
	}
	for at := 0; at < len(content); {
		end := lineEnd(content, at)
		line := content[at:end]
		switch {
		case len(bytes.TrimLeft(line, white)) == 0:
			block(at)
			from = end
		case isTurn(line):
			block(at)
		}
		at = end
	}
	block(len(content))
	return gaps
}

// squeeze appends text with every run of white space as one space.
func squeeze(out, text []byte) []byte {
	space := false
	for _, c := range text {
		if bytes.IndexByte([]byte(white), c) >= 0 {
			space = true
			continue
		}
		if space && len(out) > 0 {
			out = append(out, ' ')
		}
		out, space = append(out, c), false
	}
	return out
}

// isTurn reports whether a line opens a turn: `user:`, `**Assistant:**`, `- **tool**: …`.
func isTurn(line []byte) bool {
	line = bytes.TrimLeft(line, " \t*_->")
	for _, who := range []string{"user", "assistant", "system", "tool", "human"} {
		if len(line) > len(who) && bytes.EqualFold(line[:len(who)], []byte(who)) {
			rest := bytes.TrimLeft(line[len(who):], " *_")
			return bytes.HasPrefix(rest, []byte(":")) || bytes.HasPrefix(rest, []byte("："))
		}
	}
	return false
}
