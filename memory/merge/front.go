package merge

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// frontField is one key at the top of a frontmatter: its line and those that belong to it. Comments and
// blank lines belong to the key behind them.
type frontField struct {
	name   string
	before []string // comments and blank lines
	raw    string   // all its other lines, without the last line end
	line   int      // the one with the key, from 0
}

// frontBlock is a frontmatter cut into its fields.
type frontBlock struct {
	open, end string // the `---` lines
	fields    []frontField
	tail      []string // comments behind the last key
}

func (b *frontBlock) get(name string) (frontField, bool) {
	for _, f := range b.fields {
		if f.name == name {
			return f, true
		}
	}
	return frontField{}, false
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
	for i, l := range lines[1 : len(lines)-1] {
		name, isKey := frontKey(l)
		text := strings.TrimSpace(l)
		switch {
		case isKey:
			if _, twice := b.get(name); twice {
				return nil, false
			}
			b.fields = append(b.fields, frontField{name, before, l, i + 1})
			before = nil
		case len(b.fields) == 0, len(before) > 0 && (text == "" || text[0] == '#'), text != "" && l[0] == '#':
			before = append(before, l)
		default:
			f := &b.fields[len(b.fields)-1]
			f.raw = strings.Join(append(append([]string{f.raw}, before...), l), "\n")
			before = nil
		}
	}
	b.tail = before
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

// mergeFront merges frontmatters by key, as JSON objects are (SPEC GN-04): lists are sets, and of another
// value that both sides set it keeps that of the side that was committed last, else the larger bytes; the
// counters of a candidate have rules of their own.
func (m *merger) mergeFront(base, one, two []byte) []byte {
	o, okO := readFront(base)
	a, okA := readFront(one)
	b, okB := readFront(two)
	if !okA || !okB {
		return []byte(m.overrule(nil, string(one), string(two)))
	}
	if !okO {
		o = &frontBlock{}
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
		f := va
		switch {
		case !inA && !inB, inO && !inA && vb.raw == vo.raw, inO && !inB && va.raw == vo.raw:
			continue
		case !inA:
			f = vb
		case !inB, va.raw == vb.raw, inO && vb.raw == vo.raw:
		case inO && va.raw == vo.raw:
			f.raw = vb.raw
		default:
			f.raw = m.frontValue(name, vo.raw, va.raw, vb.raw)
		}
		if inA && inB {
			f.before = uniteComments(vo.before, va.before, vb.before)
		}
		lines = append(append(lines, f.before...), f.raw)
	}
	lines = append(lines, uniteComments(o.tail, a.tail, b.tail)...)
	return []byte(strings.Join(append(lines, a.end), "\n"))
}

// uniteComments merges lines that say nothing to a machine.
func uniteComments(o, a, b []string) []string {
	switch {
	case slices.Equal(a, b), slices.Equal(o, b):
		return a
	case slices.Equal(o, a):
		return b
	}
	left := func(side, other []string) [][]byte {
		var out [][]byte
		for _, l := range side {
			if slices.Contains(other, l) || !slices.Contains(o, l) {
				out = append(out, []byte(l))
			}
		}
		return out
	}
	var out []string
	for _, l := range uniteSorted(left(a, b), left(b, a)) {
		out = append(out, string(l))
	}
	return out
}

// overrule returns the text of the side that was committed last, else the larger bytes, and tells what
// the other one says.
func (m *merger) overrule(path []string, a, b string) string {
	if newer(m.in, []byte(a), []byte(b)) > 0 {
		a, b = b, a
	}
	m.res.Overruled = append(m.res.Overruled, Overruled{Path: path, Kept: []byte(a), Lost: []byte(b)})
	return a
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

// frontValue merges two texts, line and all, that give one key different values.
func (m *merger) frontValue(name, o, a, b string) string {
	if v, ok := mergeFrontList(name, o, a, b); ok {
		return v
	}
	x, y := frontText(a), frontText(b)
	larger := cmp.Compare(x, y)
	switch {
	case m.in.Kind == Candidate:
		var ok bool
		if larger, ok = largerCounter(name, x, y); !ok {
			return m.overrule([]string{name}, a, b)
		}
	case isStampPath([]string{name}) && isDate(x) && isDate(y):
	default:
		return m.overrule([]string{name}, a, b)
	}
	if cmp.Or(larger, strings.Compare(a, b)) < 0 {
		return b
	}
	return a
}

// frontText is the value on the line of a key.
func frontText(line string) string {
	_, v, _ := strings.Cut(line, ":")
	return strings.Trim(strings.TrimSpace(v), `"'`)
}

// largerCounter compares two values of a key of a candidate that has a rule.
func largerCounter(name, x, y string) (c int, ok bool) {
	switch name {
	case "asks", "ignored", "answered":
		i, errA := strconv.Atoi(x)
		j, errB := strconv.Atoi(y)
		if errA == nil && errB == nil {
			return cmp.Compare(i, j), true
		}
		return cmp.Compare(x, y), true
	case "last_seen", "last_asked", "defer_until", "decided":
		return cmp.Compare(x, y), true
	case "first_seen":
		return cmp.Compare(y, x), true
	case "status":
		if furtherStatus(x, y) == x {
			return 1, true
		}
		return -1, true
	}
	return 0, false
}
