package prefs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Sections of memory.md (SPEC SI-35): the pinned entries, and the other confirmed ones.
const (
	Confirmed = "Confirmed Preferences"
	Active    = "Active Patterns"
	Recent    = "Recent (last 7 days)" // stays empty
)

// Entry is a confirmed preference in a tier (SPEC SI-36). What people wrote by hand has no id.
type Entry struct {
	ID    string // cand-…, "" for none
	Text  string
	Pin   bool
	Since string // YYYY-MM-DD, "" for none
	// Uses and LastUse are what older files say; both are lower bounds.
	Uses    int
	LastUse string // YYYY-MM-DD
	// Section is the title of the heading right above it.
	Section string
	Line    int // from 1
	EndLine int

	start, end int
	source     string // its lines in the file, what is nested in it among them
	pinAt      int    // offset in source where the value of pin stands, or is to stand
}

// Preference reads the entry as a line; false for words in free form.
func (e Entry) Preference() (Line, bool) {
	l, err := ParseLine(e.Text)
	return l, err == nil
}

// ParseTier reads the entries of a file of a tier: its list items that are not nested.
func ParseTier(src []byte) []Entry {
	d := doc.Parse(src)
	var out []Entry
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Item || e.Level > 0 {
			continue
		}
		n := Entry{Line: e.OwnLine, EndLine: e.EndLine, start: e.Start, end: e.End}
		for _, below := range d.Entries[i+1:] {
			if below.Kind == doc.Heading || below.Level == 0 {
				break
			}
			n.EndLine, n.end = below.EndLine, below.End
		}
		n.source = string(src[n.start:n.end])
		if path := e.Path(); len(path) > 0 {
			n.Section = path[len(path)-1]
		}
		n.Text = n.readMark(string(e.OwnText()), e.Own-e.Start)
		n.Text = strings.Join(strings.Fields(n.Text), " ")
		n.Text = strings.TrimLeft(strings.TrimLeft(n.Text, "-*+"), " ")
		out = append(out, n)
	}
	return out
}

// readMark takes the fields of the comment behind an entry and returns the text before it. own is
// where the text begins in the source.
func (e *Entry) readMark(text string, own int) (rest string) {
	at := strings.LastIndex(text, "<!--")
	if at < 0 {
		return text
	}
	from := at + len("<!--")
	mark, tail, ok := strings.Cut(text[from:], "-->")
	if !ok || strings.TrimSpace(tail) != "" || strings.Contains(mark, "\n") {
		return text
	}
	for word := range strings.FieldsSeq(mark) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "id":
			e.ID = value
		case "since":
			e.Since = value
		case "n":
			e.Uses, _ = strconv.Atoi(value)
		case "last":
			e.LastUse = value
		}
	}
	if e.ID == "" {
		return text
	}
	if pin := strings.Index(mark, pinMark); pin >= 0 {
		e.pinAt = own + from + pin
		e.Pin = strings.HasPrefix(mark[pin+len(pinMark):], "1")
	} else {
		e.pinAt = own + from + len(strings.TrimRight(mark, " \t\r\n"))
	}
	return text[:at]
}

const pinMark = " pin="

// String writes the entry as it stands in a file.
func (e Entry) String() string {
	pin := 0
	if e.Pin {
		pin = 1
	}
	return fmt.Sprintf("- %s <!-- id=%s pin=%d since=%s -->", strings.Join(strings.Fields(e.Text), " "), e.ID, pin, e.Since)
}

// lines are those of the entry: as they are in the file it comes from, else new ones.
func (e Entry) lines() []string {
	if e.source == "" {
		return []string{e.String()}
	}
	return strings.Split(strings.ReplaceAll(strings.TrimRight(e.source, "\r\n"), "\r\n", "\n"), "\n")
}

// section is where an entry of memory.md belongs.
func (e Entry) section() string {
	if e.Pin {
		return Confirmed
	}
	return Active
}

// AddHot puts an entry into memory.md, below the heading of its section.
func AddHot(src []byte, e Entry) []byte { return addUnder(src, e.section(), e.lines()) }

// Add puts an entry at the end of a file of another tier; an empty one gets a title.
func Add(src []byte, title string, e Entry) []byte {
	if len(bytes.TrimSpace(src)) == 0 {
		return fmt.Appendf(nil, "# %s\n\n%s\n", title, strings.Join(e.lines(), "\n"))
	}
	return doc.AppendLines(src, e.lines())
}

// Remove takes an entry, which comes from ParseTier of the same text, out of it.
func Remove(src []byte, e Entry) []byte { return doc.Cut(src, e.start, e.end) }

// SetPin pins an entry of memory.md or takes the pin off, and moves it to the section where it
// belongs. An entry without an id stays as it is.
func SetPin(src []byte, e Entry, pin bool) []byte {
	if e.Pin == pin || e.ID == "" {
		return src
	}
	out := Remove(src, e)
	tail := e.source[e.pinAt:]
	if rest, ok := strings.CutPrefix(tail, pinMark); ok {
		tail = strings.TrimPrefix(strings.TrimPrefix(rest, "0"), "1")
	}
	value := pinMark + "0"
	if pin {
		value = pinMark + "1"
	}
	e.Pin, e.source = pin, e.source[:e.pinAt]+value+tail
	return AddHot(out, e)
}
