package prefs

import (
	"bytes"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Rejection is a line of archive/rejected.md (SPEC SI-25): `- <id> <day> <reason>`.
type Rejection struct {
	ID     string
	Day    string // YYYY-MM-DD
	Reason string
	Line   int // from 1
}

// ParseRejected reads archive/rejected.md.
func ParseRejected(src []byte) []Rejection {
	var out []Rejection
	d := doc.Parse(src)
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Item {
			continue
		}
		words := strings.Fields(string(e.OwnText()))
		if len(words) < 3 || !strings.HasPrefix(words[1], "cand-") || dayOf(words[2]) != words[2] {
			continue
		}
		out = append(out, Rejection{ID: words[1], Day: words[2], Reason: strings.Join(words[3:], " "), Line: e.OwnLine})
	}
	return out
}

// AddRejected puts a rejection at the end.
func AddRejected(src []byte, r Rejection) []byte {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("# Rejected\n")
	}
	return doc.AppendLines(src, []string{strings.TrimRight("- "+r.ID+" "+r.Day+" "+strings.Join(strings.Fields(r.Reason), " "), " ")})
}

// AddReversed puts an entry that does not hold any more at the end of archive/reversed.md,
// below the day: with all its lines, and with an id that no tier is looked at for.
func AddReversed(src []byte, e Entry, day string) []byte {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("# Reversed\n")
	}
	return addBelowDay(src, day, e.lines())
}
