package agent

import (
	"bytes"
	"slices"

	"github.com/git-claw/git-claw/memory/doc"
)

// mergeLines applies the change from base to theirs to ours, where the changed
// lines of the two sides lie apart: blank lines and all. It returns false where
// they do not, or where line ends are not of one kind; entries tell what to do
// then.
func mergeLines(base, ours, theirs []byte) ([]byte, bool) {
	ended := true // every last line has its end
	for _, text := range [][]byte{base, ours, theirs} {
		if doc.EOL(text) != doc.EOL(base) {
			return nil, false
		}
		ended = ended && (len(text) == 0 || text[len(text)-1] == '\n')
	}
	mine, change := doc.LineDiff(base, ours), doc.LineDiff(base, theirs)
	lines, their := doc.SplitLines(ours), doc.SplitLines(theirs)
	var out [][]byte
	at, next, shift := 0, 0, 0 // a line of ours, a hunk of mine, how far ours is ahead of base
	for _, h := range change {
		for ; next < len(mine) && mine[next].OldTo < h.OldFrom; next++ {
			shift = mine[next].NewTo - mine[next].OldTo
		}
		if next < len(mine) && mine[next].OldFrom <= h.OldTo || !ended && h.OldTo+shift == len(lines) {
			return nil, false
		}
		out = append(out, lines[at:h.OldFrom+shift]...)
		out = append(out, their[h.NewFrom:h.NewTo]...)
		at = h.OldTo + shift
	}
	return bytes.Join(slices.Concat(out, lines[at:]), nil), true
}
