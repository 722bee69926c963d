package syncing_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/syncing"
)

const (
	staleBase = "# Memory\n\n- the office has two floors\n- lunch is at noon\n"
	fromA     = "- from A\n"
	fromB     = "- from B\n"
)

// arrived is a fleet in which the second machine got a line of the first one's by a sync.
func arrived(t *testing.T, n int, files ...string) (f *fleet, a, b *agenttest.Lab) {
	t.Helper()
	f = newFleet(t, n, append([]string{"MEMORY.md", staleBase}, files...)...)
	a, b = f.m[0], f.m[1]
	a.Write("MEMORY.md", staleBase+fromA)
	for i := 0; i < len(files); i += 2 {
		a.Write(files[i], files[i+1]+fromA)
	}
	doSync(a)
	doSync(b)
	if got := b.ReadFile("MEMORY.md"); got != staleBase+fromA {
		t.Fatalf("nothing came: %q", got)
	}
	return f, a, b
}

// saveAs saves as who.
func saveAs(l *agenttest.Lab, who agent.Actor, opt agent.SaveOptions) *agent.SaveResult {
	l.T.Helper()
	l.Later(time.Second)
	res, err := agent.Save(context.Background(), l.Workspace(), agent.Caller{Actor: who}, opt)
	if err != nil {
		l.T.Fatal(err)
	}
	return res
}

// TestStaleWrite: an agent that read a file before a sync, and writes all of it behind that,
// takes nothing back of what came.
func TestStaleWrite(t *testing.T) {
	t.Parallel()
	const both = staleBase + fromA + fromB
	for name, write := range map[string]func(l *agenttest.Lab) []agent.Saved{
		"save": func(l *agenttest.Lab) []agent.Saved { return saveAs(l, agent.Agent, agent.SaveOptions{}).Commits },
		"sync": func(l *agenttest.Lab) []agent.Saved { return doSync(l).Save.Commits },
		"user's sync": func(l *agenttest.Lab) []agent.Saved {
			return saveAs(l, agent.User, agent.SaveOptions{Unseen: true}).Commits
		},
		"a note": func(l *agenttest.Lab) []agent.Saved {
			res, err := agent.SaveDirty(context.Background(), l.Workspace(), agent.Caller{Actor: agent.Agent}, []string{"MEMORY.md"})
			if err != nil {
				t.Error(err)
			}
			return res.Commits
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			machines := 2
			if name == "sync" {
				machines = 3
			}
			f, _, b := arrived(t, machines)
			b.Write("MEMORY.md", staleBase+fromB)
			commits := write(b)
			if got := b.ReadFile("MEMORY.md"); got != both || b.InHead("MEMORY.md") != both {
				t.Errorf("the file is %q, in HEAD %q", got, b.InHead("MEMORY.md"))
			}
			if len(commits) != 1 || len(commits[0].Came) != 1 || !commits[0].Came[0].Kept || commits[0].Came[0].Source != "origin/main" {
				t.Errorf("told %+v", commits)
			}
			if got := b.Trailer(commits[0].Commit.String(), "Claw-Kept"); got != "MEMORY.md" {
				t.Errorf("Claw-Kept is %q", got)
			}
			if machines == 3 {
				f.settle()
				for _, l := range f.m {
					if got := l.ReadFile("MEMORY.md"); got != both {
						t.Errorf("after the sync %q", got)
					}
				}
			}
			// Who holds the old text writes it again, with more of their own.
			const more = "- more of B\n"
			b.Write("MEMORY.md", staleBase+fromB+more)
			saveAs(b, agent.Agent, agent.SaveOptions{})
			if got := b.ReadFile("MEMORY.md"); got != both+more {
				t.Errorf("the second time: %q", got)
			}
			// Without anything new it is meant, and so it is a while later.
			b.Write("MEMORY.md", staleBase+fromA+fromB)
			saveAs(b, agent.Agent, agent.SaveOptions{})
			b.Later(20 * time.Minute)
			b.Write("MEMORY.md", staleBase+fromB+more)
			saveAs(b, agent.Agent, agent.SaveOptions{})
			if got := b.ReadFile("MEMORY.md"); got != staleBase+fromB+more {
				t.Errorf("what was taken out is back: %q", got)
			}
		})
	}
}

