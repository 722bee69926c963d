package agent

import (
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/section"
)

// activeTitles are headings under which MEMORY.md keeps what is going on.
var activeTitles = []string{"active", "active now", "now", "current", "current state", "state", "in progress", "active tasks", "active context"}

// stateOffset is where a new line of MEMORY.md goes: the end of the section of
// what is active, else the end of the text but above promoted blocks.
func stateOffset(text []byte) int {
	d := doc.Parse(text)
	for i, e := range d.Entries {
		if e.Kind == doc.Heading && slices.Contains(activeTitles, strings.ToLower(e.Title())) {
			for _, next := range d.Entries[i+1:] {
				if next.Kind == doc.Heading {
					return next.Start
				}
			}
			return len(text)
		}
	}
	for _, e := range d.Entries {
		if e.Kind == doc.Heading && strings.HasPrefix(e.Title(), section.HostPromoted) {
			return e.Start
		}
	}
	return len(text)
}
