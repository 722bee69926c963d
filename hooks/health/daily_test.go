package health

import (
	"fmt"
	"strings"
	"time"
)

const closed = "- x\n\nUpdated: 2026-02-28\nDecisions: none\nSignal: none\nOpen: none\n"

// days are daily notes up to 2026-03-01, the newest first.
func days(n int) tree {
	t := tree{}
	for i := range n {
		t["memory/"+date("2026-03-01T00:00:00Z").AddDate(0, 0, -i).Format(time.DateOnly)+".md"] = closed
	}
	return t
}

func dailyCases() []checkCase {
	const yesterday, before = "memory/2026-02-28.md", "memory/2026-02-27.md"
	return []checkCase{
		{id: "EPI-001", name: "closed", files: tree{yesterday: closed}},
		{id: "EPI-001", name: "no note", edge: true, files: tree{"memory/topic.md": "x\n"}},
		{id: "EPI-001", name: "not closed", files: tree{yesterday: "- x\n"}, want: []string{"FAIL " + yesterday}},
		{id: "EPI-001", name: "today is not judged", edge: true, files: tree{"memory/2026-03-01.md": "- x\n", "memory/2026-03-02.md": "- x\n"}},
		{id: "EPI-001", name: "the day before is not yesterday", edge: true, files: tree{before: "- x\n"}},
		{id: "EPI-001", name: "an empty field", edge: true, files: tree{yesterday: strings.Replace(closed, "Signal: none", "Signal:", 1)}, want: []string{"FAIL " + yesterday + ":5"}},
		{id: "EPI-001", name: "no date", edge: true, files: tree{yesterday: strings.Replace(closed, "2026-02-28", "yesterday", 1)}, want: []string{"FAIL " + yesterday + ":3"}},
		{id: "EPI-001", name: "in a fence", edge: true, files: tree{yesterday: "```\n" + closed}, want: []string{"FAIL " + yesterday}},
		{id: "EPI-001", name: "yesterday in the east", edge: true, config: []string{"timezone = Asia/Tokyo"}, now: "2026-03-02T01:00:00+09:00", files: tree{"memory/2026-03-01.md": "- x\n", yesterday: "- x\n"}, want: []string{"FAIL memory/2026-03-01.md"}},
		{id: "EPI-001", name: "a snapshot needs none", edge: true, files: tree{"memory/2026-02-28-1030.md": "x\n"}},
		{id: "EPI-001", name: "in memory/episodic", edge: true, files: tree{"memory/episodic/2026-02-28.md": "- x\n"}, want: []string{"FAIL memory/episodic/2026-02-28.md"}},
		{id: "EPI-002", name: "closed", files: tree{before: closed, "memory/archive/2026/01/2026-01-01.md": "- x\n"}},
		{id: "EPI-002", name: "not closed", files: tree{before: "- x\n"}, want: []string{"WARN " + before}},
		{id: "EPI-002", name: "yesterday is not older", edge: true, files: tree{yesterday: "- x\n"}},
		{id: "EPI-003", name: "known forms", files: tree{yesterday: "", "memory/2026-02-28-summary.md": "", "memory/20260225_0710_app development.md": "", "memory/2026_02_28.md": "", "memory/topic.md": ""}},
		{id: "EPI-003", name: "no such day", files: tree{"memory/2026-02-30.md": "", "memory/2026-13-01-x.md": ""}, want: []string{"WARN memory/2026-02-30.md", "WARN memory/2026-13-01-x.md"}},
		{id: "EPI-003", name: "another form", files: tree{"memory/2026.02.28.md": "", "memory/2026-2-28.md": ""}, want: []string{"WARN memory/2026-2-28.md", "WARN memory/2026.02.28.md"}},
		{id: "EPI-003", name: "a leap day, a month, a week", edge: true, files: tree{"memory/2024-02-29.md": "", "memory/2026-02.md": "", "memory/2026-W09.md": ""}},
		{id: "EPI-004", name: "31", edge: true, files: days(31)},
		{id: "EPI-004", name: "32", edge: true, files: days(32), want: []string{"FAIL"}},
		{id: "EPI-004", name: "snapshots and archives do not count", edge: true, files: withSnapshots(days(31))},
		{id: "EPI-005", name: "30 days", edge: true, files: tree{"memory/2026-01-30.md": closed}},
		{id: "EPI-005", name: "31 days", edge: true, files: tree{"memory/2026-01-29.md": closed}, want: []string{"WARN memory/2026-01-29.md"}},
		{id: "EPI-005", name: "archived", files: tree{"memory/archive/2026/01/2026-01-01.md": closed, "memory/2026-01-01-x.md": ""}},
		{id: "EPI-007", name: "one note", files: tree{yesterday: closed, "memory/2026-02-28-2203.md": "", "memory/2026-02-28-summary.md": ""}},
		{id: "EPI-007", name: "two places", files: tree{yesterday: closed, "memory/episodic/2026-02-28.md": closed}, want: []string{"FAIL memory/episodic/2026-02-28.md"}},
		{id: "EPI-007", name: "three places", edge: true, files: tree{yesterday: "", "memory/episodic/2026-02-28.md": "", "memory/2026/02/2026-02-28.md": ""}, want: []string{"FAIL memory/2026/02/2026-02-28.md", "FAIL memory/episodic/2026-02-28.md"}},
		{id: "EPI-007", name: "one is archived, one is the host's", edge: true, files: tree{yesterday: "", "memory/archive/2026/02/2026-02-28.md": "", "memory/dreaming/2026-02-28.md": ""}},
		{id: "EPI-008", name: "in its folder", files: tree{"memory/archive/2026/01/2026-01-01.md": "", "memory/archive/learnings/2026/01/ERRORS.md": "", "memory/archive/old.md": ""}},
		{id: "EPI-008", name: "in another month", files: tree{"memory/archive/2026/02/2026-01-01.md": ""}, want: []string{"WARN memory/archive/2026/02/2026-01-01.md"}},
		{id: "EPI-008", name: "in the archive itself", edge: true, files: tree{"memory/archive/2026-01-01-x.md": ""}, want: []string{"WARN memory/archive/2026-01-01-x.md"}},
	}
}

func withSnapshots(t tree) tree {
	for i := range 9 {
		t[fmt.Sprintf("memory/2026-02-28-220%d.md", i)] = "x"
		t[fmt.Sprintf("memory/archive/2025/12/2025-12-0%d.md", i+1)] = "x"
	}
	return t
}
