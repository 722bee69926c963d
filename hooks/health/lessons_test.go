package health

import (
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

func lessonsCases() []checkCase {
	const errs, lrn, feat = ".learnings/ERRORS.md", ".learnings/LEARNINGS.md", ".learnings/FEATURE_REQUESTS.md"
	const lessonsLearned = "memory/procedural/lessons-learned.md"
	one := func(text string) tree { return tree{errs: text + "\n"} }
	seen := func(times, rest string) tree {
		return one("- 2026-02-20T09:00:00Z [ERR-20260220-k3f] key=deps.module-not-found " + rest + "seen=" + times + " install first")
	}
	const promoted = "- 2026-02-20T09:00:00Z [ERR-20260220-k3f] status=promoted to=" + lessonsLearned + "#install Install first. Then build."
	block := func(id string) string {
		return "## [" + id + "] pnpm\n\n**Logged**: 2026-02-20T09:00:00Z\n**Status**: pending\n\n### Summary\nUse pnpm for " + id + "\n\n---\n"
	}
	promotion := func(event string) *fakeGit {
		return &fakeGit{since: []gitops.Commit{commitWith("2026-02-21T00:00:00Z", []string{errs, lessonsLearned}, "Claw-Event: "+event)}}
	}
	return []checkCase{
		{id: "SCR-001", name: "all three", files: tree{errs: "", lrn: "", feat: ""}},
		{id: "SCR-001", name: "one is missing", files: tree{errs: "", lrn: ""}, want: []string{"WARN " + feat}},
		{id: "SCR-001", name: "git ignores them", edge: true, ignored: tree{errs: "", lrn: "", feat: ""}},
		{id: "SCR-001", name: "another case of the name", edge: true, files: tree{errs: "", lrn: "", ".learnings/feature_requests.md": ""}, want: []string{"WARN " + feat}},

		{id: "SCR-002", name: "different", files: tree{errs: "- [ERR-20260220-aaa] one\n", lrn: "- [LRN-20260220-bbb] two\n"}},
		{id: "SCR-002", name: "the same", files: tree{errs: "- [ERR-20260220-aaa] use pnpm\n", lrn: "- [LRN-20260220-bbb] use pnpm\n"}, want: []string{"FAIL " + lrn + ":1"}},
		{id: "SCR-002", name: "but for case and full stop", edge: true, files: tree{errs: "- [ERR-20260220-aaa] Use  pnpm.\n", lrn: "- [LRN-20260220-bbb] use pnpm\n"}, want: []string{"FAIL " + lrn + ":1"}},
		{id: "SCR-002", name: "in one file, in an archive, in a fence", edge: true, files: tree{errs: "- [ERR-20260220-aaa] use pnpm\n- [ERR-20260220-ccc] use pnpm\n", lessonArchive + "2026/02/ERRORS.md": "- [ERR-20260220-bbb] use pnpm\n", lrn: "```\n- [LRN-20260220-bbb] use pnpm\n```\n"}},

		{id: "SCR-003", name: "both forms", files: one(block("ERR-20260220-AB1") + "- 2026-02-20T09:00:00Z [ERR-20260220-k3f] text")},
		{id: "SCR-003", name: "an id that is none", files: one("- 2026-02-20T09:00:00Z [ERR-2026-k3f] text"), want: []string{"WARN " + errs + ":1"}},
		{id: "SCR-003", name: "a template in a fence and one lesson", edge: true, files: one("```\n## [ERR-20260220-XXX] name\n```\n\n" + block("ERR-20260220-001"))},
		{id: "SCR-003", name: "an odd number of fences", edge: true, files: one(block("ERR-20260220-001") + "```\n" + block("ERR-20260220-001"))},
		{id: "SCR-003", name: "another language's status, free text", edge: true, files: one("# Errors\n\n- text\n\n" + strings.Replace(block("ERR-20260220-001"), "pending", "已解决", 1))},

		{id: "SCR-004", name: "young", files: one("- 2026-02-20T09:00:00Z [ERR-20260220-k3f] text")},
		{id: "SCR-004", name: "30 days", edge: true, files: one("- 2026-01-30T12:00:00Z [ERR-20260130-k3f] text")},
		{id: "SCR-004", name: "a second more", edge: true, files: one("- 2026-01-30T11:59:59Z [ERR-20260130-k3f] text"), want: []string{"WARN " + errs + ":1"}},
		{id: "SCR-004", name: "old, and seen again", edge: true, files: one("- 2026-01-01T12:00:00Z [ERR-20260101-k3f] seen=2026-01-01T12:00:00Z,2026-02-20T12:00:00Z text")},
		{id: "SCR-004", name: "pinned, promoted, archived", edge: true, files: tree{errs: "- 2026-01-01T12:00:00Z [ERR-20260101-k3f] text #pinned\n- 2026-01-01T12:00:00Z [ERR-20260101-k3g] status=promoted text\n", lessonArchive + "2026/01/ERRORS.md": "- 2026-01-01T12:00:00Z [ERR-20260101-k3h] text\n"}},

		{id: "SCR-005", name: "twice", files: seen("2026-02-20T09:00:00Z,2026-02-21T09:00:00Z", "")},
		{id: "SCR-005", name: "three times in 7 days", edge: true, files: seen("2026-02-20T09:00:00Z,2026-02-22T09:00:00Z,2026-02-27T09:00:00Z", ""), want: []string{"INFO " + errs + ":1"}},
		{id: "SCR-005", name: "three times in 8 days", edge: true, files: seen("2026-02-20T09:00:00Z,2026-02-22T09:00:00Z,2026-02-28T09:00:00Z", "")},
		{id: "SCR-005", name: "slowly, over two tasks", edge: true, files: seen("2026-01-30T09:00:00Z,2026-02-10T09:00:00Z,2026-02-28T09:00:00Z", "task=T1,T2 "), want: []string{"INFO " + errs + ":1"}},
		{id: "SCR-005", name: "slowly, in one task", edge: true, files: seen("2026-01-30T09:00:00Z,2026-02-10T09:00:00Z,2026-02-28T09:00:00Z", "task=T1 ")},
		{id: "SCR-005", name: "promoted already", edge: true, files: seen("2026-02-20T09:00:00Z,2026-02-22T09:00:00Z,2026-02-23T09:00:00Z", "status=promoted ")},

		{id: "SCR-006", name: "a lesson", files: one("- [ERR-20260220-k3f] nothing found in the log until debug is on")},
		{id: "SCR-006", name: "nothing", files: one("- [ERR-20260220-k3f] Nothing found."), want: []string{"WARN " + errs + ":1"}},
		{id: "SCR-006", name: "free text", edge: true, files: one("None.\n\n- none")},

		{id: "SCR-007", name: "unique", files: tree{errs: block("ERR-20260220-001") + block("ERR-20260220-002")}},
		{id: "SCR-007", name: "two blocks with one id", files: one(block("ERR-20260220-001") + block("ERR-20260220-001")), want: []string{"FAIL " + errs + ":10"}},
		{id: "SCR-007", name: "in an archive", edge: true, files: tree{errs: block("ERR-20260220-001"), lessonArchive + "2026/02/ERRORS.md": block("ERR-20260220-001")}, want: []string{"FAIL " + errs + ":1"}},
		{id: "SCR-007", name: "in a fence", edge: true, files: one(block("ERR-20260220-001") + "```\n" + block("ERR-20260220-001") + "```\n")},
		{id: "SCR-007", name: "refers to one that exists", edge: true, files: tree{errs: "- [ERR-20260220-k3f] text, see also LRN-20260220-b01\n", lrn: "- [LRN-20260220-b01] text\n"}},
		{id: "SCR-007", name: "refers to none", edge: true, files: one("- [ERR-20260220-k3f] text, see also LRN-20260220-b01"), want: []string{"WARN " + errs + ":1"}},

		{id: "SCR-008", name: "the three", files: tree{errs: "", lrn: "", feat: "", ".learnings/.gitkeep": ""}},
		{id: "SCR-008", name: "another one", files: tree{".learnings/NOTES.md": "- x\n"}, want: []string{"WARN .learnings/NOTES.md"}},
		{id: "SCR-008", name: "pinned", edge: true, files: tree{".learnings/NOTES.md": "- x #pinned\n"}},
		{id: "SCR-008", name: "no note, in a folder", edge: true, files: tree{".learnings/old/x.txt": "x"}, want: []string{"WARN .learnings/old/x.txt"}},

		{id: "SCR-009", name: "in its target", files: tree{errs: promoted + "\n", lessonsLearned: "# L\n\n## Install\n- Install first. Then build.\n"}},
		{id: "SCR-009", name: "not in its target", files: tree{errs: promoted + "\n", lessonsLearned: "# L\n"}, want: []string{"FAIL " + errs + ":1"}},
		{id: "SCR-009", name: "no such file", files: one(promoted), want: []string{"FAIL " + errs + ":1"}},
		{id: "SCR-009", name: "over two lines there", edge: true, files: tree{errs: promoted + "\n", lessonsLearned: "- install first.\n  then build, always\n"}},
		{id: "SCR-009", name: "changed since its commit", edge: true, files: tree{errs: promoted + "\n", lessonsLearned: "- Build in order.\n"}, git: promotion("promote")},
		{id: "SCR-009", name: "another commit", edge: true, files: tree{errs: promoted + "\n", lessonsLearned: "- Build in order.\n"}, git: promotion("decision.add"), want: []string{"FAIL " + errs + ":1"}},
		{id: "SCR-009", name: "promoted in free form", edge: true, files: one("- [ERR-20260220-k3f] status=promoted text")},
		{id: "SCR-009", name: "made a skill", edge: true, files: tree{errs: strings.Replace(promoted, "=promoted to="+lessonsLearned+"#install", "=promoted_to_skill to=skills/x/SKILL.md", 1) + "\n", "skills/x/SKILL.md": "x\n"}},
	}
}
