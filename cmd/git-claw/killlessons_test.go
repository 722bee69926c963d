//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// killLearn: a lesson that was acknowledged is in HEAD, once; one that came up again has
// all its times.
func killLearn(v *victim) func(i int) {
	const rel = ".learnings/ERRORS.md"
	v.must("learn", "error", "the first one")
	return func(i int) {
		at := fmt.Sprintf("2026-03-04T05:%02d:%02dZ", i/60%60, i%60)
		once, again := fmt.Sprintf("lesson number %d fails", i), "the kiln cracks"
		if v.kill("learn", "error", once, "--now", at) {
			v.inHead(rel, once)
		}
		if v.kill("learn", "error", again, "--key", "harden.kiln", "--now", at) && !strings.Contains(v.InHead(rel), at) {
			v.t.Errorf("'%s' was acknowledged and is not in HEAD", at)
		}
		for _, text := range []string{once, again} {
			if n := strings.Count(v.Read(rel), " "+text+"\n"); n > 1 {
				v.t.Errorf("%d times '%s'", n, text)
			}
		}
		v.next(i)
	}
}

// killPromote: a proposal is there as a whole or not at all, and HEAD never has a lesson
// that says it was promoted.
func killPromote(v *victim) func(i int) {
	v.must("learn", "error", "the first one")
	return func(i int) {
		var said struct{ ID string }
		if err := json.Unmarshal([]byte(v.must("learn", "error", fmt.Sprintf("lesson %d of many", i), "--json")), &said); err != nil {
			v.t.Fatal(err)
		}
		before := v.Git("for-each-ref", "--format=%(refname)", "refs/heads/claw/promote")
		done := v.kill("promote", said.ID, "--reason", "severity", "--to", "MEMORY.md")
		after := v.Git("for-each-ref", "--format=%(refname)", "refs/heads/claw/promote")
		if done && after == before {
			v.t.Errorf("the proposal of '%s' was acknowledged and is not there", said.ID)
		}
		for ref := range strings.FieldsSeq(after) {
			if strings.Contains(before, ref) {
				continue
			}
			if diff := v.Git("diff", "--stat", ref+"~1", ref); !strings.Contains(diff, "ERRORS.md") || !strings.Contains(diff, "MEMORY.md") {
				v.t.Errorf("half of a proposal:\n%s", diff)
			}
		}
		if strings.Contains(v.InHead(".learnings/ERRORS.md"), "status=promoted") {
			v.t.Error("a lesson was promoted that nobody approved")
		}
		v.next(i)
	}
}

// killTrim: whatever moment it died, each rule is in the rule file or in the note.
func killTrim(v *victim) func(i int) {
	const rules, day = "AGENTS.md", "memory/2026-03-04.md"
	v.env = []string{"GIT_CLAW_NOW=2026-03-04T05:06:07Z"}
	v.Git("config", "claw.l1.budget", "AGENTS=60")
	v.must("note", "the first one")
	var all []string
	return func(i int) {
		for n := range 12 {
			rule := fmt.Sprintf("- rule %d.%d: look before you answer", i, n)
			all = append(all, rule)
			v.Append(rules, rule+"\n")
		}
		v.must("save")
		if v.kill("trim", "--as", "user") && !strings.Contains(v.InHead(rules), "→ Trimmed: ") {
			v.t.Error("it was acknowledged and nothing moved")
		}
		v.next(i)
		text, files := v.InHead(rules)+v.InHead(day), v.Read(rules)+v.Read(day)
		for _, rule := range all {
			if n, m := strings.Count(text, rule+"\n"), strings.Count(files, rule+"\n"); n != 1 || m != 1 {
				v.t.Fatalf("%d times in HEAD and %d times in the files: %q", n, m, rule)
			}
		}
	}
}
