package merge

import (
	"slices"

	"github.com/git-claw/git-claw/memory/doc"
)

// links says which entry of a side is which entry of the base.
type links struct {
	to    []int  // by entry of the base; -1: gone
	from  []int  // by entry of the side; -1: new
	moved []bool // by entry of the base: it stands elsewhere in the side
	hunks []doc.LineHunk
}

// minMoved is the length in bytes from which on equal text in another place is the same entry. A
// shorter one (`- done`) is more likely written anew; a heading is known by less.
const minMoved = 16

const (
	// maxPairs bounds the table in which the edits of a hunk are looked for.
	maxPairs = 1 << 14
	// alike is the likeness from which on two texts are one entry, edited (SPEC GN-15).
	alike = 500
)

// align relates the entries of both sides to those of the base, what is certain first: the same text in
// order; the same id, or the same text, in another place; an edit in the same place; what the other side
// tells; a heading in the place of another one.
func (m *merger) align() {
	for side := 1; side <= 2; side++ {
		l := m.sameText(m.texts[side])
		m.sides[side] = l
		l.findMoves(m.texts[0], m.texts[side], byID)
		l.findMoves(m.texts[0], m.texts[side], byText)
		l.open(func(olds, news []int) { m.pair(side, olds, news) })
		l.findMoves(m.texts[0], m.texts[side], byBareText)
	}
	m.replaced()
	m.findCarried()
	added := [3]map[int]int{nil, m.versions(1), m.versions(2)}
	for side := 1; side <= 2; side++ {
		m.sides[side].open(func(olds, news []int) {
			m.renamed(side, olds, slices.DeleteFunc(news, func(j int) bool {
				_, both := added[3-side][m.texts[side].entries[j].key] // a section that is new on both sides
				return both
			}))
		})
	}
	m.findCarried()
	m.unlinkAdded()
}

// sameText links what has the same text in order, and between that what has the same id.
func (m *merger) sameText(side *text) *links {
	base := m.texts[0]
	l := &links{
		to: absent(len(base.entries)), from: absent(len(side.entries)), moved: make([]bool, len(base.entries)),
		hunks: doc.DiffSequence(keysOf(base), keysOf(side)),
	}
	i, j := 0, 0
	for _, h := range l.hunks {
		for ; i < h.OldFrom; i, j = i+1, j+1 {
			l.link(i, j)
		}
		m.sameIDs(l, side, h)
		i, j = h.OldTo, h.NewTo
	}
	for ; i < len(base.entries); i, j = i+1, j+1 {
		l.link(i, j)
	}
	return l
}

func (l *links) link(i, j int) { l.to[i], l.from[j] = j, i }

func keysOf(t *text) []int {
	keys := make([]int, len(t.entries))
	for i := range t.entries {
		keys[i] = t.entries[i].key
	}
	return keys
}

// sameIDs links in a hunk what has one id, as far as the order is kept.
func (m *merger) sameIDs(l *links, side *text, h doc.LineHunk) {
	base := m.texts[0]
	ids := make(map[string]int)
	for i := h.OldFrom; i < h.OldTo; i++ {
		if id := base.entries[i].id; id != "" {
			ids[id] = i
		}
	}
	from := h.OldFrom
	for j := h.NewFrom; j < h.NewTo && len(ids) > 0; j++ {
		if i, ok := ids[side.entries[j].id]; ok && i >= from {
			l.link(i, j)
			from = i + 1
		}
	}
}

// open calls pair with what is not linked yet in each hunk. What is linked, and is where it was, cuts the
// hunk.
func (l *links) open(pair func(olds, news []int)) {
	for _, h := range l.hunks {
		var olds, news []int
		j := h.NewFrom
		flush := func(to int) {
			for ; j < to; j++ {
				if l.from[j] < 0 {
					news = append(news, j)
				}
			}
			if len(olds) > 0 && len(news) > 0 {
				pair(olds, news)
			}
			olds, news = nil, nil
		}
		for i := h.OldFrom; i < h.OldTo; i++ {
			switch {
			case l.to[i] < 0:
				olds = append(olds, i)
			case !l.moved[i]:
				flush(l.to[i])
			}
		}
		flush(h.NewTo)
	}
}

