package agent

import (
	"time"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/header"
)

// The functions of this file are the parts of Note, for who writes to several notes in
// one commit. None of them writes.

// DailyPath is where the note of a day is, or is to be (SPEC LY-01).
func DailyPath(ws *memory.Workspace, day time.Time) (string, error) { return dailyPlace(ws, day) }

// FreshDaily is the text of a new daily note.
func FreshDaily(day time.Time) []byte { return []byte("# " + day.Format(time.DateOnly) + "\n") }

// TopicPaths turns a topic into the path of its breadcrumb and of the reference of the
// same name (SPEC TL-22, TL-35).
func TopicPaths(ws *memory.Workspace, said string) (crumb, reference string, err error) {
	name, err := topicName(ws, said)
	if err != nil {
		return "", "", err
	}
	return noteFolder(ws) + name + ".md", referencePath(name), nil
}

// ReferencePath turns a name into the path of a reference.
func ReferencePath(ws *memory.Workspace, said string) (string, error) {
	name, err := referenceName(ws, said)
	if err != nil {
		return "", err
	}
	return referencePath(name), nil
}

// Items makes every line that is not blank a list item.
func Items(lines []string) []string { return asItems(lines) }

// AddFacts adds list items to a breadcrumb. What does not fit moves to its reference, whose
// text is nil when nothing did (SPEC TL-33).
func AddFacts(ws *memory.Workspace, name string, crumb, reference File, items []string) (crumbText, refText []byte, err error) {
	c := newCrumb(ws, name, items)
	return c.add(&noteFile{exists: crumb.Exists, text: crumb.Text}, &noteFile{exists: reference.Exists, text: reference.Text})
}

func newCrumb(ws *memory.Workspace, name string, items []string) crumb {
	return crumb{name: name, limit: ws.Settings.Int("breadcrumb.maxBytes"), facts: items}
}

// AddState adds list items to MEMORY.md: to the section of what is active where there is
// one, else at the end, but above what a host promoted there.
func AddState(text []byte, items []string, day time.Time) []byte {
	next := doc.InsertLines(text, stateOffset(text), items)
	return header.SetUpdated(next, day.Format(time.DateOnly))
}
