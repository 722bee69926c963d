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
		if !slices.Equal(was.text(part.name), part.text) {
			out = append(out, Change{true, part.line, part.name + " changed"})
		}
	}
	for _, part := range was.parts {
		if now.text(part.name) == nil {
			out = append(out, Change{true, 1, part.name + " is gone"})
		}
	}
	out = append(out, valueChanges(old, new)...)
	if line := was.differs(now); line > 0 {
		out = append(out, Change{false, line, "text besides the values of parameters changed"})
	}
	return out
}

// valueChanges lists parameters with a value that they may not have. A name that is there twice is a
// problem, but not a change: the first is compared with the first, the second with the second.
func valueChanges(old, new []byte) []Change {
	before := map[string][]Param{}
	params, _ := Params(old)
	for _, p := range params {
		before[p.Name] = append(before[p.Name], p)
	}
	var out []Change
	params, _ = Params(new)
	for _, p := range params {
		was := before[p.Name]
		if len(was) == 0 {
			continue
		}
		before[p.Name] = was[1:]
		// The bounds are those of the old text: a change may not widen its own.
		if why := was[0].Accepts(p.Value); was[0].Value != p.Value && why != "" {
			out = append(out, Change{false, p.Line, fmt.Sprintf("'%s' changed from %s to %s: %s", p.Name, was[0].Value, p.Value, why)})
		}
	}
	return out
}

// frozenText is a skill taken apart: what may never change, and all else with the values of
// parameters left out.
type frozenText struct {
	parts []*frozenPart
	named map[string]*frozenPart
	rest  []string
	lines []int // of rest, from 1
}

type frozenPart struct {
	name string
	text []string
	line int
}

// text returns what a part holds, nil when there is no such part.
func (f frozenText) text(name string) []string {
	if p := f.named[name]; p != nil {
		return p.text
	}
	return nil
}

func frozen(src []byte) frozenText {
	f := frozenText{named: map[string]*frozenPart{}}
	b := frontmatter.Parse(src)
	for _, field := range b.Fields {
		if field.Key != "version" {
			f.addPart("metadata '"+field.Key+"'", field.Text, field.Line)
		}
	}
	params, _ := Params(src)
	var text []byte
	at := 0
	for _, p := range params { // in order
		text = append(append(text, src[at:p.from]...), "…"...)
		at = p.to
	}
	text = append(text, src[at:]...)
	d := doc.Parse(text)
	line := 1
	keep := func(to int, text []byte) {
		for l := range bytes.Lines(text) {
			if line == to {
				return
			}
			if len(bytes.TrimSpace(l)) > 0 {
				f.rest, f.lines = append(f.rest, strings.TrimRight(string(l), "\r\n")), append(f.lines, line)
			}
			line++
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
			line = next
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
	p := f.named[name]
	if p == nil {
		p = &frozenPart{name: name, line: line}
		f.named[name] = p
		f.parts = append(f.parts, p)
	}
	p.text = append(p.text, text)
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
