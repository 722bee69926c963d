package lessons

import (
	"bytes"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/stamp"
)

// Status of a lesson, in the order of SPEC 10.5.
type Status string

// The statuses. What is missing, unknown or in another language is read as pending.
const (
	Pending         Status = "pending"
	InProgress      Status = "in_progress"
	WontFix         Status = "wont_fix"
	Resolved        Status = "resolved"
	Promoted        Status = "promoted"
	PromotedToSkill Status = "promoted_to_skill"
)

// Entry is one lesson.
type Entry struct {
	ID    string
	Type  string // LRN, ERR or FEAT
	Block bool   // form (b), a heading with fields below it; else form (a), one line
	Line  int    // from 1
	// EndLine is the last line of it, inclusive.
	EndLine int

	Time   time.Time   // when it was written down; the day of the id where it does not say
	Key    string      // area.symptom, "" for none
	Tasks  []string    // in which it occurred
	Seen   []time.Time // its occurrences in order of writing; Time where it lists none
	Status Status
	Raw    string // the status as written, "" for none
	To     string // <path>#<anchor> that git claw promoted it to, "" for none
	Text   string // what was learned
	Pinned bool
	// SeeAlso are the ids of other entries it names.
	SeeAlso []string

	last       time.Time // what it says of its last occurrence besides
	start, end int       // offsets of its lines
	body       int       // form (a): offset of the text; form (b): of the break that ends it, or end
	fields     []field
	src        []byte
}

// field is a value that an entry holds, and where.
type field struct {
	name        string // in lower case
	value       string
	from, to    int // offsets of the value
	begin, next int // offsets of its line, and of the line behind it
	item        bool
}

// Count is how often it occurred.
func (e *Entry) Count() int { return len(e.Seen) }

// Last is when it occurred last.
func (e *Entry) Last() time.Time {
	last := e.last
	for _, t := range append(e.Seen, e.Time) {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// Source returns the lines of the entry as they are in the file.
func (e *Entry) Source() []byte { return e.src[e.start:e.end] }

// get returns the first field of one of the names, nil for none.
func (e *Entry) get(names ...string) *field {
	for i := range e.fields {
		for _, n := range names {
			if e.fields[i].name == n {
				return &e.fields[i]
			}
		}
	}
	return nil
}

// Problem is what looks like an entry and cannot be read as one, or a field of one.
type Problem struct {
	Line int
	What string
}

// File is a file of lessons.
type File struct {
	Src      []byte
	Entries  []Entry
	Problems []Problem
	// Pinned: a line of the file ends in #pinned, which exempts a file that is not canonical.
	Pinned bool
}

// Parse reads a file of lessons; no input is an error.
func Parse(src []byte) *File {
	d := doc.Parse(src)
	f := &File{Src: src, Entries: make([]Entry, 0, bytes.Count(src, []byte("[LRN-"))+bytes.Count(src, []byte("[ERR-"))+bytes.Count(src, []byte("[FEAT-")))}
	for i := 0; i < len(d.Entries); {
		i = f.entry(d, i)
	}
	if !bytes.Contains(src, []byte(pinMark)) {
		return f
	}
	for i := range d.Entries {
		f.Pinned = f.Pinned || d.Entries[i].Kind != doc.Fence && pinned(d.Entries[i].OwnText())
	}
	return f
}

// entry reads the entry that begins with entry i of the text, if one does, and returns the next one
// to look at.
func (f *File) entry(d *doc.Doc, i int) int {
	e := &d.Entries[i]
	switch e.Kind {
	case doc.Heading:
		id, name, looks := headOf(e)
		if id != "" {
			end := blockEnd(d, i)
			f.block(d, i, end, id, name)
			return end
		}
		if looks {
			f.problem(e.OwnLine, "the id is not TYPE-YYYYMMDD-XXX")
		}
	case doc.Item:
		l, ok, looks := lineOf(e)
		if ok {
			f.line(e, l)
		} else if looks {
			f.problem(e.OwnLine, "the id is not TYPE-YYYYMMDD-XXX")
		}
	}
	return i + 1
}

func (f *File) problem(line int, what string) {
	f.Problems = append(f.Problems, Problem{line, what})
}

// blockEnd returns the entry of the text behind the block that heading i opens: a thematic break is
// its last one; the next heading that is not below it, or a lesson in one line, is not in it.
func blockEnd(d *doc.Doc, i int) int {
	level := d.Entries[i].Level
	for j := i + 1; j < len(d.Entries); j++ {
		e := &d.Entries[j]
		switch e.Kind {
		case doc.Heading:
			if setextBreak(e) {
				return j + 1
			}
			if id, _, _ := headOf(e); id != "" || e.Level <= level {
				return j
			}
		case doc.Paragraph:
			if isBreak(e.OwnText()) {
				return j + 1
			}
		case doc.Item:
			if l, ok, _ := lineOf(e); ok && l.stamped {
				return j
			}
		}
	}
	return len(d.Entries)
}

// headOf reads the id and the name of a heading. An underlined one is none of ours.
func headOf(e *doc.Entry) (id, name string, looks bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(e.OwnText(), " "), []byte("#")) {
		return "", "", false
	}
	return idAt(e.Title())
}

// setextBreak recognises a text with `---` right below it: Markdown calls that a heading, but here it
// is the end of a block.
func setextBreak(e *doc.Entry) bool {
	text := e.OwnText()
	n := bytes.LastIndexByte(text, '\n')
	return n >= 0 && isBreak(text[n+1:])
}

func isBreak(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) >= 3 && len(bytes.Trim(text, "-")) == 0
}

const pinMark = "#pinned"

// pinned reports whether a line of a text ends in #pinned.
func pinned(text []byte) bool {
	if !bytes.Contains(text, []byte(pinMark)) {
		return false
	}
	for l := range bytes.Lines(text) {
		l = bytes.TrimRight(l, " \t\r\n")
		if bytes.HasSuffix(l, []byte("#pinned")) || bytes.HasSuffix(l, []byte("#pinned:")) {
			return true
		}
	}
	return false
}

// statusOf reads a status; what follows the word does not matter.
func statusOf(raw string) Status {
	word := strings.NewReplacer("-", "_", " ", "_", "'", "", "’", "").Replace(strings.ToLower(strings.Trim(raw, " *`_")))
	for _, s := range []Status{PromotedToSkill, Promoted, InProgress, WontFix, Resolved, Pending} {
		if rest, ok := strings.CutPrefix(word, string(s)); ok && (rest == "" || !isLetter(rest[0])) {
			return s
		}
	}
	return Pending
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 0x80 }

// stamps reads a list of times. ok is false when one of them is none.
func stamps(list string) (times []time.Time, ok bool) {
	ok = true
	for s := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		t, good := stamp.Loose(s)
		if !good {
			ok = false
			continue
		}
		times = append(times, t)
	}
	return times, ok
}

// ids lists the ids in a text, in order, each once.
func ids(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" ,;|()[]`*\t\r\n\"'", r) }) {
		word = strings.TrimRight(word, ".:")
		if _, _, ok := splitID(word); !ok {
			continue
		}
		seen := false
		for _, o := range out {
			seen = seen || o == word
		}
		if !seen {
			out = append(out, word)
		}
	}
	return out
}
