package recall

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/index"
	"github.com/git-claw/git-claw/memory/lexical"
)

// chunkID names a chunk: of which note, which lines, which text (SPEC RC-08; the
// model of the embedder is left out, because the text index does not depend on it).
func chunkID(path string, p index.Piece) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d\x00%x", path, p.Start, p.End, p.Hash))
	return hex.EncodeToString(h[:8])
}

// marker knows which words of a text a query asked for.
type marker struct {
	matcher *lexical.Matcher
	literal *literal // what it was looked for instead; nil: nothing
}

func newMarker(a *lexical.Analyser, words []lexical.Word) *marker {
	return &marker{matcher: a.Matcher(words)}
}

// Marks finds what a query asked for in lines of snippets, as byte ranges. Not for
// concurrent use.
func Marks(query string) func(line string) [][2]int {
	a := lexical.NewAnalyser()
	m := newMarker(a, a.ParseWords(query))
	if wordless(a, query, nil) {
		m.literal = newLiteral(query)
	}
	return m.spans
}

func (m *marker) spans(text string) [][2]int {
	if out := m.matcher.Spans(text); m.literal == nil || len(out) > 0 {
		return out
	}
	return m.literal.spans(text)
}

// best is the line that matches best.
func (m *marker) best(lines []string) int {
	if m.literal != nil {
		if s := m.literal.spans(strings.Join(lines, "")); len(s) > 0 {
			at := 0
			return slices.IndexFunc(lines, func(l string) bool { at += len(l); return at > s[0][0] })
		}
	}
	best, bestScore := 0, -1.0
	for i, l := range lines {
		if score := m.matcher.Weigh(l); score > bestScore && strings.TrimSpace(l) != "" {
			best, bestScore = i, score
		}
	}
	return best
}

// snippet takes of a chunk the lines around those that match best, at most chars
// UTF-16 code units, and says which line matches best. Flagged lines, by their number in the note, are not
// shown.
func (m *marker) snippet(chunk []byte, from, chars int, flagged map[int]bool) (string, int) {
	text := strings.ToValidUTF8(string(chunk), "\ufffd")
	lines := strings.SplitAfter(text, "\n")
	for i := range lines {
		if flagged[from+i] {
			lines[i] = "<secret>\n"
		}
	}
	best := m.best(lines)
	if units(lines[best]) >= chars {
		return m.window(lines[best], chars), from + best
	}
	lo, hi, size := best, best+1, units(lines[best])
	for {
		grown := false
		if hi < len(lines) && size+units(lines[hi]) <= chars {
			size += units(lines[hi])
			hi, grown = hi+1, true
		}
		if lo > 0 && size+units(lines[lo-1]) <= chars {
			lo--
			size, grown = size+units(lines[lo]), true
		}
		if !grown {
			break
		}
	}
	for lo < best && strings.TrimSpace(lines[lo]) == "" {
		lo++
	}
	return strings.TrimRight(strings.Join(lines[lo:hi], ""), "\r\n\t "), from + best
}

// window cuts a long line around its first match.
func (m *marker) window(line string, chars int) string {
	spans := m.spans(line)
	start := 0
	if len(spans) > 0 {
		start = spans[0][0]
		for back := 0; start > 0 && back < chars/4; back++ {
			_, size := utf8.DecodeLastRuneInString(line[:start])
			start -= size
		}
	}
	n, end := 0, start
	for end < len(line) {
		r, size := utf8.DecodeRuneInString(line[end:])
		if n += utf16.RuneLen(r); n > chars {
			break
		}
		end += size
	}
	return strings.TrimRight(line[start:end], "\r\n\t ")
}

// units counts UTF-16 code units, which is what characters are (SPEC 0.2).
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
