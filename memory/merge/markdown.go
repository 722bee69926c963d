package merge

import (
	"bytes"
	"slices"

	"github.com/git-claw/git-claw/memory/doc"
)

// merger merges the entries of three versions. Index 0 is the base, 1 and 2 are the sides in order.
type merger struct {
	in    Input
	pool  *pool
	sets  map[int][]uint64 // word sets by key
	texts [3]*text
	sides [3]*links // base to each side; sides[0] is nil
	known []content // what becomes of each entry of the base
	twins []content // and of each that both sides added
	twin  [3][]int  // by entry of a side: its number in twins, -1 for none
	// newKeys maps the texts that a side added to where they stand; see versions.
	newKeys [3]map[int]int
	labels  [3]map[labelled]int // how often each stands in its place
	res     Result
}

// content is what becomes of an entry; nothing when state has no keys.
type content struct {
	state
	raw []byte
}

func (c content) kept() bool { return len(c.keys) > 0 }

func newMerger(in Input) *merger {
	m := &merger{in: in, pool: newPool(), sets: make(map[int][]uint64)}
	for i, src := range [3][]byte{in.Base, in.Ours, in.Theirs} {
		m.texts[i] = m.parse(src)
	}
	return m
}

// mergeMarkdown unites by entry.
func mergeMarkdown(in Input) Result {
	m := newMerger(in)
	if in.Kind == Lessons {
		m.parted()
	}
	m.align()
	m.findTwins()
	m.known = make([]content, len(m.texts[0].entries))
	for i := range m.known {
		m.known[i] = m.become(i)
	}
	m.revive()
	m.res.Content = m.join(m.arrange())
	return m.res
}

// side returns the entry of a side that entry i of the base became, nil when it is gone.
func (m *merger) side(side, i int) *entry {
	if j := m.sides[side].to[i]; j >= 0 {
		return &m.texts[side].entries[j]
	}
	return nil
}

// become decides what becomes of entry i of the base.
func (m *merger) become(i int) content {
	o := &m.texts[0].entries[i]
	return m.unite(o, m.side(1, i), m.side(2, i))
}

// unite merges one entry. Each of the three is nil where that version does not have it.
func (m *merger) unite(o, a, b *entry) content {
	switch {
	case a == nil && b == nil:
		return content{}
	case a != nil && b != nil && a.key == b.key:
		return content{a.body, closerRaw(o, a, b)}
	case o != nil && same(a, o):
		a, b = b, a
		fallthrough
	case o != nil && same(b, o):
		if a == nil {
			return content{} // deleted here, and there as it was
		}
		return content{a.body, a.raw}
	}
	if a != nil && b != nil && a.body.plain() && b.body.plain() && (o == nil || o.body.plain()) {
		if raw, ok := m.resolve(o, a, b); ok {
			return content{state{keys: []int{m.pool.key(raw)}}, raw}
		}
	}
	s := m.uniteStates(stateOf(o), stateOf(a), stateOf(b))
	if s.gone && m.followed(o, a, b) {
		return content{}
	}
	if !s.plain() {
		return content{s, nil}
	}
	return content{s, m.pool.raws[s.keys[0]]}
}

func same(a, o *entry) bool { return a != nil && a.key == o.key }

func stateOf(e *entry) state {
	if e == nil {
		return state{gone: true}
	}
	return e.body
}

// closerRaw picks one of two texts that differ in nothing but white space at the ends of lines: the one
// that a side changed, else the smaller.
func closerRaw(o, a, b *entry) []byte {
	if o != nil {
		switch {
		case bytes.Equal(a.raw, o.raw):
			return b.raw
		case bytes.Equal(b.raw, o.raw):
			return a.raw
		}
	}
	if bytes.Compare(b.raw, a.raw) < 0 {
		return b.raw
	}
	return a.raw
}

// uniteStates merges two sets of versions against a third one: what a side added stays, what a side
// took out goes. A version of which a deletion is disputed is another one than the same text undisputed:
// else the deletion would win as soon as the two are merged again.
func (m *merger) uniteStates(o, a, b state) state {
	out := state{gone: pick3([3]bool{o.gone, a.gone, b.gone})}
	for _, k := range slices.Concat(a.keys, b.keys) {
		x, y, z := o.has(k), a.has(k), b.has(k)
		stays := max(y, z)
		switch {
		case y == x:
			stays = z
		case z == x:
			stays = y
		}
		if stays > 0 {
			out.keys = append(out.keys, k)
		}
	}
	if len(out.keys) > 1 {
		// The text as it was, of which one side disputes a deletion, while the other edited it.
		out.keys = slices.DeleteFunc(out.keys, func(k int) bool {
			return o.has(k) == 1 && min(a.has(k), b.has(k)) == 0 && max(a.has(k), b.has(k)) == 2
		})
	}
	m.order(&out)
	if len(out.keys) == 0 {
		out.gone = false
	}
	return out
}

