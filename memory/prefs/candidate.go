package prefs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/frontmatter"
	"github.com/git-claw/git-claw/memory/stamp"
)

// hexOf is the beginning of the hash of the parts, joined by NUL.
func hexOf(digits int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:digits]
}

// Statuses of a candidate (SPEC SI-15).
var Statuses = []string{"pending", "deferred", "confirmed", "rejected", "archived", "reversed"}

// Decided reports a status that a file in pending/ cannot have.
func Decided(status string) bool {
	return slices.Contains(Statuses, status) && status != "pending" && status != "deferred"
}

// Candidate is a learned preference that is not confirmed yet: a file in pending/.
type Candidate struct {
	ID, Status, Kind, Source string
	FirstSeen, LastSeen      time.Time
	DeferUntil               time.Time // zero: it is not deferred
	LastAsked                time.Time // zero: it was not asked
	Asks, Ignored            int
	// Answered is how many of the asks are over: answered, or ignored for good.
	Answered    int
	Line        Line
	Occurrences []Occurrence
	Problems    []Problem
}

// Occurrence is one time that a correction was given.
type Occurrence struct {
	At      time.Time
	Session string // "" for none
	Quote   string // the words of it
	Line    int    // in the file, from 1
}

// Problem is what cannot be read.
type Problem struct {
	Line int // from 1
	What string
	// Apart: it is one occurrence; all else can be read.
	Apart bool
}

// occurrencesTitle is the heading of the list of occurrences.
const occurrencesTitle = "Occurrences"

// ParseCandidate reads a candidate file. No input is an error; what is missing or wrong is in
// Problems.
func ParseCandidate(src []byte) *Candidate {
	b := frontmatter.Parse(src)
	c := &Candidate{ID: b.Text("id"), Status: b.Text("status"), Kind: b.Text("kind"), Source: b.Text("source")}
	problem := func(line int, format string, args ...any) {
		c.Problems = append(c.Problems, Problem{Line: line, What: fmt.Sprintf(format, args...)})
	}
	if !b.Present() {
		problem(1, "it has no frontmatter")
	}
	for _, key := range []string{"id", "status", "first_seen", "last_seen"} {
		if b.Present() && b.Text(key) == "" {
			problem(b.Line, "'%s' is missing", key)
		}
	}
	for key, at := range map[string]*time.Time{"first_seen": &c.FirstSeen, "last_seen": &c.LastSeen, "defer_until": &c.DeferUntil, "last_asked": &c.LastAsked} {
		if f := b.Field(key); f != nil && f.Text != "" {
			var ok bool
			if *at, ok = stamp.Loose(f.Text); !ok {
				problem(f.Line, "'%s' is no time", key)
			}
		}
	}
	for key, n := range map[string]*int{"asks": &c.Asks, "ignored": &c.Ignored, "answered": &c.Answered} {
		if f := b.Field(key); f != nil && f.Text != "" {
			var err error
			if *n, err = strconv.Atoi(f.Text); err != nil || *n < 0 {
				problem(f.Line, "'%s' is no number", key)
			}
		}
	}
	c.readBody(doc.Parse(src), problem)
	slices.SortFunc(c.Problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.What, b.What)
	})
	return c
}

func (c *Candidate) readBody(d *doc.Doc, problem func(int, string, ...any)) {
	found := false
	for i := range d.Entries {
		e := &d.Entries[i]
		switch {
		case e.Kind == doc.Paragraph && !found:
			found = true
			first, _, _ := strings.Cut(string(e.OwnText()), "\n")
			var err error
			if c.Line, err = ParseLine(first); err != nil {
				problem(e.OwnLine, "%v", err)
			}
		case e.Kind == doc.Item && under(e, occurrencesTitle):
			first, _, _ := strings.Cut(string(e.OwnText()), "\n")
			o, ok := parseOccurrence(strings.TrimLeft(strings.TrimSpace(first), "-*+ "))
			if !ok {
				c.Problems = append(c.Problems, Problem{Line: e.OwnLine, What: "an occurrence begins with its time", Apart: true})
				continue
			}
			o.Line = e.OwnLine
			c.Occurrences = append(c.Occurrences, o)
		}
	}
	if !found {
		problem(1, "%v", ErrLine)
	}
}

// Sound refuses a file that cannot be edited without a guess at what it says: one that
// was edited by hand so that parts of it cannot be read, that has another id than its
// name or its words, or that was decided.
func (c *Candidate) Sound(id string) error {
	for _, p := range c.Problems {
		if !p.Apart {
			return fmt.Errorf("line %d: %s", p.Line, p.What)
		}
	}
	switch {
	case c.ID != id:
		return fmt.Errorf("its id is '%s', not that of its name", c.ID)
	case c.Line.ID() != id:
		return fmt.Errorf("its words have the id '%s'", c.Line.ID())
	case !slices.Contains(Statuses, c.Status):
		return fmt.Errorf("no status is called '%s'", c.Status)
	case Decided(c.Status):
		return fmt.Errorf("it is '%s', and waits still", c.Status)
	}
	return nil
}

