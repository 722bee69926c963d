package merge

import "github.com/git-claw/git-claw/memory/doc"

// replaced links what a side put in the place of entries, however unlike it is, where the other side has
// them still, or put something else there: that are two versions of one entry. Where the other side took
// them out there is nothing to choose from, and what is new is an addition.
func (m *merger) replaced() {
	in := [3]map[int]int{nil, m.inPlace(1), m.inPlace(2)}
	for side := 1; side <= 2; side++ {
		other := m.sides[3-side]
		for i, j := range in[side] {
			_, both := in[3-side][i]
			if both || other.to[i] >= 0 && !other.moved[i] {
				m.sides[side].link(i, j)
			}
		}
	}
}

// inPlace maps entries of the base that are gone from a side to what stands in their place there: as
// many, of the same kinds, between the same neighbours. What the other side has in these words, too, was
// added and replaces nothing.
func (m *merger) inPlace(side int) map[int]int {
	base, other := m.texts[0], m.texts[side]
	added := make(map[int]bool)
	for j, i := range m.sides[3-side].from {
		if i < 0 {
			added[m.texts[3-side].entries[j].key] = true
		}
	}
	out := make(map[int]int)
	m.sides[side].open(func(olds, news []int) {
		if len(olds) != len(news) {
			return
		}
		for k := range olds {
			a, b := &base.entries[olds[k]], &other.entries[news[k]]
			if a.kind != b.kind || a.rank != b.rank || a.kind == doc.Frontmatter || a.kind == doc.Heading || a.id != "" || b.id != "" {
				return
			}
		}
		for k := range olds {
			if !added[other.entries[news[k]].key] {
				out[olds[k]] = news[k]
			}
		}
	})
	return out
}
