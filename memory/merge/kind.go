package merge

import (
	"path"
	"strings"
	"time"
)

// Kind says by which rule a file is merged (SPEC GN-04).
type Kind uint8

// The kinds of file.
const (
	Text      Kind = iota // git's text merge: not the business of this package
	Markdown              // union by entry
	Daily                 // Markdown that ends in a closure block
	Lessons               // Markdown whose entries have ids, stamps and a status
	Candidate             // frontmatter with counters, and occurrences
	Records               // blocks of lines between blank ones
	Lines                 // a set of lines
	JSONLines             // a set of lines, each of which may hold a time
	JSON                  // an object, by key
	Derived               // made from other files, and made again after a merge
)

// KindOf tells the kind of a file from its path below the root of its workspace. siRoot is the folder
// of learned preferences, with a slash at its end.
func KindOf(rel, siRoot string) Kind {
	switch {
	case rel == ".claw/tags.txt", rel == ".claw/tombstones":
		return Lines
	case strings.HasPrefix(rel, siRoot):
		return preferences(rel[len(siRoot):])
	case strings.HasPrefix(rel, ".learnings/"), strings.HasPrefix(rel, "memory/archive/learnings/"):
		if strings.HasSuffix(rel, ".md") {
			return Lessons
		}
		return KindByName(rel)
	case strings.HasPrefix(rel, "memory/"), strings.HasPrefix(rel, "reference/"):
		return KindByName(rel)
	case !strings.Contains(rel, "/") && strings.HasSuffix(rel, ".md"):
		return KindByName(rel)
	}
	return Text
}

// preferences is KindOf below the folder of learned preferences.
func preferences(rel string) Kind {
	base := path.Base(rel)
	switch {
	case rel == "index.md":
		return Derived
	case rel == "reflections.log":
		return Records
	case strings.HasPrefix(rel, "pending/") && strings.HasPrefix(base, "cand-") && strings.HasSuffix(base, ".md"):
		return Candidate
	}
	return KindByName(rel)
}

// KindByName tells the kind from the name alone: for a file that an attribute gives to the merge
// driver although it lies outside the folders that KindOf knows.
func KindByName(rel string) Kind {
	base := path.Base(rel)
	switch path.Ext(base) {
	case ".md":
		if _, err := time.Parse(time.DateOnly, strings.TrimSuffix(base, ".md")); err == nil {
			return Daily
		}
		return Markdown
	case ".json":
		return JSON
	case ".jsonl":
		return JSONLines
	}
	return Text
}