// TestStaleFiles: two files at once, one of which is new on both machines; and what was
// committed behind the sync counts as well.
func TestStaleFiles(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", staleBase)
	a, b := f.m[0], f.m[1]
	const day = "memory/2026-05-02.md"
	a.Write("MEMORY.md", staleBase+fromA)
	a.Write(day, "# 2026-05-02\n\n"+fromA)
	doSync(a)
	doSync(b)
	b.Write("MEMORY.md", staleBase+fromA+"- of a second session\n")
	saveAs(b, agent.Agent, agent.SaveOptions{})
	b.Write("MEMORY.md", staleBase+fromB)
	b.Write(day, "# 2026-05-02\n\n"+fromB)
	saveAs(b, agent.Agent, agent.SaveOptions{})
	f.settle()
	for _, rel := range []string{"MEMORY.md", day} {
		text := a.ReadFile(rel)
		for _, line := range []string{fromA, fromB} {
			if strings.Count(text, line) != 1 {
				t.Errorf("%s: not once %q in %q", rel, line, text)
			}
		}
	}
	if text := a.ReadFile("MEMORY.md"); !strings.Contains(text, "- of a second session\n") {
		t.Errorf("the second session's line is gone: %q", text)
	}
}

// TestNoStaleWrite: what was meant stays as it was written.
func TestNoStaleWrite(t *testing.T) {
	t.Parallel()
	_, _, b := arrived(t, 2)
	head, now := b.Git("rev-parse", "HEAD"), b.Now().Format(time.RFC3339)
	record := func(b *agenttest.Lab) string { return filepath.Join(b.Dir, ".git", "claw", "came") }
	write := func(text string) func(*testing.T, *agenttest.Lab) {
		return func(t *testing.T, b *agenttest.Lab) {
			t.Helper()
			if err := os.WriteFile(record(b), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	good, err := os.ReadFile(record(b))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text   string
		before func(t *testing.T, b *agenttest.Lab)
	}{
		"taken back":               {staleBase, nil},
		"killed before HEAD moved": {staleBase + fromB, func(_ *testing.T, b *agenttest.Lab) { b.Git("reset", "-q", "--hard", "HEAD~1") }},
		"consolidated":             {"# Memory\n\n- an office\n", nil},
		"late":                     {staleBase + fromB, func(_ *testing.T, b *agenttest.Lab) { b.Later(time.Hour) }},
		"clock back":               {staleBase + fromB, func(_ *testing.T, b *agenttest.Lab) { b.Later(-time.Hour) }},
		"torn record":              {staleBase + fromB, write(`{"v":1,"list":[{"at":"2026-05`)},
		"hostile record": {staleBase + fromB, write(`{"v":1,"list":[{"at":"2026-05-02T09:00:03Z","source":"\u001b[31m","before":"` +
			strings.Repeat("f", 40) + `","after":"` + strings.Repeat("e", 40) + `","kept":["Li4vLi4vZXRj"]},{}]}`)},
		"other version": {staleBase + fromB, write(`{"v":2,"list":[]}`)},
		"a folder": {staleBase + fromB, func(t *testing.T, b *agenttest.Lab) {
			t.Helper()
			if err := os.Remove(record(b)); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(record(b), 0o777); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b.Clock(now)
			b.Git("reset", "-q", "--hard", head)
			_ = os.RemoveAll(record(b))
			write(string(good))(t, b)
			if c.before != nil {
				c.before(t, b)
			}
			b.Write("MEMORY.md", c.text)
			res := saveAs(b, agent.Agent, agent.SaveOptions{})
			if got := b.ReadFile("MEMORY.md"); got != c.text || b.InHead("MEMORY.md") != c.text {
				t.Errorf("the file is %q", got)
			}
			if len(res.Commits) != 1 || len(res.Commits[0].Came) != 0 {
				t.Errorf("told %+v", res.Commits)
			}
		})
	}
}

// TestStaleTold: a person's own save, and a text that does not merge, stay as they are, and
// it is told; a dry run changes nothing.
func TestStaleTold(t *testing.T) {
	t.Parallel()
	_, _, b := arrived(t, 2, ".claw/tags.txt", "tag\n")
	b.Write("MEMORY.md", staleBase+fromB)
	dry := saveAs(b, agent.Agent, agent.SaveOptions{DryRun: true})
	if len(dry.Commits) != 1 || len(dry.Commits[0].Came) != 1 || b.ReadFile("MEMORY.md") != staleBase+fromB {
		t.Errorf("a dry run: %+v, %q", dry.Commits, b.ReadFile("MEMORY.md"))
	}
	res, err := trySync(b, syncing.Options{DryRun: true})
	if err != nil || len(res.Save.Commits) != 1 || !res.Save.Commits[0].Came[0].Kept || b.ReadFile("MEMORY.md") != staleBase+fromB {
		t.Errorf("a sync's dry run: %v, %+v", err, res)
	}
	own := saveAs(b, agent.User, agent.SaveOptions{})
	if len(own.Commits) != 1 || len(own.Commits[0].Came) != 1 || own.Commits[0].Came[0].Kept {
		t.Errorf("told %+v", own.Commits)
	}
	if got := b.ReadFile("MEMORY.md"); got != staleBase+fromB || b.Trailer("HEAD", "Claw-Kept") != "" {
		t.Errorf("a user's file became %q", got)
	}
	b.Check()
}

// TestStaleSecret: lines that are held back stay in the file, beside what came, also where
// they are all that was written.
func TestStaleSecret(t *testing.T) {
	t.Parallel()
	secret := "- key: AKIA" + "QXZJ7TN4RPLMW2VD\n"
	for name, own := range map[string]string{"beside a line": fromB, "alone": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, a, b := arrived(t, 2)
			b.Write("MEMORY.md", staleBase+own+secret)
			saveAs(b, agent.Agent, agent.SaveOptions{})
			b.Later(time.Hour)
			doSync(b)
			doSync(a)
			text := b.ReadFile("MEMORY.md")
			for _, line := range []string{fromA, own, secret} {
				if !strings.Contains(text, line) {
					t.Errorf("no %q in %q", line, text)
				}
			}
			for _, line := range []string{fromA, own} {
				if !strings.Contains(a.ReadFile("MEMORY.md"), line) {
					t.Errorf("no %q in %q", line, a.ReadFile("MEMORY.md"))
				}
			}
			if out := f.at("log", "--all", "-p", "-S", "AKIA"); out != "" {
				t.Errorf("the secret is in git:\n%s", out)
			}
		})
	}
}

