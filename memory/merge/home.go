package merge

import "slices"

// settle decides for each entry that both sides have in different places where it stays, and returns
// the nodes that go there from the other side, by name. A move of one side decides; where both moved
// it, or both added it, the earlier gap does, and within one the side that has more there: it may be the
// result of a merge, which already knows where things go.
func (m *merger) settle(gaps [3][][]*node) map[int]*node {
	m.sameGap(gaps)
	var twins [3]map[int]*node
	for side := 1; side <= 2; side++ {
		twins[side] = make(map[int]*node)
		for _, g := range gaps[side] {
			collect(g, twins[side])
		}
	}
	away := make(map[int]*node)
	sizes := [3]map[int]int{nil, {}, {}}
	sizeOf := func(side, gap int) int {
		n, ok := sizes[side][gap]
		if !ok {
			n = size(gaps[side][gap])
			sizes[side][gap] = n
		}
		return n
	}
	for name, a := range twins[1] {
		b := twins[2][name]
		if b == nil || a.gap == b.gap && a.up == b.up {
			continue
		}
		moved := [3]bool{}
		if i := a.at[0]; i >= 0 {
			moved[1], moved[2] = m.sides[1].moved[i], m.sides[2].moved[i]
		}
		home := 1
		switch {
		case moved[1] != moved[2]:
			if moved[2] {
				home = 2
			}
		case b.gap < a.gap, a.gap == b.gap && sizeOf(1, a.gap) < sizeOf(2, b.gap):
			home = 2
		}
		away[name] = [3]*node{nil, b, a}[home]
	}
	return away
}

// size counts nodes and all below them.
func size(nodes []*node) int {
	n := len(nodes)
	for _, nd := range nodes {
		n += size(nd.kids)
	}
	return n
}

// sameGap makes twins of what both sides added in one gap, each once, even where it stands under another
// heading or item in the one than in the other.
func (m *merger) sameGap(gaps [3][][]*node) {
	next := len(m.known) + len(m.twins) + len(m.pool.texts)
	for g := range gaps[1] {
		if len(gaps[1][g]) == 0 || len(gaps[2][g]) == 0 {
			continue
		}
		ones, twos := added(gaps[1][g], nil), added(gaps[2][g], nil)
		for name, a := range ones {
			if b := twos[name]; a != nil && b != nil && a.up != b.up && !m.apart(a.at[1], b.at[2]) {
				a.twin, b.twin = true, true
				a.out.raw = closerRaw(nil, a.from, b.from)
				b.out.raw = a.out.raw
				a.name, b.name = next+name, next+name
			}
		}
	}
}

// added maps the names of nodes that only their text names to them, nil for a text that stands twice.
func added(nodes []*node, into map[int]*node) map[int]*node {
	if into == nil {
		into = make(map[int]*node)
	}
	for _, n := range nodes {
		if !n.twin && n.at[0] < 0 {
			if _, twice := into[n.name]; twice {
				into[n.name] = nil
			} else {
				into[n.name] = n
			}
		}
		added(n.kids, into)
	}
	return into
}

func collect(nodes []*node, into map[int]*node) {
	for _, n := range nodes {
		if n.twin {
			into[n.name] = n
		}
		collect(n.kids, into)
	}
}

// atHome takes out of the nodes of a side those that go elsewhere.
func (f *forest) atHome(nodes []*node) []*node {
	if len(f.away) == 0 {
		return nodes
	}
	kept := nodes[:0]
	for _, n := range nodes {
		n.kids = f.atHome(n.kids)
		if f.away[n.name] != n {
			kept = append(kept, n)
		}
	}
	return kept
}

// stranded appends what is nowhere yet: two sections that each side moved into the other.
func (f *forest) stranded(out []piece) []piece {
	var left []int
	for name := range f.away {
		if !f.done[name] {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	for _, name := range left {
		out = f.put(out, []*node{f.away[name]})
	}
	return out
}
