package merge

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// member is one name of a JSON object with its value, both as written.
type member struct {
	name string // decoded
	key  []byte // with its quotes
	raw  []byte
}

// mergeJSON merges objects by key, recursively, and lists as sets. Of two other values the side that was
// committed last wins, else the larger bytes, and the result tells it. An edit wins over a deletion.
// Values keep their bytes; objects that were merged are written in the layout of the file. A base that
// cannot be read is as good as none.
func mergeJSON(in Input) (Result, error) {
	w := &jsonWriter{in: in, newline: "\n"}
	layout := in.Ours
	if len(in.Theirs) > len(layout) {
		layout = in.Theirs
	}
	if bytes.Contains(layout, crlfEnd) {
		w.newline = "\r\n"
	}
	w.indent, w.lines = indentation(layout)
	if w.colon, w.comma = punctuation(layout); w.lines {
		w.comma = ","
	}
	if !w.root() {
		return Result{}, ErrText
	}
	tail := func(text []byte) []byte { return text[len(bytes.TrimRight(text, " \t\r\n")):] }
	w.out.Write(pickBytes(tail(in.Base), tail(in.Ours), tail(in.Theirs)))
	return Result{Content: w.out.Bytes(), Overruled: w.overruled}, nil
}

// root writes what both files hold: objects, or lists. It returns false where they cannot be united.
func (w *jsonWriter) root() bool {
	in := w.in
	var objects [3][]member
	for i, text := range [3][]byte{in.Base, in.Ours, in.Theirs} {
		if i == 0 && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		members, ok := object(text)
		if !ok && i > 0 {
			return w.rootList()
		}
		objects[i] = members
	}
	w.object(objects[0], objects[1], objects[2], 1)
	return true
}

func (w *jsonWriter) rootList() bool {
	var values [3][]byte
	for i, text := range [3][]byte{w.in.Base, w.in.Ours, w.in.Theirs} {
		if json.Valid(text) {
			values[i] = bytes.Trim(text, " \t\r\n")
		} else if i > 0 {
			return false
		}
	}
	write := w.list(values[0], values[1], values[2], 0)
	if write != nil {
		write()
	}
	return write != nil
}

// object reads the members of an object. ok is false for anything else, and for an object with one name
// twice, of which nobody knows what it means.
func object(text []byte) ([]member, bool) {
	if !json.Valid(text) {
		return nil, false
	}
	return members(text)
}

// members is object for a text that is known to be valid JSON.
func members(text []byte) ([]member, bool) {
	text = bytes.Trim(text, " \t\r\n")
	if len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	var out []member
	seen := make(map[string]bool)
	at := 1
	for {
		at += blank(text[at:])
		if text[at] == ',' {
			at++
			continue
		}
		if text[at] == '}' {
			return out, true
		}
		n := valueEnd(text[at:])
		m := member{key: text[at : at+n]}
		if json.Unmarshal(m.key, &m.name) != nil || seen[m.name] {
			return nil, false
		}
		seen[m.name] = true
		at += n
		at += blank(text[at:]) + 1 // the colon
		at += blank(text[at:])
		n = valueEnd(text[at:])
		m.raw = text[at : at+n]
		at += n
		out = append(out, m)
	}
}

func blank(text []byte) int {
	return len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
}

// valueEnd returns the length of the value that a valid text begins with.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i
			}
		case depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			return i
		}
	}
	return len(text)
}

// indentation returns what one level of an object is indented by, and whether members stand on lines of
// their own.
func indentation(text []byte) (string, bool) {
	_, rest, found := bytes.Cut(text, newline)
	if !found || len(bytes.TrimSpace(rest)) == 0 {
		return "", false
	}
	return string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]), true
}

// punctuation returns what stands behind the first name of an object, and behind its first value when
// something follows on the same line.
func punctuation(text []byte) (colon, comma string) {
	colon, comma = ": ", ", "
	ms, ok := object(text)
	if !ok || len(ms) == 0 {
		return colon, comma
	}
	spaced := func(text []byte, mark byte) string {
		text = text[blank(text):]
		if len(text) > 1 && text[0] == mark && text[1] == ' ' {
			return string(mark) + " "
		}
		return string(mark)
	}
	rest := text[bytes.Index(text, ms[0].key)+len(ms[0].key):]
	colon = spaced(rest, ':')
	if len(ms) > 1 {
		rest = rest[bytes.IndexByte(rest, ':')+1:]
		comma = spaced(rest[blank(rest)+len(ms[0].raw):], ',')
	} else if colon == ":" {
		comma = ","
	}
	return colon, comma
}

