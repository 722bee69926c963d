package doc

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// DiffSequence returns the hunks that turn one sequence of small numbers into another, in order; what
// lies between two hunks is equal. It is what entries and lines are compared with: near linear for
// every input, and the same hunks for the same sequences in every process.
func DiffSequence(a, b []int) []LineHunk {
	hunks := diffTokens(a, b)
	out := make([]LineHunk, len(hunks))
	for i, h := range hunks {
		out[i] = LineHunk{OldFrom: h.a0, OldTo: h.a1, NewFrom: h.b0, NewTo: h.b1}
	}
	return out
}

// WordSet returns the sorted set of the words of a text, pairs of characters where a script has no
// spaces. Of a long text only the beginning is looked at.
func WordSet(text []byte) []uint64 {
	var set []uint64
	text = text[:min(len(text), maxFeatureBytes)]
	var last []byte // the previous character of a run without spaces
	for len(text) > 0 {
		token, wide := nextToken(text)
		text = text[len(token):]
		if wide {
			set = append(set, hash(last, token))
			last = token
			continue
		}
		last = nil
		if r, _ := utf8.DecodeRune(token); unicode.IsLetter(r) || unicode.IsNumber(r) {
			set = append(set, hash(token, nil))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// Likeness returns how much two sets of WordSet have in common, their Jaccard index in thousandths.
func Likeness(a, b []uint64) int { return int(jaccard(a, b)) }
