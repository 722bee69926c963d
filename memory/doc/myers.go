package doc

import "math"

// interner gives equal byte strings the same small number.
type interner map[string]int

func (t interner) id(b []byte) int {
	id, ok := t[string(b)]
	if !ok {
		id = len(t)
		t[string(b)] = id
	}
	return id
}

// hunk says that tokens [a0, a1) of the one sequence stand where [b0, b1) of the other do.
type hunk struct{ a0, a1, b0, b1 int }

// diffTokens returns the hunks between two sequences of interned tokens (small numbers from 0), in
// order; what lies between two hunks is equal. Pure insertions and deletions are moved down as far as
// equal tokens allow, so that the same change gives the same hunk in every text.
//
// The search is Myers' O(ND) in linear space. Tokens that the other side does not have are put aside
// first, and a search that costs too much settles for a good split instead of the best one, so that
// the time stays near linear for every input.
func diffTokens(a, b []int) []hunk {
	m := &myers{changedA: make([]bool, len(a)), changedB: make([]bool, len(b))}
	lo, hiA, hiB := 0, len(a), len(b)
	for lo < hiA && lo < hiB && a[lo] == b[lo] {
		lo++
	}
	for hiA > lo && hiB > lo && a[hiA-1] == b[hiB-1] {
		hiA, hiB = hiA-1, hiB-1
	}
	m.a, m.posA = shared(a, b[lo:hiB], lo, hiA, m.changedA)
	m.b, m.posB = shared(b, a[lo:hiA], lo, hiB, m.changedB)
	n := len(m.a) + len(m.b)
	m.maxCost = max(256, int(math.Sqrt(float64(n))))
	m.forward, m.backward = make([]int, n+3), make([]int, n+3)
	m.compare(0, len(m.a), 0, len(m.b))
	return slide(a, b, m.hunks())
}

// shared returns the tokens of seq[lo:hi] that other has too, with their positions; the others are
// marked as changed.
func shared(seq, other []int, lo, hi int, changed []bool) (tokens, pos []int) {
	has := make(map[int]struct{}, len(other))
	for _, t := range other {
		has[t] = struct{}{}
	}
	for i := lo; i < hi; i++ {
		if _, ok := has[seq[i]]; !ok {
			changed[i] = true
			continue
		}
		tokens, pos = append(tokens, seq[i]), append(pos, i)
	}
	return tokens, pos
}

type myers struct {
	a, b               []int // tokens that both sides have
	posA, posB         []int // and where they stand in the whole sequences
	changedA, changedB []bool
	forward, backward  []int // furthest point of each diagonal
	maxCost            int
}

func (m *myers) compare(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
			a1, b1 = a1-1, b1-1
		}
		if a0 == a1 || b0 == b1 {
			break
		}
		x, y := m.split(a0, a1, b0, b1)
		if (x == a0 && y == b0) || (x == a1 && y == b1) {
			break // no progress: everything here changed
		}
		m.compare(a0, x, b0, y)
		a0, b0 = x, y
	}
	for ; a0 < a1; a0++ {
		m.changedA[m.posA[a0]] = true
	}
	for ; b0 < b1; b0++ {
		m.changedB[m.posB[b0]] = true
	}
}

// split returns a point on a short path from (a0, b0) to (a1, b1): where the searches from both ends
// meet, or when that takes more than maxCost steps the furthest point of the forward search.
func (m *myers) split(a0, a1, b0, b1 int) (int, int) {
	lo, hi := a0-b1, a1-b0 // all diagonals x-y
	at := func(k int) int { return k - lo + 1 }
	fmid, bmid := a0-b0, a1-b1
	odd := (fmid-bmid)&1 != 0
	f, b := m.forward, m.backward
	f[at(fmid)], b[at(bmid)] = a0, a1
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	for cost := 1; ; cost++ {
		fmin, fmax = widen(fmin, fmax, lo, hi, func(k int) { f[at(k)] = -1 })
		for k := fmax; k >= fmin; k -= 2 {
			x := max(f[at(k-1)]+1, f[at(k+1)])
			for x < a1 && x-k < b1 && m.a[x] == m.b[x-k] {
				x++
			}
			f[at(k)] = x
			if odd && bmin <= k && k <= bmax && b[at(k)] <= x {
				return clamp(x, x-k, a0, a1, b0, b1)
			}
		}
		bmin, bmax = widen(bmin, bmax, lo, hi, func(k int) { b[at(k)] = math.MaxInt })
		for k := bmax; k >= bmin; k -= 2 {
			x := min(b[at(k-1)], b[at(k+1)]-1)
			for x > a0 && x-k > b0 && m.a[x-1] == m.b[x-k-1] {
				x--
			}
			b[at(k)] = x
			if !odd && fmin <= k && k <= fmax && x <= f[at(k)] {
				return clamp(x, x-k, a0, a1, b0, b1)
			}
		}
		if cost >= m.maxCost {
			bestX, bestY := a0, b0
			for k := fmax; k >= fmin; k -= 2 {
				if x, y := clamp(f[at(k)], f[at(k)]-k, a0, a1, b0, b1); x+y > bestX+bestY {
					bestX, bestY = x, y
				}
			}
			return bestX, bestY
		}
	}
}

// widen grows a range of diagonals by one on each side, inside [lo, hi]; at a border it shrinks
// instead, because every second diagonal is looked at. edge is called for each diagonal just outside.
func widen(kmin, kmax, lo, hi int, edge func(int)) (int, int) {
	if kmin > lo {
		kmin--
		edge(kmin - 1)
	} else {
		kmin++
	}
	if kmax < hi {
		kmax++
		edge(kmax + 1)
	} else {
		kmax--
	}
	return kmin, kmax
}

func clamp(x, y, a0, a1, b0, b1 int) (int, int) {
	return min(max(x, a0), a1), min(max(y, b0), b1)
}

func (m *myers) hunks() []hunk {
	var out []hunk
	for i, j := 0, 0; i < len(m.changedA) || j < len(m.changedB); {
		h := hunk{a0: i, b0: j}
		for i < len(m.changedA) && m.changedA[i] {
			i++
		}
		for j < len(m.changedB) && m.changedB[j] {
			j++
		}
		h.a1, h.b1 = i, j
		if h.a0 < h.a1 || h.b0 < h.b1 {
			out = append(out, h)
		}
		i, j = i+1, j+1
	}
	return out
}

// slide moves every pure insertion and deletion down as far as it goes and joins hunks that meet.
func slide(a, b []int, hunks []hunk) []hunk {
	out := hunks[:0]
	for i, h := range hunks {
		endA, endB := len(a), len(b)
		if i+1 < len(hunks) {
			endA, endB = hunks[i+1].a0, hunks[i+1].b0
		}
		for h.a1 < endA && h.b1 < endB {
			if down := (h.a0 == h.a1 && b[h.b0] == b[h.b1]) || (h.b0 == h.b1 && a[h.a0] == a[h.a1]); !down {
				break
			}
			h.a0, h.a1, h.b0, h.b1 = h.a0+1, h.a1+1, h.b0+1, h.b1+1
		}
		if n := len(out); n > 0 && out[n-1].a1 == h.a0 && out[n-1].b1 == h.b0 {
			out[n-1].a1, out[n-1].b1 = h.a1, h.b1
			continue
		}
		out = append(out, h)
	}
	return out
}
