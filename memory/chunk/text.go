package chunk

import (
	"bytes"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/doc"
)

const (
	white = " \t\r\n\v\f"
	bom   = '\ufeff'
)

// gap is a byte range that is left out of the text of all chunks, [start, end).
type gap struct{ start, end int }

// touching returns the gaps that have a byte in [start, end).
func touching(gaps []gap, start, end int) []gap {
	if len(gaps) == 0 {
		return nil
	}
	i := sort.Search(len(gaps), func(i int) bool { return gaps[i].end > start })
	j := i
	for j < len(gaps) && gaps[j].start < end {
		j++
	}
	return gaps[i:j]
}

// merge joins two ordered lists of gaps.
func merge(a, b []gap) []gap {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([]gap, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		var g gap
		if len(b) == 0 || (len(a) > 0 && a[0].start < b[0].start) {
			g, a = a[0], a[1:]
		} else {
			g, b = b[0], b[1:]
		}
		if n := len(out); n > 0 && g.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, g.end)
			continue
		}
		out = append(out, g)
	}
	return out
}

// isPlain reports whether clean would change nothing.
func isPlain(text []byte) bool {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t':
			i++
		case c < utf8.RuneSelf:
			return false
		default:
			r, n := utf8.DecodeRune(text[i:])
			if (r == utf8.RuneError && n == 1) || r == bom || r < 0xa0 {
				return false
			}
			i += n
		}
	}
	return true
}

// clean returns content[start:end] without the gaps as valid UTF-8 with LF line ends and without
// control characters. Control characters that move the cursor become a space, so that the words around
// them stay two.
func clean(content []byte, start, end int, gaps []gap) []byte {
	out := make([]byte, 0, end-start)
	for i := start; i < end; {
		for len(gaps) > 0 && i >= gaps[0].end {
			gaps = gaps[1:]
		}
		hidden := len(gaps) > 0 && i >= gaps[0].start
		r, n := utf8.DecodeRune(content[i:end])
		switch {
		case r == '\n':
			out = append(out, '\n')
		case hidden || r == bom:
		case r == '\r' && i+1 < len(content) && content[i+1] == '\n':
		case r == '\t':
			out = append(out, '\t')
		case r == '\r' || r == '\v' || r == '\f' || r == 0x85:
			out = append(out, ' ')
		case r < ' ' || (r >= 0x7f && r < 0xa0):
		default:
			out = utf8.AppendRune(out, r)
		}
		i += n
	}
	return out
}

// hasWord reports whether a text holds anything to search for: a letter, a digit, a sign such as an
// emoji. A thematic break or an empty table has none.
func hasWord(text string) bool {
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			return true
		case r >= utf8.RuneSelf && r != utf8.RuneError && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
			return true
		}
	}
	return false
}

var (
	commentOpen  = []byte("<!--")
	commentClose = []byte("-->")
)

// annotations finds the HTML comments that hosts wrote for themselves. In a code fence and behind a
// backtick a comment is an example, and one in which another begins was never closed.
func annotations(content []byte) []gap {
	if !bytes.Contains(content, commentOpen) {
		return nil
	}
	var gaps []gap
	var fences doc.Fences
	closing := 0 // offset of the first comment end at or behind the place that was looked at last
	for at := 0; at < len(content); {
		end := lineEnd(content, at)
		if fences.Next(content[at:end]) {
			at = end
			continue
		}
		for at < end {
			n := bytes.Index(content[at:end], commentOpen)
			if n < 0 {
				break
			}
			open := at + n
			at = open + len(commentOpen)
			if closing < at {
				n := bytes.Index(content[at:], commentClose)
				if n < 0 {
					return gaps
				}
				closing = at + n
			}
			if (open > 0 && content[open-1] == '`') || bytes.Contains(content[at:closing], commentOpen) {
				continue
			}
			if isHostMark(content[at:closing]) {
				gaps = append(gaps, gap{open, closing + len(commentClose)})
			}
			at = closing + len(commentClose)
		}
		// A comment may have ended behind this line.
		at = max(at, end)
		if at > end {
			at = lineEnd(content, at)
		}
	}
	return gaps
}

// isHostMark reports whether a comment begins with the mark of a host: a name and a key, joined by a
// colon (`openclaw-memory-promotion:memory/a.md:3`). `TODO: …`, `note: …` and an address are a
// person's words.
func isHostMark(comment []byte) bool {
	comment = bytes.TrimLeft(comment, white)
	n := 0
	upper := false
	for n < len(comment) && (comment[n] == '-' || isAlnum(comment[n])) {
		upper = upper || (comment[n] >= 'A' && comment[n] <= 'Z')
		n++
	}
	if n == 0 || n == len(comment) || comment[n] != ':' {
		return false
	}
	name, rest := comment[:n], comment[n+1:]
	for _, host := range []string{"claw", "openclaw"} {
		if cut := bytes.TrimPrefix(name, []byte(host)); len(cut) < len(name) && (len(cut) == 0 || cut[0] == '-') {
			return true
		}
	}
	return !upper && len(rest) > 0 && rest[0] != '/' && bytes.IndexByte([]byte(white), rest[0]) < 0
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// lineEnd returns the offset behind the line that holds offset at.
func lineEnd(content []byte, at int) int {
	if n := bytes.IndexByte(content[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(content)
}
