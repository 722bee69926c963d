package doc

import "bytes"

// Conflict is an entry that both sides changed in different ways. Each of the three is nil where that
// text does not have the entry. Their Text has LF line ends where all three texts have uniform ones.
type Conflict struct {
	Base, Ours, Theirs *Entry
}

// Apply3 takes the change from base to theirs over into ours, by entry. Without conflicts the result
// holds every change of both sides: what one side added, edited, moved or deleted the other one need
// only have left alone. Neighbouring entries never conflict, and blank lines never do. What both sides
// added in one place stays, ours first, except that an entry both added stands there once; what goes
// on with a section comes before what starts a new one.
//
// Where there are conflicts the result keeps ours in their places and takes the rest over.
//
// Text that neither side touched keeps its bytes. A file with one kind of line end keeps it in what is
// taken over.
func Apply3(base, ours, theirs []byte) ([]byte, []Conflict) {
	switch {
	case bytes.Equal(ours, theirs) || bytes.Equal(base, theirs):
		return ours, nil
	case bytes.Equal(base, ours):
		return theirs, nil
	}
	styles := [3]lineStyle{style(base), style(ours), style(theirs)}
	for _, s := range styles {
		if s == styleMixed {
			return apply(base, ours, theirs)
		}
	}
	out, conflicts := apply(toLF(base), toLF(ours), toLF(theirs))
	if pick3(styles, func(s lineStyle) bool { return s == styleNone }) == styleCRLF {
		out = toCRLF(out)
	}
	return out, conflicts
}

// pick3 returns the value, of base, ours and theirs, that one side changed; ours when both did. none
// tells values that count only for want of a better one.
func pick3[T comparable](v [3]T, none func(T) bool) T {
	order := [3]int{1, 2, 0}
	if v[1] == v[0] {
		order = [3]int{2, 1, 0}
	}
	for _, i := range order {
		if !none(v[i]) {
			return v[i]
		}
	}
	return v[0]
}

// merger merges the entries of three texts. Index 0 is base, 1 ours, 2 theirs.
type merger struct {
	docs      [3]*Doc
	keys      [3][]int
	sides     [3]*alignment // base to ours and to theirs; sides[0] is nil
	skip      map[int]bool  // new entries of theirs that a conflict leaves out
	conflicts []Conflict
}

// piece is an entry of the result and where it stands in the three texts, -1 for nowhere.
type piece struct {
	at   [3]int
	text int // the text whose bytes it has: 0, 1 or 2
	key  int
	rank int
}

func apply(base, ours, theirs []byte) ([]byte, []Conflict) {
	m := &merger{skip: make(map[int]bool)}
	ids := make(interner)
	for i, src := range [3][]byte{base, ours, theirs} {
		m.docs[i] = Parse(src)
		m.keys[i] = m.docs[i].keys(ids)
	}
	for _, side := range []int{1, 2} {
		m.sides[side] = align(m.docs[0], m.docs[side], m.keys[0], m.keys[side])
	}
	m.rewrites()
	oursNew, theirsNew := m.gaps(1), m.gaps(2)
	var out []piece
	for gap := 0; ; gap++ {
		out = append(out, mergeGap(oursNew[gap], theirsNew[gap])...)
		if gap == len(m.keys[0]) {
			break
		}
		if !m.sides[1].moved[gap] && !m.sides[2].moved[gap] {
			if p, ok := m.known(gap); ok {
				out = append(out, p)
			}
		}
	}
	return m.join(out), m.conflicts
}

// rewrites finds the places where both sides put something else for the same entries of base. There
// each entry alone looks like a clean deletion and an addition, but keeping both texts would say
// things twice.
func (m *merger) rewrites() {
	oursNew, theirsNew := m.sides[1].newInHunks(), m.sides[2].newInHunks()
	seen := make(map[[2]int]bool)
	for i := range m.keys[0] {
		if m.sides[1].to[i] >= 0 || m.sides[2].to[i] >= 0 {
			continue
		}
		hunks := [2]int{m.sides[1].hunkOfA[i], m.sides[2].hunkOfA[i]}
		o, t := oursNew[hunks[0]], theirsNew[hunks[1]]
		if len(o) == 0 || len(t) == 0 || seen[hunks] {
			continue
		}
		seen[hunks] = true
		if m.sameKeys(o, t) {
			continue
		}
		m.conflicts = append(m.conflicts, Conflict{
			Base: &m.docs[0].Entries[i], Ours: &m.docs[1].Entries[o[0]], Theirs: &m.docs[2].Entries[t[0]],
		})
		for _, j := range t {
			m.skip[j] = true
		}
	}
}

// newInHunks lists the entries of b that are new in each hunk.
func (al *alignment) newInHunks() map[int][]int {
	in := make(map[int][]int)
	for j, from := range al.from {
		if from < 0 {
			in[al.hunkOfB[j]] = append(in[al.hunkOfB[j]], j)
		}
	}
	return in
}

func (m *merger) sameKeys(ours, theirs []int) bool {
	if len(ours) != len(theirs) {
		return false
	}
	for n := range ours {
		if m.keys[1][ours[n]] != m.keys[2][theirs[n]] {
			return false
		}
	}
	return true
}

// gaps lists for each gap of base (gap i lies before its entry i) what a side has there that is new
// or came from elsewhere.
func (m *merger) gaps(side int) [][]piece {
	al := m.sides[side]
	gaps := make([][]piece, len(m.keys[0])+1)
	gap := 0
	for j, from := range al.from {
		switch {
		case from >= 0 && !al.moved[from]:
			gap = from + 1
		case from < 0:
			if side == 2 && m.skip[j] {
				continue
			}
			at := [3]int{-1, -1, -1}
			at[side] = j
			gaps[gap] = append(gaps[gap], m.piece(at, side))
		case side == 2 && m.sides[1].moved[from]: // both moved it: where ours has it
		default:
			if p, ok := m.known(from); ok {
				p.key = -1 - from // never the same as an entry of the other side
				gaps[gap] = append(gaps[gap], p)
			}
		}
	}
	return gaps
}

func (m *merger) piece(at [3]int, text int) piece {
	e := &m.docs[text].Entries[at[text]]
	return piece{at: at, text: text, key: m.keys[text][at[text]], rank: rank(e)}
}

// known merges entry i of base; false where it is deleted.
func (m *merger) known(i int) (piece, bool) {
	o, t := m.sides[1].to[i], m.sides[2].to[i]
	at := [3]int{i, o, t}
	key := func(side, j int) int {
		if j < 0 {
			return -1
		}
		return m.keys[side][j]
	}
	keys := [3]int{m.keys[0][i], key(1, o), key(2, t)}
	text := 1
	switch {
	case keys[1] == keys[2]:
		if o < 0 {
			return piece{}, false
		}
		if bytes.Equal(m.docs[0].Entries[i].raw(), m.docs[1].Entries[o].raw()) {
			text = 2
		}
	case keys[1] == keys[0]:
		text = 2
	case keys[2] != keys[0]:
		c := Conflict{Base: &m.docs[0].Entries[i]}
		if o >= 0 {
			c.Ours = &m.docs[1].Entries[o]
		}
		if t >= 0 {
			c.Theirs = &m.docs[2].Entries[t]
		}
		m.conflicts = append(m.conflicts, c)
	}
	if at[text] < 0 {
		return piece{}, false
	}
	return m.piece(at, text), true
}

// raw returns the entry with its line ends.
func (e *Entry) raw() []byte { return e.doc.Src[e.Start:e.End] }
