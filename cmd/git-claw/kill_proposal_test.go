//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

const (
	killedRules  = "SOUL.md"
	killedIntent = "claw/refs" // of a transaction of refs
)

// killedProposals are the commands that make proposals and decide about them.
func killedProposals() map[string]func(v *victim) func(i int) {
	return map[string]func(v *victim) func(i int){
		"proposal new": killPropose, "proposal refresh": killRefresh,
		"proposal accept": killDecision("proposal", "accept"), "proposal reject": killDecision("proposal", "reject"),
		"proposal defer": killDecision("proposal", "defer"), "review": killReview,
	}
}

// The harness must notice what a transaction of refs leaves when nobody knows what it
// intended.
func TestKilledProposalsWithoutIntent(t *testing.T) {
	t.Parallel()
	said := gittest.Probe(t, func(t testing.TB) {
		v := newVictim(t, "without intent")
		v.forgets, v.aim = true, v.GitPath(killedIntent)
		round := killDecision("proposal", "reject")(v)
		for i := 0; v.killed < 100 && !t.Failed(); i++ {
			round(i)
		}
	})
	if len(said) == 0 {
		t.Error("nothing was noticed")
	}
	t.Logf("noticed: %.200q", said)
}

// forget removes the intent of the command that was killed.
func (v *victim) forget() {
	if !v.forgets {
		return
	}
	if err := os.Remove(v.GitPath(killedIntent)); err != nil && !os.IsNotExist(err) {
		v.t.Fatal(err)
	}
}

func ruleOf(i int) string { return fmt.Sprintf("- rule %d", i) }

// propose makes a proposal of a rule, and returns its id.
func (v *victim) propose(i int) string {
	v.t.Helper()
	v.Append(killedRules, ruleOf(i)+"\n")
	var p proposalJSON
	if err := json.Unmarshal([]byte(v.must("proposal", "new", "l1", "--json", "--as", "agent", "-m", ruleOf(i), killedRules)), &p); err != nil {
		v.t.Fatal(err)
	}
	return p.ID
}

// state is where a proposal stands.
func (v *victim) state(id string) string {
	v.t.Helper()
	for line := range strings.Lines(v.must("proposal", "list", "--all", "--json")) {
		var p proposalJSON
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			v.t.Fatal(err)
		}
		if p.ID == id {
			return p.State
		}
	}
	return ""
}

// tips are the refs of all proposals that are not closed: both of each are there, and name
// the same commit.
func (v *victim) tips() map[string]string {
	v.t.Helper()
	out, count := map[string]string{}, map[string]int{}
	for line := range strings.Lines(v.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/claw", "refs/claw/open") + "\n") {
		name, tip, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		id := name[strings.LastIndexByte(name, '/')+1:]
		if count[id]++; out[id] != "" && out[id] != tip {
			v.t.Errorf("'%s' is at two commits", id)
		}
		out[id] = tip
	}
	for id, n := range count {
		if n != 2 {
			v.t.Errorf("'%s' has %d refs of 2", id, n)
		}
	}
	return out
}

// Whatever moment it died, the text of an edit is in the file, in HEAD or in a proposal.
func killPropose(v *victim) func(i int) {
	v.aim = v.GitPath(killedIntent)
	return func(i int) {
		rule := ruleOf(i)
		v.Append(killedRules, rule+"\n")
		acknowledged := v.kill("proposal", "new", "l1", "--as", "agent", "-m", rule, killedRules)
		proposed := func() bool {
			return slices.ContainsFunc(strings.Fields(v.Git("for-each-ref", "--format=%(objectname)", "refs/heads/claw/l1")), func(tip string) bool {
				return v.proposes(tip, rule)
			})
		}
		if work, head := v.Read(killedRules), v.InHead(killedRules); acknowledged && (!proposed() || work != head) {
			v.t.Errorf("%q was acknowledged: proposed %v, the file is %q", rule, proposed(), work)
		}
		v.next(i)
		if !proposed() && !strings.Contains(v.Read(killedRules), rule+"\n") && !strings.Contains(v.InHead(killedRules), rule+"\n") {
			v.t.Errorf("%q is lost", rule)
		}
		v.env = v.asUser()
		for id := range v.tips() {
			if v.state(id) == "open" {
				v.must("proposal", "reject", id)
			}
		}
		v.must("tick")
		if left := v.tips(); len(left) > 0 {
			v.t.Errorf("left open: %v", left)
		}
		v.env = nil
	}
}

