package health

func warmCases() []checkCase {
	const warm = "memory/semantic/projects.md"
	verified := func(line string) tree { return tree{warm: "# Projects\n#tags: tasks\n" + line + "\n"} }
	return []checkCase{
		{id: "WARM-001", name: "there", files: verified("> last_verified: 2026-02-28")},
		{id: "WARM-001", name: "plain, and anywhere", edge: true, files: verified("\n- text\nlast_verified: 2026-02-28")},
		{id: "WARM-001", name: "missing", files: verified("text"), want: []string{"FAIL " + warm}},
		{id: "WARM-001", name: "in a fence", edge: true, files: verified("```\nlast_verified: 2026-02-28\n```"), want: []string{"FAIL " + warm}},
		{id: "WARM-001", name: "no date", files: verified("last_verified: lately"), want: []string{"FAIL " + warm + ":3"}},
		{id: "WARM-001", name: "today", edge: true, files: verified("last_verified: 2026-03-01")},
		{id: "WARM-001", name: "tomorrow", edge: true, files: verified("last_verified: 2026-03-02"), want: []string{"FAIL " + warm + ":3"}},
		{id: "WARM-001", name: "today is tomorrow in the east", edge: true, config: []string{"timezone = Asia/Tokyo"}, now: "2026-03-02T00:30:00+09:00", files: verified("last_verified: 2026-03-02")},
		{id: "WARM-001", name: "the first one counts", edge: true, files: verified("last_verified: soon\nlast_verified: 2026-02-28"), want: []string{"FAIL " + warm + ":3"}},
		{id: "WARM-001", name: "a daily note needs none", edge: true, files: tree{"memory/2026-02-28.md": "x\n"}},
		{id: "WARM-002", name: "29 days", edge: true, files: verified("last_verified: 2026-01-31")},
		{id: "WARM-002", name: "30 days", edge: true, files: verified("last_verified: 2026-01-30"), want: []string{"FAIL " + warm + ":3"}},
		{id: "WARM-002", name: "a lower limit", config: []string{"warm.verifyDays = 7"}, files: verified("last_verified: 2026-02-22"), want: []string{"FAIL " + warm + ":3"}},
		{id: "WARM-002", name: "tomorrow is not old", files: verified("last_verified: 2026-03-02")},
	}
}
