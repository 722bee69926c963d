package health

import (
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

func tagsCases() []checkCase {
	const warm = "memory/procedural/lessons-learned.md"
	tagged := func(line string) tree {
		return tree{"MEMORY.md": hotHeader, warm: "# Lessons\n" + line + "\n", ".claw/tags.txt": "# ways\nmemory\nrules\n"}
	}
	list := func(trailers ...string) *fakeGit {
		c := commitWith("2026-02-20T10:00:00Z", []string{".claw/tags.txt"}, trailers...)
		c.ID, _ = gitops.ParseID(strings.Repeat("ab", 20))
		return &fakeGit{adopted: tree{}, since: []gitops.Commit{c}}
	}
	kept := list("Claw-Event: l1.edit", "Claw-Actor: agent", "Claw-Id: 20260220-00000001")
	kept.notes = map[gitops.ID]string{kept.since[0].ID: `{"v":1,"at":"2026-02-21T10:00:00Z","by":"x","actor":"user","via":"tty","verdict":"accept"}` + "\n"}
	undone := list("Claw-Event: l1.edit", "Claw-Actor: agent", "Claw-Id: 20260220-00000001")
	undone.since = append([]gitops.Commit{commitWith("2026-02-21T10:00:00Z", []string{".claw/tags.txt"}, "Claw-Event: undo", "Claw-Actor: user", "Claw-Undoes: 20260220-00000001")}, undone.since...)
	merge := list()
	merge.since[0].Parents = make([]gitops.ID, 2)
	return []checkCase{
		{id: "TAG-001", name: "one tag", edge: true, files: tagged("#tags: rules")},
		{id: "TAG-001", name: "all separators", files: tagged("#tags: rules,memory | rules")},
		{id: "TAG-001", name: "no tag", edge: true, files: tagged("#tags:"), want: []string{"FAIL " + warm + ":2"}},
		{id: "TAG-001", name: "no line", files: tagged("text"), want: []string{"FAIL " + warm + ":2"}},
		{id: "TAG-001", name: "on line 3", edge: true, files: tagged("\n#tags: rules"), want: []string{"FAIL " + warm + ":2"}},
		{id: "TAG-001", name: "capitals", files: tagged("#tags: Rules"), want: []string{"FAIL " + warm + ":2"}},
		{id: "TAG-001", name: "other notes need none", edge: true, files: tree{"MEMORY.md": hotHeader, "memory/topic.md": "# T\n", "memory/semantic/x.txt": "x"}},
		{id: "TAG-002", name: "known", files: tagged("#tags: rules memory")},
		{id: "TAG-002", name: "unknown", files: tagged("#tags: rules other"), want: []string{"FAIL " + warm + ":2"}},
		{id: "TAG-002", name: "a group is no tag", edge: true, files: tagged("#tags: ways"), want: []string{"FAIL " + warm + ":2"}},
		{id: "TAG-002", name: "known once it is in the list", edge: true, files: tree{"MEMORY.md": hotHeader, warm: "# L\n#tags: ways\n", ".claw/tags.txt": "memory\nways"}},
		{id: "TAG-003", name: "never changed", git: &fakeGit{adopted: tree{}}, files: tagged("")},
		{id: "TAG-003", name: "by the agent", git: list("Claw-Event: l1.edit", "Claw-Actor: agent", "Claw-Id: 20260220-00000001"), files: tagged(""), want: []string{"FAIL .claw/tags.txt"}},
		{id: "TAG-003", name: "by git alone", git: list(), files: tagged(""), want: []string{"FAIL .claw/tags.txt"}},
		{id: "TAG-003", name: "by a proposal", edge: true, git: list("Claw-Event: vocab.change", "Claw-Actor: agent"), files: tagged("")},
		{id: "TAG-003", name: "by a person", edge: true, git: list("Claw-Event: l1.edit", "Claw-Actor: user"), files: tagged("")},
		{id: "TAG-003", name: "by a merge", edge: true, git: merge, files: tagged("")},
		{id: "TAG-003", name: "kept by a person", edge: true, git: kept, files: tagged("")},
		{id: "TAG-003", name: "taken back", edge: true, git: undone, files: tagged("")},
		{id: "TAG-003", name: "not adopted", edge: true, git: &fakeGit{since: list().since}, files: tagged("")},
	}
}
