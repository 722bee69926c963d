package merge

import (
	"sort"

	"github.com/git-claw/git-claw/memory/doc"
)

// node is an entry of a gap with what stands under it there.
type node struct {
	at   [3]int // where it stands in the three versions, -1 for nowhere
	from *entry // the entry it was made of
	out  content
	kids []*node
	// name is the same for what is one entry in both sides: the base's entry, a twin, or the text.
	name int
	// twin is true when that holds wherever the two stand, and not only beside each other.
	twin bool
	gap  int
	up   int // name of the node it stands under, -1 for none
}

// arrange puts everything that stays in order.
func (m *merger) arrange() []piece {
	var gaps [3][][]*node
	spine := m.spine()
	for side := 1; side <= 2; side++ {
		gaps[side] = m.gaps(side, spine)
	}
	f := &forest{m: m, away: m.settle(gaps), done: make(map[int]bool)}
	for side := 1; side <= 2; side++ {
		for g := range gaps[side] {
			gaps[side][g] = f.atHome(gaps[side][g])
		}
	}
	out := m.front()
	gap := 0
	for i := range m.known {
		if !spine[i] {
			continue
		}
		if len(gaps[1][gap])+len(gaps[2][gap]) > 0 {
			out = f.put(out, f.siblings(gaps[1][gap], gaps[2][gap], &border{m.texts[0], i}))
		}
		gap++
		if m.known[i].kept() && m.texts[0].entries[i].kind != doc.Frontmatter {
			out = append(out, m.piece([3]int{i, m.sides[1].to[i], m.sides[2].to[i]}, m.known[i]))
		}
	}
	if len(gaps[1][gap])+len(gaps[2][gap]) > 0 {
		out = f.put(out, f.siblings(gaps[1][gap], gaps[2][gap], &border{m.texts[0], len(m.known)}))
	}
	return f.stranded(out)
}

// spine tells which entries of the base both sides have, neither of them elsewhere.
func (m *merger) spine() []bool {
	spine := make([]bool, len(m.known))
	for i := range spine {
		spine[i] = m.sides[1].to[i] >= 0 && m.sides[2].to[i] >= 0 && !m.sides[1].moved[i] && !m.sides[2].moved[i]
	}
	return spine
}

// gaps returns for each gap (gap g lies before entry g of the spine) the forest of what a side has
// there: what it added or moved there, and what the other one deleted or moved away and still stays.
func (m *merger) gaps(side int, spine []bool) [][]*node {
	n := 1
	for _, s := range spine {
		if s {
			n++
		}
	}
	t, l := m.texts[side], m.sides[side]
	gaps := make([][]*node, n)
	var open []*node
	gap := 0
	for j := range t.entries {
		i := l.from[j]
		if i >= 0 && spine[i] {
			gap, open = gap+1, open[:0]
			continue
		}
		nd := m.node(side, j)
		if nd == nil {
			continue
		}
		for len(open) > 0 && open[len(open)-1].from.rank >= nd.from.rank {
			open = open[:len(open)-1]
		}
		nd.gap, nd.up = gap, -1
		if k := len(open); k > 0 {
			nd.up = open[k-1].name
			open[k-1].kids = append(open[k-1].kids, nd)
		} else {
			gaps[gap] = append(gaps[gap], nd)
		}
		open = append(open, nd)
	}
	return gaps
}

// node makes the node of an entry of a side that is not on the spine; nil when nothing stays of it. The
// frontmatter stands apart.
func (m *merger) node(side, j int) *node {
	e := &m.texts[side].entries[j]
	if e.kind == doc.Frontmatter {
		return nil
	}
	nd := &node{at: [3]int{-1, -1, -1}, from: e}
	nd.at[side] = j
	bases := len(m.known)
	i, twin := m.sides[side].from[j], m.twin[side][j]
	switch {
	case i >= 0:
		nd.at[0], nd.name, nd.out = i, i, m.known[i]
		nd.twin = m.sides[3-side].to[i] >= 0
	case twin >= 0:
		nd.name, nd.out, nd.twin = bases+twin, m.twins[twin], true
	default:
		nd.name, nd.out = bases+len(m.twins)+e.key, content{e.body, e.raw}
	}
	if !nd.out.kept() {
		return nil
	}
	return nd
}

