package merge

import (
	"bytes"

	"github.com/git-claw/git-claw/memory/doc"
)

// resolve unites two versions of one entry where that needs nobody's choice: what machines write beside
// each other (dates, counters, stamps) by its own rules, and different lines of one entry. o is nil
// where both sides added the entry.
func (m *merger) resolve(o, a, b *entry) ([]byte, bool) {
	var base []byte
	if o != nil {
		base = o.raw
		switch { // one side only put it deeper or less deep
		case a.bare == b.bare:
			indent := closerLine(o.indent(), a.indent(), b.indent())
			return indented(a.raw, a.indent(), indent), true
		case a.bare == o.bare:
			return indented(b.raw, b.indent(), a.indent()), true
		case b.bare == o.bare:
			return indented(a.raw, a.indent(), b.indent()), true
		}
	}
	if a.kind == doc.Frontmatter {
		return m.mergeFront(base, a.raw, b.raw), true
	}
	if m.in.Kind == Lessons && a.id != "" && a.kind == doc.Item {
		if raw, ok := mergeLesson(base, a.raw, b.raw); ok {
			return raw, true
		}
	}
	if a.id != "" && a.id == b.id {
		if raw, ok := mergeMarked(base, a.raw, b.raw); ok {
			return raw, true
		}
	}
	if raw, ok := mergeFields(base, a.raw, b.raw, m.in.Kind == Lessons); ok {
		return raw, true
	}
	if o == nil || a.kind == doc.Heading {
		return nil, false
	}
	if raw, ok := mergeTable(o, a, b); ok {
		return raw, true
	}
	return mergeLines(base, a.raw, b.raw, a.kind != doc.Fence)
}

// mergeLines merges two versions of an entry of several lines as git would: changes in different places
// are both made. union also takes what both added in one place.
func mergeLines(base, one, two []byte, union bool) ([]byte, bool) {
	var lines [3][][]byte
	for i, raw := range [3][]byte{base, one, two} {
		lines[i] = bytes.Split(raw, newline)
	}
	if len(lines[0]) == 1 || len(lines[1]) == 1 || len(lines[2]) == 1 {
		return nil, false
	}
	p := newPool()
	var keys [3][]int
	for i, ls := range lines {
		for _, l := range ls {
			keys[i] = append(keys[i], p.lineKey(l))
		}
	}
	to := [3][]int{nil, aligned(keys[0], keys[1]), aligned(keys[0], keys[2])}
	var out [][]byte
	at := [3]int{}
	for i := 0; i <= len(lines[0]); i++ {
		next := [3]int{i, len(lines[1]), len(lines[2])}
		if i < len(lines[0]) {
			if to[1][i] < 0 || to[2][i] < 0 {
				continue
			}
			next = [3]int{i, to[1][i], to[2][i]}
		}
		var part [3][][]byte
		for s := range part {
			part[s] = lines[s][at[s]:next[s]]
		}
		merged, ok := mergePart(part, union)
		if !ok {
			return nil, false
		}
		out = append(out, merged...)
		if i < len(lines[0]) {
			out = append(out, closerLine(lines[0][i], lines[1][next[1]], lines[2][next[2]]))
			at = [3]int{i + 1, next[1] + 1, next[2] + 1}
		}
	}
	return bytes.Join(out, newline), true
}

// mergePart merges the lines between two that all versions share.
func mergePart(part [3][][]byte, union bool) ([][]byte, bool) {
	text := func(s int) string { return string(bytes.Join(part[s], newline)) }
	o, a, b := text(0), text(1), text(2)
	switch {
	case len(part[1]) == len(part[0]) && a == o:
		return part[2], true
	case len(part[2]) == len(part[0]) && b == o, len(part[1]) == len(part[2]) && a == b:
		return part[1], true
	case !union || len(part[0]) > 0:
		return nil, false
	}
	return uniteSorted(part[1], part[2]), true
}

// uniteSorted unites lines that both sides added in one place: each side keeps its order, and a line that
// both have stands once.
func uniteSorted(a, b [][]byte) [][]byte {
	nodes := func(lines [][]byte) []*node {
		p := make([]*node, len(lines))
		for i, l := range lines {
			p[i] = &node{from: &entry{raw: l}, at: [3]int{-1, -1, -1}}
		}
		return p
	}
	one, two := nodes(a), nodes(b)
	names := make(map[string]int)
	for _, n := range append(append([]*node(nil), one...), two...) {
		key := string(bytes.TrimRight(n.from.raw, " \t\r"))
		if _, ok := names[key]; !ok {
			names[key] = len(names)
		}
		n.name = names[key]
	}
	f := &forest{}
	var out [][]byte
	for _, n := range f.siblings(one, two, nil) {
		out = append(out, n.from.raw)
	}
	return out
}

// aligned returns for each token of a where it stands in b, -1 for nowhere.
func aligned(a, b []int) []int {
	to := absent(len(a))
	i, j := 0, 0
	for _, h := range doc.DiffSequence(a, b) {
		for ; i < h.OldFrom; i, j = i+1, j+1 {
			to[i] = j
		}
		i, j = h.OldTo, h.NewTo
	}
	for ; i < len(a); i, j = i+1, j+1 {
		to[i] = j
	}
	return to
}

// closerLine is closerRaw for lines.
func closerLine(o, a, b []byte) []byte {
	switch {
	case bytes.Equal(a, o):
		return b
	case bytes.Equal(b, o), bytes.Compare(a, b) < 0:
		return a
	}
	return b
}

// lineKey is key for a single line.
func (p *pool) lineKey(line []byte) int {
	norm := bytes.TrimRight(line, " \t\r")
	id, ok := p.ids[string(norm)]
	if !ok {
		id = len(p.ids)
		p.ids[string(norm)] = id
	}
	return id
}
