package health

import "strings"

// core is a workspace that every rule check passes.
func core(more tree) tree {
	t := tree{
		"AGENTS.md":   "# Agents\n- be kind\n",
		"SOUL.md":     "# Soul\ncalm\n",
		"IDENTITY.md": "# Identity\n- Name: Pip\n",
	}
	for k, v := range more {
		t[k] = v
	}
	return t
}

func x(n int) string { return strings.Repeat("x", n) }

func l1Cases() []checkCase {
	classic := []string{"host = openclaw-classic"}
	claude := []string{"host = claude-code"}
	return []checkCase{
		{id: "L1-001", name: "small", files: core(nil)},
		{id: "L1-001", name: "at the limit, white space at the end not counted", edge: true, files: core(tree{"AGENTS.md": x(20000) + " \n\n"})},
		{id: "L1-001", name: "one over", edge: true, files: core(tree{"AGENTS.md": x(20001)}), want: []string{"FAIL AGENTS.md"}},
		{id: "L1-001", name: "emoji count two", files: core(tree{"SOUL.md": strings.Repeat("\U0001f331", 10000) + "x"}), want: []string{"FAIL SOUL.md"}},
		{id: "L1-001", name: "USER.md at its own limit", edge: true, files: core(tree{"USER.md": x(4000)})},
		{id: "L1-001", name: "USER.md over its own limit", files: core(tree{"USER.md": x(4001)}), want: []string{"FAIL USER.md"}},
		{id: "L1-001", name: "TOOLS.md is not loaded", files: core(tree{"TOOLS.md": x(30000)})},
		{id: "L1-001", name: "classic loads TOOLS.md", config: classic, files: core(tree{"TOOLS.md": x(20001), "USER.md": x(4001)}), want: []string{"FAIL TOOLS.md"}},
		{id: "L1-001", name: "a lower limit", config: []string{"bootstrap.maxChars = 100"}, files: core(tree{"SOUL.md": x(101)}), want: []string{"FAIL SOUL.md"}},
		{id: "L1-001", name: "an index of 200 lines", edge: true, config: claude, files: tree{"MEMORY.md": strings.Repeat("- x\n", 200)}},
		{id: "L1-001", name: "an index of 201 lines", config: claude, files: tree{"MEMORY.md": strings.Repeat("- x\n", 201)}, want: []string{"FAIL MEMORY.md"}},
		{id: "L1-001", name: "larger than what is read", config: []string{"maxFileBytes = 65536"}, files: core(tree{"SOUL.md": x(65537)}), want: []string{"FAIL SOUL.md"}},
		{id: "L1-002", name: "small", files: core(nil)},
		{id: "L1-002", name: "at the total", edge: true, files: core(tree{"AGENTS.md": x(18000), "SOUL.md": x(18000), "IDENTITY.md": x(18000), "USER.md": x(3000), "MEMORY.md": x(3000)})},
		{
			id: "L1-002", name: "one over the total", edge: true, want: []string{"FAIL"},
			files: core(tree{"AGENTS.md": x(18000), "SOUL.md": x(18000), "IDENTITY.md": x(18000), "USER.md": x(3000), "MEMORY.md": x(3001)}),
		},
		{id: "L1-002", name: "TOOLS.md does not count", files: core(tree{"AGENTS.md": x(20000), "SOUL.md": x(20000), "IDENTITY.md": x(15000), "TOOLS.md": x(30000)})},
		{id: "L1-002", name: "classic at the total", edge: true, config: classic, files: classicFiles(3000)},
		{id: "L1-002", name: "classic one over", config: classic, files: classicFiles(3001), want: []string{"FAIL"}},
		{id: "L1-003", name: "at the target", edge: true, files: core(tree{"SOUL.md": x(4000)})},
		{id: "L1-003", name: "over the target", edge: true, files: core(tree{"SOUL.md": x(4001), "TOOLS.md": x(8000)}), want: []string{"WARN SOUL.md", "WARN TOOLS.md"}},
		{id: "L1-003", name: "never fails", local: []string{"claw.health.severity.L1-003=F"}, files: core(tree{"SOUL.md": x(4001)}), want: []string{"WARN SOUL.md"}},
		{id: "L1-003", name: "can be less", local: []string{"claw.health.severity.L1-003=I"}, files: core(tree{"SOUL.md": x(4001)}), want: []string{"INFO SOUL.md"}},
		{id: "L1-004", name: "below the target", edge: true, files: tree{"SOUL.md": x(27996)}},
		{id: "L1-004", name: "at the target, which is exclusive", edge: true, files: tree{"SOUL.md": x(27997)}, want: []string{"WARN"}},
		{id: "L1-004", name: "never fails", config: []string{"health.severity.L1-004 = F"}, files: tree{"SOUL.md": x(80000)}, want: []string{"WARN"}},
		{id: "L1-005", name: "all there", files: core(nil)},
		{id: "L1-005", name: "one missing", edge: true, files: tree{"AGENTS.md": "x", "SOUL.md": "x"}, want: []string{"WARN IDENTITY.md"}},
		{id: "L1-005", name: "a link is no file", edge: true, files: tree{"AGENTS.md": "x", "SOUL.md": "x"}, links: map[string]string{"IDENTITY.md": "x"}, want: []string{"WARN IDENTITY.md"}},
		{id: "L1-005", name: "claude-code wants CLAUDE.md", config: claude, files: tree{"AGENTS.md": "x"}, want: []string{"WARN CLAUDE.md"}},
	}
}

// classicFiles are 147,000 characters and MEMORY.md.
func classicFiles(memory int) tree {
	return tree{
		"AGENTS.md": x(20000), "SOUL.md": x(20000), "TOOLS.md": x(20000), "IDENTITY.md": x(20000), "USER.md": x(20000),
		"HEARTBEAT.md": x(20000), "BOOTSTRAP.md": x(20000), "MEMORY.md": x(7000 + memory),
	}
}
