// Package hot reads what MEMORY.md keeps under headings of its own: open questions and active
// decisions.
package hot

import (
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// DecisionsPath is the file that active decisions point into.
const DecisionsPath = "memory/semantic/decisions.md"

// Questions returns the lines, from 1, of the open questions: list items that are not nested, below
// headings with these words (SPEC OM-73).
func Questions(d *doc.Doc) []int {
	var out []int
	for i := range d.Entries {
		if e := &d.Entries[i]; e.Kind == doc.Item && e.Level == 0 && below(e, "open questions") {
			out = append(out, e.OwnLine)
		}
	}
	return out
}

// below reports whether one of the headings an entry stands under contains some words.
func below(e *doc.Entry, words string) bool {
	for _, title := range e.Path() {
		if strings.Contains(strings.ToLower(title), words) {
			return true
		}
	}
	return false
}

// Decision is an item of the active decisions (SPEC OM-74).
type Decision struct {
	Label  string
	Anchor string // in DecisionsPath; "" where Wrong says why there is none
	Wrong  string // why it has not the form of one, "" where it has
	Line   int    // from 1
}

// Decisions returns the active decisions. An item that only says `none` is no decision.
func Decisions(d *doc.Doc) []Decision {
	var out []Decision
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Item || !below(e, "active decisions") {
			continue
		}
		if e.Level > 0 {
			if n := len(out); n > 0 && out[n-1].Wrong == "" {
				out[n-1].Wrong = "more than a label and a link"
			}
			continue
		}
		n := decision(string(e.OwnText()))
		if n.Line = e.OwnLine; n.Wrong == "" || !strings.EqualFold(strings.Trim(n.Label, "()*_. "), "none") {
			out = append(out, n)
		}
	}
	return out
}

// decision reads `- <label> → memory/semantic/decisions.md#<anchor>`.
func decision(item string) Decision {
	text := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(item), "-*+ \t"))
	if first, _, more := strings.Cut(text, "\n"); more {
		return Decision{Label: first, Wrong: "more than one line"}
	}
	at, width := strings.LastIndex(text, "→"), len("→")
	if ascii := strings.LastIndex(text, "->"); ascii > at {
		at, width = ascii, len("->")
	}
	if at < 0 {
		return Decision{Label: text, Wrong: "no link"}
	}
	n := Decision{Label: strings.TrimSpace(text[:at])}
	path, anchor, ok := strings.Cut(strings.Trim(strings.TrimSpace(text[at+width:]), "`"), "#")
	switch {
	case n.Label == "":
		n.Wrong = "no label"
	case path != DecisionsPath:
		n.Wrong = "the link does not lead to " + DecisionsPath
	case !ok || anchor == "":
		n.Wrong = "the link names no heading"
	case strings.ContainsAny(anchor, " \t"):
		n.Wrong = "more than a label and a link"
	default:
		n.Anchor = anchor
	}
	return n
}
