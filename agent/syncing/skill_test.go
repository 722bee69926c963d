package syncing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/syncing"
)

const greet = "---\nname: greet\ndescription: say hello to whoever comes in\n---\n\n# Greet\n\n1. Say hello to the guest.\n2. Offer a chair.\n3. Ask what it is about.\n"

// TestSkill: the text of a skill is merged as git does it where git can, and else by entry:
// one step that two machines worded anew waits for a choice, and keeps nothing else apart.
func TestSkill(t *testing.T) {
	t.Parallel()
	const path = "skills/greet/SKILL.md"
	f := newFleet(t, 2, "MEMORY.md", "# M\n", path, greet)
	f.m[0].Write(path, strings.Replace(greet, "1. Say", "0. Smile.\n1. Say", 1))
	f.m[1].Write(path, strings.Replace(greet, "3. Ask", "3. Kindly ask", 1))
	f.settle()
	if got := f.m[0].ReadFile(path); strings.Contains(got, "claw:conflict") || !strings.Contains(got, "0. Smile.") || !strings.Contains(got, "3. Kindly") {
		t.Fatalf("clean for git:\n%s", got)
	}
	base := f.m[0].ReadFile(path)
	f.m[0].Write(path, strings.Replace(base, "to the guest", "to the guest, loudly", 1))
	f.m[1].Write(path, strings.Replace(base, "to the guest", "to the guest, softly", 1))
	f.m[1].Write("MEMORY.md", "# M\n\n- more\n")
	doSync(f.m[0])
	if res := doSync(f.m[1]); res.Contradictions != 1 || !res.Pushed {
		t.Errorf("%+v", res)
	}
	f.settle()
	got := f.m[0].ReadFile(path)
	if got != f.m[1].ReadFile(path) || f.m[0].ReadFile("MEMORY.md") != "# M\n\n- more\n" {
		t.Errorf("the machines differ:\n%s\n%s", got, f.m[1].ReadFile(path))
	}
	for _, want := range []string{"kind=edit n=2 -->\n1. Say hello to the guest, loudly.\n1. Say hello to the guest, softly.\n2. Offer"} {
		if !strings.Contains(got, want) || strings.Contains(got, "<<<<<<<") {
			t.Errorf("both versions are not there:\n%s", got)
		}
	}
}

// TestSkillProgram: a program is never two programs in one file.
func TestSkillProgram(t *testing.T) {
	t.Parallel()
	const path = "skills/greet/run.sh"
	f := newFleet(t, 2, "MEMORY.md", "# M\n", "skills/greet/SKILL.md", greet, path, "echo hello\n")
	f.m[0].Write(path, "echo hello, loudly\n")
	f.m[1].Write(path, "echo hello, softly\n")
	doSync(f.m[0])
	var conflict *agent.MergeConflictError
	if _, err := trySync(f.m[1], syncing.Options{}); !errors.As(err, &conflict) || len(conflict.Files) != 1 || conflict.Files[0].Path != path {
		t.Fatalf("it merges: %v", err)
	}
	if f.m[1].ReadFile(path) != "echo hello, softly\n" {
		t.Error("the file changed")
	}
}

// TestSkillByGit: git alone leaves no markers in the text of a skill, and where it did,
// without git claw, the next sync unites the sides.
func TestSkillByGit(t *testing.T) {
	t.Parallel()
	const path = "skills/greet/SKILL.md"
	f := newFleet(t, 2, "MEMORY.md", "# M\n", path, greet)
	f.m[0].Write(path, strings.Replace(greet, "to the guest", "to the guest, loudly", 1))
	f.m[1].Write(path, strings.Replace(greet, "to the guest", "to the guest, softly", 1))
	doSync(f.m[0])
	m := f.m[1]
	m.Commit("by hand")
	m.Git("fetch", "-q")
	if _, err := m.TryGit("-c", "merge.claw.driver=false", "-c", "core.attributesFile=", "merge", "origin/main"); err == nil {
		t.Fatal("git merged it")
	}
	doSync(m)
	got := m.ReadFile(path)
	if strings.Contains(got, "<<<<<<<") || !strings.Contains(got, "loudly") || !strings.Contains(got, "softly") || !strings.Contains(got, "claw:conflict") {
		t.Errorf("the sides are not united:\n%s", got)
	}
	f.settle()
	if f.m[0].ReadFile(path) != got {
		t.Error("the machines differ")
	}
}

// TestLarge: what is larger than claw.maxFileBytes is merged as text, and by entry where that leaves
// conflicts; a log is merged by line. It does not keep all memory apart.
func TestLarge(t *testing.T) {
	t.Parallel()
	var note, log strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&note, "- entry %d of a note that grew far too long\n", i)
		fmt.Fprintf(&log, "{\"n\":%d,\"text\":\"a line of a log that grew\"}\n", i)
	}
	f := newFleet(t, 2, "memory/note.md", note.String(), "memory/log.jsonl", log.String())
	for i, l := range f.m {
		l.Git("config", "claw.maxFileBytes", "65536")
		l.Write("memory/note.md", note.String()+fmt.Sprintf("- from machine %d\n", i))
		l.Write("memory/log.jsonl", log.String()+fmt.Sprintf("{\"from\":%d}\n", i))
		l.Commit("more") // a save leaves out what is too large
	}
	doSync(f.m[0])
	doSync(f.m[1])
	f.settle()
	for _, l := range f.m {
		if got := l.ReadFile("memory/note.md"); got != note.String()+"- from machine 0\n- from machine 1\n" {
			t.Errorf("…%s", got[len(got)-200:])
		}
		if got := l.ReadFile("memory/log.jsonl"); !strings.Contains(got, "{\"from\":0}\n{\"from\":1}\n") {
			t.Errorf("…%s", got[len(got)-200:])
		}
	}
}

// TestFinishesTurned: one machine turned a list around, the other added to it, and git left
// markers in one half of what that makes: around them it has merged already, and taken out
// what stands between them now.
func TestFinishesTurned(t *testing.T) {
	t.Parallel()
	const head = "# T\n\n## Notes\n\n"
	lines := []string{"- first of the lines about the kiln\n", "- second of the lines about the glaze\n", "- third of the lines about the clay\n"}
	const more = "- one more line about the wheel\n"
	for _, edited := range []bool{false, true} {
		f := newFleet(t, 2, "MEMORY.md", "# M\n", "memory/topic.md", head+strings.Join(lines, ""))
		a, b := f.m[0], f.m[1]
		a.Write("memory/topic.md", head+more+lines[2]+lines[1]+lines[0])
		doSync(a)
		b.Write("memory/topic.md", head+strings.Join(lines, "")+more)
		b.Commit("b")
		b.Git("fetch", "-q")
		b.Write(".git/info/attributes", "*.md merge=text\n")
		if out, err := b.TryGit("merge", "-q", "origin/main"); err == nil {
			t.Fatalf("git merged it: %s", out)
		}
		typed := ""
		if edited {
			typed = "- typed during the merge\n"
			b.Write("memory/topic.md", b.ReadFile("memory/topic.md")+typed)
		}
		doSync(b)
		f.settle()
		text := a.ReadFile("memory/topic.md")
		for _, l := range append([]string{more, typed}, lines...) {
			if !strings.Contains(text, l) || !edited && strings.Count(text, l) != 1 && l != "" {
				t.Errorf("edited %v: %q in\n%s", edited, l, text)
			}
		}
		if strings.Contains(text, "<<<<<<<") || b.ReadFile("memory/topic.md") != text {
			t.Errorf("edited %v:\n%s", edited, text)
		}
	}
}
