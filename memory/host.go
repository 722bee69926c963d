package memory

// Host is what git claw knows of the program that runs the agent (SPEC WS-11):
// which root files it loads and how much of them. Numbers are defaults of the
// profile; settings may lower them. Characters are UTF-16 code units, 0 means no
// limit.
type Host struct {
	Name       string
	Injected   []string // root files loaded into a main session, in order
	L1Only     []string // rule files that are not loaded
	Expected   []string // files the host misses when they are gone
	SkillRoots []string // folders below the root, each ending in a slash
	FileChars  int
	UserChars  int // for USER.md
	TotalChars int
	// IndexLines and IndexBytes limit the auto-memory index of claude-code.
	IndexLines, IndexBytes int
}

// Names of hosts, the values of claw.host besides auto.
const (
	OpenClaw        = "openclaw"
	OpenClawClassic = "openclaw-classic"
	ClaudeCode      = "claude-code"
	Generic         = "generic"
)

// HostNamed returns the host of a name; false when there is none.
func HostNamed(name string) (Host, bool) {
	openclawSkills := []string{"skills/", ".agents/skills/"}
	switch name {
	case OpenClaw:
		return Host{
			Name: name, SkillRoots: openclawSkills,
			Injected:  []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md"},
			L1Only:    []string{"TOOLS.md", "HEARTBEAT.md"},
			Expected:  []string{"AGENTS.md", "SOUL.md", "IDENTITY.md"},
			FileChars: 20000, UserChars: 4000, TotalChars: 60000,
		}, true
	case OpenClawClassic:
		return Host{
			Name: name, SkillRoots: openclawSkills,
			Injected:  []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"},
			Expected:  []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"},
			FileChars: 20000, UserChars: 20000, TotalChars: 150000,
		}, true
	case ClaudeCode:
		return Host{
			Name: name, SkillRoots: []string{".claude/skills/"},
			Injected:   []string{"CLAUDE.md", "MEMORY.md"},
			L1Only:     []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md"},
			Expected:   []string{"CLAUDE.md"},
			IndexLines: 200, IndexBytes: 25600,
		}, true
	case Generic:
		return Host{
			Name: name, SkillRoots: []string{"skills/", ".agents/skills/", ".claude/skills/"},
			Injected: []string{"AGENTS.md", "CLAUDE.md", "MEMORY.md"},
			L1Only:   []string{"SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md"},
		}, true
	}
	return Host{}, false
}

// detectHost chooses a host by what lies in the root (SPEC WS-16) and says why.
func (t tree) detectHost() (name, reason string) {
	for _, f := range []string{"SOUL.md", "IDENTITY.md"} {
		if t.isFile(f) {
			return OpenClaw, "'" + f + "' is there"
		}
	}
	switch {
	case t.isFile("CLAUDE.md"):
		return ClaudeCode, "'CLAUDE.md' is there"
	case t.isDir(".claude"):
		return ClaudeCode, "'.claude/' is there"
	case t.isLinkIndex("MEMORY.md"):
		return ClaudeCode, "'MEMORY.md' is an index of links to the files beside it"
	}
	return Generic, "no mark of another host was found"
}

// hasClaudeMark reports whether Claude Code's own files are there, beside whatever
// others.
func (t tree) hasClaudeMark() bool {
	return t.isFile("CLAUDE.md") || t.isDir(".claude") || t.isLinkIndex("MEMORY.md")
}

// rootFiles are the rule files of SPEC WS-02, without CLAUDE.md and BOOTSTRAP.md.
var rootFiles = []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md"}

// l1 lists the names of rule files for a host, MEMORY.md and BOOTSTRAP.md
// included.
func (h Host) l1() []string {
	names := append([]string{"BOOTSTRAP.md"}, rootFiles...)
	if h.Name == ClaudeCode || h.Name == Generic {
		names = append(names, "CLAUDE.md")
	}
	return names
}
