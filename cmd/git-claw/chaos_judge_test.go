//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/contradiction"
)

// settle ends the storm, syncs, and says what is wrong.
func (c *chaos) settle() []string {
	c.over = true
	c.await()
	c.remote("", "", "")
	for _, m := range c.m {
		c.set(m, "remote.origin.url", c.url)
		if m.gone > 0 {
			c.bring(m)
		}
		c.calm(m)
	}
	for round := range 3 {
		for _, m := range c.m {
			c.now = c.now.Add(1e9)
			if out, ok := c.do(m, "claw", "sync", "--with-foreign"); !ok && round > 0 {
				c.wrong = append(c.wrong, m.name+" does not sync: "+out)
			}
		}
	}
	if len(c.wrong) > 0 {
		return c.wrong
	}
	first := files(c.m[0].dir)
	for _, m := range c.m {
		c.compare(m, first)
		c.intact(m)
	}
	c.must(c.m[0], filepath.Join(c.dir, "r.git"), "fsck", "--strict", "--no-dangling")
	c.judge(first)
	return c.wrong
}

// calm ends what somebody began with git, and takes out what was put aside.
func (c *chaos) calm(m *machine) {
	for verb, name := range map[string]string{"rebase": "rebase-merge", "cherry-pick": "CHERRY_PICK_HEAD", "revert": "REVERT_HEAD"} {
		if there(filepath.Join(m.dir, ".git", name)) {
			c.do(m, verb, "--abort")
		}
	}
	if !c.stashed(m) {
		return
	}
	c.do(m, "claw", "sync")
	c.values(m)
	diff, _ := c.command(m, m.dir, "stash", "show", "-p").Output()
	if _, ok := c.do(m, "stash", "pop", "-q"); !ok {
		c.do(m, "reset", "-q", "--merge")
		c.fated(string(diff), may)
	}
}

// wrongly notes what is wrong at the end.
func (c *chaos) wrongly(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// compare holds a machine against the first one.
func (c *chaos) compare(m *machine, first map[string]string) {
	if a, b := c.head(c.m[0]), c.head(m); a != b {
		c.wrongly("%s is at %s, not at %s:\n%s", m.name, b, a, c.must(m, m.dir, "diff", "--stat", b, "origin/main"))
	}
	mine := files(m.dir)
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		if text, ok := first[name]; !ok || text != mine[name] {
			c.wrongly("'%s' of %s is another one", name, m.name)
		}
	}
	if len(mine) != len(first) {
		c.wrongly("%s has %d files, not %d", m.name, len(mine), len(first))
	}
	for _, of := range []string{"refs/notes/claw", "refs/claw/closed", "refs/heads/claw"} {
		format := "--format=%(refname) %(objectname)"
		if of == "refs/notes/claw" {
			format = "--format=%(refname) %(tree)"
		}
		want := c.must(c.m[0], c.m[0].dir, "for-each-ref", format, of)
		if got := c.must(m, m.dir, "for-each-ref", format, of); got != want && (!c.rebased || of != "refs/heads/claw") {
			c.wrongly("%s has other proposals or verdicts:\n%s\n%s", m.name, got, want)
		}
	}
	states := func(m *machine) string {
		var all []string
		for _, p := range chaosLines[proposalJSON](c, m, "proposal", "list", "--all", "--json") {
			all = append(all, p.ID+" "+p.State)
		}
		return strings.Join(all, "\n")
	}
	if got, want := states(m), states(c.m[0]); got != want && !c.rebased {
		c.wrongly("%s says of proposals:\n%s\nand not:\n%s", m.name, got, want)
	}
}

