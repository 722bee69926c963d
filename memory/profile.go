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

// ProfileSet is the profiles of a workspace. Those that nobody listed are found by
// what lies in it, which means reading notes: that is done when first asked for.
type ProfileSet struct {
	auto bool
	on   func() []Profile
}

func listedProfiles(on []Profile) ProfileSet {
	return ProfileSet{on: func() []Profile { return on }}
}

// On lists the profiles that are on.
func (s ProfileSet) On() []Profile {
	if s.on == nil {
		return nil
	}
	return s.on()
}

// Auto tells that the profiles were found and not listed in a setting: their
// checks fail only for loss or corruption (SPEC WS-34).
func (s ProfileSet) Auto() bool { return s.auto }

// Has reports whether a profile is on.
func (s ProfileSet) Has(p Profile) bool { return slices.Contains(s.On(), p) }

// Names returns the names of the profiles that are on.
func (s ProfileSet) Names() []string {
	var out []string
	for _, p := range s.On() {
		out = append(out, string(p))
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

const (
	maxLook  = 200     // notes opened to find a pointer, the newest names first
	maxHead  = 8 << 10 // bytes read of each
	maxDepth = 6       // levels below a skill root at which a skill may lie (SPEC SK-02)
	maxDirs  = 2000    // folders looked at to find one
)

func (t tree) hasDeepDive() bool {
	names := t.names("memory", ".md")
	names = names[max(0, len(names)-maxLook):]
	for _, n := range slices.Backward(names) {
		if bytes.Contains(t.head("memory/"+n, maxHead), []byte("Deep dive: reference/")) {
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

// hasSkill reports whether a skill root is a skill or holds one. Folders that
// begin with a dot, node_modules and links are not entered.
func (t tree) hasSkill(root string) bool {
	level := []string{strings.TrimSuffix(root, "/")}
	looked := 0
	for depth := 0; depth <= maxDepth && len(level) > 0; depth++ {
		var below []string
		for _, dir := range level {
			if looked++; looked > maxDirs || !t.isDir(dir) {
				continue
			}
			if t.isFile(dir + "/SKILL.md") {
				return true
			}
			entries, err := os.ReadDir(t.path(dir))
			if err != nil {
				continue
			}
			for _, e := range entries {
				if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" {
					below = append(below, dir+"/"+e.Name())
				}
			}
		}
		level = below
	}
	return false
}
