package memory

import (
	"slices"
	"strings"
	"testing"
)

func TestManagedPaths(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{
		"SOUL.md": "", "My Notes/": "", "a/": "", "b/": "", "outside/": "",
		".claw/config": "[claw]\n\tpaths = My Notes/\n\tpaths = a/ b/\n\tpaths = ../x\n\tpaths = /etc\n\tpaths = link\n\tpaths = node_modules\n\tpaths = one.md\n",
	})
	p.link("outside", "link")
	w := p.at("")
	tests := map[string]Kind{
		"AGENTS.md": KindL1, "SOUL.md": KindL1, "TOOLS.md": KindL1, "MEMORY.md": KindMemory, "BOOTSTRAP.md": KindBootstrap,
		"CLAUDE.md": KindUnmanaged, // not of this host
		"README.md": KindUnmanaged, "sub/AGENTS.md": KindUnmanaged, "one.md": KindOther,
		"memory/2026-05-02.md": KindDaily, "memory/2026-05-02-1200.md": KindNote, "memory/2026-13-02.md": KindNote, "memory/episodic/2026-05-02.md": KindDaily,
		"memory/topic.md": KindNote, "memory/state.json": KindNote, "memory/x/node_modules/y.md": KindUnmanaged,
		"memory/a.tmp": KindUnmanaged, "memory/a.tmp.x12": KindUnmanaged, "memory/a.tmp.md": KindNote,
		".learnings/ERRORS.md": KindLesson, "self-improving/memory.md": KindPrefs, "reference/x.md": KindReference,
		"skills/x/SKILL.md": KindSkill, ".agents/skills/x/SKILL.md": KindSkill, ".claude/skills/x/SKILL.md": KindUnmanaged,
		".claw/config": KindClaw, "My Notes/план.md": KindOther, "a/x": KindOther, "b/c/d": KindOther, "a": KindOther,
		"outside/x.md": KindUnmanaged, "link/x.md": KindUnmanaged, "memoryx/y.md": KindUnmanaged, "My": KindUnmanaged,
	}
	for rel, want := range tests {
		if got := w.Kind(rel); got != want {
			t.Errorf("kind of '%s' is %d, want %d", rel, got, want)
		}
		if w.Managed(rel) != (want != KindUnmanaged) {
			t.Errorf("'%s': managed is %v", rel, w.Managed(rel))
		}
		if (w.WhyUnmanaged(rel) == "") != w.Managed(rel) {
			t.Errorf("'%s': reason '%s'", rel, w.WhyUnmanaged(rel))
		}
	}
	for _, bad := range []string{"'../x'", "'/etc'", "'link'", "'node_modules'"} {
		if !slices.ContainsFunc(w.Settings.Warnings(), func(s string) bool { return strings.Contains(s, bad) }) {
			t.Errorf("no warning of %s in %q", bad, w.Settings.Warnings())
		}
	}
	if got := w.ManagedBelow("reference"); len(got) > 0 {
		t.Errorf("below a managed folder: %q", got)
	}
	if got := w.ManagedBelow(".agents"); !slices.Equal(got, []string{".agents/skills"}) {
		t.Errorf("below .agents: %q", got)
	}
}

func TestManagedPathsOfAPrefix(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"ws/SOUL.md": "", "ws/.claw/config": ""})
	w := p.at("ws")
	if got := w.ManagedPaths(); !slices.Contains(got, "ws/memory") || slices.Contains(got, "memory") {
		t.Errorf("paths for git: %q", got)
	}
	if got := w.PrefixPaths(); !slices.Equal(got, []string{"ws"}) {
		t.Errorf("prefix for git: %q", got)
	}
}

// TestAutoMemoryFolder has an index with topic files beside it, as Claude Code
// keeps them: all of them are memory.
func TestAutoMemoryFolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"MEMORY.md": "- [a](a.md)\n- [b](b.md)\n", "a.md": "", "b.md": "", "code.go": ""})
	w := p.at("")
	for rel, want := range map[string]Kind{"MEMORY.md": KindMemory, "a.md": KindNote, "new.md": KindNote, "code.go": KindUnmanaged, "sub/x.md": KindUnmanaged} {
		if got := w.Kind(rel); got != want {
			t.Errorf("kind of '%s' is %d, want %d", rel, got, want)
		}
	}
}

func TestIncludeCommandWorks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{".claw/config": "", "Die Notizen/a.md": "", "it's/b.md": ""})
	for _, rel := range []string{"Die Notizen/a.md", "it's/b.md"} {
		w := p.at("")
		if w.Managed(rel) {
			t.Fatalf("'%s' is managed before", rel)
		}
		hint := w.HowToManage(rel)
		if len(hint) != 1 {
			t.Fatalf("hints %q", hint)
		}
		p.run(shellWords(t, strings.TrimPrefix(hint[0], "git "))...)
		if !p.at("").Managed(rel) {
			t.Errorf("'%s' is not managed after: %s", rel, hint[0])
		}
	}
}

// shellWords splits a command line of plain and single-quoted words.
func shellWords(t *testing.T, s string) []string {
	t.Helper()
	var words []string
	word, quoted, open := "", false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			quoted, open = !quoted, true
		case c == '\\' && !quoted:
			i++
			word += s[i : i+1]
		case c == ' ' && !quoted:
			if open || word != "" {
				words = append(words, word)
			}
			word, open = "", false
		default:
			word += string(c)
		}
	}
	return append(words, word)
}

func TestNeverRestore(t *testing.T) {
	t.Parallel()
	w := &Workspace{}
	for rel, want := range map[string]bool{
		"openclaw-workspace-state.json": true, ".openclaw/workspace-state.json": true, "x/.OpenClaw/y": true, ".openclaw": true,
		".attested": true, "memory/main.sqlite": true, "a.SQLITE3-wal": true, "a.sqlite-shm": true, "a.db-journal": true,
		"workspace-state.json": false, "memory/sqlite.md": false, "notes.db": false, "memory/a.md": false,
	} {
		if got := w.NeverRestore(rel); got != want {
			t.Errorf("NeverRestore('%s') is %v", rel, got)
		}
	}
}
