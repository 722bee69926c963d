//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// says runs a command that writes tokens down; what was acknowledged has to stay.
func (c *chaos) says(m *machine, args ...string) {
	ok := false
	c.watch(m, must, func() { _, ok = c.do(m, append([]string{"claw"}, args...)...) })
	for _, name := range tokenForm.FindAllString(strings.Join(args, " "), -1) {
		if !ok {
			c.tokens[name].fate = may
		}
	}
}

// capture writes something down with one of the commands for it.
func (c *chaos) capture(m *machine) {
	t := func() string { return c.token(must) }
	switch c.rnd.IntN(20) {
	case 0, 1, 2, 3:
		c.says(m, "save")
	case 4, 5, 6:
		c.says(m, "note", "noted "+t())
	case 7:
		c.says(m, "note", "--topic", "kiln", "about the kiln "+t())
	case 8:
		c.says(m, "note", "--reference", "glaze", "how to "+t())
	case 9:
		c.says(m, "note", "--state", "now "+t())
	case 10:
		for name, text := range files(m.dir) {
			if strings.HasPrefix(name, "memory/2026-") {
				c.closed(text)
			}
		}
		c.says(m, "note", "--close", "Decisions: decided "+t()+"\nOpen: open "+t())
	case 11:
		c.says(m, "learn", []string{"lesson", "error", "feature"}[c.rnd.IntN(3)], "learned "+t())
	case 12:
		c.says(m, "learn", "error", "--key", "deps.kiln", "the kiln cracks")
	case 13:
		c.says(m, "learn", "correction", "--quote", "always so", fmt.Sprintf("[code] %q -> %q", "as "+t(), "so "+t()))
	case 14:
		c.says(m, "learn", "reflection", "--context", "the task "+t(), "--lesson", "look "+t())
	case 15:
		c.says(m, "checkpoint", "--as", "user", "done: did "+t(), "fact#kiln: it needs "+t(), "rule: ask "+t(), "live: now "+t())
	case 16:
		c.says(m, "decide", "title "+t(), "--because", "why "+t())
	case 17:
		if _, err := os.Stat(filepath.Join(m.dir, "memory/semantic/decisions.md")); err == nil {
			c.says(m, "verify", "memory/semantic/decisions.md", "--evidence", "looked")
		}
	case 18:
		c.says(m, "note", "remember "+t()+" #remember")
		c.says(m, "consolidate", "--as", "agent")
	default:
		c.says(m, [][]string{{"tick", "--as", "cron"}, {"health", "--fix"}, {"search", "kiln"}, {"status"}}[c.rnd.IntN(4)]...)
	}
}

// closed notes that what a closure block says is replaced.
func (c *chaos) closed(text string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "Decisions:") || strings.Contains(line, "Open:") {
			c.fated(line, may)
		}
	}
}

// decide is a person, or an agent that has something decided.
func (c *chaos) decide(m *machine) {
	switch c.rnd.IntN(9) {
	case 0, 1:
		c.propose(m)
	case 2:
		c.promote(m)
	case 3:
		c.candidate(m)
	case 4:
		c.undo(m)
	case 5:
		c.watch(m, must, func() { c.do(m, "claw", "trim", "--as", "user") })
		for _, name := range []string{"MEMORY.md", "AGENTS.md", "SOUL.md"} {
			c.moved(files(m.dir)[name])
		}
	default:
		c.review(m)
	}
}

// moved notes that the tokens of a text are, or were, in more files than one.
func (c *chaos) moved(text string) {
	for _, name := range tokenForm.FindAllString(text, -1) {
		if t := c.tokens[name]; t != nil {
			t.moved = true
		}
	}
}

// lines runs a command with --json and reads what it lists.
func chaosLines[T any](c *chaos, m *machine, args ...string) []T {
	out, _ := c.command(m, m.dir, append([]string{"claw"}, args...)...).Output()
	var all []T
	for line := range strings.Lines(string(out)) {
		var v T
		if json.Unmarshal([]byte(line), &v) == nil {
			all = append(all, v)
		}
	}
	return all
}

