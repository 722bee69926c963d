package prefs

import (
	"path"
	"strings"
	"time"
)

// Files of the store.
const (
	Hot            = "memory.md"
	Corrections    = "corrections.md"
	Reflections    = "reflections.log"
	Notes          = "reflections.md" // read, not written (SPEC SI-54)
	Rejected       = "archive/rejected.md"
	Reversed       = "archive/reversed.md" // what was confirmed once and does not hold any more
	OldCorrections = "archive/corrections.md"
	Heartbeat      = "heartbeat-state.md" // of this machine, not tracked
	Index          = "index.md"
	Pending        = "pending/"
)

// Tier is where an entry is kept.
type Tier string

// The tiers, warmest first.
const (
	NoTier   Tier = ""
	TierHot  Tier = "HOT"
	TierWarm Tier = "WARM"
	TierCold Tier = "COLD"
)

// Level is how specific a namespace is; a more specific one wins (SPEC SI-40).
type Level uint8

// The levels.
const (
	Global Level = iota
	Domain
	Project
)

// Place says in which tier the entries of a file are, and to which namespace they belong. Files
// without entries, such as archive/rejected.md, are in no tier.
func Place(rel string) (tier Tier, level Level, name string) {
	dir, base := path.Split(rel)
	name = strings.TrimSuffix(base, ".md")
	switch {
	case name == base:
		return NoTier, Global, ""
	case rel == Hot:
		return TierHot, Global, ""
	case dir == "domains/":
		return TierWarm, Domain, name
	case dir == "projects/":
		return TierWarm, Project, name
	case strings.HasPrefix(dir, "archive/") && rel != Rejected && rel != Reversed && name != "corrections":
		return TierCold, Global, ""
	}
	return NoTier, Global, ""
}

// WarmPath is where an entry of a context goes when it leaves HOT (SPEC SI-38).
func WarmPath(context string) string {
	first, rest, _ := strings.Cut(context, ":")
	if name, _, _ := strings.Cut(rest, ":"); first == "project" && name != "" {
		return "projects/" + name + ".md"
	}
	return "domains/" + first + ".md"
}

// ColdPath is where an entry that is archived on a day goes.
func ColdPath(day time.Time) string { return day.Format("archive/2006/01.md") }