// intact looks for what is left lying about on a machine.
func (c *chaos) intact(m *machine) {
	if got := c.must(m, m.dir, "status", "--porcelain"); got != "" {
		c.wrongly("%s is not clean: %s", m.name, got)
	}
	if out, err := c.command(m, m.dir, "fsck", "--strict", "--no-dangling").CombinedOutput(); err != nil {
		c.wrongly("%s: %s", m.name, out)
	}
	_ = filepath.WalkDir(filepath.Join(m.dir, ".git"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") && d.Name() != "sync.lock" {
			c.wrongly("%s has %s", m.name, path)
		}
		return nil
	})
	for _, d := range chaosLines[findingJSON](c, m, "doctor", "--json") {
		if d.Verdict != "ok" && d.Name != "hosts" && d.Name != "manual" && d.Name != "health" {
			c.wrongly("doctor of %s: %s %s %s", m.name, d.Verdict, d.Name, d.Text)
		}
	}
	known := map[string]bool{}
	for id := range strings.FieldsSeq(c.must(m, m.dir, "rev-list", "--all", "--reflog")) {
		known[id] = true
	}
	for _, id := range m.acked {
		if !known[id] {
			c.wrongly("%s does not know %s any more", m.name, id)
		}
	}
	before := c.must(m, m.dir, "for-each-ref")
	out, _ := c.do(m, "claw", "sync")
	if after := c.must(m, m.dir, "for-each-ref"); after != before || !strings.Contains(out, "nothing to do") {
		c.wrongly("one more sync of %s changes something: %s", m.name, out)
	}
}

// unhealthy are the checks that tell of damage, and not of what a person should do.
var unhealthy = []string{"GIT-001", "GIT-004", "GIT-005", "GIT-007", "GIT-008", "GIT-009", "GIT-012", "SCR-002", "SCR-003", "PRF-001", "PRF-002"}

// judge looks for what is lost, came back, is twice there, or between markers.
func (c *chaos) judge(all map[string]string) {
	found, waits := map[string]int{}, map[string]bool{}
	where := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		c.entries(name, text, where)
		for _, mark := range contradiction.Find([]byte(text)) {
			c.counts["contradictions"]++
			for _, v := range contradiction.Versions([]byte(text), mark) {
				for _, t := range tokenForm.FindAllString(string(v), -1) {
					waits[t] = true
				}
			}
		}
		for _, t := range tokenForm.FindAllString(text, -1) {
			found[t]++
		}
		switch {
		case strings.HasSuffix(name, ".json"):
			if !json.Valid([]byte(text)) {
				c.wrongly("'%s' does not parse: %s", name, text)
			}
		case strings.HasSuffix(name, ".jsonl"):
			for line := range strings.Lines(text) {
				if !json.Valid([]byte(line)) {
					c.wrongly("'%s' has %q", name, line)
				}
			}
		}
	}
	m := c.m[0]
	proposals := c.must(m, m.dir, "log", "--format=", "-p", "--no-walk=unsorted", "--glob=refs/heads/claw", "--glob=refs/claw/open", "--glob=refs/claw/closed", "HEAD")
	history := c.must(m, m.dir, "log", "--format=%B", "-p", "-m", "--all")
	for _, name := range slices.Sorted(maps.Keys(c.tokens)) {
		t := c.tokens[name]
		switch {
		case t.fate == must && found[name] == 0:
			c.wrongly("%s is lost", name)
		case t.fate == proposed && found[name] == 0 && !strings.Contains(proposals, name):
			c.wrongly("%s is in no proposal", name)
		case t.fate == value && found[name] == 0 && !strings.Contains(history, name):
			c.wrongly("the value %s was lost", name)
		case t.fate == deleted && found[name] > 0 && !waits[name] && !t.moved && !c.textual:
			c.wrongly("%s was deleted and is back: %s", name, strings.Join(where[name], ", "))
		}
	}
	c.counts["entries"] = len(found)
	for _, f := range chaosLines[healthFinding](c, m, "health", "--json") {
		if f.Status == "FAIL" || slices.Contains(unhealthy, f.ID) {
			c.wrongly("health: %s %s '%s' %s", f.ID, f.Status, f.Path, f.Message)
		}
	}
}

type healthFinding struct{ ID, Status, Path, Message string }

// entries looks at each line of a file: no marker, and none that is there twice.
func (c *chaos) entries(name, text string, where map[string][]string) {
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") || line == "=======" || strings.HasPrefix(line, "||||||| ") {
			c.wrongly("a marker in '%s': %s", name, line)
		}
		tokens := tokenForm.FindAllString(line, -1)
		if lines[line] && len(tokens) > 0 && !c.textual {
			c.wrongly("twice in '%s': %s", name, line)
		}
		lines[line] = true
		for _, t := range tokens {
			where[t] = append(where[t], name+": "+line)
		}
	}
}
