package doc

import "bytes"

// Front returns the offsets of the frontmatter block that opens a text, its two `---` lines
// included; from equals to when there is none. A byte order mark and blank lines before it do not
// hide it. Its first line must look like a key, a comment or the end, so that a note that opens with
// a thematic break is not taken for one; a block that does not end is none.
func Front(src []byte) (from, to int) {
	if bytes.HasPrefix(src, bom) {
		from = len(bom)
	}
	line, next := lineAt(src, from)
	for from < len(src) && isBlank(line) {
		from = next
		line, next = lineAt(src, from)
	}
	if string(trimRight(line)) != "---" {
		return from, from
	}
	for at, first := next, true; at < len(src); at, first = next, false {
		line, next = lineAt(src, at)
		line = trimRight(line)
		if s := string(line); s == "---" || s == "..." {
			return from, next
		}
		if first && !bytes.HasPrefix(line, []byte("#")) && bytes.IndexByte(line, ':') <= 0 {
			return from, from
		}
	}
	return from, from
}

// lineAt returns the line at an offset without its terminator, and the offset of the next one.
func lineAt(src []byte, at int) (line []byte, next int) {
	n := bytes.IndexByte(src[at:], '\n')
	if n < 0 {
		return src[at:], len(src)
	}
	return trimEOL(src[at : at+n+1]), at + n + 1
}
