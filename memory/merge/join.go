package merge

import (
	"bytes"
	"slices"

	"github.com/git-claw/git-claw/memory/contradiction"
	"github.com/git-claw/git-claw/memory/doc"
)

// piece is an entry of the result.
type piece struct {
	at   [3]int // where it stands in the three versions, -1 for nowhere
	raw  []byte
	kind doc.Kind
}

func (m *merger) piece(at [3]int, c content) piece {
	p := piece{at: at, raw: m.render(c)}
	if !c.plain() {
		m.res.Contradictions++
	}
	for i, j := range at {
		if j >= 0 {
			p.kind = m.texts[i].entries[j].kind
		}
	}
	return p
}

// render writes an entry: its text, or all versions of a contradiction under their comment line.
func (m *merger) render(c content) []byte {
	if c.raw != nil {
		return c.raw
	}
	comments := m.sharedComments(c.keys)
	first := m.pool.raws[c.keys[0]][len(comments):]
	out := m.markLine(c.state, slices.Concat(comments, indentOf(first)))
	for n, k := range c.keys {
		raw := m.pool.raws[k][len(comments):]
		if n > 0 && !contradiction.StandsAlone(raw) {
			out = append(out, '\n')
		}
		out = append(append(out, '\n'), raw...)
		if fence := openFence(raw); fence != nil && n+1 < len(c.keys) {
			out = append(append(out, '\n'), fence...)
		}
	}
	return out
}

// sharedComments returns the comment lines that several versions all begin with: they stand once, before
// the line that opens the contradiction.
func (m *merger) sharedComments(keys []int) []byte {
	if len(keys) < 2 {
		return nil
	}
	var shared []byte
	for i, k := range keys {
		raw := m.pool.raws[k]
		entries := doc.Parse(raw).Entries
		if len(entries) == 0 || entries[0].Own == 0 {
			return nil
		}
		comments := raw[:entries[0].Own]
		if i > 0 && !bytes.Equal(comments, shared) {
			return nil
		}
		shared = comments
	}
	return shared
}

// front is the frontmatter of the result.
func (m *merger) front() []piece {
	var e [3]*entry
	at := [3]int{-1, -1, -1}
	for i, t := range m.texts {
		if len(t.entries) > 0 && t.entries[0].kind == doc.Frontmatter {
			e[i], at[i] = &t.entries[0], 0
		}
	}
	if e[0] == nil && e[1] == nil && e[2] == nil {
		return nil
	}
	m.res.Overruled = nil // it was united before, as an entry like others
	c := m.unite(e[0], e[1], e[2])
	if e[0] == nil && (e[1] == nil || e[2] == nil) { // one side added it
		one := e[1]
		if one == nil {
			one = e[2]
		}
		c = content{one.body, one.raw}
	}
	if !c.kept() {
		return nil
	}
	return []piece{m.piece(at, c)}
}

// join writes the pieces with what stands between them. Two entries that follow each other in a side
// keep their blank lines from there.
func (m *merger) join(pieces []piece) []byte {
	out := slices.Clone(pickBytes(m.texts[0].lead, m.texts[1].lead, m.texts[2].lead))
	if len(pieces) == 0 {
		return out
	}
	for n, p := range pieces {
		out = append(out, p.raw...)
		if n+1 == len(pieces) {
			break
		}
		if fence := openFence(p.raw); fence != nil {
			out = append(append(out, '\n'), fence...)
		}
		out = append(out, m.between(p, pieces[n+1])...)
	}
	return append(out, m.tail()...)
}

// tail returns what stands behind the last entry. A text without entries has no say in it.
func (m *merger) tail() []byte {
	var tails [3][]byte
	for i, t := range m.texts {
		if n := len(t.entries); n > 0 {
			tails[i] = t.entries[n-1].sep
		}
	}
	switch {
	case len(m.texts[1].entries) == 0:
		return tails[2]
	case len(m.texts[2].entries) == 0:
		return tails[1]
	}
	return pickBytes(tails[0], tails[1], tails[2])
}

// pickBytes returns the text that one side changed; where both did the shorter one, then the smaller.
func pickBytes(o, a, b []byte) []byte {
	switch {
	case bytes.Equal(a, o):
		return b
	case bytes.Equal(b, o), len(a) < len(b), len(a) == len(b) && bytes.Compare(a, b) < 0:
		return a
	}
	return b
}

// between returns the line end and the blank lines between two pieces.
func (m *merger) between(p, q piece) []byte {
	var sep [3][]byte
	for i, t := range m.texts {
		if p.at[i] >= 0 && q.at[i] == p.at[i]+1 {
			sep[i] = t.entries[p.at[i]].sep
		}
	}
	out := sep[1]
	switch {
	case sep[1] != nil && sep[2] != nil && sep[0] != nil:
		out = pickBytes(sep[0], sep[1], sep[2])
	case sep[1] == nil:
		out = sep[2]
	case sep[2] != nil && (len(sep[2]) < len(sep[1]) || len(sep[2]) == len(sep[1]) && bytes.Compare(sep[2], sep[1]) < 0):
		out = sep[2]
	}
	if out == nil {
		out = m.seam(p, q)
	}
	if bytes.IndexByte(out, '\n') < 0 { // it ended a file
		out = append(slices.Clone(out), '\n')
	}
	return out
}

// seam returns what stands between two entries that no side has beside each other: what stood between
// the one and an entry of the other's kind, the most where there are several examples; without one a
// blank line, and none between two items.
func (m *merger) seam(p, q piece) []byte {
	var best []byte
	for i, t := range m.texts {
		for _, j := range [2]int{p.at[i], q.at[i] - 1} { // the one before the line end
			if j < 0 || j+1 >= len(t.entries) || p.at[i] < 0 && q.at[i] < 0 {
				continue
			}
			if t.entries[j].kind == p.kind && t.entries[j+1].kind == q.kind {
				if s := t.entries[j].sep; len(s) > len(best) || len(s) == len(best) && bytes.Compare(s, best) < 0 {
					best = s
				}
			}
		}
	}
	switch {
	case best == nil && p.kind == doc.Item && q.kind == doc.Item:
		return newline
	case best == nil, bytes.Count(best, newline) < 2 && glues(p.kind, q.kind):
		return []byte("\n\n")
	}
	return best
}

// glues reports whether the second entry could become a part of the first when no blank line parts them.
func glues(p, q doc.Kind) bool {
	switch q {
	case doc.Paragraph, doc.Comment:
		return p == doc.Paragraph || p == doc.Item || p == doc.Comment
	case doc.Item:
		return p == doc.Paragraph || p == doc.Comment
	case doc.Heading:
		return p == doc.Paragraph || p == doc.Comment
	}
	return p == doc.Comment
}