// pair links entries, in order, so that their likenesses add up to the most.
func (m *merger) pair(side int, olds, news []int) {
	rows, cols := len(olds), len(news)
	if rows*cols > maxPairs {
		// Too large for a table: what is edited is looked for in parts of equal share.
		if rows > 1 && cols > 1 {
			m.pair(side, olds[:rows/2], news[:cols/2])
			m.pair(side, olds[rows/2:], news[cols/2:])
		}
		return
	}
	base, other := m.texts[0], m.texts[side]
	best := make([]int32, (rows+1)*(cols+1))
	own := make([]int32, rows*cols)
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			here := i*(cols+1) + j
			best[here] = max(best[here+1], best[here+cols+1])
			if s := int32(m.likenessIn(side, &base.entries[olds[i]], &other.entries[news[j]])); s > 0 {
				own[i*cols+j] = s
				best[here] = max(best[here], s+best[here+cols+2])
			}
		}
	}
	for i, j := 0, 0; i < rows && j < cols; {
		here := i*(cols+1) + j
		switch s := own[i*cols+j]; {
		case s > 0 && best[here] == s+best[here+cols+2]:
			m.sides[side].link(olds[i], news[j])
			i, j = i+1, j+1
		case best[here] == best[here+cols+1]:
			i++
		default:
			j++
		}
	}
}

// renamed links, where one heading of one level went and one came, the two: that is a section with
// another name, however little the names have in common. What was in it still is. Where the other side
// deleted the heading there is nothing to follow.
func (m *merger) renamed(side int, olds, news []int) {
	base, other := m.texts[0], m.texts[side]
	i, j := theHeading(base, olds), theHeading(other, news)
	if i >= 0 && j >= 0 && base.entries[i].rank == other.entries[j].rank && m.sides[3-side].to[i] >= 0 {
		m.sides[side].link(i, j)
	}
}

