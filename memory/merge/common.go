package merge

import (
	"bytes"

	"github.com/git-claw/git-claw/memory/doc"
)

// Common makes up what a base may have had where two sides differ and only they are known, as between
// conflict markers without one: for each entry of the one that is alike to one of the other, in order, an
// entry that is alike to both. Merged over it they are two versions of one entry; the rest is what each
// added. It is nothing anybody wrote, and must not be shown.
func Common(ours, theirs []byte) []byte {
	if len(bytes.TrimSpace(ours)) == 0 || len(bytes.TrimSpace(theirs)) == 0 {
		return nil
	}
	m := newMerger(Input{Kind: Markdown, Base: ours, Ours: theirs})
	m.sides[1] = m.sameText(m.texts[1])
	m.sides[1].open(func(olds, news []int) { m.pair(1, olds, news) })
	var out []byte
	for i, j := range m.sides[1].to {
		if j < 0 {
			continue
		}
		a, b := &m.texts[0].entries[i], &m.texts[1].entries[j]
		if a.key == b.key || a.kind != doc.Item && a.kind != doc.Paragraph {
			out = append(append(out, a.raw...), a.sep...)
			continue
		}
		// All words of both: more than half of them are in each.
		out = append(append(out, a.raw...), ' ')
		out = append(append(out, bytes.Join(bytes.Fields(b.text()), []byte(" "))...), a.sep...)
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return out
}
