package merge

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/git-claw/git-claw/memory/doc"
)

// maxLabel bounds a label, in bytes.
const maxLabel = 40

// sameLabel reports whether two items say something of the same name, `status: open` and `status: done`:
// one entry, edited, however little the words have in common. Each must be the only one of that name in
// its place, for in a log many lines have one.
func (m *merger) sameLabel(a, b *entry, side int) bool {
	name := labelOf(a)
	return name != "" && a.id == "" && b.id == "" && name == labelOf(b) && m.onlyLabel(0, a, name) && m.onlyLabel(side, b, name)
}

// onlyLabel reports whether no other entry beside one has its label.
func (m *merger) onlyLabel(side int, e *entry, name string) bool {
	if m.labels[side] == nil {
		m.labels[side] = make(map[labelled]int)
		for i := range m.texts[side].entries {
			x := &m.texts[side].entries[i]
			if l := labelOf(x); l != "" {
				m.labels[side][labelled{x.up, l}]++
			}
		}
	}
	return m.labels[side][labelled{e.up, name}] == 1
}

// labelled is a label and the entry in which it stands.
type labelled struct {
	up   int
	name string
}

// labelOf returns what an item says something of, in lower case: the words before a colon; "" for none.
func labelOf(e *entry) string {
	if e.kind != doc.Item || !e.body.plain() {
		return ""
	}
	text, _, _ := bytes.Cut(bytes.TrimLeft(e.text(), " \t"), newline)
	marker, text, ok := bytes.Cut(text, []byte(" "))
	if !ok || len(marker) == 0 {
		return ""
	}
	at := bytes.IndexByte(text, ':')
	if at < 1 || at > maxLabel || at+1 < len(text) && text[at+1] != ' ' && text[at+1] != '*' {
		return ""
	}
	name := strings.ToLower(strings.Trim(string(text[:at]), " *_`"))
	if strings.ContainsAny(name, "[](){}<>/.,;") || strings.IndexFunc(name, unicode.IsLetter) != 0 {
		return "" // a time, an address, a sentence
	}
	return name
}
