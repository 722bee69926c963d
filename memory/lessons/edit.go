package lessons

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/stamp"
)

// The functions of this file return a new text. An entry they are given comes from Parse of that
// same text. All bytes but those they name stay as they are.

// OneLine writes a lesson in form (a), without its line end.
func OneLine(e Entry) string {
	var b strings.Builder
	b.WriteString("- " + stamp.Format(e.Time) + " [" + e.ID + "]")
	text := strings.Join(strings.Fields(e.Text), " ")
	first, _, _ := strings.Cut(text, " ")
	first, _, looksField := strings.Cut(first, "=")
	seen := e.Seen
	if len(seen) == 0 {
		seen = []time.Time{e.Time}
	}
	status := ""
	if e.Status != "" && e.Status != Pending {
		status = string(e.Status)
	}
	for i, value := range []string{e.Key, strings.Join(e.Tasks, ","), joinStamps(seen, ","), status, lineValue(e.To)} {
		name := lineFields[i]
		// A text that begins like a field must not be read as one: that field is written before it.
		if value == "" && looksField && first == name && name == "status" {
			value = string(Pending)
		}
		if value != "" || looksField && first == name {
			b.WriteString(" " + name + "=" + value)
		}
	}
	b.WriteString(" " + text)
	if e.Pinned {
		b.WriteString(" #pinned")
	}
	return b.String()
}

// lineValue writes a value that may hold no space.
func lineValue(s string) string { return strings.ReplaceAll(s, " ", "%20") }

func joinStamps(times []time.Time, sep string) string {
	var out []string
	for _, t := range times {
		out = append(out, stamp.Format(t))
	}
	return strings.Join(out, sep)
}

// Append puts a lesson at the end of a file, in form (a).
func Append(src []byte, e Entry) []byte {
	line := OneLine(e)
	at, ok := listEnd(src)
	if !ok {
		return doc.AppendLines(src, []string{line})
	}
	return doc.Replace(src, at, at, line+doc.EOL(src))
}

// listEnd finds where a list goes on that a file ends with, where that is plain without reading all
// of it: files of lessons get long.
func listEnd(src []byte) (at int, ok bool) {
	for _, mark := range []string{"```", "~~~", "<", "---"} {
		if bytes.Contains(src, []byte(mark)) {
			return 0, false
		}
	}
	text := bytes.TrimRight(src, " \t\r\n\v\f")
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	eol := bytes.IndexByte(src[len(text):], '\n')
	return len(text) + eol + 1, eol >= 0 && len(last) > 2 && bytes.HasPrefix(last, []byte("- ")) && (last[2] >= '0' && last[2] <= '9' || isLetter(last[2]|0x20))
}

// AddSeen records an occurrence and the task it was in, "" for none (SPEC LR-09). A time that is
// recorded already is not added again.
func AddSeen(src []byte, e *Entry, at time.Time, task string) []byte {
	sep := ","
	if e.Block {
		sep = ", "
	}
	if e.get("seen") == nil || !slices.ContainsFunc(e.Seen, at.Equal) {
		value := stamp.Format(e.Time)
		if s := e.get("seen"); s != nil && s.value != "" {
			value = s.value
		}
		if e.Time.Equal(at) {
			src = set(src, e, "seen", value)
		} else {
			src = set(src, e, "seen", value+sep+stamp.Format(at))
		}
	}
	if task == "" || slices.Contains(e.Tasks, task) {
		return src
	}
	return setAgain(src, e, "task", strings.Join(append(e.Tasks, task), sep))
}

// SetStatus changes the status. to is where git claw promoted the lesson, as <path>#<anchor>, or "" to
// leave that as it is (SPEC LR-17).
func SetStatus(src []byte, e *Entry, status Status, to string) []byte {
	src = set(src, e, "status", string(status))
	if to == "" {
		return src
	}
	return setAgain(src, e, "to", to)
}

// setAgain is set for a text in which a field of the entry was changed.
func setAgain(src []byte, e *Entry, name, value string) []byte {
	if again := Find(src, e); again != nil {
		return set(src, again, name, value)
	}
	return src
}

// Find returns an entry as it is in a text in which only that entry was changed, nil when it cannot be
// read there.
func Find(src []byte, e *Entry) *Entry {
	end := e.end + len(src) - len(e.src)
	if end < e.start || end > len(src) {
		return nil
	}
	// Alone it reads as it does in the file, and the file may be long.
	if f := Parse(src[e.start:end]); len(f.Entries) == 1 && f.Entries[0].ID == e.ID && f.Entries[0].start == 0 {
		again := f.Entries[0]
		again.move(src, e.start, bytes.Count(src[:e.start], []byte("\n")))
		return &again
	}
	f := Parse(src)
	for i := range f.Entries {
		if f.Entries[i].ID == e.ID && f.Entries[i].Line == e.Line {
			return &f.Entries[i]
		}
	}
	return nil
}

