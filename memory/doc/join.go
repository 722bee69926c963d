package doc

import "bytes"

// join writes the pieces with what stands between them. Two entries that follow each other in ours or
// theirs keep their blank lines from there.
func (m *merger) join(pieces []piece) []byte {
	out := append([]byte(nil), m.pickBytes(func(d *Doc) []byte { return d.Src[:d.Lead] })...)
	for n, p := range pieces {
		e := m.entry(p)
		out = append(out, e.Text()...)
		if n+1 == len(pieces) {
			return append(out, m.pickBytes((*Doc).tail)...)
		}
		if end := e.raw()[len(e.Text()):]; len(end) > 0 {
			out = append(out, end...)
		} else {
			out = append(out, '\n')
		}
		out = append(out, m.between(p, pieces[n+1])...)
	}
	return out
}

func (m *merger) pickBytes(of func(*Doc) []byte) []byte {
	var v [3]string
	for i, d := range m.docs {
		v[i] = string(of(d))
	}
	return []byte(pick3(v, func(string) bool { return false }))
}

// tail returns what stands behind the text of the last entry: its line end and blank lines.
func (d *Doc) tail() []byte {
	if len(d.Entries) == 0 {
		return nil
	}
	e := &d.Entries[len(d.Entries)-1]
	return d.Src[e.Start+len(e.Text()):]
}

// between returns the blank lines between two pieces.
func (m *merger) between(p, q piece) []byte {
	var seps [3][]byte
	var adjacent [3]bool
	for i := range seps {
		if adjacent[i] = p.at[i] >= 0 && q.at[i] == p.at[i]+1; adjacent[i] {
			seps[i] = m.docs[i].blank(p.at[i])
		}
	}
	switch {
	case adjacent[1] && adjacent[2] && adjacent[0] && bytes.Equal(seps[1], seps[0]):
		return seps[2]
	case adjacent[1]:
		return seps[1]
	case adjacent[2]:
		return seps[2]
	}
	return m.seam(p, q)
}

// seam returns the blank lines between two entries that no text has beside each other. They are those
// between the one and another entry of the other's kind; without such an example none between two
// items, and else the most that stood behind the one or before the other. What would become one entry
// is kept apart.
func (m *merger) seam(p, q piece) []byte {
	before, after := m.entry(p), m.entry(q)
	var alike, widest []byte
	found := false
	consider := func(d *Doc, i int) { // the blank lines between entries i and i+1
		if i < 0 || i+1 >= len(d.Entries) {
			return
		}
		blank := d.blank(i)
		if d.Entries[i].Kind == before.Kind && d.Entries[i+1].Kind == after.Kind {
			if !found || len(blank) > len(alike) {
				alike, found = blank, true
			}
		}
		if len(blank) > len(widest) {
			widest = blank
		}
	}
	for i, d := range m.docs {
		if p.at[i] >= 0 {
			consider(d, p.at[i])
		}
		consider(d, q.at[i]-1)
	}
	switch {
	case found:
		widest = alike
	case before.Kind == Item && after.Kind == Item:
		widest = nil
	}
	if len(widest) == 0 && glues(before, after) {
		return []byte("\n")
	}
	return widest
}

func (m *merger) entry(p piece) *Entry { return &m.docs[p.text].Entries[p.at[p.text]] }

// blank returns the blank lines behind entry i.
func (d *Doc) blank(i int) []byte { return d.Src[d.Entries[i].End:d.Entries[i].Next] }

// glues reports whether q could become a part of p when it follows without a blank line.
func glues(p, q *Entry) bool {
	switch q.Kind {
	case Paragraph:
		return p.Kind == Paragraph || p.Kind == Item || p.Kind == Comment
	case Item:
		return p.Kind == Paragraph || p.Kind == Comment
	}
	return p.Kind == Comment || (p.Kind == Paragraph && q.Kind == Heading)
}
