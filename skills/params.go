package skills

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/frontmatter"
)

// Param is a parameter of a skill: an item of the YAML list in a fence `claw-params` of its sections
// BEHAVIOR and LEARNING (SPEC EV-01, EV-08).
type Param struct {
	Name    string
	Value   string // as written
	Unit    string
	Mutable bool
	Min     string // "" for none
	Max     string
	Line    int // of the value, from 1

	from, to int // offsets of the value
}

// Accepts says why a value is not legal for the parameter, or "".
func (p Param) Accepts(value string) string {
	if !p.Mutable {
		return "it is not mutable"
	}
	if p.Min == "" && p.Max == "" {
		return ""
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Sprintf("'%s' is no number", value)
	}
	if low, err := strconv.ParseFloat(p.Min, 64); err == nil && v < low {
		return "it is less than " + p.Min
	}
	if high, err := strconv.ParseFloat(p.Max, 64); err == nil && v > high {
		return "it is more than " + p.Max
	}
	return ""
}

// Problem is what cannot be read.
type Problem struct {
	Line int // from 1
	What string
}

// Params reads the parameters of a SKILL.md. Those in other sections are there and not mutable.
func Params(src []byte) (params []Param, problems []Problem) {
	d := doc.Parse(src)
	seen := map[string]bool{}
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Fence || fenceInfo(e) != "claw-params" {
			continue
		}
		evolves := false
		for _, title := range e.Path() {
			t := strings.ToUpper(title)
			evolves = evolves || strings.Contains(t, "BEHAVIOR") || strings.Contains(t, "LEARNING")
		}
		all, bad := readParams(src, e)
		for _, p := range all {
			p.Mutable = p.Mutable && evolves
			if seen[p.Name] {
				bad = append(bad, Problem{p.Line, fmt.Sprintf("'%s' is there twice", p.Name)})
			}
			seen[p.Name] = true
			params = append(params, p)
		}
		problems = append(problems, bad...)
	}
	return params, problems
}

func fenceInfo(e *doc.Entry) string {
	first, _, _ := strings.Cut(string(e.OwnText()), "\n")
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(first), "`~"))
}

// readParams reads the list in a fence: each item as a block of fields.
func readParams(src []byte, e *doc.Entry) (params []Param, problems []Problem) {
	at, line := e.Own, e.OwnLine
	item, itemLine := -1, 0
	flush := func(end int) {
		if item < 0 {
			return
		}
		if p, ok := readParam(src[item:end], item, itemLine); ok {
			params = append(params, p)
		} else {
			problems = append(problems, Problem{itemLine, "a parameter has a name and a value"})
		}
		item = -1
	}
	n := 0
	for l := range bytes.Lines(src[e.Own:e.End]) {
		n++
		text := strings.TrimSpace(string(l))
		last := at+len(l) >= e.End && strings.Trim(text, "`~") == ""
		switch {
		case n == 1:
		case last:
			flush(at)
		case strings.HasPrefix(text, "-"):
			flush(at)
			item, itemLine = at, line
		case text != "" && text[0] != '#' && item < 0:
			problems = append(problems, Problem{line, "it is no list of parameters"})
		}
		at, line = at+len(l), line+1
	}
	flush(e.End)
	return params, problems
}

// readParam reads one item, `- name: x` and the fields below it.
func readParam(item []byte, offset, line int) (Param, bool) {
	p := Param{}
	at := 0
	found := false
	for l := range bytes.Lines(item) {
		text := strings.TrimRight(string(l), " \t\r\n")
		body := strings.TrimLeft(text, " \t-")
		name, rest, ok := strings.Cut(body, ":")
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			start := len(text) - len(strings.TrimLeft(rest, " \t"))
			switch name {
			case "name":
				p.Name = scalar(rest)
			case "value":
				found = true
				p.Value, p.Line = scalar(rest), line
				p.from = offset + at + start
				p.to = p.from + valueLen(text[start:])
			case "unit":
				p.Unit = scalar(rest)
			case "mutable":
				p.Mutable = scalar(rest) == "true"
			case "min":
				p.Min = scalar(rest)
			case "max":
				p.Max = scalar(rest)
			}
		}
		at, line = at+len(l), line+1
	}
	return p, p.Name != "" && found
}

// scalar reads a value as YAML does.
func scalar(value string) string {
	return frontmatter.Parse([]byte("---\nv:" + value + "\n---\n")).Text("v")
}

// valueLen is the length of a value on its line, a comment behind it left out.
func valueLen(text string) int {
	if strings.HasPrefix(text, "#") {
		return 0
	}
	if i := strings.Index(text, " #"); i >= 0 && !strings.ContainsAny(text[:1], `"'`) {
		text = text[:i]
	}
	return len(strings.TrimRight(text, " \t"))
}

// SetParam gives a parameter another value. False when there is no such parameter; whether the value
// is legal is for Accepts to say. No other byte changes.
func SetParam(src []byte, name, value string) ([]byte, bool) {
	params, _ := Params(src)
	for _, p := range params {
		if p.Name == name {
			value = frontmatter.Quote(value)
			if p.from == p.to && src[p.from-1] == ':' {
				value = " " + value
			}
			if p.from == p.to && p.from < len(src) && src[p.from] == '#' {
				value += " "
			}
			return doc.Replace(src, p.from, p.to, value), true
		}
	}
	return src, false
}
