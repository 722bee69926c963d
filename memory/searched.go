package memory

import (
	"path"
	"strings"
)

// Tier is how near to the agent's context a note is kept.
type Tier string

// The tiers of SPEC OM-02, and reference for what is opened by name.
const (
	TierHot       Tier = "hot"
	TierWarm      Tier = "warm"
	TierCold      Tier = "cold"
	TierBuffer    Tier = "buffer"
	TierScratch   Tier = "scratch"
	TierReference Tier = "reference"
)

// SearchRoots lists what search looks at below the root (SPEC RC-02): files by
// name, folders ending in a slash. In an auto-memory folder the Markdown files of
// the root itself are searched besides, for which the list then holds "".
func (w *Workspace) SearchRoots() []string {
	roots := []string{"MEMORY.md", "memory.md", "USER.md", "memory/", ".learnings/", w.siRoot}
	// Where there is no such folder nothing is left out, and whether the profile is on
	// would be found by reading notes.
	if !(tree{w.Root}).isDir("reference") || !w.Profiles.Has(ThreeLayer) {
		roots = append(roots, "reference/")
	}
	for _, value := range w.Settings.All("recall.paths") {
		for _, p := range w.pathsOf(value) {
			if q := w.safePath("recall.paths", p); q != "" {
				roots = append(roots, q)
			}
		}
	}
	if w.flat {
		roots = append(roots, "")
	}
	return roots
}

// Searched reports whether a file below one of roots, as SearchRoots gave them,
// is a note that search reads. While the profile three_layer is on, reference/ is
// never searched, whatever the settings name (SPEC TL-04).
func (w *Workspace) Searched(rel string, roots []string) bool {
	if !strings.EqualFold(path.Ext(rel), ".md") && !strings.EqualFold(path.Ext(rel), ".markdown") {
		return false
	}
	if w.NeverManaged(rel) || isTemporary(rel) {
		return false
	}
	if strings.HasPrefix(rel, "reference/") && w.Profiles.Has(ThreeLayer) {
		return false
	}
	for _, r := range roots {
		switch {
		case r == "":
			if !strings.Contains(rel, "/") {
				return true
			}
		case r == rel, strings.HasSuffix(r, "/") && strings.HasPrefix(rel, r):
			return true
		}
	}
	return false
}

// TierOf says in which tier a note is.
func (w *Workspace) TierOf(rel string) Tier {
	base := path.Base(rel)
	switch {
	case !strings.Contains(rel, "/") && (strings.EqualFold(rel, "MEMORY.md") || rel == "USER.md"):
		return TierHot
	case strings.HasPrefix(rel, ".learnings/"):
		return TierScratch
	case strings.HasPrefix(rel, w.siRoot):
		return w.prefsTier(rel[len(w.siRoot):])
	case strings.HasPrefix(rel, "reference/"):
		return TierReference
	case rel == "memory/working-buffer.md":
		return TierBuffer
	case strings.HasPrefix(rel, "memory/archive/"), len(base) >= 10 && isDay(base[:10]):
		return TierCold
	}
	return TierWarm
}

// prefsTier is the tier of a preference file: the one that is always loaded, those
// by domain and project, the archive (SPEC SI-30).
func (w *Workspace) prefsTier(rel string) Tier {
	switch {
	case rel == "memory.md":
		return TierHot
	case strings.HasPrefix(rel, "archive/"):
		return TierCold
	}
	return TierWarm
}

// Preferences reports whether a path is one of learned preferences.
func (w *Workspace) Preferences(rel string) bool { return strings.HasPrefix(rel, w.siRoot) }

// Private reports whether a path holds what only the private main session may see
// (SPEC RC-05): MEMORY.md, USER.md, learned preferences. Names compare without case
// and at any depth, because on some file systems `memory.md` opens MEMORY.md, and
// because a workspace may have been somewhere else in older commits.
func (w *Workspace) Private(rel string) bool {
	base := path.Base(rel)
	return strings.EqualFold(base, "MEMORY.md") || strings.EqualFold(base, "USER.md") || w.Preferences(rel)
}

// DayOf returns the calendar day that a file's name begins with, or "".
func DayOf(rel string) string {
	if base := path.Base(rel); len(base) >= 10 && isDay(base[:10]) {
		return base[:10]
	}
	return ""
}
