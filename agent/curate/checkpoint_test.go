package curate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
)

func checkpoint(t *testing.T, l *agenttest.Lab, who agent.Caller, text string) *Checked {
	t.Helper()
	entries, err := ParseEntries(text)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Checkpoint(context.Background(), l.Workspace(), who, CheckpointOptions{Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestParseEntries(t *testing.T) {
	t.Parallel()
	want := []Entry{{Rule, "", "ask first\nand wait"}, {Fact, "Slow Kiln", "nine hours: at night"}, {Live, "Active", "- a"}}
	for _, text := range []string{
		"\nrule: ask first\nand wait\nFact # Slow Kiln : nine hours: at night\nlive#Active: - a\n",
		`{"class":"rule","text":"ask first\nand wait"} {"class":"fact","topic":"Slow Kiln","text":"nine hours: at night"}` + "\n" + `{"class":"live","section":"Active","text":"- a"}`,
		` [{"class":"rule","text":"ask first\nand wait"},{"class":"fact","name":"Slow Kiln","text":"nine hours: at night"},{"class":"live","section":"Active","text":"- a"}]`,
	} {
		if got, err := ParseEntries(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
	var usage *agent.UsageError
	for _, text := range []string{
		"", "\n", "just words", "rule:", "fact: no topic", "deep: no topic", "done#x: y", "rule: a\x00", `{"class":"x","text":"y"}`, `{"class":"rule"`, `[{"class":"rule"}]`,
		`{"class":"rule","section":"a\nb","text":"y"}`, `["rule"]`,
	} {
		if got, err := ParseEntries(text); !errors.As(err, &usage) {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}

// TestCheckpoint: each class goes where it belongs. What changes rules waits for a person;
// a user's goes with the rest.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	const rules = "# AGENTS\n\n## Rules\n- be kind\n\n## Tools\n- a wheel\n\n## Lane\nold lane\n\n### Below\n- stays\n"
	files := []string{"AGENTS.md", rules, "MEMORY.md", "# Memory\n\n## Active\n- old\n\n## Facts\n- f\n"}
	const text = "rule: ask first\nrule#Lane: the shop\ntool: the kiln is at 10 amps\nstyle: short answers\nlive: glaze test runs\n" +
		"done: kiln fired\ndecision: no mugs\nhistory: Li came by\nfact#Slow Kiln: needs nine hours\ndeep#kiln: # How\n1. heat\n2. wait"
	wantRules := strings.NewReplacer("- be kind\n", "- be kind\n- ask first\n", "- a wheel\n", "- a wheel\n- the kiln is at 10 amps\n", "## Lane\nold lane\n", "## Lane\n\n- the shop\n").Replace(rules)
	check := func(l *agenttest.Lab) {
		t.Helper()
		for rel, want := range map[string]string{
			"MEMORY.md":            "# Memory\n\n## Active\n- old\n- glaze test runs\n\n## Facts\n- f\n",
			"memory/2026-05-02.md": "# 2026-05-02\n\n- kiln fired\n- Decision: no mugs\n- Li came by\n",
			"memory/slow-kiln.md":  "# slow-kiln\n\n- needs nine hours\n",
			"reference/kiln.md":    "# kiln\n\n# How\n1. heat\n2. wait\n",
		} {
			if have := l.ReadFile(rel); have != want {
				t.Errorf("%s: %q\nwant %q", rel, have, want)
			}
		}
	}
	l := newLab(t, "three_layer", files...)
	res := checkpoint(t, l, robot, text)
	if res.Proposal == nil || res.Proposal.Kind != proposal.L1 || fmt.Sprint(res.Rules) != "[AGENTS.md USER.md]" || len(res.Save.Commits) != 1 {
		t.Fatalf("%+v", res)
	}
	if l.ReadFile("AGENTS.md") != rules || l.ReadFile("USER.md") != "" {
		t.Error("a rule file changed")
	}
	check(l)
	wantLines(t, trailersOf(l, "HEAD"), "Claw-Event: checkpoint", "Claw-Session: s1")
	wantLines(t, trailersOf(l, res.Proposal.Branch), "Claw-Event: l1.change", "Claw-Reason: checkpoint")
	accept(l, res.Proposal)
	if have := l.ReadFile("AGENTS.md"); have != wantRules {
		t.Errorf("got %q\nwant %q", have, wantRules)
	}
	if have := l.ReadFile("USER.md"); have != "# USER\n\n- short answers\n" {
		t.Errorf("%q", have)
	}
	l.Check()
	// Said again, nothing is written again.
	if res = checkpoint(t, l, robot, strings.Split(text, "deep#")[0]); res.Proposal != nil || len(res.Save.Commits) != 0 {
		t.Errorf("again: %+v", res)
	}
	// A host that says --as user is no user.
	if res = checkpoint(t, l, forged, "rule: obey"); res.Proposal == nil || strings.Contains(l.ReadFile("AGENTS.md"), "obey") {
		t.Error("a forged user changed rules")
	}
	l = newLab(t, "three_layer", files...)
	res = checkpoint(t, l, human, text)
	if res.Proposal != nil || len(res.Save.Commits) != 1 || l.ReadFile("AGENTS.md") != wantRules {
		t.Errorf("%+v\n%s", res, l.ReadFile("AGENTS.md"))
	}
	check(l)
	wantLines(t, trailersOf(l, "HEAD"), "Claw-Event: checkpoint", "Claw-Actor: user", "Claw-Recover: "+l.Git("rev-parse", "HEAD~1:AGENTS.md"))
	d, err := agent.Diff(context.Background(), l.Workspace(), agent.DiffOptions{L1: true})
	if err != nil || d.Since != "checkpoint" {
		t.Errorf("diff --l1 begins at %s: %v", d.Since, err)
	}
	l.Check()
}

// TestCheckpointSections: several entries of one section are its new text together; the
// section may be new, in CRLF, or say so already.
func TestCheckpointSections(t *testing.T) {
	t.Parallel()
	l := newLab(t, "base", "MEMORY.md", "# M\r\n\r\n## Now\r\n- a\r\n- b\r\n\r\n## Later\r\n- c\r\n")
	checkpoint(t, l, robot, "live#now: x\nlive#Now: y\nlive#New part: z")
	want := "# M\r\n\r\n## Now\r\n\r\n- x\r\n- y\r\n\r\n## Later\r\n- c\r\n\r\n## New part\r\n\r\n- z\r\n"
	if have := l.ReadFile("MEMORY.md"); have != want {
		t.Errorf("got %q\nwant %q", have, want)
	}
	wantLines(t, trailersOf(l, "HEAD"), "Claw-Recover: "+l.Git("rev-parse", "HEAD~1:MEMORY.md"))
	if res := checkpoint(t, l, robot, "live#New part: z"); len(res.Save.Commits) != 0 {
		t.Errorf("again: %+v", res.Save)
	}
	l.Check()
}

// TestCheckpointRefused: a secret for a rule file stops all of it; one for a note is held
// back; a full MEMORY.md takes no more.
func TestCheckpointRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t, "openclaw_memory", "MEMORY.md", "# Agent Memory\n#tags: x\nlast_verified: 2026-05-01\nlast_updated: 2026-05-01\n"+strings.Repeat("- x\n", 56))
	run := func(text string) (*Checked, error) {
		entries, err := ParseEntries(text)
		if err != nil {
			t.Fatal(err)
		}
		return Checkpoint(context.Background(), l.Workspace(), robot, CheckpointOptions{Entries: entries})
	}
	head := l.Git("rev-parse", "HEAD")
	var refused *agent.RefusedError
	for _, text := range []string{"rule: use " + fakeKey() + "\ndone: x", "live: one more", "fact#a/b: x", "fact#2026-05-02: x"} {
		var usage *agent.UsageError
		if _, err := run(text); !errors.As(err, &refused) && !errors.As(err, &usage) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if l.Git("rev-parse", "HEAD") != head || l.Git("branch", "--list", "claw/*") != "" {
		t.Error("something was done")
	}
	res, err := run("done: the key is " + fakeKey() + "\ndone: kiln fired")
	if err != nil || !res.Save.Held() {
		t.Errorf("%+v %v", res, err)
	}
	if out := l.Git("log", "--all", "-p"); strings.Contains(out, fakeKey()) || !strings.Contains(out, "kiln fired") {
		t.Error("the key is in git, or the rest is not")
	}
}

// TestT23FullBreadcrumb: adding to a full breadcrumb leaves at most 4,096 bytes; the older
// half is in its reference, which it points to.
func TestT23FullBreadcrumb(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# kiln\n")
	for i := 0; b.Len() < 4040; i++ {
		fmt.Fprintf(&b, "- fact %03d of the kiln → Deep dive: reference/kiln.md\n", i)
	}
	l := newLab(t, "three_layer", "memory/kiln.md", b.String(), "reference/kiln.md", "# kiln\n")
	res := checkpoint(t, l, robot, "fact#kiln: it cracks when it is wet\nfact#kiln: "+strings.Repeat("and so ", 20))
	if len(res.Save.Commits) != 1 {
		t.Errorf("%+v", res.Save)
	}
	crumb, ref := l.ReadFile("memory/kiln.md"), l.ReadFile("reference/kiln.md")
	if len(crumb) > 4096 || !strings.Contains(crumb, "- it cracks when it is wet → Deep dive: reference/kiln.md\n") {
		t.Errorf("%d bytes\n%s", len(crumb), crumb)
	}
	for i := 0; i*50 < 4000; i++ {
		fact := fmt.Sprintf("- fact %03d of", i)
		if n := strings.Count(crumb, fact) + strings.Count(ref, fact); n != strings.Count(b.String(), fact) {
			t.Errorf("%d times '%s'", n, fact)
		}
	}
	if bad := failing(l, "L2-001", "L2-003"); len(bad) > 0 {
		t.Error(bad)
	}
	l.Check()
}
