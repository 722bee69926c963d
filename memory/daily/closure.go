package daily

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Closure is the closure block of a daily note (SPEC OM-41): its last four lines.
type Closure struct {
	Updated, Decisions, Signal, Open string
}

// Keys are the fields of a closure block in their order.
var Keys = [...]string{"Updated", "Decisions", "Signal", "Open"}

// Fields returns the fields in the order of Keys.
func (c *Closure) Fields() [4]*string {
	return [4]*string{&c.Updated, &c.Decisions, &c.Signal, &c.Open}
}

// lines renders the block; no field is empty.
func (c Closure) lines() []string {
	var out []string
	for i, f := range c.Fields() {
		v := *f
		if v == "" {
			v = "none"
		}
		out = append(out, Keys[i]+": "+v)
	}
	return out
}

// FindClosure finds the block and the offset at which it starts. Blank lines behind it do not count;
// a block inside a code fence is text.
func FindClosure(text []byte) (c Closure, at int, ok bool) {
	end := len(bytes.TrimRight(text, " \t\r\n\v\f"))
	at = end
	for range Keys {
		at = 1 + bytes.LastIndexByte(text[:max(0, at-1)], '\n')
	}
	block := bytes.Split(text[at:end], []byte("\n"))
	if len(block) != len(Keys) {
		return c, 0, false
	}
	for i, f := range c.Fields() {
		v, found := strings.CutPrefix(strings.TrimSpace(string(block[i])), Keys[i]+":")
		if !found {
			return Closure{}, 0, false
		}
		*f = strings.TrimSpace(v)
	}
	last := 1 + bytes.Count(text[:end], []byte("\n"))
	if e := doc.Parse(text).At(last); e != nil && e.Kind == doc.Fence {
		return Closure{}, 0, false
	}
	return c, at, true
}

// Over returns c with what is empty taken from old.
func (c Closure) Over(old Closure) Closure {
	from := old.Fields()
	for i, f := range c.Fields() {
		if *f == "" {
			*f = *from[i]
		}
	}
	return c
}

// WithNote puts lines above the closure block, which is rewritten with day as its date (SPEC OM-43),
// or at the end where there is none.
func WithNote(text []byte, lines []string, day string) []byte {
	if c, _, ok := FindClosure(text); ok {
		c.Updated = day
		return WithClosure(text, lines, c)
	}
	if len(lines) == 0 {
		return text
	}
	return doc.AppendLines(text, lines)
}

// WithClosure puts lines above the closure block and c in its place, or at the end where there is
// none.
func WithClosure(text []byte, lines []string, c Closure) []byte {
	body, tail := text, []byte(nil)
	if _, at, ok := FindClosure(text); ok {
		body = text[:at]
		// Blank lines behind the block stay.
		rest := bytes.TrimRight(text[at:], " \t\r\n\v\f")
		_, tail, _ = bytes.Cut(text[at+len(rest):], []byte("\n"))
	}
	eol := doc.EOL(text)
	out := slices.Clone(body)
	if len(lines) > 0 {
		out = doc.AppendLines(body, lines)
	}
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

// Join unites two blocks: the later date; of each other field the parts of a and then the new ones of
// b in byte order, without `none` (SPEC 10.5).
func Join(a, b Closure) Closure {
	out := Closure{Updated: max(a.Updated, b.Updated)}
	fa, fb, fo := a.Fields(), b.Fields(), out.Fields()
	for i := 1; i < len(Keys); i++ {
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
