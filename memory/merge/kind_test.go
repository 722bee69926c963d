package merge

import "testing"

func TestKindOf(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string]Kind{
		"MEMORY.md":                             Markdown,
		"USER.md":                               Markdown,
		"memory/2026-05-02.md":                  Daily,
		"memory/episodic/2026-05-02.md":         Daily,
		"memory/archive/2026/05/2026-05-02.md":  Daily,
		"memory/2026-05-02-topic.md":            Markdown,
		"memory/2026-13-02.md":                  Markdown,
		"memory/index.md":                       Markdown,
		"memory/state.json":                     JSON,
		"memory/log.jsonl":                      JSONLines,
		"memory/picture.png":                    Text,
		"reference/a.md":                        Markdown,
		".learnings/ERRORS.md":                  Lessons,
		".learnings/notes.json":                 JSON,
		"memory/archive/learnings/2026/05/x.md": Lessons,
		"self-improving/memory.md":              Markdown,
		"self-improving/index.md":               Derived,
		"self-improving/projects/index.md":      Markdown,
		"self-improving/reflections.log":        Records,
		"self-improving/corrections.md":         Markdown,
		"self-improving/pending/cand-0123.md":   Candidate,
		"self-improving/pending/other.md":       Markdown,
		".claw/tags.txt":                        Lines,
		".claw/tombstones":                      Lines,
		".claw/config":                          Text,
		"skills/a/SKILL.md":                     Text,
		"notes/a.md":                            Text,
		"a.json":                                Text,
	} {
		if got := KindOf(rel, "self-improving/"); got != want {
			t.Errorf("%s is %d, not %d", rel, got, want)
		}
	}
	if KindByName("x/notes/a.md") != Markdown || KindByName("a.go") != Text {
		t.Error("by name")
	}
}
