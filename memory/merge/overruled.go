package merge

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Overruled is a value that both sides set in different ways, where one had to win: a value of JSON, a
// key of a frontmatter. A person may take the other one.
type Overruled struct {
	// Path are the names from the top. In a list of objects it is `id="x"`, the name and the value by
	// which they are told apart. None: the whole file, or the whole frontmatter.
	Path       []string
	Kept, Lost []byte // as written, with LF line ends
}

// ValueAt returns what a text has at the path of an overruled value, as written.
func ValueAt(kind Kind, text []byte, path []string) ([]byte, bool) {
	from, to, ok := locate(kind, text, path)
	if !ok {
		return nil, false
	}
	return toLF(text[from:to]), true
}

// WithValue puts a value in the place of the one at a path, and changes no other byte. ok is false where
// there is none, or where the text would not be what it was.
func WithValue(kind Kind, text []byte, path []string, value []byte) (out []byte, ok bool) {
	from, to, ok := locate(kind, text, path)
	if !ok {
		return nil, false
	}
	if doc.EOL(text) == "\r\n" {
		value = bytes.ReplaceAll(toLF(value), newline, crlfEnd)
	}
	out = append(append(bytes.Clone(text[:from]), value...), text[to:]...)
	set, ok := ValueAt(kind, out, path)
	return out, ok && SameValue(kind, set, value)
}

// SameValue compares two values, but for how they are laid out.
func SameValue(kind Kind, a, b []byte) bool {
	if kind == JSON {
		return equalJSON(a, b)
	}
	return bytes.Equal(trimLines(toLF(a)), trimLines(toLF(b)))
}

// Offset returns where the value at a path begins, 0 where there is none.
func Offset(kind Kind, text []byte, path []string) int {
	from, _, _ := locate(kind, text, path)
	return from
}

// locate returns where the value at a path stands.
func locate(kind Kind, text []byte, path []string) (from, to int, ok bool) {
	if kind != JSON {
		return locateFront(text, path)
	}
	value := text
	if len(path) > 0 {
		if !json.Valid(text) {
			return 0, 0, false
		}
		value = bytes.Trim(text, " \t\r\n")
	}
	for _, name := range path {
		if value, ok = child(value, name); !ok {
			return 0, 0, false
		}
	}
	from = cap(text) - cap(value) // a value is a part of the text
	return from, from + len(value), true
}

// child returns the value of a name in an object, or the object that a name tells apart in a list.
func child(value []byte, name string) ([]byte, bool) {
	if ms, ok := members(value); ok {
		for _, m := range ms {
			if m.name == name {
				return m.raw, true
			}
		}
		return nil, false
	}
	l, ok := readList(value)
	if !ok {
		return nil, false
	}
	idName, _, _ := strings.Cut(name, "=")
	for _, e := range l.elems {
		if id, ok := identity(e, idName); ok && idName+"="+id == name {
			return e, true
		}
	}
	return nil, false
}

// locateFront is locate for the frontmatter of Markdown.
func locateFront(text []byte, path []string) (from, to int, ok bool) {
	d := doc.Parse(text)
	if len(d.Entries) == 0 || d.Entries[0].Kind != doc.Frontmatter || len(path) > 1 {
		return 0, 0, false
	}
	e := &d.Entries[0]
	at := e.Start
	if len(path) == 0 {
		return at, at + len(chomp(text[at:e.End])), true
	}
	lines := doc.SplitLines(chomp(text[at:e.End]))
	bare := make([]string, len(lines))
	for i, l := range lines {
		bare[i] = string(chomp(l))
	}
	b, ok := readFront([]byte(strings.Join(bare, "\n")))
	if !ok {
		return 0, 0, false
	}
	for _, f := range b.fields {
		if f.name != path[0] {
			continue
		}
		for _, l := range lines[:f.line] {
			at += len(l)
		}
		from = at
		n := strings.Count(f.raw, "\n") + 1
		for i, l := range lines[f.line : f.line+n] {
			if i == n-1 {
				l = chomp(l)
			}
			at += len(l)
		}
		return from, at, true
	}
	return 0, 0, false
}