// forest merges what the sides have in the gaps.
type forest struct {
	m    *merger
	away map[int]*node // the nodes that are merged into one of the other side, elsewhere
	done map[int]bool
}

// siblings merges the nodes of one level. What both sides have keeps its order and is where the two
// meet; between two such nodes both orders are kept, and interleave by rank and then by the total order.
func (f *forest) siblings(a, b []*node, edge *border) []*node {
	if len(f.away) == 0 && (len(a) == 0 || len(b) == 0) {
		if len(a) == 0 {
			return b
		}
		return a
	}
	meet := match(a, b)
	inB := make([]bool, len(b)) // has a partner
	for _, j := range meet {
		if j >= 0 {
			inB[j] = true
		}
	}
	chain := increasing(meet)
	var out []*node
	i, j := 0, 0
	for _, c := range append(chain, len(a)) {
		endB := len(b)
		if c < len(a) {
			endB = meet[c]
		}
		var one, two []*node
		for ; i < c; i++ {
			one = append(one, f.whole(a, b, i, meet[i]))
		}
		for ; j < endB; j++ {
			if !inB[j] {
				two = append(two, f.single(2, b[j]))
			}
		}
		out = interleave(out, one, two, edge)
		if c < len(a) {
			out = append(out, f.whole(a, b, c, meet[c]))
			i, j = c+1, meet[c]+1
		}
	}
	return out
}

// whole is node i of a, together with its partner in b when there is one.
func (f *forest) whole(a, b []*node, i, j int) *node {
	if j < 0 {
		return f.single(1, a[i])
	}
	n := *a[i]
	n.at[2] = b[j].at[2]
	if !n.twin {
		n.out.raw = closerRaw(nil, a[i].from, b[j].from)
	}
	n.kids = f.siblings(a[i].kids, b[j].kids, nil)
	return &n
}

// single is a node that only one side has here. The other one may have it elsewhere, with more below it.
func (f *forest) single(side int, n *node) *node {
	if len(f.away) == 0 {
		return n
	}
	other := f.away[n.name]
	if other == nil || !n.twin {
		c := *n
		c.kids = f.alone(side, n.kids)
		return &c
	}
	c := *n
	c.at[3-side] = other.at[3-side]
	if side == 1 {
		c.kids = f.siblings(n.kids, other.kids, nil)
	} else {
		c.kids = f.siblings(other.kids, n.kids, nil)
	}
	return &c
}

func (f *forest) alone(side int, nodes []*node) []*node {
	out := make([]*node, len(nodes))
	for i, n := range nodes {
		out[i] = f.single(side, n)
	}
	return out
}

// match returns for each node of a its partner in b, -1 for none; of several equal ones the first goes
// with the first.
func match(a, b []*node) []int {
	meet := absent(len(a))
	if len(a) == 0 || len(b) == 0 {
		return meet
	}
	at := make(map[int][]int, len(b))
	for j, n := range b {
		at[n.name] = append(at[n.name], j)
	}
	for i, n := range a {
		if js := at[n.name]; len(js) > 0 {
			meet[i] = js[0]
			at[n.name] = js[1:]
		}
	}
	return meet
}

// increasing returns the indices of a longest run of increasing values, negative ones left out.
func increasing(values []int) []int {
	var tails []int // index of the smallest last value of a run of each length
	before := absent(len(values))
	for i, v := range values {
		if v < 0 {
			continue
		}
		n := sort.Search(len(tails), func(k int) bool { return values[tails[k]] >= v })
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	run := make([]int, len(tails))
	for k, i := len(tails)-1, tails[len(tails)-1]; k >= 0; k, i = k-1, before[i] {
		run[k] = i
	}
	return run
}

// put appends nodes and what stands under them, each entry once.
func (f *forest) put(out []piece, nodes []*node) []piece {
	for _, n := range nodes {
		if n.twin {
			if f.done[n.name] {
				out = f.put(out, n.kids)
				continue
			}
			f.done[n.name] = true
		}
		out = append(out, f.m.piece(n.at, n.out))
		out = f.put(out, n.kids)
	}
	return out
}
