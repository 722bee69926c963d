package health

func ownCases() []checkCase {
	const (
		infra, prefs, lessons = "memory/semantic/infrastructure.md", "memory/semantic/preferences.md", "memory/procedural/lessons-learned.md"
		head                  = "# T\n#tags: ssh rules and many more words\n> last_verified: 2026-02-28\n\n"
	)
	return []checkCase{
		{id: "OWN-001", name: "different", files: tree{infra: head + "- the gateway runs on port nine\n", prefs: head + "- answers begin with the result always\n"}},
		{id: "OWN-001", name: "the same in two homes", files: tree{infra: head + "- The gateway runs on port nine.\n", prefs: head + "- x\n- the gateway  runs on port nine\n"}, want: []string{"FAIL " + prefs + ":6"}},
		{id: "OWN-001", name: "in MEMORY.md", files: tree{"MEMORY.md": hotHeader + "- the gateway runs on port nine\n", lessons: head + "* [x] the gateway runs on port nine\n"}, want: []string{"FAIL " + lessons + ":5"}},
		{id: "OWN-001", name: "four words", edge: true, files: tree{infra: head + "- one two three four\n", prefs: head + "- one two three four\n"}},
		{id: "OWN-001", name: "five words", edge: true, files: tree{infra: head + "- one two three four five\n", prefs: head + "- one two three four five\n"}, want: []string{"FAIL " + prefs + ":5"}},
		{id: "OWN-001", name: "nine characters", edge: true, files: tree{infra: head + "- 夜间任务移到两点半\n", prefs: head + "- 夜间任务移到两点半\n"}},
		{id: "OWN-001", name: "ten characters", edge: true, files: tree{infra: head + "- 夜间任务移到凌晨两点\n", prefs: head + "- 夜间任务移到凌晨两点\n"}, want: []string{"FAIL " + prefs + ":5"}},
		{id: "OWN-001", name: "twice in one file", edge: true, files: tree{infra: head + "- one two three four five\n- one two three four five\n"}},
		{id: "OWN-001", name: "daily notes and archives", edge: true, files: tree{infra: head + "- one two three four five\n", "memory/2026-02-28.md": "- one two three four five\n", "memory/archive/2026/01/2026-01-01.md": "- one two three four five\n"}},
		{id: "OWN-001", name: "code and headings", edge: true, files: tree{infra: head + "## one two three four five\n```\none two three four five\n```\n", prefs: head + "## one two three four five\n```\none two three four five\n```\n"}},
		{id: "OWN-002", name: "at home", files: tree{infra: head + "- gateway 10.0.0.5:8080\n", "memory/2026-02-28.md": closed + "\n- 10.0.0.5:8080\n"}},
		{id: "OWN-002", name: "an address elsewhere", files: tree{prefs: head + "- the gateway is at 10.0.0.5:8080\n"}, want: []string{"WARN " + prefs + ":5"}},
		{id: "OWN-002", name: "in code", edge: true, files: tree{lessons: head + "- run `curl 10.0.0.5:8080`\n\n```\ncurl 10.0.0.5:8080\n```\n"}},
		{id: "OWN-002", name: "no port, no address", edge: true, files: tree{prefs: head + "- version 1.2.3.4, at 12:30, 300.1.1.1:80, 1.2.3:80, 10.0.0.5: down\n"}},
		{id: "OWN-002", name: "a closure block elsewhere", files: tree{prefs: head + closed}, want: []string{"WARN " + prefs + ":7"}},
	}
}