// Waits reports that it was asked and nobody answered yet.
func (c *Candidate) Waits() bool { return c.Asks > c.Answered }

// Asked is when it was asked last: what it says, else when it was seen last.
func (c *Candidate) Asked() time.Time {
	if c.LastAsked.IsZero() {
		return c.LastSeen
	}
	return c.LastAsked
}

// Explicit reports that the user ordered it in so many words.
func (c *Candidate) Explicit() bool {
	return slices.ContainsFunc(c.Occurrences, func(o Occurrence) bool { return IsOrder(o.Quote) })
}

// Often reports whether it came up so many times within so many days.
func (c *Candidate) Often(count, days int) bool {
	times := make([]time.Time, len(c.Occurrences))
	for i, o := range c.Occurrences {
		times[i] = o.At
	}
	_, ok := Within(times, count, days)
	return ok
}

// Since counts the occurrences of a day, YYYY-MM-DD in a zone, and later ones.
func (c *Candidate) Since(day string, zone *time.Location) int {
	n := 0
	for _, o := range c.Occurrences {
		if o.At.In(zone).Format(time.DateOnly) >= day {
			n++
		}
	}
	return n
}

// Within finds so many times that lie within so many days of each other, and returns
// the last of the first such times.
func Within(times []time.Time, count, days int) (last time.Time, ok bool) {
	times = slices.SortedFunc(slices.Values(times), time.Time.Compare)
	for i := 0; count > 0 && i+count <= len(times); i++ {
		if times[i+count-1].Sub(times[i]) <= time.Duration(days)*24*time.Hour {
			return times[i+count-1], true
		}
	}
	return time.Time{}, false
}

// under reports whether an entry stands right below a heading.
func under(e *doc.Entry, title string) bool {
	path := e.Path()
	return len(path) > 0 && path[len(path)-1] == title
}

func parseOccurrence(text string) (o Occurrence, ok bool) {
	word, rest, _ := strings.Cut(text, " ")
	if o.At, ok = stamp.Loose(word); !ok {
		return o, false
	}
	if after, found := strings.CutPrefix(rest, "session="); found {
		o.Session, rest, _ = strings.Cut(after, " ")
	}
	o.Quote, _, _ = words(rest)
	return o, true
}

func (o Occurrence) String() string {
	s := "- " + stamp.Format(o.At)
	if o.Session != "" {
		s += " session=" + strings.Join(strings.Fields(o.Session), "-")
	}
	return s + " " + quote(o.Quote)
}

// NewCandidate is the file of a line that came up for the first time.
func NewCandidate(l Line, kind, source string, o Occurrence) []byte {
	at := stamp.Format(o.At)
	return fmt.Appendf(nil, "---\nid: %s\nstatus: pending\nkind: %s\nsource: %s\nfirst_seen: %s\nlast_seen: %s\nasks: 0\nignored: 0\n---\n%s\n\n## %s\n%s\n",
		l.ID(), kind, source, at, at, l, occurrencesTitle, o)
}

// AddOccurrence records another occurrence. One of the same time and session is not added again.
// Status and counters are changed with frontmatter.Set.
func AddOccurrence(src []byte, o Occurrence) []byte {
	c := ParseCandidate(src)
	if slices.ContainsFunc(c.Occurrences, func(p Occurrence) bool { return p.At.Equal(o.At) && p.Session == o.Session }) {
		return src
	}
	if o.At.After(c.LastSeen) {
		src, _ = frontmatter.Set(src, "last_seen", stamp.Format(o.At))
	}
	if o.At.Before(c.FirstSeen) {
		src, _ = frontmatter.Set(src, "first_seen", stamp.Format(o.At))
	}
	return addUnder(src, occurrencesTitle, []string{o.String()})
}

// addUnder puts lines at the end of the section of a heading of level 2, which is added at the end of
// the text where it is missing.
func addUnder(src []byte, title string, lines []string) []byte {
	d := doc.Parse(src)
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Heading || e.Level != 2 || e.Title() != title {
			continue
		}
		end := e.End
		for _, next := range d.Entries[i+1:] {
			if next.Kind == doc.Heading && next.Level <= 2 {
				break
			}
			end = next.End
		}
		if end > e.End || e.Next == e.End && e.End < len(src) {
			return doc.InsertLines(src, end, lines)
		}
		eol := doc.EOL(src)
		text := strings.Join(lines, eol) + eol
		if !bytes.HasSuffix(src[:end], []byte("\n")) {
			text = eol + text
		}
		return doc.Replace(src, end, end, text)
	}
	return doc.AppendLines(src, append([]string{"## " + title}, lines...))
}
