package curate

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/section"
)

// pointerMark begins the line that a trimmed file leaves behind.
const pointerMark = "→ Trimmed: "

// cut is what becomes of one file that is too long (SPEC TL-14).
type cut struct {
	rel     string // the file
	kept    []byte // its text
	note    []byte // the text of the note that the rest went to
	to      string // <note>#<anchor>
	heading string // in the note, above the rest
	exact   bool   // the lines taken out are the lines put in (SPEC TL-16)
	// swallowed: the note leaves a comment open that heading or closure block become a part of.
	swallowed  bool
	from, left int // tokens before and after
}

// trimFile keeps whole entries of a text from the top for as long as they fit, and puts
// the rest below a heading of its own into the note of a day. ok is false when not even
// the first entries fit. Nothing is deleted.
func trimFile(rel string, text []byte, notePath string, note []byte, day time.Time, fits func([]byte) bool) (c cut, ok bool) {
	title := "Trimmed from " + rel
	c = cut{rel: rel, heading: "## " + title, from: doc.Tokens(text)}
	anchor := nextAnchor(note, title)
	c.to = notePath + "#" + anchor
	body, pointers := withoutPointers(text)
	line := pointerMark + c.to
	if !slices.Contains(pointers, line) {
		pointers = append(pointers, line)
	}
	d := doc.Parse(body)
	starts := units(d)
	keep := func(n int) []byte {
		kept := bytes.TrimRight(body[:d.Entries[starts[n]].Start], "\r\n \t")
		if len(kept) < len(body) && bytes.HasPrefix(body[len(kept):], []byte("\r\n")) {
			kept = body[:len(kept)+2]
		} else if len(kept) < len(body) && body[len(kept)] == '\n' {
			kept = body[:len(kept)+1]
		}
		for _, p := range pointers {
			kept = doc.AppendLines(kept, []string{p})
		}
		return kept
	}
	// Of ever more entries those that fit come first.
	low, high := 0, len(starts)
	for low+1 < high {
		if mid := (low + high) / 2; fits(keep(mid)) {
			low = mid
		} else {
			high = mid
		}
	}
	for low > 0 && d.Entries[starts[low]-1].Kind == doc.Heading {
		low-- // a heading goes with what stands below it
	}
	if low == 0 || !fits(keep(low)) {
		return c, false
	}
	rest := doc.CloseFence(bytes.TrimRight(body[d.Entries[starts[low]].Start:], "\r\n \t"))
	c.kept = keep(low)
	c.note = daily.WithNote(note, append([]string{c.heading, ""}, said(string(rest))...), day.Format(time.DateOnly))
	c.left = doc.Tokens(c.kept)
	c.exact = balanced(text, c.kept, note, c.note, line, c.heading)
	c.swallowed = !doc.Parse(c.note).Anchors()[anchor] || closed(note) && !closed(c.note)
	return c, true
}

// nextAnchor is the anchor of a new heading at the end of a text.
func nextAnchor(text []byte, title string) string {
	with := doc.Parse(doc.AppendLines(text, []string{"## " + title}))
	for i := range slices.Backward(with.Entries) {
		if with.Entries[i].Kind == doc.Heading {
			return section.Anchor(with, i)
		}
	}
	return doc.Slug(title)
}

// withoutPointers parts a text from the pointers at its end.
func withoutPointers(text []byte) (body []byte, pointers []string) {
	d := doc.Parse(text)
	body = text
	for i := range slices.Backward(d.Entries) {
		own := string(d.Entries[i].Text())
		if d.Entries[i].Kind != doc.Paragraph || !strings.HasPrefix(own, pointerMark) || strings.Contains(own, "\n") {
			break
		}
		body = text[:d.Entries[i].Start]
		pointers = append(pointers, own)
	}
	slices.Reverse(pointers)
	return body, pointers
}

// units are the indexes of entries that something may be parted before: what is nested
// below an entry goes with it.
func units(d *doc.Doc) []int {
	var out []int
	for i, e := range d.Entries {
		if nested := e.Level > 0 && e.Kind != doc.Heading; !nested || len(out) == 0 {
			out = append(out, i)
		}
	}
	return out
}

// balanced reports whether the lines that a file lost are those that the note gained, as
// multisets, but for the pointer, the heading, blank lines and the closure block (SPEC
// TL-16).
func balanced(old, kept, oldNote, note []byte, pointer, heading string) bool {
	count := map[string]int{}
	add := func(text []byte, n int) {
		for _, l := range doc.SplitLines(text) {
			if s := strings.TrimRight(string(l), "\r\n"); strings.TrimSpace(s) != "" {
				count[s] += n
			}
		}
	}
	add(old, 1)
	add(kept, -1)
	add(withoutClosure(oldNote), 1)
	add(withoutClosure(note), -1)
	if !bytes.Contains(old, []byte(pointer)) {
		count[pointer]++
	}
	count[heading]++
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func closed(note []byte) bool {
	_, _, ok := daily.FindClosure(note)
	return ok
}

func withoutClosure(note []byte) []byte {
	if _, at, ok := daily.FindClosure(note); ok {
		return note[:at]
	}
	return note
}