// TestStaleRace: a file that is written again in that moment is looked at again.
func TestStaleRace(t *testing.T) {
	t.Parallel()
	_, _, b := arrived(t, 2)
	const hook = "#!/bin/sh\ntest -e .git/once && exit 0\n: >.git/once\necho '- later' >>MEMORY.md\n"
	if err := os.WriteFile(filepath.Join(b.Dir, ".git", "hooks", "pre-commit"), []byte(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	b.Write("MEMORY.md", staleBase+fromB)
	saveAs(b, agent.Agent, agent.SaveOptions{})
	if got, want := b.ReadFile("MEMORY.md"), staleBase+fromA+fromB+"- later\n"; got != want || b.InHead("MEMORY.md") != want {
		t.Errorf("the file is %q, in HEAD %q", got, b.InHead("MEMORY.md"))
	}
	b.Check()
}

// TestStaleLineEnds: in a folder of a repository whose files git gives CRLF.
func TestStaleLineEnds(t *testing.T) {
	t.Parallel()
	f := newFleetIn(t, 2, "notes/agent", "MEMORY.md", staleBase)
	a, b := f.m[0], f.m[1]
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	b.Git("config", "core.autocrlf", "true")
	b.Git("rm", "-q", "--cached", "-r", ".")
	b.Git("reset", "-q", "--hard")
	a.Write("MEMORY.md", staleBase+fromA)
	doSync(a)
	doSync(b)
	if got := b.ReadFile("MEMORY.md"); got != crlf(staleBase+fromA) {
		t.Fatalf("the file is %q", got)
	}
	b.Write("MEMORY.md", crlf(staleBase+fromB))
	doSync(b)
	if got := b.ReadFile("MEMORY.md"); got != crlf(staleBase+fromA+fromB) || b.InHead("MEMORY.md") != staleBase+fromA+fromB {
		t.Errorf("the file is %q, in HEAD %q", got, b.InHead("MEMORY.md"))
	}
	b.Check()
}

// TestStaleNothingCame: a sync that brings no file leaves no record.
func TestStaleNothingCame(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", staleBase)
	f.m[0].Write("MEMORY.md", staleBase+fromA)
	doSync(f.m[0])
	doSync(f.m[0])
	if _, err := os.Stat(filepath.Join(f.m[0].Dir, ".git", "claw", "came")); !os.IsNotExist(err) {
		t.Errorf("there is a record: %v", err)
	}
}

// TestStaleBetween: two syncs bring something while an agent holds the text from before
// both; what each brought is kept.
func TestStaleBetween(t *testing.T) {
	t.Parallel()
	f, a, b := arrived(t, 2)
	b.Write("MEMORY.md", staleBase+fromB)
	saveAs(b, agent.Agent, agent.SaveOptions{})
	a.Write("MEMORY.md", staleBase+fromA+"- later from A\n")
	doSync(a)
	doSync(b)
	b.Write("MEMORY.md", staleBase+fromB+"- more of B\n")
	saveAs(b, agent.Agent, agent.SaveOptions{})
	f.settle()
	text := a.ReadFile("MEMORY.md")
	for _, line := range []string{fromA, "- later from A\n", fromB, "- more of B\n"} {
		if strings.Count(text, line) != 1 {
			t.Errorf("not once %q in\n%s", line, text)
		}
	}
}
