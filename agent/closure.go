package agent

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// closure is the closure block of a daily note (SPEC OM-41): its last four lines.
type closure struct {
	Updated, Decisions, Signal, Open string
}

// closureKeys are the fields in their order.
var closureKeys = [...]string{"Updated", "Decisions", "Signal", "Open"}

func (c *closure) fields() [4]*string {
	return [4]*string{&c.Updated, &c.Decisions, &c.Signal, &c.Open}
}

// lines renders the block; no field is empty.
func (c closure) lines() []string {
	var out []string
	for i, f := range c.fields() {
		v := *f
		if v == "" {
			v = "none"
		}
		out = append(out, closureKeys[i]+": "+v)
	}
	return out
}

// findClosure finds the block and the offset at which it starts. Blank lines
// behind it do not count; a block inside a code fence is text.
func findClosure(text []byte) (c closure, at int, ok bool) {
	lines := doc.SplitLines(text)
	end := len(lines)
	for end > 0 && len(bytes.TrimSpace(lines[end-1])) == 0 {
		end--
	}
	if end < len(closureKeys) {
		return c, 0, false
	}
	block := lines[end-len(closureKeys) : end]
	for i, f := range c.fields() {
		v, found := strings.CutPrefix(strings.TrimSpace(string(block[i])), closureKeys[i]+":")
		if !found {
			return closure{}, 0, false
		}
		*f = strings.TrimSpace(v)
	}
	if e := doc.Parse(text).At(end); e != nil && e.Kind == doc.Fence {
		return closure{}, 0, false
	}
	for _, l := range lines[:end-len(closureKeys)] {
		at += len(l)
	}
	return c, at, true
}

// takeClosure takes the fields that were said (`Decisions: …`) out of lines.
func takeClosure(lines []string) (c closure, rest []string) {
	for _, l := range lines {
		i := slices.IndexFunc(closureKeys[:], func(k string) bool { return strings.HasPrefix(l, k+":") })
		if i < 0 {
			rest = append(rest, l)
			continue
		}
		f := c.fields()[i]
		if v := strings.TrimSpace(l[len(closureKeys[i])+1:]); *f == "" {
			*f = v
		} else {
			*f += "; " + v
		}
	}
	return c, said(strings.Join(rest, "\n"))
}

// over returns c with what is empty taken from old.
func (c closure) over(old closure) closure {
	from := old.fields()
	for i, f := range c.fields() {
		if *f == "" {
			*f = *from[i]
		}
	}
	return c
}

// withNote puts lines above the closure block, which is rewritten with day as
// its date (SPEC OM-43), or at the end where there is none.
func withNote(text []byte, lines []string, day string) []byte {
	if c, _, ok := findClosure(text); ok {
		c.Updated = day
		return withClosure(text, lines, c)
	}
	if len(lines) == 0 {
		return text
	}
	return appendBlock(text, lines)
}

// withClosure puts lines above the closure block and c in its place, or at the
// end where there is none.
func withClosure(text []byte, lines []string, c closure) []byte {
	body, tail := text, []byte(nil)
	if _, at, ok := findClosure(text); ok {
		body = text[:at]
		// Blank lines behind the block stay.
		rest := bytes.TrimRight(text[at:], " \t\r\n")
		tail = text[at+len(rest):]
		if n := bytes.IndexByte(tail, '\n'); n >= 0 {
			tail = tail[n+1:]
		} else {
			tail = nil
		}
	}
	eol := doc.EOL(text)
	out := body
	if len(lines) > 0 {
		out = insertBlock(body, len(body), lines)
	}
	out = slices.Clone(out)
	if n := len(out); n > 0 && out[n-1] != '\n' {
		out = append(out, eol...)
	}
	if len(out) > 0 && !endsBlank(out) {
		out = append(out, eol...)
	}
	for _, l := range c.lines() {
		out = append(out, l+eol...)
	}
	return append(out, tail...)
}

// endsBlank reports whether the last line is blank.
func endsBlank(text []byte) bool {
	lines := doc.SplitLines(text)
	return len(lines) > 0 && len(bytes.TrimSpace(lines[len(lines)-1])) == 0
}

// joinClosures unites two blocks: the later date; of each other field the parts
// of a and then the new ones of b in byte order, without `none` (SPEC 10.5).
func joinClosures(a, b closure) closure {
	out := closure{Updated: max(a.Updated, b.Updated)}
	fa, fb, fo := a.fields(), b.fields(), out.fields()
	for i := 1; i < len(closureKeys); i++ {
		parts := partsOf(*fa[i])
		added := slices.DeleteFunc(partsOf(*fb[i]), func(p string) bool { return slices.Contains(parts, p) })
		slices.Sort(added)
		*fo[i] = strings.Join(append(parts, added...), "; ")
	}
	return out
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