// theHeading returns the only heading among some entries, else -1.
func theHeading(t *text, some []int) int {
	at := -1
	for _, i := range some {
		if t.entries[i].kind == doc.Heading {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// likeness returns how alike an entry of the base and one of a side are when they can be one entry, in
// thousandths, else 0.
func (m *merger) likeness(a, b *entry) int {
	switch {
	case a.kind == doc.Frontmatter && b.kind == doc.Frontmatter:
		return 1000
	case a.kind != b.kind || a.id != "" && b.id != "" && a.id != b.id:
		return 0
	}
	best := 0
	if head := m.tableHead(a); head >= 0 && head == m.tableHead(b) {
		best = alike // one table, however many rows came and went
	}
	for _, x := range a.body.keys {
		for _, y := range b.body.keys {
			if x == y {
				return 1000
			}
			best = max(best, doc.Likeness(m.words(x), m.words(y)))
		}
	}
	if best < alike {
		return 0
	}
	return best
}

// likenessIn is likeness of an entry of a side, which may be known by its label as well.
func (m *merger) likenessIn(side int, a, b *entry) int {
	n := m.likeness(a, b)
	if n == 0 && m.sameLabel(a, b, side) {
		return alike
	}
	return n
}

// words returns the word set of a text of the pool.
func (m *merger) words(key int) []uint64 {
	set, ok := m.sets[key]
	if !ok {
		set = doc.WordSet(m.pool.texts[key])
		m.sets[key] = set
	}
	return set
}

// findMoves links entries that vanished in one place and appeared in another, where that is certain:
// they have one name, and stand once among what vanished and once among what appeared.
func (l *links) findMoves(base, side *text, name func(*text, *entry) (entryName, bool)) {
	gone := once(l.to, base, name)
	if len(gone) == 0 {
		return
	}
	found := once(l.from, side, name)
	for n, i := range gone {
		if j, ok := found[n]; ok && i >= 0 && j >= 0 {
			l.link(i, j)
			l.moved[i] = true
		}
	}
}

// byID names an entry by its id, byText by its text, where that is long enough, and byBareText by what is
// left of it without its indent.
func byID(_ *text, e *entry) (entryName, bool) { return entryName{id: e.id}, e.id != "" }

func byText(_ *text, e *entry) (entryName, bool) {
	return entryName{key: e.key}, e.kind != doc.Frontmatter && (len(e.raw) >= minMoved || e.kind == doc.Heading)
}

func byBareText(_ *text, e *entry) (entryName, bool) {
	return entryName{key: e.bare}, e.kind == doc.Item && len(e.raw) >= minMoved
}

// unlinkAdded parts entries that look like an edit in one side, while the other one has the same text as
// an addition: it was added there, and what it was taken for is gone.
func (m *merger) unlinkAdded() {
	for side := 1; side <= 2; side++ {
		l := m.sides[side]
		var added map[int]int
		for i, j := range l.to {
			if j < 0 || m.texts[side].entries[j].key == m.texts[0].entries[i].key || m.texts[side].entries[j].id != "" {
				continue
			}
			if added == nil {
				added = m.versions(3 - side)
			}
			if _, ok := added[m.texts[side].entries[j].key]; ok {
				l.to[i], l.from[j], l.moved[i] = -1, -1, false
			}
		}
	}
}

// findCarried links entries that vanished from one side, and stand there elsewhere in a version that the
// other side made of them, or as a contradiction: what was moved and edited, and merged before.
func (m *merger) findCarried() {
	for side := 1; side <= 2; side++ {
		l := m.sides[side]
		var news map[int]int
		for i, j := range l.to {
			if j >= 0 {
				continue
			}
			if news == nil {
				news = m.versions(side)
			}
			for _, k := range m.carriedAs(3-side, i) {
				if j, ok := news[k]; ok && j >= 0 && l.from[j] < 0 {
					l.link(i, j)
					l.moved[i] = true
					break
				}
			}
		}
	}
}

// carriedAs lists the texts by which an entry of the base is known in the other version of a merge.
func (m *merger) carriedAs(side, i int) []int {
	o := &m.texts[0].entries[i]
	var keys []int
	for _, k := range o.body.keys {
		keys = append(keys, -1-k) // as one version of a contradiction only
	}
	if e := m.side(side, i); e != nil && e.key != o.key && len(e.raw) >= minMoved {
		for _, k := range e.body.keys {
			keys = append(keys, k, -1-k)
		}
	}
	return keys
}

// versions returns the places of texts that stand once among what is new in a side. Those of
// contradictions are there once more, as -1 minus the text.
func (m *merger) versions(side int) map[int]int {
	at := make(map[int]int)
	put := func(k, j int) {
		if _, twice := at[k]; twice {
			j = -1
		}
		at[k] = j
	}
	for j, from := range m.sides[side].from {
		if from >= 0 {
			continue
		}
		body := m.texts[side].entries[j].body
		for _, k := range body.keys {
			put(k, j)
			if !body.plain() {
				put(-1-k, j)
			}
		}
	}
	return at
}

// entryName is what an entry is known by in another place.
type entryName struct {
	id      string
	key     int
	section int // the heading it stands under, where that matters; see sectionOf
}

// once returns for the name of every unlinked entry that has one its index, or -1 where several have it.
func once(linked []int, t *text, name func(*text, *entry) (entryName, bool)) map[entryName]int {
	at := make(map[entryName]int)
	for i, other := range linked {
		if other >= 0 {
			continue
		}
		n, ok := name(t, &t.entries[i])
		if !ok {
			continue
		}
		if _, twice := at[n]; twice {
			i = -1
		}
		at[n] = i
	}
	return at
}

// absent returns n times -1.
func absent(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = -1
	}
	return s
}