// proposes reports whether a commit has a rule.
func (v *victim) proposes(commit, rule string) bool {
	v.t.Helper()
	return strings.Contains(v.Git("show", commit+":"+killedRules)+"\n", "\n"+rule+"\n")
}

// killedStates are what becomes of a proposal by each decision.
var killedStates = map[string]string{"accept": "accepted", "reject": "rejected", "defer": "deferred"}

// killDecision: a decision that dies was made or not, and can be made again. What is
// accepted is in HEAD and in the file, and else it is in neither.
func killDecision(command ...string) func(v *victim) func(i int) {
	verb := command[len(command)-1]
	return func(v *victim) func(i int) {
		v.env, v.aim = v.asUser(), v.GitPath(killedIntent)
		return func(i int) { v.decide(i, v.propose(i), verb, append(slices.Clone(command[:len(command)-1]), verb)...) }
	}
}

func killReview(v *victim) func(i int) {
	v.env, v.aim = v.asUser(), v.GitPath(killedIntent)
	verbs := []string{"accept", "reject", "defer"}
	return func(i int) {
		verb := verbs[i%len(verbs)]
		v.decide(i, v.propose(i), verb, "review", "--answer", verb)
	}
}

func (v *victim) decide(i int, id, verb string, command ...string) {
	v.t.Helper()
	rule, made := ruleOf(i), killedStates[verb]
	if i%3 == 0 {
		v.Git("pack-refs", "--all")
	}
	acknowledged := v.kill(append(command, id)...)
	v.forget()
	v.next(i)
	state := v.state(id)
	head, work := strings.Contains(v.InHead(killedRules), rule+"\n"), strings.Contains(v.Read(killedRules), rule+"\n")
	if state != made && (acknowledged || state != "open") || head != (state == "accepted") || head != work {
		v.t.Errorf("'%s' is %s, acknowledged %v, in HEAD %v, in the file %v", id, state, acknowledged, head, work)
	}
	v.must("tick")
	if _, open := v.tips()[id]; open != (state == "open" || state == "deferred") {
		v.t.Errorf("'%s' is %s, its branch is there: %v", id, state, open)
	}
	switch state {
	case "open":
		v.must(append(command, id)...)
		if state = v.state(id); state != made {
			v.t.Errorf("'%s' is %s when it is decided once more", id, state)
		}
	}
	if state == "deferred" {
		v.must("proposal", "reject", id)
	}
}

// A proposal that is made anew is at the old commit or at the new one, and what was said
// of it goes along.
func killRefresh(v *victim) func(i int) {
	v.env, v.aim = v.asUser(), v.GitPath(killedIntent)
	return func(i int) {
		id := v.propose(i)
		v.must("proposal", "defer", id)
		v.next(i) // HEAD moves
		acknowledged := v.kill("proposal", "refresh", id)
		head := v.Git("rev-parse", "HEAD")
		v.next(i)
		tip := v.tips()[id]
		if base := v.Git("rev-parse", tip+"^"); acknowledged && base != head {
			v.t.Errorf("'%s' was acknowledged and is on %s, not on %s", id, base, head)
		}
		if !v.proposes(tip, ruleOf(i)) {
			v.t.Errorf("'%s' does not propose its rule any more", id)
		}
		if state := v.state(id); state != "deferred" {
			v.t.Errorf("'%s' is %s", id, state)
		}
		v.must("proposal", "reject", id)
	}
}
