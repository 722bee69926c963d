package health

import (
	"fmt"
	"strings"
)

const hotHeader = "# Agent Memory\n#tags: memory\nlast_verified: 2026-02-28\nlast_updated: 2026-02-28\n"

// hotWith is a MEMORY.md with more below its header.
func hotWith(more string) tree { return tree{"MEMORY.md": hotHeader + more} }

func items(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- item %d\n", i)
	}
	return b.String()
}

func hotCases() []checkCase {
	const decisions = "memory/semantic/decisions.md"
	decided := func(item string) tree {
		return tree{
			"MEMORY.md": hotHeader + "\n## Active Decisions\n" + item + "\n",
			decisions:   "# Decisions\n#tags: rules\n> last_verified: 2026-02-28\n\n## Nightly job moved to 02:30\nBecause of the backup.\n",
		}
	}
	return []checkCase{
		{id: "HOT-001", name: "there", files: hotWith("")},
		{id: "HOT-001", name: "not there", files: tree{"AGENTS.md": "x\n"}, want: []string{"FAIL MEMORY.md"}},
		{id: "HOT-001", name: "empty, but there", edge: true, files: tree{"MEMORY.md": ""}},
		{id: "HOT-001", name: "a link is no file", edge: true, links: map[string]string{"MEMORY.md": "x.md"}, want: []string{"FAIL MEMORY.md"}},
		{id: "HOT-002", name: "all four", files: hotWith("")},
		{id: "HOT-002", name: "CRLF and BOM", edge: true, files: tree{"MEMORY.md": "\ufeff" + strings.ReplaceAll(hotHeader, "\n", "\r\n")}},
		{id: "HOT-002", name: "no end of line", edge: true, files: tree{"MEMORY.md": strings.TrimSuffix(hotHeader, "\n")}},
		{id: "HOT-002", name: "another title, a day that is none", files: tree{"MEMORY.md": "# Memory\n#tags: memory\nlast_verified: 2026-02-30\nlast_updated: 2026-02-28\n"}, want: []string{"FAIL MEMORY.md:1", "FAIL MEMORY.md:3"}},
		{id: "HOT-002", name: "three lines", edge: true, files: tree{"MEMORY.md": "# Agent Memory\n#tags: memory\nlast_verified: 2026-02-28\n"}, want: []string{"FAIL MEMORY.md:4"}},
		{id: "HOT-003", name: "60 lines", edge: true, files: hotWith(items(56))},
		{id: "HOT-003", name: "61 lines", edge: true, files: hotWith(items(57)), want: []string{"FAIL MEMORY.md"}},
		{id: "HOT-003", name: "60 lines and one without end", files: hotWith(items(56) + "- x"), want: []string{"FAIL MEMORY.md"}},
		{id: "HOT-003", name: "a lower limit", config: []string{"hot.maxLines = 4"}, files: hotWith("- x\n"), want: []string{"FAIL MEMORY.md"}},
		{id: "HOT-004", name: "resolves", files: decided("- Nightly job → " + decisions + "#nightly-job-moved-to-0230")},
		{id: "HOT-004", name: "other spelling", edge: true, files: decided("- Nightly job -> " + decisions + "#Nightly%2Djob-moved-to-0230")},
		{id: "HOT-004", name: "none", edge: true, files: decided("- none")},
		{id: "HOT-004", name: "no such heading", files: decided("- Nightly job → " + decisions + "#other"), want: []string{"FAIL MEMORY.md:7"}},
		{id: "HOT-004", name: "no link", files: decided("- Nightly job, because of the backup"), want: []string{"FAIL MEMORY.md:7"}},
		{id: "HOT-004", name: "a reason in the item", files: decided("- Nightly job → " + decisions + "#nightly-job-moved-to-0230\n  - because of the backup"), want: []string{"FAIL MEMORY.md:7"}},
		{id: "HOT-004", name: "no such file", files: hotWith("## Active Decisions\n- a → " + decisions + "#b\n"), want: []string{"FAIL MEMORY.md:6"}},
		{id: "HOT-005", name: "none", files: hotWith("")},
		{id: "HOT-005", name: "five", edge: true, files: hotWith("## ❓ Open Questions\n" + items(5))},
		{id: "HOT-005", name: "six", edge: true, files: hotWith("## ❓ Open Questions\n" + items(6)), want: []string{"FAIL MEMORY.md:11"}},
		{id: "HOT-005", name: "six, of which one is nested", edge: true, files: hotWith("### Open Questions\n" + items(5) + "  - nested\n\n### Other\n" + items(9))},
		{id: "HOT-006", name: "one line", files: hotWith("- a\n- b\n  - nested\n")},
		{id: "HOT-006", name: "a comment before it", edge: true, files: hotWith("<!-- openclaw-memory-promotion:k1 -->\n- a\n")},
		{id: "HOT-006", name: "two lines", edge: true, files: hotWith("- a\n  b\n- c\n"), want: []string{"WARN MEMORY.md:5"}},
	}
}
