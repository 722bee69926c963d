package merge

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// frontField is one key at the top of a frontmatter: its line and those that belong to it. Comments and
// blank lines belong to the key behind them.
type frontField struct {
	name string
	raw  string // all its lines, without the last line end
}

// frontBlock is a frontmatter cut into its fields.
type frontBlock struct {
	open, end string // the `---` lines
	fields    []frontField
	tail      string // comments behind the last key, or ""
}

func (b *frontBlock) get(name string) (string, bool) {
	for _, f := range b.fields {
		if f.name == name {
			return f.raw, true
		}
	}
	return "", false
}

// readFront cuts a frontmatter into fields. A line with no key at its beginning, whatever it is,
// belongs to the field before it. ok is false when a key occurs twice.
func readFront(raw []byte) (*frontBlock, bool) {
	b := &frontBlock{}
	if len(raw) == 0 {
		return b, true
	}
	lines := strings.Split(string(raw), "\n")
	b.open, b.end = lines[0], lines[len(lines)-1]
	var before []string
	for _, l := range lines[1 : len(lines)-1] {
		name, isKey := frontKey(l)
		text := strings.TrimSpace(l)
		switch {
		case isKey:
			if _, twice := b.get(name); twice {
				return nil, false
			}
			b.fields = append(b.fields, frontField{name, strings.Join(append(before, l), "\n")})
			before = nil
		case len(b.fields) == 0, len(before) > 0 && (text == "" || text[0] == '#'), text != "" && l[0] == '#':
			before = append(before, l)
		default:
			f := &b.fields[len(b.fields)-1]
			f.raw = strings.Join(append(append([]string{f.raw}, before...), l), "\n")
			before = nil
		}
	}
	b.tail = strings.Join(before, "\n")
	return b, true
}

// frontKey reads the key that a line of a frontmatter begins with.
func frontKey(line string) (string, bool) {
	colon := strings.IndexByte(line, ':')
	if colon <= 0 || strings.ContainsAny(line[:1], " \t-#") {
		return "", false
	}
	return strings.Trim(strings.TrimRight(line[:colon], " \t"), `"'`), true
}

// mergeFront merges frontmatters by key, as JSON objects are (SPEC GN-04): what both sides changed has
// the value of the side that was committed last, else the larger bytes; the counters of a candidate
// have rules of their own.
func (m *merger) mergeFront(base, one, two []byte) []byte {
	o, okO := readFront(base)
	a, okA := readFront(one)
	b, okB := readFront(two)
	if !okO || !okA || !okB {
		return m.newer(one, two)
	}
	names := func(f *frontBlock) [][]byte {
		out := make([][]byte, len(f.fields))
		for i := range f.fields {
			out[i] = []byte(f.fields[i].name)
		}
		return out
	}
	lines := []string{a.open}
	for _, name := range mergeNames(names(o), names(a), names(b)) {
		vo, inO := o.get(name)
		va, inA := a.get(name)
		vb, inB := b.get(name)
		switch {
		case !inA && !inB, inO && !inA && vb == vo, inO && !inB && va == vo:
		case !inA:
			lines = append(lines, vb)
		case !inB, va == vb, inO && vb == vo:
			lines = append(lines, va)
		case inO && va == vo:
			lines = append(lines, vb)
		default:
			lines = append(lines, m.frontValue(name, va, vb))
		}
	}
	if tail := string(pickBytes([]byte(o.tail), []byte(a.tail), []byte(b.tail))); tail != "" {
		lines = append(lines, tail)
	}
	return []byte(strings.Join(append(lines, a.end), "\n"))
}

// newer returns the text of the side that was committed last, else the larger bytes.
func (m *merger) newer(a, b []byte) []byte {
	if newer(m.in, a, b) < 0 {
		return a
	}
	return b
}

// newer tells below zero for the first side, above zero for the second: the one that was committed
// last, else the one with the larger bytes.
func newer(in Input, a, b []byte) int {
	c := 0
	if in.Newer != nil {
		c = in.Newer()
	}
	return cmp.Or(c, bytes.Compare(b, a), -1)
}

// frontValue chooses between two lines that give one key different values.
func (m *merger) frontValue(name, a, b string) string {
	if m.in.Kind != Candidate {
		return string(m.newer([]byte(a), []byte(b)))
	}
	valueOf := func(l string) string {
		_, v, _ := strings.Cut(l, ":")
		return strings.Trim(strings.TrimSpace(v), `"'`)
	}
	x, y := valueOf(a), valueOf(b)
	larger := cmp.Compare(x, y)
	switch name {
	case "asks", "ignored", "answered":
		i, errA := strconv.Atoi(x)
		j, errB := strconv.Atoi(y)
		if errA == nil && errB == nil {
			larger = cmp.Compare(i, j)
		}
	case "last_seen", "last_asked", "defer_until", "decided":
	case "first_seen":
		larger = -larger
	case "status":
		if larger = -1; furtherStatus(x, y) == x {
			larger = 1
		}
	default:
		return string(m.newer([]byte(a), []byte(b)))
	}
	if larger < 0 {
		return b
	}
	return a
}
