package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// look is the morning after.
func (t *tour) look() {
	t.clock("2026-11-24T09:00:00Z")
	t.title("The next morning: what happened?")
	t.say("The dashboard: what waits for you, each line with the command to run next.")
	t.claw([]string{today}, "status")
	t.say("The history, by session: when, who, and which files. Rules stand apart from notes.")
	t.say("unknown is what lay there when a turn began: Mika's editor, or the nightly job.")
	t.claw([]string{"agent", "unknown"}, "log", "-n", "7")
}

// find asks for notes by their words.
func (t *tour) find() {
	t.title("Where was that?")
	t.say("Somebody asks about lead in the glaze. search answers from an index that follows the commits.")
	t.claw([]string{"certificate is from 2025-06"}, "search", "-n", "2", "lead glaze certificate")
	t.say("Two characters are enough, and what is not saved yet is found too.")
	t.claw([]string{"MEMORY.md"}, "search", "-n", "1", "纸丝")
}

// explain asks about lines and changes.
func (t *tour) explain() {
	t.title("Why is this line here?")
	t.say("A rule in SOUL.md reads odd. why names the commit, the actor and the session.")
	line := t.lineOf("SOUL.md", "Short mails may go out")
	t.claw([]string{"agent"}, "why", fmt.Sprintf("SOUL.md:%d", line))
	t.say("What the night did to MEMORY.md, entry by entry.")
	id := t.findID("change of MEMORY.md", func(c logLine) bool { return slices.Contains(c.Paths, "MEMORY.md") })
	t.claw([]string{"杯子用纸丝"}, "show", id)
	t.say("All changes of the agent's notes on suppliers since Monday.")
	t.claw([]string{"a week late"}, "diff", "--since", "2026-11-23", "memory/suppliers.md")
}

// undo takes the rule back.
func (t *tour) undo() {
	t.title("Take one change back, keep all others")
	t.say("The agent loosened its own rule. Only that commit is undone.")
	id := t.findID("edit of a rule", func(c logLine) bool {
		return c.Event == "l1.edit" && slices.Contains(c.Paths, "SOUL.md")
	})
	t.claw(nil, "undo", id)
	t.show([]string{"no mail, no order, no post"}, "grep", "-n", "without a yes", "SOUL.md")
	t.show([]string{"short mails need no yes"}, "grep", "-n", "faster answers", today)
}

// plain shows that all of it is git, and that the key is not in it.
func (t *tour) plain() {
	t.title("It is plain git")
	t.say("Every write-back is a commit with trailers that any tool can read.")
	t.show([]string{"Claw-Undoes"}, "git", "log", "-1", "--grep=^Claw-Undoes:", "--format=%h %an%n%B")
	t.say("The key the agent wrote down stays in the file and is in no commit.")
	t.do(func() error {
		text, err := os.ReadFile(filepath.Join(t.dir, filepath.FromSlash(today)))
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), fakeKey()) {
			return fmt.Errorf("'%s' lost its line with the key", today)
		}
		return nil
	})
	t.show([]string{"1"}, "grep", "-c", "sk_live_", today)
	t.show([]string{"0"}, "sh", "-c", "git log --all --oneline -S sk_live_ | wc -l")
	t.say("git finds nothing to complain about.")
	t.show(nil, "git", "fsck", "--strict")
	t.say("The workspace is in %s; look around.", t.dir)
}
