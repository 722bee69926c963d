package health

import "strings"

func layersCases() []checkCase {
	const crumb, sop = "memory/client-onboarding.md", "reference/sop.md"
	fact := func(line string) tree { return tree{crumb: "# client-onboarding\n" + line + "\n", sop: "x\n"} }
	const points = "- New clients sign first → Deep dive: reference/sop.md"
	return []checkCase{
		{id: "L2-001", name: "small", files: fact(points)},
		{id: "L2-001", name: "4,096 bytes", edge: true, files: tree{crumb: strings.Repeat("x", 4096)}},
		{id: "L2-001", name: "4,097 bytes", edge: true, files: tree{crumb: strings.Repeat("x", 4097)}, want: []string{"FAIL " + crumb}},
		{id: "L2-001", name: "bytes, not characters", edge: true, files: tree{crumb: strings.Repeat("ж", 2049)}, want: []string{"FAIL " + crumb}},
		{id: "L2-001", name: "a daily note has no limit", edge: true, files: tree{"memory/2026-02-28.md": strings.Repeat("x", 9000), "memory/semantic/a.md": strings.Repeat("x", 9000)}},
		{id: "L2-002", name: "one line with a pointer", files: fact(points)},
		{id: "L2-002", name: "no pointer", files: fact("- New clients sign first"), want: []string{"WARN " + crumb + ":2"}},
		{id: "L2-002", name: "two lines", edge: true, files: fact(points + "\n  and more"), want: []string{"WARN " + crumb + ":2"}},
		{id: "L2-002", name: "ascii, text and headings", edge: true, files: fact("Text.\n\n## H\n- a -> Deep dive: reference/sop.md")},
		{id: "L2-003", name: "exists", files: fact(points)},
		{id: "L2-003", name: "points to nothing", files: tree{crumb: points + "\n"}, want: []string{"FAIL " + crumb + ":1"}},
		{id: "L2-003", name: "in a rule file", files: tree{"AGENTS.md": "# A\n" + points + "\n"}, want: []string{"FAIL AGENTS.md:2"}},
		{id: "L2-003", name: "a past day, a fence", edge: true, files: tree{"memory/2026-02-20.md": points + "\n", crumb: "```\n" + points + "\n```\n"}},
		{id: "L2-003", name: "out of the folder", edge: true, files: tree{crumb: "- a → Deep dive: reference/../AGENTS.md\n", "AGENTS.md": "x\n"}, want: []string{"FAIL " + crumb + ":1"}},
		{id: "L2-003", name: "a heading of it", edge: true, files: fact("- a → Deep dive: reference/sop.md#part")},
		{id: "L3-001", name: "pointed to", files: fact(points)},
		{id: "L3-001", name: "nobody points", files: fact("- x"), want: []string{"WARN " + sop}},
		{id: "L3-001", name: "by itself only", edge: true, files: tree{sop: "see reference/sop.md\n"}, want: []string{"WARN " + sop}},
		{id: "L3-001", name: "named in a rule file or a daily note", edge: true, files: tree{"AGENTS.md": "Read `reference/sop.md`.\n", "memory/2026-02-28.md": "[b](../reference/b.md)\n", sop: "x\n", "reference/b.md": "x\n", "reference/README.md": "x\n"}},
		{id: "L3-002", name: "not searched", config: []string{"recall.paths = docs/"}, files: fact(points)},
		{id: "L3-002", name: "searched", config: []string{"recall.paths = docs/ reference/"}, files: fact(points), want: []string{"FAIL"}},
		{id: "L3-002", name: "a folder of it", edge: true, config: []string{"recall.paths = ./reference/sop"}, files: fact(points), want: []string{"FAIL"}},
		{id: "L3-002", name: "a folder of another name", edge: true, config: []string{"recall.paths = references/"}, files: fact(points)},
	}
}
