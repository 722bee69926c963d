package prefs

import (
	"bytes"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/stamp"
)

// Reflection is one record of reflections.log, or one section of reflections.md.
type Reflection struct {
	ID         string    // r-<8 hex>, "" for a bare block
	At         time.Time // zero: it does not say; then it is the date of the commit that added it
	Context    string
	Reflection string
	Lesson     string
	Line       int // from 1
	EndLine    int
}

// NewReflection is a record with the id of its words and time.
func NewReflection(at time.Time, context, reflection, lesson string) Reflection {
	r := Reflection{At: at, Context: context, Reflection: reflection, Lesson: lesson}
	r.ID = "r-" + hexOf(8, stamp.Format(at), context, reflection, lesson)
	return r
}

// field finds a field by its name: CONTEXT, REFLECTION, LESSON, or what reflections.md calls it.
func (r *Reflection) field(name string) *string {
	switch strings.ToUpper(name) {
	case "CONTEXT", "WHAT I DID":
		return &r.Context
	case "REFLECTION":
		return &r.Reflection
	case "LESSON":
		return &r.Lesson
	}
	return nil
}

// ParseReflections reads a log of reflections (SPEC SI-52), or the Markdown file of SI-54. A record
// begins with `== <time> r-<8 hex>`, a heading, or a CONTEXT where one is there already.
func ParseReflections(src []byte) (records []Reflection, problems []Problem) {
	p := reflectionParser{}
	number := 0
	var fences doc.Fences
	for l := range bytes.Lines(src) {
		number++
		if !fences.Next(l) {
			p.line(number, strings.TrimSpace(string(l)))
		}
	}
	p.flush()
	return p.records, p.problems
}

type reflectionParser struct {
	records  []Reflection
	problems []Problem
	now      Reflection
	open     bool    // a record began
	headed   bool    // with a `==` line
	last     *string // field that a line goes on
}

func (p *reflectionParser) line(number int, text string) {
	if rest, ok := strings.CutPrefix(text, "== "); ok {
		p.begin(number, true)
		at, id, _ := strings.Cut(rest, " ")
		var good bool
		if p.now.At, good = stamp.Parse(at); !good || !isReflectionID(id) {
			p.problems = append(p.problems, Problem{Line: number, What: "a record begins with '== <time> r-<8 hex>'"})
		} else {
			p.now.ID = id
		}
		return
	}
	if strings.HasPrefix(text, "#") {
		p.flush()
		if day := dayOf(strings.TrimLeft(text, "# ")); day != "" {
			p.begin(number, false)
			p.now.At, _ = stamp.Loose(day)
		}
		return
	}
	name, value, ok := strings.Cut(strings.TrimLeft(text, "-*+ "), ":")
	f := p.now.field(strings.Trim(name, "* "))
	switch {
	case text == "":
		p.last = nil
		if p.headed {
			p.flush()
		}
	case ok && f != nil:
		if *f != "" || !p.open {
			p.begin(number, false)
			f = p.now.field(strings.Trim(name, "* "))
		}
		*f = strings.TrimSpace(strings.TrimLeft(value, "* "))
		p.now.EndLine, p.last = number, f
	case ok && (strings.EqualFold(strings.Trim(name, "* "), "outcome") || strings.EqualFold(strings.Trim(name, "* "), "status")):
		p.last = nil
	case p.last != nil:
		*p.last += " " + text
		p.now.EndLine = number
	}
}

func (p *reflectionParser) begin(number int, headed bool) {
	p.flush()
	p.now = Reflection{Line: number, EndLine: number}
	p.open, p.headed = true, headed
}

func (p *reflectionParser) flush() {
	if p.open && (p.headed || p.now.Context+p.now.Reflection+p.now.Lesson != "") {
		if p.now.Lesson == "" {
			p.problems = append(p.problems, Problem{Line: p.now.Line, What: "it has no LESSON"})
		}
		p.records = append(p.records, p.now)
	}
	*p = reflectionParser{records: p.records, problems: p.problems}
}

func isReflectionID(s string) bool {
	hex, ok := strings.CutPrefix(s, "r-")
	return ok && len(hex) == 8 && strings.Trim(hex, "0123456789abcdef") == ""
}

// AppendReflection puts a record at the end of a log.
func AppendReflection(src []byte, r Reflection) []byte {
	out := bytes.Clone(src)
	if n := len(out); n > 0 && out[n-1] != '\n' {
		out = append(out, '\n')
	}
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n\n")) {
		out = append(out, '\n')
	}
	out = append(out, "== "+stamp.Format(r.At)+" "+r.ID+"\n"...)
	for _, f := range [][2]string{{"CONTEXT", r.Context}, {"REFLECTION", r.Reflection}, {"LESSON", r.Lesson}} {
		out = append(out, f[0]+": "+strings.Join(strings.Fields(f[1]), " ")+"\n"...)
	}
	return append(out, '\n')
}

// LineOf is the candidate that a reflection becomes when its lesson comes up again and
// again (SPEC SI-51). A context without any letter that an id may have is called so.
func (r Reflection) LineOf() Line {
	context := strings.Map(func(c rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_.-", c) {
			return c
		}
		return -1
	}, doc.Slug(doc.Normalise(r.Context)))
	context = strings.Trim(context[:min(len(context), maxContext)], "-")
	if context == "" {
		context = "reflection"
	}
	return Line{Context: context, Pattern: doc.Normalise(r.Context), Preference: strings.Join(strings.Fields(r.Lesson), " ")}
}
