package merge

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// jsonList is a list of JSON, as written.
type jsonList struct {
	raw            []byte
	open, sep, end []byte // what stands before, between and behind the elements; sep of the first two
	elems          [][]byte
}

// readList reads a list that is known to be valid JSON.
func readList(text []byte) (*jsonList, bool) {
	if len(text) < 2 || text[0] != '[' {
		return nil, false
	}
	l := &jsonList{raw: text}
	at := 1 + blank(text[1:])
	l.open = text[1:at]
	for text[at] != ']' {
		n := valueEnd(text[at:])
		l.elems = append(l.elems, text[at:at+n])
		at += n
		gap := at
		at += blank(text[at:])
		if text[at] == ']' {
			l.end = text[gap:at]
			break
		}
		at++ // the comma
		at += blank(text[at:])
		if l.sep == nil {
			l.sep = text[gap:at]
		}
	}
	return l, true
}

// write writes elements in the layout of a list.
func (l *jsonList) write(out *bytes.Buffer, elems []func()) {
	out.WriteByte('[')
	sep := l.sep
	switch {
	case sep != nil:
	case bytes.Contains(l.open, newline):
		sep = append([]byte(","), l.open...)
	default:
		sep = []byte(", ")
	}
	for i, e := range elems {
		if i == 0 {
			out.Write(l.open)
		} else {
			out.Write(sep)
		}
		e()
	}
	if len(elems) > 0 {
		out.Write(l.end)
	}
	out.WriteByte(']')
}

// layoutOf picks the list whose layout the union has: the one that shows more of it.
func layoutOf(a, b *jsonList) *jsonList {
	shows := func(l *jsonList) int { return min(len(l.elems), 2) }
	if c := shows(a) - shows(b); c > 0 || c == 0 && (len(a.raw) > len(b.raw) || len(a.raw) == len(b.raw) && bytes.Compare(a.raw, b.raw) > 0) {
		return a
	}
	return b
}

// list returns what writes the union of two lists, nil where there is none: where elements occur twice,
// both sides put them in another order, or both edited one. Objects that one name tells apart are merged
// one by one; all else is a set.
func (w *jsonWriter) list(o, a, b []byte, depth int) func() {
	x, okA := readList(a)
	y, okB := readList(b)
	if !okA || !okB {
		return nil
	}
	z, ok := readList(o)
	if !ok {
		z = &jsonList{}
	}
	all := [3]*jsonList{z, x, y}
	idName := nameOfAll(all)
	var keys [3][]string
	var at [3]map[string][]byte
	for i, l := range all {
		at[i] = make(map[string][]byte, len(l.elems))
		for _, e := range l.elems {
			key := compact(e)
			if idName != "" {
				id, _ := identity(e, idName)
				key = idName + "=" + id
			}
			if at[i][key] != nil {
				return nil
			}
			at[i][key] = e
			keys[i] = append(keys[i], key)
		}
	}
	order, ok := listOrder(keys[0], keys[1], keys[2])
	if !ok || idName == "" && editedTwice(all, at) {
		return nil
	}
	var elems []func()
	for _, key := range order {
		m := func(i int) *member {
			if at[i][key] == nil {
				return nil
			}
			return &member{name: key, key: []byte(key), raw: at[i][key]}
		}
		w.path = append(w.path, key)
		if name, write := w.member(m(0), m(1), m(2), depth+1); name != nil {
			elems = append(elems, write)
		}
		w.path = w.path[:len(w.path)-1]
	}
	return func() { layoutOf(x, y).write(&w.out, elems) }
}

// editedTwice reports whether a list holds objects or lists of which both sides may have edited one and
// the same: one that both lack now, while both have a new one.
func editedTwice(all [3]*jsonList, at [3]map[string][]byte) bool {
	compound := func(e []byte) bool { return e[0] == '{' || e[0] == '[' }
	gone := false
	for _, e := range all[0].elems {
		gone = gone || compound(e) && at[1][compact(e)] == nil && at[2][compact(e)] == nil
	}
	fresh := func(side int) bool {
		return slices.ContainsFunc(all[side].elems, func(e []byte) bool { return compound(e) && at[0][compact(e)] == nil })
	}
	return gone && fresh(1) && fresh(2)
}

// idNames are the names that tell the objects of a list apart; the first that all have counts.
var idNames = []string{"id", "key", "name"}

// nameOfAll returns the name that tells all elements of some lists apart, "" for none.
func nameOfAll(lists [3]*jsonList) string {
	for _, name := range idNames {
		n := 0
		for _, l := range lists {
			seen := make(map[string]bool)
			for _, e := range l.elems {
				id, ok := identity(e, name)
				if !ok || seen[id] {
					n = -1
					break
				}
				seen[id] = true
				n++
			}
			if n < 0 {
				break
			}
		}
		if n > 0 {
			return name
		}
	}
	return ""
}

// identity returns the text or number that an object has under a name.
func identity(elem []byte, name string) (string, bool) {
	ms, ok := members(elem)
	if !ok {
		return "", false
	}
	i := slices.IndexFunc(ms, func(m member) bool { return m.name == name })
	if i < 0 || ms[i].raw[0] != '"' && (ms[i].raw[0] < '0' || ms[i].raw[0] > '9') {
		return "", false
	}
	return string(ms[i].raw), true
}

func compact(value []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// listOrder merges the order of lists whose elements each stand once in theirs: that of the base, or
// of the side that put it in another one, each new element behind the one that it follows. ok is false
// where both did, in different ways.
func listOrder(o, a, b []string) (order []string, ok bool) {
	only := func(list, in []string) []string {
		set := make(map[string]bool, len(in))
		for _, e := range in {
			set[e] = true
		}
		return slices.DeleteFunc(slices.Clone(list), func(e string) bool { return !set[e] })
	}
	base := o
	if kept, turned := slices.Equal(only(a, o), only(o, a)), !slices.Equal(only(b, o), only(o, b)); !kept || turned {
		switch {
		case kept:
			base = only(b, o)
		case !turned:
			base = only(a, o)
		default:
			base = only(only(a, o), b)
			if !slices.Equal(base, only(only(b, o), a)) {
				return nil, false
			}
		}
	}
	lines := func(list []string) [][]byte {
		out := make([][]byte, len(list))
		for i, e := range list {
			out[i] = []byte(e)
		}
		return out
	}
	return mergeNames(lines(base), lines(a), lines(b)), true
}

// isStampPath recognises values that machines write beside each other and that only ever move on, such
// as the time of a last check: by its name, or by that of an object it stands in.
func isStampPath(path []string) bool {
	return slices.ContainsFunc(path, func(name string) bool {
		lower := strings.ToLower(name)
		return strings.HasPrefix(lower, "last") || isStamp(lower) || lower == "timestamp" || lower == "ts" ||
			strings.HasSuffix(lower, "_at") || strings.HasSuffix(name, "At")
	})
}

// laterStamp returns the later of two times: dates, or numbers.
func laterStamp(a, b []byte) ([]byte, bool) {
	var x, y string
	if json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && isDate(x) && isDate(y) {
		return largerOf(a, b, strings.Compare(x, y)), true
	}
	var m, n float64
	if a[0] != 'n' && b[0] != 'n' && json.Unmarshal(a, &m) == nil && json.Unmarshal(b, &n) == nil {
		switch {
		case m < n:
			return b, true
		case m > n:
			return a, true
		}
		return largerOf(a, b, bytes.Compare(a, b)), true
	}
	return nil, false
}

func largerOf(a, b []byte, c int) []byte {
	if c < 0 || c == 0 && bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}
