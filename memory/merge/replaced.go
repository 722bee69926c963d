package merge

import "github.com/git-claw/git-claw/memory/doc"

// replaced links what a side put in the place of entries, however unlike it is, where the other side has
// them still, or put something else there: that are two versions of one entry. Where the other side took
// them out there is nothing to choose from, and what is new is an addition; and what it put below one of
// them is not for what stands there now.
func (m *merger) replaced() {
	in := [3]map[int]int{nil, m.inPlace(1), m.inPlace(2)}
	for side := 1; side <= 2; side++ {
		other := m.sides[3-side]
		for i, j := range in[side] {
			_, both := in[3-side][i]
			there := other.to[i]
			if both || there >= 0 && !other.moved[i] && (m.texts[3-side].entries[there].key != m.texts[0].entries[i].key || !m.grewBelow(3-side, there)) {
				m.sides[side].link(i, j)
			}
		}
	}
}

// grewBelow reports whether a side added something below an item.
func (m *merger) grewBelow(side, j int) bool {
	entries := m.texts[side].entries
	for k := j + 1; entries[j].kind == doc.Item && k < len(entries) && entries[k].rank > entries[j].rank; k++ {
		if m.sides[side].from[k] < 0 {
			return true
		}
	}
	return false
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
