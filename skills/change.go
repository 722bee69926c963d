package skills

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/frontmatter"
)

// NextVersion raises the patch number of a version by one: 2.1.0 to 2.1.1 (SPEC EV-05). False when it
// is no such version.
func NextVersion(version string) (string, bool) {
	parts := strings.Split(version, ".")
	if len(parts) != 3 {
		return "", false
	}
	for _, p := range parts {
		if _, err := strconv.ParseUint(p, 10, 31); err != nil {
			return "", false
		}
	}
	patch, _ := strconv.Atoi(parts[2])
	return parts[0] + "." + parts[1] + "." + strconv.Itoa(patch+1), true
}

func (p Param) named(o Param) bool { return o.Name == p.Name }

// Change is what differs between two texts of a skill that no evolution may change.
type Change struct {
	// Frozen: metadata, triggers or dependencies (SPEC EV-01); else a value, or any other text
	// (EV-08).
	Frozen bool
	Line   int // in the new text, from 1
	What   string
}

// Changes lists what of a change of a skill is not legal for an evolution: all but values of mutable
// parameters within their bounds, and the version.
func Changes(old, new []byte) []Change {
	was, now := frozen(old), frozen(new)
	var out []Change
	for _, part := range now.parts {
		if was.text(part.name) != part.text {
			out = append(out, Change{true, part.line, part.name + " changed"})
		}
	}
	for _, part := range was.parts {
		if !now.has(part.name) {
			out = append(out, Change{true, 1, part.name + " is gone"})
		}
	}
	before, _ := Params(old)
	after, _ := Params(new)
	for n, p := range after {
		was := before
		for _, same := range after[:n] { // a name that is there twice is a problem, but not a change
			if same.Name == p.Name && len(was) > 0 {
				was = was[1+max(0, slices.IndexFunc(was, same.named)):]
			}
		}
		i := slices.IndexFunc(was, p.named)
		if i < 0 || was[i].Value == p.Value {
			continue
		}
		// The bounds are those of the old text: a change may not widen its own.
		if why := was[i].Accepts(p.Value); why != "" {
			out = append(out, Change{false, p.Line, fmt.Sprintf("'%s' changed from %s to %s: %s", p.Name, was[i].Value, p.Value, why)})
		}
	}
	if line := was.differs(now); line > 0 {
		out = append(out, Change{false, line, "text besides the values of parameters changed"})
	}
	return out
}

// frozenText is a skill taken apart: what may never change, and all else with the values of
// parameters left out.
type frozenText struct {
	parts []frozenPart
	rest  []string
	lines []int // of rest, from 1
}

type frozenPart struct {
	name, text string
	line       int
}

func (f frozenText) text(name string) string {
	for _, p := range f.parts {
		if p.name == name {
			return p.text
		}
	}
	return ""
}

func (f frozenText) has(name string) bool {
	return slices.ContainsFunc(f.parts, func(p frozenPart) bool { return p.name == name })
}

func frozen(src []byte) frozenText {
	var f frozenText
	b := frontmatter.Parse(src)
	for _, field := range b.Fields {
		if field.Key != "version" {
			f.addPart("metadata '"+field.Key+"'", field.Text, field.Line)
		}
	}
	params, _ := Params(src)
	slices.SortFunc(params, func(a, b Param) int { return b.from - a.from })
	text := src
	for _, p := range params {
		text = doc.Replace(text, p.from, p.to, "…")
	}
	d := doc.Parse(text)
	line := 1
	keep := func(to int, text []byte) {
		for ; line < to; line++ {
			l, rest, _ := strings.Cut(string(text), "\n")
			if text = []byte(rest); strings.TrimSpace(l) != "" {
				f.rest, f.lines = append(f.rest, l), append(f.lines, line)
			}
		}
	}
	for i := range d.Entries {
		e := &d.Entries[i]
		next := e.Line + bytes.Count(text[e.Start:e.Next], []byte("\n"))
		if e.Next == len(text) {
			next = e.EndLine + 1 // blank lines at the end do not count
		}
		part := frozenTitle(e)
		switch {
		case e.Kind == doc.Frontmatter:
			line = next
		case part == "":
			keep(next, text[e.Start:e.Next])
		default:
			f.addPart(part, string(e.Text()), e.OwnLine)
			line = next
		}
	}
	return f
}

// frozenTitle names the section of triggers, dependencies or metadata that an entry is in, or "".
func frozenTitle(e *doc.Entry) string {
	part := ""
	for _, title := range append(e.Path(), e.Title()) {
		t := strings.ToUpper(title)
		for _, name := range []string{"TRIGGER", "DEPENDENC", "METADATA"} {
			if strings.Contains(t, name) {
				part = strings.ToLower(title)
			}
		}
	}
	return part
}

func (f *frozenText) addPart(name, text string, line int) {
	for k := range f.parts {
		if f.parts[k].name == name {
			f.parts[k].text += "\n" + text
			return
		}
	}
	f.parts = append(f.parts, frozenPart{name, text, line})
}

// differs returns the first line of now that is another one, 0 for none.
func (f frozenText) differs(now frozenText) int {
	for n := range now.rest {
		if n >= len(f.rest) || f.rest[n] != now.rest[n] {
			return now.lines[n]
		}
	}
	if len(f.rest) > len(now.rest) {
		return 1 + max(0, slices.Max(append(now.lines, 0)))
	}
	return 0
}