func (c *chaos) propose(m *machine) {
	c.write(m, "SOUL.md", files(m.dir)["SOUL.md"]+"- a rule "+c.token(must)+"\n")
	c.unsaved(m, "SOUL.md")
	c.watch(m, proposed, func() { c.do(m, "claw", "proposal", "new", "l1", "--as", "agent", "-m", "a rule", "SOUL.md") })
}

// unsaved notes that what is not saved in a file becomes a proposal. What dies over it may end
// it later.
func (c *chaos) unsaved(m *machine, name string) {
	diff, _ := c.command(m, m.dir, "diff", "HEAD", "--", name).Output()
	for line := range strings.Lines(string(diff)) {
		switch line[0] {
		case '+':
			c.fated(line, proposed)
		case '-':
			c.fated(line, may)
		}
	}
}

func (c *chaos) promote(m *machine) {
	text := files(m.dir)[".learnings/LEARNINGS.md"]
	if _, rest, ok := strings.Cut(text, "[LRN-"); ok {
		id, _, _ := strings.Cut(rest, "]")
		line, _, _ := strings.Cut(rest, "\n")
		c.moved(line)
		c.says(m, "promote", "LRN-"+id, "--reason", "severity", "--to", "MEMORY.md")
	}
}

func (c *chaos) candidate(m *machine) {
	if c.rnd.IntN(3) == 0 {
		c.says(m, "candidate", "ask")
		return
	}
	all := chaosLines[candidateJSON](c, m, "candidate", "list", "--json")
	if len(all) == 0 {
		return
	}
	k := all[c.rnd.IntN(len(all))]
	c.moved(k.Pattern + k.Preference)
	verb := []string{"confirm", "reject", "defer"}[c.rnd.IntN(3)]
	c.watch(m, may, func() { c.do(m, "claw", "candidate", verb, "--as", "user", k.ID) })
}

// undo takes back one of the last commits.
func (c *chaos) undo(m *machine) {
	out, _ := c.command(m, m.dir, "rev-list", "-n", "6", "HEAD", "^"+c.first).Output()
	ids := strings.Fields(string(out))
	if len(ids) == 0 {
		return
	}
	id := ids[c.rnd.IntN(len(ids))]
	c.takenBack(m, id)
	c.watch(m, may, func() { c.do(m, "claw", "undo", "--as", "user", id) })
}

// takenBack notes that what a commit did may come undone.
func (c *chaos) takenBack(m *machine, id string) {
	diff, _ := c.command(m, m.dir, "diff", id+"^", id).Output()
	for line := range strings.Lines(string(diff)) {
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			c.fated(line, may)
		}
	}
}

// review answers to something that waits.
func (c *chaos) review(m *machine) {
	waiting := chaosLines[reviewJSON](c, m, "review", "--json")
	if len(waiting) == 0 {
		return
	}
	i := waiting[c.rnd.IntN(len(waiting))]
	if len(i.Answers) == 0 {
		return
	}
	answer := i.Answers[c.rnd.IntN(len(i.Answers))]
	switch {
	case answer == "edit":
		return
	case i.Contradiction != nil:
		c.fated(strings.Join(i.Contradiction.Versions, "\n"), may)
	case i.Edit != nil && answer == "reject":
		c.takenBack(m, i.Edit.Commit)
	}
	b, _ := json.Marshal(i.Proposal)
	c.moved(string(b))
	lost := must
	if i.Candidate != nil {
		lost = may
	}
	c.watch(m, lost, func() { c.do(m, "claw", "review", "--as", "user", "--answer", answer, i.ID) })
	if i.Proposal != nil && answer == "accept" {
		for _, e := range i.Proposal.Entries {
			c.fated(e.Old, may) // it replaced what was there
		}
	}
}
