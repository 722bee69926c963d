package curate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
)

func consolidate(t *testing.T, l *agenttest.Lab, since string) *Consolidated {
	t.Helper()
	res, err := Consolidate(context.Background(), l.Workspace(), robot, ConsolidateOptions{Since: since})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// week are the notes of a week.
var week = []string{
	"memory/2026-04-28.md", "# 2026-04-28\n\n- feed the cat\n- the store closes at six #remember\n- Decision: no mugs\n- one thing\n\nUpdated: 2026-04-28\nDecisions: glaze is bought in Leipzig because it is cheaper; none\nSignal: wet clay cracks\nOpen: none\n",
	"memory/2026-04-29.md", "# 2026-04-29\n\n- Feed the cat.\n- another thing\n\n## Trimmed from AGENTS.md\n\n- feed the dog\n- a rule #remember\n\nUpdated: 2026-04-29\nDecisions: no mugs\nSignal: nothing new\nOpen: x\n",
	"memory/2026-04-30.md", "# 2026-04-30\n\n- feed the cat\n- known already #remember\n```\n- not this #remember\n```\n",
	"memory/2026-04-30-standup.md", "# Standup\n- a snapshot #remember\n",
	"memory/topic.md", "# topic\n- not daily #remember\n",
}

const weekLines = "- the store closes at six (2026-04-28)\n- glaze is bought in Leipzig because it is cheaper (decided 2026-04-28)\n- wet clay cracks (2026-04-28)\n- no mugs (decided 2026-04-29)\n- feed the cat (2026-04-30)\n"

func TestConsolidate(t *testing.T) {
	t.Parallel()
	l := newLab(t, "base", append([]string{"MEMORY.md", "# Memory\n\n## Facts\n- Known  already.\n\n## Later\n- x\n"}, week...)...)
	head := l.Git("rev-parse", "HEAD")
	res := consolidate(t, l, "")
	if res.Proposal == nil || res.Proposal.Kind != proposal.Consolidate || l.Git("rev-parse", "HEAD") != head || res.Notes < 3 || res.Drafted {
		t.Fatalf("%+v", res)
	}
	wantLines(t, trailersOf(l, res.Proposal.Branch), "Claw-Event: consolidate", "Claw-Source: memory/2026-04-28.md", "Claw-Source: memory/2026-04-29.md", "Claw-Source: memory/2026-04-30.md")
	if again := consolidate(t, l, ""); again.Waiting != res.Proposal.ID || again.Proposal != nil {
		t.Errorf("again: %+v", again)
	}
	accept(l, res.Proposal)
	want := "# Memory\n\n## Facts\n- Known  already.\n" + weekLines + "\n## Later\n- x\n"
	if have := l.ReadFile("MEMORY.md"); have != want {
		t.Errorf("got %q\nwant %q", have, want)
	}
	// The next one begins with the day of the last, and says nothing twice.
	l.Clock("2026-05-05T09:00:00Z")
	l.Write("memory/2026-05-01.md", "- too old #remember\n")
	l.Write("memory/2026-05-02.md", "- the store closes at six! #remember\n- the wheel is oiled on Mondays #remember\n")
	l.Commit("notes")
	if res = consolidate(t, l, ""); res.Since != "2026-05-02" || fmt.Sprint(res.Lines) != "[- the wheel is oiled on Mondays (2026-05-02)]" {
		t.Errorf("%+v", res)
	}
	if err := proposal.Reject(context.Background(), l.Workspace(), human, res.Proposal, proposal.Approval{By: "Li <li@example.org>", Via: "tty"}, "no"); err != nil {
		t.Fatal(err)
	}
	// What was rejected is not asked again the day after.
	l.Clock("2026-05-06T09:00:00Z")
	if res = consolidate(t, l, ""); res.Proposal != nil || res.Waiting != "" || res.Since != "2026-05-05" {
		t.Errorf("%+v", res)
	}
	if res = consolidate(t, l, "2026-05-01"); fmt.Sprint(res.Lines) != "[- too old (2026-05-01) - the wheel is oiled on Mondays (2026-05-02)]" {
		t.Errorf("%+v", res)
	}
	l.Check()
}

// TestConsolidateLimits: MEMORY.md never gets over its limit; what weighs most goes first.
func TestConsolidateLimits(t *testing.T) {
	t.Parallel()
	head := "# Agent Memory\n#tags: x\nlast_verified: 2026-05-01\nlast_updated: 2026-05-01\n"
	for lines, want := range map[int]string{
		10: "", 55: "[- known already (2026-04-30)]", 57: "refused", 60: "refused",
	} {
		l := newLab(t, "openclaw_memory", append([]string{"MEMORY.md", head + strings.Repeat("- x\n", lines-4+1)}, week...)...)
		res, err := Consolidate(context.Background(), l.Workspace(), robot, ConsolidateOptions{})
		var refused *agent.RefusedError
		if want == "refused" {
			if !errors.As(err, &refused) {
				t.Errorf("%d: %+v %v", lines, res, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if want != "" && fmt.Sprint(res.Lines) != want {
			t.Errorf("%d: %q", lines, res.Lines)
		}
		accept(l, res.Proposal)
		n := strings.Count(l.ReadFile("MEMORY.md"), "\n")
		if n > 60 || want == "" && res.Left > 0 {
			t.Errorf("%d: %d lines, %+v", lines, n, res)
		}
		if bad := failing(l, "HOT-002", "HOT-003", "OWN-001"); len(bad) > 0 {
			t.Error(bad)
		}
		l.Check()
	}
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, "- fact number %03d #remember\n", i)
	}
	l := newLab(t, "base", "memory/2026-05-01.md", many.String())
	if res := consolidate(t, l, ""); len(res.Lines) != mostLines || res.Left != 300-mostLines {
		t.Errorf("%d lines, %d left", len(res.Lines), res.Left)
	}
	l = newLab(t, "base", "memory/2026-05-01.md", "- a\n")
	if res := consolidate(t, l, ""); res.Proposal != nil || res.Notes != 1 {
		t.Errorf("%+v", res)
	}
}

// TestT30Model: a command that fails, hangs or writes nonsense, or one that is not of this
// machine, leads to what the notes say; one that works drafts, and its text only enters the
// proposal.
func TestT30Model(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	seen := filepath.Join(dir, "prompt")
	files := append([]string{"MEMORY.md", "# Memory\n\n## Facts\n- Known  already.\n"}, week...)
	for _, c := range []struct {
		name, value, failed string
		lines               string
	}{
		{"works", `["` + script("works", `cat > "$1"; printf 'Here:\n- drafted one \033[31m\n- drafted one\n* no\n- known already\n- key `+fakeKey()+`\n- <!-- x\n- two\n'`) + `", "` + seen + `"]`, "", "[- drafted one [31m - drafted one - two]"},
		{"fails", `["` + script("fails", "echo '- x'; exit 3") + `"]`, "exit status 3", ""},
		{"hangs", `["` + script("hangs", "sleep 60 & sleep 60") + `"]`, "deadline", ""},
		{"nonsense", `["` + script("nonsense", "echo error: no model") + `"]`, "no list", ""},
		{"too much", `["` + script("much", "yes -- '- x y z'") + `"]`, "too much", ""},
		{"no array", `cat`, "no JSON array", ""},
		{"empty", `[]`, "no JSON array", ""},
		{"relative", `["./draft"]`, "neither a name nor an absolute path", ""},
		{"missing", `["no-such-program-here"]`, "cannot find", ""},
	} {
		l := newLab(t, "base", files...)
		l.Git("config", "claw.llmCommand", c.value)
		l.Git("config", "claw.llmTimeout", "1s")
		start := time.Now()
		res := consolidate(t, l, "")
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", c.name, took)
		}
		if c.failed == "" {
			if !res.Drafted || fmt.Sprint(res.Lines) != c.lines {
				t.Errorf("%s: %+v", c.name, res)
			}
			if prompt, err := os.ReadFile(seen); err != nil || !strings.Contains(string(prompt), "wet clay cracks") {
				t.Errorf("%v", err)
			}
		} else if res.Drafted || !strings.Contains(res.Failed, c.failed) || strings.Join(res.Lines, "\n")+"\n" != weekLines || res.Proposal == nil {
			t.Errorf("%s: %+v", c.name, res)
		}
		if l.ReadFile("MEMORY.md") != files[1] {
			t.Errorf("%s: more than the proposal changed", c.name)
		}
		l.Check()
	}
	// Named by a file that is tracked, or included from there: refused.
	works := `["` + filepath.Join(dir, "works") + `", "` + filepath.Join(dir, "stolen") + `"]`
	l := newLab(t, "base", append([]string{"notes.gitconfig", "[claw]\n\tllmCommand = " + strings.ReplaceAll(works, `"`, `\"`) + "\n"}, files...)...)
	l.Git("config", "include.path", l.Path("notes.gitconfig"))
	if res := consolidate(t, l, ""); res.Drafted || !strings.Contains(res.Failed, "refused") {
		t.Errorf("included: %+v", res)
	}
	l = newLab(t, "base", append([]string{".claw/config", "[claw]\n\tllmCommand = " + strings.ReplaceAll(works, `"`, `\"`) + "\n"}, files...)...)
	if res := consolidate(t, l, ""); res.Drafted || res.Failed != "" || res.Proposal == nil {
		t.Errorf("tracked: %+v", res)
	}
	if _, err := os.Stat(filepath.Join(dir, "stolen")); err == nil {
		t.Error("a program that a tracked file names was run")
	}
}

func TestGather(t *testing.T) {
	t.Parallel()
	day := func(n int, text string) note {
		return note{fmt.Sprintf("memory/2026-05-%02d.md", n), fmt.Sprintf("2026-05-%02d", n), []byte(text)}
	}
	facts := gather([]note{
		day(1, "- twice a day\n- twice a day\n- once\n\tkey "+fakeKey()+" #remember\n- the key "+fakeKey()+" #remember\n"),
		day(2, "- twice a day\n  - nested #remember\n\n#remember a paragraph\n\n- #rememberthis is no tag\n- <!-- hidden #remember\n"),
		day(3, strings.Repeat("- long ", 100)+"#remember\n"),
	}, map[string]bool{})
	var got []string
	for _, f := range facts {
		got = append(got, f.line())
	}
	if fmt.Sprint(got) != "[- a paragraph (2026-05-02)]" {
		t.Errorf("%q", got)
	}
}
