package lessons

import (
	"bytes"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/stamp"
)

// lineFields are the fields of form (a), in the order they are written.
var lineFields = []string{"key", "task", "seen", "status", "to"}

// oneLine is what stands at the beginning of a lesson in one line.
type oneLine struct {
	id      string
	at      time.Time
	stamped bool   // a time stands before the id
	rest    string // behind the id
	offset  int    // of rest, from the beginning of the file
}

// lineOf reads time and id of a list item. looks reports an id that is written wrongly.
func lineOf(e *doc.Entry) (l oneLine, ok, looks bool) {
	if e.Level > 0 {
		return l, false, false
	}
	own := e.OwnText()
	first, _, _ := bytes.Cut(own, []byte("\n"))
	text := strings.TrimRight(string(first), " \t\r")
	body := strings.TrimLeft(text, " \t")
	if body == "" || !strings.Contains("-*+", body[:1]) {
		return l, false, false
	}
	body = strings.TrimLeft(body[1:], " \t")
	if word, rest, found := strings.Cut(body, " "); found {
		if l.at, l.stamped = stamp.Loose(word); l.stamped {
			body = strings.TrimLeft(rest, " \t")
		}
	}
	l.id, l.rest, looks = idAt(body)
	l.offset = e.Own + len(text) - len(l.rest)
	return l, l.id != "", looks
}

// line reads a lesson of form (a).
func (f *File) line(e *doc.Entry, l oneLine) {
	n := Entry{ID: l.id, Line: e.OwnLine, EndLine: e.EndLine, Time: l.at, start: e.Start, end: e.End, src: f.Src}
	rest, at := l.rest, l.offset
	for {
		word, more, _ := strings.Cut(rest, " ")
		name, value, ok := strings.Cut(word, "=")
		if !ok || !isLineField(name) || n.get(name) != nil {
			break
		}
		if n.fields == nil {
			n.fields = make([]field, 0, len(lineFields))
		}
		n.fields = append(n.fields, field{name: name, value: value, from: at + len(name) + 1, to: at + len(word)})
		trimmed := strings.TrimLeft(more, " \t")
		at += len(rest) - len(trimmed)
		rest = trimmed
	}
	n.body = at
	n.Text = rest
	_, below, _ := bytes.Cut(e.OwnText(), []byte("\n"))
	if len(below) > 0 {
		lines := []string{rest}
		for b := range bytes.Lines(below) {
			if s := strings.TrimSpace(string(b)); s != "" {
				lines = append(lines, s)
			}
		}
		n.Text = strings.Join(lines, " ")
	}
	n.Text = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(n.Text, " "), "#pinned:"), "#pinned"), " ")
	n.Pinned = pinned(e.OwnText())
	f.add(n)
}

func isLineField(name string) bool {
	for _, f := range lineFields {
		if f == name {
			return true
		}
	}
	return false
}

// add completes an entry from its fields and notes what cannot be read.
func (f *File) add(n Entry) {
	var day string
	n.Type, day, _ = splitID(n.ID)
	if n.Time.IsZero() {
		n.Time, _ = stamp.Loose(day)
	}
	if k := n.get("key", "pattern-key"); k != nil {
		n.Key = k.value
	}
	if t := n.get("task"); t != nil {
		n.Tasks = strings.FieldsFunc(t.value, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if s := n.get("seen"); s != nil {
		var ok bool
		if n.Seen, ok = stamps(s.value); !ok {
			f.problem(n.Line, "seen= holds what is no time")
		}
	}
	if len(n.Seen) == 0 {
		n.Seen = []time.Time{n.Time}
	}
	if l := n.get("last-seen"); l != nil {
		n.last, _ = stamp.Loose(l.value)
	}
	n.Status = Pending
	if s := n.get("status"); s != nil {
		n.Raw, n.Status = s.value, statusOf(s.value)
	}
	if p := n.get("promoted"); p != nil && p.value != "" && n.Status == Pending {
		n.Status = Promoted // a note in free form
	}
	if t := n.get("to"); t != nil {
		n.To = strings.ReplaceAll(t.value, "%20", " ")
	}
	if s := n.get("see also"); s != nil {
		n.SeeAlso = ids(s.value)
	} else if at := seeAlso(n.Text); at >= 0 && !n.Block {
		n.SeeAlso = ids(n.Text[min(at, len(n.Text)):])
	}
	if n.Text == "" {
		f.problem(n.Line, "it says nothing")
	}
	f.Entries = append(f.Entries, n)
}

// seeAlso is where a text begins to name others, -1 for nowhere.
func seeAlso(text string) int {
	if !strings.Contains(text, "lso") && !strings.Contains(text, "LSO") && !strings.Contains(text, "Lso") {
		return -1
	}
	return strings.Index(strings.ToLower(text), "see also")
}