// has returns 0 for a version that is not there, 1 for one that is, 2 for one that one side deleted.
func (s state) has(k int) int {
	switch {
	case !slices.Contains(s.keys, k):
		return 0
	case s.gone:
		return 2
	}
	return 1
}

// followed hands the edit of a deleted entry to its place in an archive.
func (m *merger) followed(o, a, b *entry) bool {
	if o == nil || m.in.Archived == nil || a != nil && b != nil || !m.in.Archived(o.raw) {
		return false
	}
	e := a
	if e == nil {
		e = b
	}
	m.res.Moved = append(m.res.Moved, Edit{Old: o.raw, New: m.render(content{e.body, e.raw})})
	return true
}

// revive keeps the heading or the item that one side deleted with all it held, while the other put
// something new there: a deletion that an edit contradicts. Else the addition would end up in a section
// that it has nothing to do with.
func (m *merger) revive() {
	for side := 1; side <= 2; side++ {
		t, l := m.texts[side], m.sides[side]
		for j := range t.entries {
			i := l.from[j]
			if i < 0 && m.twin[side][j] >= 0 || i >= 0 && (!m.known[i].kept() || m.sides[3-side].to[i] >= 0 && !l.moved[i]) {
				continue
			}
			for up := t.entries[j].up; up >= 0; up = t.entries[up].up {
				if i := l.from[up]; i >= 0 && !m.known[i].kept() && m.emptied(3-side, i) {
					m.known[i] = content{state{t.entries[up].body.keys, true}, nil}
				}
			}
		}
	}
}

// emptied reports whether a side has nothing left, where it was, of what stood under entry i of the base
// and the other side still has.
func (m *merger) emptied(side, i int) bool {
	entries, l := m.texts[0].entries, m.sides[side]
	for k := i + 1; k < len(entries) && entries[k].rank > entries[i].rank; k++ {
		if l.to[k] >= 0 && !l.moved[k] && m.sides[3-side].to[k] >= 0 {
			return false
		}
	}
	return true
}

// findTwins relates entries that both sides added: the same lesson or preference by its id, or one text
// wherever it stands, unless each side put it into something that only that side has. One of each stays.
func (m *merger) findTwins() {
	m.twin[1], m.twin[2] = absent(len(m.texts[1].entries)), absent(len(m.texts[2].entries))
	found := once(m.sides[2].from, m.texts[2], m.twinName(2))
	if len(found) == 0 {
		return
	}
	ones := once(m.sides[1].from, m.texts[1], m.twinName(1))
	for i := range m.texts[1].entries {
		e := &m.texts[1].entries[i]
		name, ok := m.twinName(1)(m.texts[1], e)
		if !ok || m.sides[1].from[i] >= 0 || ones[name] != i {
			continue
		}
		j, ok := found[name]
		if !ok || j < 0 || name.id == "" && m.apart(i, j) {
			continue
		}
		m.twin[1][i], m.twin[2][j] = len(m.twins), len(m.twins)
		m.twins = append(m.twins, m.unite(nil, e, &m.texts[2].entries[j]))
	}
}

// apart reports whether an entry of each side stands in a section or below an item that only this side
// has: then two equal ones are two, such as the lines that all records have.
func (m *merger) apart(i, j int) bool { return m.secluded(1, i) && m.secluded(2, j) }

func (m *merger) secluded(side, j int) bool {
	if m.newKeys[1] == nil {
		for s := 1; s <= 2; s++ {
			m.newKeys[s] = m.versions(s)
		}
	}
	t, l := m.texts[side], m.sides[side]
	for up := t.entries[j].up; up >= 0 && l.from[up] < 0; up = t.entries[up].up {
		if _, both := m.newKeys[3-side][t.entries[up].key]; !both {
			return true
		}
	}
	return false
}

// twinName returns what an added entry of a side is known by on the other one.
func (m *merger) twinName(side int) func(*text, *entry) (entryName, bool) {
	return func(t *text, e *entry) (entryName, bool) {
		switch {
		case e.kind == doc.Frontmatter:
			return entryName{id: "---"}, true
		case e.id != "":
			return entryName{id: e.id}, true
		case e.kind == doc.Heading: // one section, as long as it is a part of the same one
		case len(e.raw) < minMoved:
			return entryName{}, false
		case len(e.raw) >= minTwin:
			return entryName{key: e.key}, true
		}
		return entryName{key: e.key, section: m.sectionOf(side, e)}, true
	}
}

// minTwin is the length in bytes from which on a text is the same entry under whatever heading each side
// put it. What is shorter (`- [ ] write the tests`) may well be meant for two sections.
const minTwin = 32

// sectionOf tells under which heading an entry of a side stands: the same number for the same heading of
// the base, or else for the same text; -1 for none.
func (m *merger) sectionOf(side int, e *entry) int {
	t := m.texts[side]
	for up := e.up; up >= 0; up = t.entries[up].up {
		if t.entries[up].kind != doc.Heading {
			continue
		}
		if i := m.sides[side].from[up]; i >= 0 {
			return -2 - i
		}
		return t.entries[up].key
	}
	return -1
}
