package merge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/daily"
)

// note is a daily note without its closure block (SPEC OM-41).
type note struct {
	body          []byte // without blank lines at its end
	before, after []byte // what stands between body and block, and behind the block
	block         []byte
	closure       daily.Closure
	closed        bool
}

// mergeDaily unites the bodies by entry, and the closure blocks to one: the latest date; of each other
// field the parts of the base that nobody took out and then the new ones in byte order.
func mergeDaily(in Input) Result {
	notes := [3]note{readNote(in.Base), readNote(in.Ours), readNote(in.Theirs)}
	o, a, b := notes[0], notes[1], notes[2]
	if !a.closed && !b.closed {
		return mergeMarkdown(in)
	}
	in.Base, in.Ours, in.Theirs = o.body, a.body, b.body
	res := mergeMarkdown(in)
	block := uniteBlocks(o, a, b)
	if block == nil {
		return res
	}
	out := slices.Clone(bytes.TrimRight(res.Content, "\n"))
	if len(bytes.TrimSpace(out)) > 0 {
		out = append(out, pickClosed(o, a, b, func(n note) []byte { return n.before })...)
	}
	out = append(out, block...)
	res.Content = append(out, pickClosed(o, a, b, func(n note) []byte { return n.after })...)
	return res
}

// uniteBlocks merges the closure blocks; nil when one side took it out and the other left it alone.
func uniteBlocks(o, a, b note) []byte {
	switch {
	case a.closed && (!b.closed && !o.closed || b.closed && o.closed && bytes.Equal(b.block, o.block)):
		return a.block
	case b.closed && (!a.closed && !o.closed || a.closed && o.closed && bytes.Equal(a.block, o.block)):
		return b.block
	case !a.closed && bytes.Equal(b.block, o.block), !b.closed && bytes.Equal(a.block, o.block):
		return nil
	case !a.closed:
		return b.block
	case !b.closed:
		return a.block
	}
	fo, fa, fb := o.closure.Fields(), a.closure.Fields(), b.closure.Fields()
	var lines []string
	for i, key := range daily.Keys {
		value := max(*fa[i], *fb[i])
		if i > 0 {
			value = uniteParts(*fo[i], *fa[i], *fb[i])
		}
		lines = append(lines, key+": "+value)
	}
	return []byte(strings.Join(lines, "\n"))
}

// uniteParts merges a field of a closure block.
func uniteParts(base, one, two string) string {
	switch {
	case one == two || two == base:
		return one
	case one == base:
		return two
	}
	o, a, b := partsOf(base), partsOf(one), partsOf(two)
	var out, added []string
	for _, p := range o {
		if slices.Contains(a, p) && slices.Contains(b, p) {
			out = append(out, p)
		}
	}
	for _, p := range append(a, b...) {
		if !slices.Contains(o, p) {
			added = append(added, p)
		}
	}
	slices.Sort(added)
	if out = append(out, slices.Compact(added)...); len(out) == 0 {
		return "none"
	}
	return strings.Join(out, "; ")
}

func partsOf(field string) []string {
	var out []string
	for p := range strings.SplitSeq(field, ";") {
		if p = strings.TrimSpace(p); p != "" && !strings.EqualFold(p, "none") {
			out = append(out, p)
		}
	}
	return out
}

// readNote parts a note from its closure block, also where somebody wrote below it: what stands there
// belongs to the body.
func readNote(text []byte) note {
	end := len(text)
	_, at, ok := daily.FindClosure(text)
	if !ok {
		last := bytes.LastIndex(text, []byte("\nOpen:"))
		if last < 0 {
			return note{body: text}
		}
		if end = last + 1 + bytes.IndexByte(text[last+1:], '\n'); end == last {
			return note{body: text}
		}
		if _, at, ok = daily.FindClosure(text[:end]); !ok {
			return note{body: text}
		}
	}
	n := note{closed: true}
	n.closure, _, _ = daily.FindClosure(text[:end])
	stop := at + len(bytes.TrimRight(text[at:end], " \t\r\n\v\f"))
	n.block = text[at:stop]
	body := bytes.TrimRight(text[:at], "\n")
	n.before, n.after = text[len(body):at], text[stop:]
	if len(bytes.TrimSpace(body)) == 0 {
		n.before = []byte("\n\n")
	}
	if end < len(text) { // the rest goes above
		n.before, n.after = []byte("\n\n"), newline
		body = slices.Concat(text[:at], bytes.TrimLeft(text[stop:], "\n"))
		body = bytes.TrimRight(body, "\n")
	}
	n.body = body
	return n
}

// pickClosed picks bytes of the notes that have a closure block.
func pickClosed(o, a, b note, of func(note) []byte) []byte {
	switch {
	case !a.closed:
		return of(b)
	case !b.closed:
		return of(a)
	case !o.closed:
		return pickBytes(nil, of(a), of(b))
	}
	return pickBytes(of(o), of(a), of(b))
}