type jsonWriter struct {
	in      Input
	out     bytes.Buffer
	indent  string
	newline string
	lines   bool
	colon   string // what stands between a name and its value
	comma   string // and between members

	path      []string
	overruled []Overruled
}

// object writes the union of objects, at a depth from 1.
func (w *jsonWriter) object(o, a, b []member, depth int) {
	w.out.WriteByte('{')
	names := func(ms []member) [][]byte {
		out := make([][]byte, len(ms))
		for i := range ms {
			out[i] = []byte(ms[i].name)
		}
		return out
	}
	byName := func(ms []member) map[string]*member {
		out := make(map[string]*member, len(ms))
		for i := range ms {
			out[ms[i].name] = &ms[i]
		}
		return out
	}
	inO, inA, inB := byName(o), byName(a), byName(b)
	first := true
	for _, name := range mergeNames(names(o), names(a), names(b)) {
		w.path = append(w.path, name)
		if key, write := w.member(inO[name], inA[name], inB[name], depth); key != nil {
			if !first {
				w.out.WriteString(w.comma)
			}
			first = false
			w.line(depth)
			w.out.Write(key)
			w.out.WriteString(w.colon)
			write()
		}
		w.path = w.path[:len(w.path)-1]
	}
	if !first {
		w.line(depth - 1)
	}
	w.out.WriteByte('}')
}

func (w *jsonWriter) line(depth int) {
	if w.lines {
		w.out.WriteString(w.newline + strings.Repeat(w.indent, depth))
	}
}

// member decides on one name: its key, nil when it is gone, and how its value is written.
func (w *jsonWriter) member(o, a, b *member, depth int) ([]byte, func()) {
	raw := func(m *member) func() { return func() { w.out.Write(m.raw) } }
	switch {
	case a == nil && b == nil:
		return nil, nil
	case a == nil || b == nil:
		m := a
		if m == nil {
			m = b
		}
		if o != nil && equalJSON(o.raw, m.raw) {
			return nil, nil // deleted here, and there as it was
		}
		return m.key, raw(m)
	case bytes.Equal(a.raw, b.raw), o != nil && equalJSON(b.raw, o.raw):
		return a.key, raw(a)
	case o != nil && equalJSON(a.raw, o.raw):
		return b.key, raw(b)
	case equalJSON(a.raw, b.raw):
		return a.key, func() { w.out.Write(pickBytes(nil, a.raw, b.raw)) }
	}
	var base []byte
	if o != nil {
		base = o.raw
	}
	return a.key, w.value(base, a.raw, b.raw, depth)
}

// value decides between two values that both sides made of one, or added: how what they become is
// written. The path is that of the value also when it is written.
func (w *jsonWriter) value(o, a, b []byte, depth int) func() {
	x, okA := members(a)
	y, okB := members(b)
	if okA && okB {
		z, _ := members(o)
		path := slices.Clone(w.path)
		oneLine := len(x) > 0 && len(y) > 0 && !bytes.Contains(a, newline) && !bytes.Contains(b, newline)
		return func() {
			at, colon, comma, lines := w.path, w.colon, w.comma, w.lines
			w.path = path
			if w.lines && oneLine { // as both sides have it
				w.lines = false
				w.colon, w.comma = punctuation(pickBytes(nil, a, b))
			}
			w.object(z, x, y, depth+1)
			w.path, w.colon, w.comma, w.lines = at, colon, comma, lines
		}
	}
	if write := w.list(o, a, b, depth); write != nil {
		return write
	}
	if isStampPath(w.path) {
		if v, ok := laterStamp(a, b); ok {
			return func() { w.out.Write(v) }
		}
	}
	kept, lost := a, b
	if newer(w.in, a, b) > 0 {
		kept, lost = b, a
	}
	w.overruled = append(w.overruled, Overruled{Path: slices.Clone(w.path), Kept: toLF(kept), Lost: toLF(lost)})
	return func() { w.out.Write(kept) }
}

// equalJSON compares values without white space between their parts.
func equalJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && slices.Equal(x.Bytes(), y.Bytes())
}
