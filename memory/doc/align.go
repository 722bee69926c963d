package doc

import "bytes"

// alignment says which entry of b is which entry of a: the same text in order, an edit of it in the
// same place, or the same text in another place.
type alignment struct {
	to, from         []int  // a to b and b to a; -1: gone, or new
	moved            []bool // by entry of a: it stands elsewhere in b
	hunkOfA, hunkOfB []int  // number of the hunk an entry lies in, -1 outside
}

// minMoved is the length in bytes from which on equal text in another place is the same entry. A
// shorter one (`- done`) is more likely written anew.
const minMoved = 16

// keys interns the text of every entry; line ends do not count.
func (d *Doc) keys(ids interner) []int {
	keys := make([]int, len(d.Entries))
	for i := range d.Entries {
		text := d.Entries[i].Text()
		if bytes.IndexByte(text, '\r') >= 0 {
			text = toLF(text)
		}
		keys[i] = ids.id(text)
	}
	return keys
}

// align relates the entries of two texts whose keys come from one interner.
func align(a, b *Doc, keysA, keysB []int) *alignment {
	al := &alignment{
		to: absent(len(keysA)), from: absent(len(keysB)), moved: make([]bool, len(keysA)),
		hunkOfA: absent(len(keysA)), hunkOfB: absent(len(keysB)),
	}
	pair := pairing{a: newFeatures(a), b: newFeatures(b), link: al.link}
	n := 0
	walk(diffTokens(keysA, keysB), len(keysA), al.link, func(h hunk) {
		for i := h.a0; i < h.a1; i++ {
			al.hunkOfA[i] = n
		}
		for j := h.b0; j < h.b1; j++ {
			al.hunkOfB[j] = n
		}
		n++
		pair.edits(h)
	})
	al.findMoves(a, keysA, keysB)
	return al
}

func (al *alignment) link(i, j int) { al.to[i], al.from[j] = j, i }

// walk calls equal for every pair of tokens between the hunks and differ for every hunk, in order.
func walk(hunks []hunk, lenA int, equal func(i, j int), differ func(hunk)) {
	i, j := 0, 0
	for _, h := range hunks {
		for ; i < h.a0; i, j = i+1, j+1 {
			equal(i, j)
		}
		differ(h)
		i, j = h.a1, h.b1
	}
	for ; i < lenA; i, j = i+1, j+1 {
		equal(i, j)
	}
}

// findMoves links entries that vanished in one place and appeared in another, where that is certain:
// the text is long enough and stands once among what vanished and once among what appeared.
func (al *alignment) findMoves(a *Doc, keysA, keysB []int) {
	gone := once(al.to, keysA, func(i int) bool { return len(a.Entries[i].Text()) >= minMoved })
	if len(gone) == 0 {
		return
	}
	found := once(al.from, keysB, func(int) bool { return true })
	for key, i := range gone {
		if j, ok := found[key]; ok && i >= 0 && j >= 0 {
			al.link(i, j)
			al.moved[i] = true
		}
	}
}

// once returns for the key of every unlinked entry that want accepts its index, or -1 where several
// have that key.
func once(links, keys []int, want func(int) bool) map[int]int {
	at := make(map[int]int)
	for i, l := range links {
		if l >= 0 || !want(i) {
			continue
		}
		if _, ok := at[keys[i]]; ok {
			at[keys[i]] = -1
		} else {
			at[keys[i]] = i
		}
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
