package memory

import (
	"bytes"
	"os"
	"slices"
	"strings"
)

// Profile is a switchable body of rules. The base rules are always on.
type Profile string

// The profiles of SPEC 0.1.
const (
	ThreeLayer     Profile = "three_layer"
	OpenClawMemory Profile = "openclaw_memory"
	Learnings      Profile = "learnings"
	SelfImproving  Profile = "self_improving"
	Skills         Profile = "skills"
)

// AllProfiles lists every profile in the order they are written.
var AllProfiles = []Profile{ThreeLayer, OpenClawMemory, Learnings, SelfImproving, Skills}

// Profiles are those that are on. Auto tells that they were found by what lies
// in the workspace and not listed in a setting: their checks fail only for loss
// or corruption (SPEC WS-34).
type ProfileSet struct {
	On   []Profile
	Auto bool
}

// Has reports whether a profile is on.
func (s ProfileSet) Has(p Profile) bool { return slices.Contains(s.On, p) }

// Names returns the names of the profiles that are on.
func (s ProfileSet) Names() []string {
	out := make([]string, len(s.On))
	for i, p := range s.On {
		out[i] = string(p)
	}
	return out
}

// parseProfiles reads a list separated by spaces; unknown names are returned.
func parseProfiles(list string) (on []Profile, unknown []string) {
	for name := range strings.FieldsSeq(list) {
		p := Profile(name)
		switch {
		case !slices.Contains(AllProfiles, p):
			unknown = append(unknown, name)
		case !slices.Contains(on, p):
			on = append(on, p)
		}
	}
	return on, unknown
}

// detectProfiles finds the profiles a workspace follows by what lies in it (SPEC
// WS-34).
func (t tree) detectProfiles(siRoot string, skillRoots []string) []Profile {
	var on []Profile
	add := func(p Profile, yes bool) {
		if yes {
			on = append(on, p)
		}
	}
	add(ThreeLayer, len(t.names("reference", ".md")) > 0 || t.hasDeepDive())
	add(OpenClawMemory, t.hasMemoryHeader() || t.hasBufferHeader() || t.isDir("memory/semantic") && t.isDir("memory/procedural"))
	add(Learnings, t.isFile(".learnings/ERRORS.md") || t.isFile(".learnings/LEARNINGS.md") || t.isFile(".learnings/FEATURE_REQUESTS.md"))
	add(SelfImproving, t.isFile(siRoot+"memory.md"))
	add(Skills, slices.ContainsFunc(skillRoots, t.hasSkill))
	return on
}

// maxLook bounds how many notes are opened to find a pointer.
const maxLook = 200

func (t tree) hasDeepDive() bool {
	names := t.names("memory", ".md")
	if len(names) > maxLook {
		names = names[len(names)-maxLook:]
	}
	for _, n := range names {
		if bytes.Contains(t.head("memory/"+n, 8<<10), []byte("Deep dive: reference/")) {
			return true
		}
	}
	return false
}

// hasMemoryHeader looks for the four lines of SPEC OM-05.
func (t tree) hasMemoryHeader() bool {
	lines := strings.SplitN(strings.ReplaceAll(string(t.head("MEMORY.md", 2048)), "\r\n", "\n"), "\n", 5)
	return len(lines) >= 4 && lines[0] == "# Agent Memory" && strings.HasPrefix(lines[1], "#tags:") &&
		strings.HasPrefix(lines[2], "last_verified:") && strings.HasPrefix(lines[3], "last_updated:")
}

// hasBufferHeader looks for the header of SPEC OM-21.
func (t tree) hasBufferHeader() bool {
	lines := strings.SplitN(strings.ReplaceAll(string(t.head("memory/working-buffer.md", 2048)), "\r\n", "\n"), "\n", 4)
	return len(lines) >= 3 && lines[0] == "# Working Buffer" && strings.HasPrefix(lines[1], "created: ") && strings.HasPrefix(lines[2], "last_active: ")
}

func (t tree) hasSkill(root string) bool {
	if !t.isDir(root) {
		return false
	}
	entries, err := os.ReadDir(t.path(root))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && t.isFile(root+e.Name()+"/SKILL.md") {
			return true
		}
	}
	return t.isFile(root + "SKILL.md")
}
