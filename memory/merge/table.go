package merge

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/git-claw/git-claw/memory/doc"
)

// tableRows returns the lines of an entry that is a table, nil for any other: a line of names, one that
// parts them from the rest, and rows.
func tableRows(text []byte) [][]byte {
	first, rest, ok := bytes.Cut(text, newline)
	second, _, _ := bytes.Cut(rest, newline)
	if !ok || bytes.IndexByte(first, '|') < 0 || bytes.IndexByte(second, '|') < 0 || bytes.IndexByte(second, '-') < 0 {
		return nil
	}
	if len(bytes.Trim(second, "|:- \t\r")) > 0 {
		return nil
	}
	lines := bytes.Split(text, newline)
	if slices.ContainsFunc(lines, func(l []byte) bool { return bytes.IndexByte(l, '|') < 0 }) {
		return nil
	}
	return lines
}

// tableHead returns the key of the first lines of a table, which it is known by whatever its rows are; -1
// for what is no table.
func (m *merger) tableHead(e *entry) int {
	if e.kind != doc.Paragraph {
		return -1
	}
	rows := tableRows(e.text())
	if rows == nil {
		return -1
	}
	return m.pool.key(bytes.Join(rows[:2], newline))
}

// mergeTable merges tables row by row, and a row that both changed cell by cell. It fails where both set
// one cell, or one took out a row that the other one changed.
func mergeTable(o, a, b *entry) ([]byte, bool) {
	var t [3]*table
	for i, e := range [3]*entry{o, a, b} {
		rows := tableRows(e.text())
		if rows == nil {
			return nil, false
		}
		t[i] = &table{head: rows[:2], rows: rows[2:]}
	}
	var out [][]byte
	for i := range 2 {
		row, ok := mergeRow(t[0].head[i], t[1].head[i], t[2].head[i])
		if !ok {
			return nil, false
		}
		out = append(out, row)
	}
	t[0].names = make([][]byte, len(t[0].rows))
	for i := range t[0].rows {
		t[0].names[i] = []byte(strconv.Itoa(i))
	}
	if !t[1].nameRows(t[0]) || !t[2].nameRows(t[0]) {
		return nil, false
	}
	at := [3]map[string][]byte{t[0].byName(), t[1].byName(), t[2].byName()}
	for _, name := range mergeNames(t[0].names, t[1].names, t[2].names) {
		x, y, z := at[0][name], at[1][name], at[2][name]
		switch {
		case y == nil && z == nil:
			continue
		case x != nil && (y == nil || z == nil):
			if left := slices.Concat(y, z); !bytes.Equal(trimLines(left), trimLines(x)) {
				return nil, false
			}
			continue
		case x == nil && (y == nil || z == nil):
			out = append(out, slices.Concat(y, z))
			continue
		}
		row, ok := mergeRow(x, y, z)
		if !ok {
			return nil, false
		}
		out = append(out, row)
	}
	comments := uniteComments(commentLines(o), commentLines(a), commentLines(b))
	var text []byte
	for _, c := range comments {
		text = append(append(text, c...), '\n')
	}
	return append(text, bytes.Join(out, newline)...), true
}

// table is a table with names for its rows: the number of the row of the base, or the text of a new one.
type table struct {
	head, rows, names [][]byte
}

func (t *table) byName() map[string][]byte {
	out := make(map[string][]byte, len(t.rows))
	for i, n := range t.names {
		out[string(n)] = t.rows[i]
	}
	return out
}

// nameRows relates the rows to those of the base, in order: the same text, and between two such rows the
// same first cell, or a text that is alike. It returns false where a new row stands twice.
func (t *table) nameRows(base *table) bool {
	p := newPool()
	var keys [2][]int
	for i, rows := range [2][][]byte{base.rows, t.rows} {
		for _, r := range rows {
			keys[i] = append(keys[i], p.lineKey(r))
		}
	}
	from := absent(len(t.rows))
	i, j := 0, 0
	for _, h := range append(doc.DiffSequence(keys[0], keys[1]), doc.LineHunk{OldFrom: len(base.rows), OldTo: len(base.rows), NewFrom: len(t.rows), NewTo: len(t.rows)}) {
		for ; i < h.OldFrom; i, j = i+1, j+1 {
			from[j] = i
		}
		next := h.NewFrom
		for i = h.OldFrom; i < h.OldTo; i++ {
			for k := next; k < h.NewTo; k++ {
				if sameRow(base.rows[i], t.rows[k]) {
					from[k], next = i, k+1
					break
				}
			}
		}
		i, j = h.OldTo, h.NewTo
	}
	seen := make(map[string]bool)
	t.names = make([][]byte, len(t.rows))
	for k, i := range from {
		t.names[k] = bytes.TrimRight(t.rows[k], " \t\r")
		if i >= 0 {
			t.names[k] = base.names[i]
		}
		if seen[string(t.names[k])] {
			return false
		}
		seen[string(t.names[k])] = true
	}
	return true
}

// sameRow reports whether one row may be the other one, edited.
func sameRow(a, b []byte) bool {
	x, y := cells(a), cells(b)
	first := func(c [][]byte) []byte { // behind the line that many tables begin with
		if len(c) > 1 && len(bytes.TrimSpace(c[0])) == 0 {
			return bytes.TrimSpace(c[1])
		}
		return bytes.TrimSpace(c[0])
	}
	if n := first(x); len(n) > 0 && bytes.Equal(n, first(y)) {
		return true
	}
	return doc.Likeness(doc.WordSet(a), doc.WordSet(b)) >= alike
}

// cells cuts a row; what stands before the first and behind the last line counts as one.
func cells(row []byte) [][]byte {
	var out [][]byte
	from := 0
	for i, c := range row {
		if c == '|' && (i == 0 || row[i-1] != '\\') {
			out = append(out, row[from:i])
			from = i + 1
		}
	}
	return append(out, row[from:])
}

// mergeRow merges a row that both sides have, cell by cell.
func mergeRow(o, a, b []byte) ([]byte, bool) {
	same := func(x, y []byte) bool { return bytes.Equal(bytes.TrimSpace(x), bytes.TrimSpace(y)) }
	switch {
	case same(a, b), same(a, o), same(b, o):
		return closerLine(o, a, b), true
	}
	x, y, z := cells(o), cells(a), cells(b)
	if len(x) != len(y) || len(x) != len(z) {
		return nil, false
	}
	out := make([][]byte, len(x))
	for i := range x {
		if !same(y[i], z[i]) && !same(x[i], y[i]) && !same(x[i], z[i]) {
			return nil, false
		}
		out[i] = closerLine(x[i], y[i], z[i])
	}
	return bytes.Join(out, []byte("|")), true
}

// commentLines are the comment lines before an entry.
func commentLines(e *entry) []string {
	var out []string
	for _, l := range doc.SplitLines(e.raw[:e.own]) {
		out = append(out, string(chomp(l)))
	}
	return out
}