// move makes an entry of a piece of a text one of the text: the piece begins so many bytes and lines
// behind the beginning of it.
func (e *Entry) move(src []byte, by, lines int) {
	e.src = src
	e.start, e.end, e.body = e.start+by, e.end+by, e.body+by
	e.Line, e.EndLine = e.Line+lines, e.EndLine+lines
	e.fields = slices.Clone(e.fields)
	for i := range e.fields {
		f := &e.fields[i]
		f.from, f.to, f.begin, f.next = f.from+by, f.to+by, f.begin+by, f.next+by
	}
}

// Pin marks an entry so that it is never archived (SPEC LR-11).
func Pin(src []byte, e *Entry) []byte {
	if e.Pinned {
		return src
	}
	at := e.firstLineEnd()
	return doc.Replace(src, at, at, " #pinned")
}

// firstLineEnd is the offset behind the line with the id, white space at its end left out.
func (e *Entry) firstLineEnd() int {
	at := e.start
	lines := e.Line - 1 - bytes.Count(e.src[:e.start], []byte("\n"))
	for range lines {
		at += bytes.IndexByte(e.src[at:], '\n') + 1
	}
	line, _, _ := bytes.Cut(e.src[at:e.end], []byte("\n"))
	return at + len(bytes.TrimRight(line, " \t\r"))
}

// Remove takes an entry out and returns what remains, and the lines of the entry.
func Remove(src []byte, e *Entry) (rest, entry []byte) {
	to := e.end
	before := bytes.TrimSuffix(src[:e.start], []byte("\n"))
	if len(bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])) == 0 {
		// Of the blank lines before and behind the entry one set is enough.
		blank := len(src[to:]) - len(bytes.TrimLeft(src[to:], " \t\r\n"))
		to += bytes.LastIndexByte(src[to:to+blank], '\n') + 1
	}
	return doc.Cut(src, e.start, to), src[e.start:e.end]
}

// set gives a field of an entry a value.
func set(src []byte, e *Entry, name, value string) []byte {
	if !e.Block {
		value = lineValue(value)
	}
	if f := e.get(name); f != nil {
		return doc.Replace(src, f.from, f.to, value)
	}
	if !e.Block {
		text := name + "=" + value
		if c := src[e.body-1]; c != ' ' && c != '\t' {
			text = " " + text
		}
		if line, _, _ := bytes.Cut(src[e.body:], []byte("\n")); len(bytes.TrimRight(line, "\r")) > 0 {
			text += " "
		}
		return doc.Replace(src, e.body, e.body, text)
	}
	eol := doc.EOL(src)
	if name == "status" {
		if f := e.bold(); f != nil {
			return doc.Replace(src, f.next, f.next, onOwnLine(src, f.next, "**Status**: "+value, eol))
		}
		return doc.InsertLines(src, e.behindHead(), []string{"**Status**: " + value})
	}
	item := "- " + strings.ToUpper(name[:1]) + name[1:] + ": " + value
	if f := e.lastMeta(); f != nil {
		return doc.Replace(src, f.next, f.next, onOwnLine(src, f.next, item, eol))
	}
	return doc.InsertLines(src, e.body, []string{item})
}

// onOwnLine makes a line for an offset behind another one.
func onOwnLine(src []byte, at int, line, eol string) string {
	if at > 0 && src[at-1] != '\n' {
		return eol + line
	}
	return line + eol
}

// behindHead is the offset of the line below the heading.
func (e *Entry) behindHead() int {
	at := e.firstLineEnd()
	if n := bytes.IndexByte(e.src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(e.src)
}

// bold returns the last of the bold fields that stand together at the top.
func (e *Entry) bold() *field {
	var last *field
	for i := range e.fields {
		if f := &e.fields[i]; !f.item && (last == nil || f.begin == last.next) {
			last = f
		}
	}
	return last
}

func (e *Entry) lastMeta() *field {
	for i := range slices.Backward(e.fields) {
		if e.fields[i].item && isMeta(e.fields[i].name) {
			return &e.fields[i]
		}
	}
	return nil
}

// isMeta names the fields of a metadata list, so that a list of other things that has colons in it is
// not taken for one.
func isMeta(name string) bool {
	return slices.Contains([]string{
		"source", "related files", "tags", "see also", "pattern-key", "key", "task", "seen", "to", "recurrence-count", "first-seen", "last-seen", "reproducible", "related",
	}, name)
}
