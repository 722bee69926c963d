//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	killedHot         = "self-improving/memory.md"
	killedCorrections = "self-improving/corrections.md"
)

// asUser lets the victim decide as a person.
func (v *victim) asUser() []string {
	return []string{"GIT_CLAW_APPROVER=Test User <test@example.org>", "GIT_CLAW_ACTOR=user"}
}

// candidateID captures a correction and returns its id.
func (v *victim) candidateID(line string) string {
	v.t.Helper()
	var got captureJSON
	if err := json.Unmarshal([]byte(v.must("learn", "correction", "--json", "--quote", "always so", line)), &got); err != nil {
		v.t.Fatal(err)
	}
	return got.Candidate
}

// sound looks whether each file in pending/ can be read.
func (v *victim) sound() {
	v.t.Helper()
	if out := v.must("candidate", "list", "--json"); strings.Count(out, `"problem":""`) != strings.Count(out, "\n") {
		v.t.Errorf("a candidate is broken:\n%s", out)
	}
}

func killCorrection(v *victim) func(i int) {
	return func(i int) {
		line := fmt.Sprintf(`[code] "pattern %d" -> "another"`, i/2)
		if v.kill("learn", "correction", line, "--session", fmt.Sprintf("s%d", i)) {
			v.inHead(killedCorrections, line)
			found := v.Git("grep", "-c", fmt.Sprintf("session=s%d ", i), "HEAD", "--", "self-improving/pending")
			if !strings.HasSuffix(found, ":1") {
				v.t.Errorf("session s%d was acknowledged: %q", i, found)
			}
		}
		v.next(i)
		v.sound()
	}
}

// A confirmation that dies is made or not: the candidate waits, or it is a rule, and the
// next one ends it. No branch is left then.
func killConfirm(v *victim) func(i int) {
	v.env = v.asUser()
	return func(i int) {
		id := v.candidateID(fmt.Sprintf(`[code] "pattern %d" -> "another"`, i))
		pending := "self-improving/pending/" + id + ".md"
		if i%2 == 0 {
			v.must("candidate", "ask", id)
		}
		acknowledged := v.kill("candidate", "confirm", id)
		v.next(i)
		waits := v.Git("ls-tree", "HEAD", "--", pending) != ""
		rule := strings.Contains(v.InHead(killedHot), id)
		if waits == rule || acknowledged && !rule {
			v.t.Errorf("'%s' waits %v, is a rule %v, acknowledged %v", id, waits, rule, acknowledged)
		}
		if waits {
			v.must("candidate", "confirm", id)
		}
		v.must("tick")
		if n := strings.Count(v.Read(killedHot), id); n != 1 {
			v.t.Errorf("'%s' is there %d times", id, n)
		}
		if left := v.Git("for-each-ref", "refs/heads/claw", "refs/claw/open"); left != "" {
			v.t.Errorf("left open:\n%s", left)
		}
	}
}

// A preference that moves is in one tier, whenever the tick dies.
func killTick(v *victim) func(i int) {
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return func(i int) {
		now := start.AddDate(0, 0, i*40)
		v.env = append(v.asUser(), "GIT_CLAW_NOW="+now.Format(time.RFC3339))
		id := v.candidateID(fmt.Sprintf(`[c%d] "pattern" -> "another"`, i))
		v.must("candidate", "confirm", id)
		v.env = append(v.asUser(), "GIT_CLAW_NOW="+now.AddDate(0, 0, 31).Format(time.RFC3339))
		v.kill("tick")
		v.next(i)
		v.must("tick")
		out := v.Git("grep", "-l", "id="+id+" ", "HEAD", "--", killedHot, "self-improving/domains", "self-improving/archive")
		if want := fmt.Sprintf("HEAD:self-improving/domains/c%d.md", i); out != want {
			v.t.Errorf("'%s' is in %q", id, out)
		}
		if again := v.must("tick"); again != "HEARTBEAT_OK\n" {
			v.t.Errorf("a second tick: %q", again)
		}
	}
}
