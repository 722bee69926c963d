package prefs

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
)

// Correction is one entry of corrections.md (SPEC SI-16): below the heading of its day, with its
// details on the lines under it.
type Correction struct {
	Day       string // YYYY-MM-DD, "" when no heading names one
	Time      string // HH:MM, "" for none
	Text      string
	Type      string
	Context   string
	Confirmed string
	Line      int // from 1

	start, end int
	source     string // its lines in the file
}

// ParseCorrections reads corrections.md in its order.
func ParseCorrections(src []byte) []Correction {
	d := doc.Parse(src)
	var out []Correction
	for i := range d.Entries {
		e := &d.Entries[i]
		nested := e.Level > 0 && e.Kind != doc.Heading
		switch {
		case nested && len(out) > 0 && e.Kind != doc.Fence:
			c := &out[len(out)-1]
			c.end = e.End
			for l := range strings.Lines(string(e.OwnText())) {
				c.detail(l)
			}
		case e.Kind == doc.Item && !nested:
			c := Correction{Line: e.OwnLine, start: e.Start, end: e.End}
			for _, title := range e.Path() {
				if day := dayOf(title); day != "" {
					c.Day = day
				}
			}
			first, below, _ := strings.Cut(string(e.OwnText()), "\n")
			c.Text = strings.TrimLeft(strings.TrimSpace(first), "-*+ ")
			if at, rest, ok := strings.Cut(strings.TrimPrefix(c.Text, "["), "]"); ok && strings.HasPrefix(c.Text, "[") && isClock(at) {
				c.Time, c.Text = at, strings.TrimSpace(rest)
			}
			for l := range strings.Lines(below) {
				c.detail(l)
			}
			out = append(out, c)
		}
	}
	for i := range out {
		out[i].source = string(src[out[i].start:out[i].end])
	}
	return out
}

// dayOf reads the day that a heading begins with.
func dayOf(title string) string {
	if len(title) < len(time.DateOnly) {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, title[:len(time.DateOnly)]); err != nil {
		return ""
	}
	return title[:len(time.DateOnly)]
}

func isClock(s string) bool {
	_, err := time.Parse("15:04", s)
	return err == nil
}

func (c *Correction) detail(line string) {
	name, value, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "-*+ "), ":")
	value = strings.TrimSpace(strings.Trim(value, "* \r\n"))
	switch strings.ToLower(strings.Trim(name, "* ")) {
	case "type":
		c.Type = value
	case "context":
		c.Context = value
	case "confirmed":
		c.Confirmed = value
	}
}

// AddCorrection puts a correction at the end, below a heading of its day.
func AddCorrection(src []byte, c Correction) []byte {
	lines := []string{"- [" + c.Time + "] " + strings.Join(strings.Fields(c.Text), " ")}
	for _, d := range [][2]string{{"Type", c.Type}, {"Context", c.Context}, {"Confirmed", c.Confirmed}} {
		if d[1] != "" {
			lines = append(lines, "  "+d[0]+": "+strings.Join(strings.Fields(d[1]), " "))
		}
	}
	return addBelowDay(src, c.Day, lines)
}

// addBelowDay puts lines at the end, below a heading of their day.
func addBelowDay(src []byte, day string, lines []string) []byte {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("# Corrections\n")
	}
	last := ""
	d := doc.Parse(src)
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Kind == doc.Heading {
			last = dayOf(e.Title())
		}
	}
	if day != "" && last != day {
		lines = append([]string{"## " + day}, lines...)
	}
	return doc.AppendLines(src, lines)
}

// ID is that of the candidate which the correction speaks of, "" where its text is no
// line.
func (c Correction) ID() string {
	l, err := ParseLine(c.Text)
	if err != nil {
		return ""
	}
	return l.ID()
}

// Uses are the latest days on which preferences were asked for again, by id: a
// correction of what is confirmed counts as a use (SPEC section 5.2).
func Uses(files ...[]byte) map[string]string {
	out := map[string]string{}
	for _, src := range files {
		for _, c := range ParseCorrections(src) {
			if id := c.ID(); id != "" && c.Day > out[id] {
				out[id] = c.Day
			}
		}
	}
	return out
}

// ArchiveCorrections moves the oldest corrections to the end of an archive, each below a
// heading of its day and with every word that it has, until keep remain. A heading of a
// day that is left with nothing below it goes too.
func ArchiveCorrections(src, archive []byte, keep int) (rest, older []byte) {
	rest, old := cutCorrections(src, keep)
	if len(old) == 0 {
		return src, archive
	}
	days := map[string]bool{}
	for _, c := range old {
		days[c.Day] = true
		archive = addBelowDay(archive, c.Day, strings.Split(strings.ReplaceAll(strings.TrimRight(c.source, "\r\n"), "\r\n", "\n"), "\n"))
	}
	return withoutEmptyDays(rest, days), archive
}

// withoutEmptyDays takes out headings of some days that nothing stands below.
func withoutEmptyDays(src []byte, days map[string]bool) []byte {
	d := doc.Parse(src)
	out := src
	for i := len(d.Entries) - 1; i >= 0; i-- {
		e := &d.Entries[i]
		day := dayOf(e.Title())
		empty := i+1 == len(d.Entries) || d.Entries[i+1].Kind == doc.Heading && d.Entries[i+1].Level <= e.Level
		if e.Kind == doc.Heading && e.Level == 2 && empty && day != "" && e.Title() == day && days[day] {
			out = doc.Cut(out, e.Start, e.End)
		}
	}
	return out
}

// cutCorrections takes the oldest corrections out until keep remain, and returns them,
// oldest first. Headings stay.
func cutCorrections(src []byte, keep int) (rest []byte, old []Correction) {
	all := ParseCorrections(src)
	if len(all) <= keep {
		return src, nil
	}
	byAge := make([]int, len(all))
	for i := range byAge {
		byAge[i] = i
	}
	slices.SortStableFunc(byAge, func(i, j int) int {
		return strings.Compare(all[i].Day+all[i].Time, all[j].Day+all[j].Time)
	})
	gone := make(map[int]bool)
	for _, i := range byAge[:len(all)-keep] {
		gone[i] = true
		old = append(old, all[i])
	}
	at := 0
	for i, c := range all {
		if gone[i] {
			rest = append(rest, src[at:c.start]...)
			at = c.end
		}
	}
	rest = append(rest, src[at:]...)
	return rest, old
}
