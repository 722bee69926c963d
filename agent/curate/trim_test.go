package curate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/memory/doc"
)

// longRules is an AGENTS.md of about so many tokens.
func longRules(tokens int) string {
	var b strings.Builder
	b.WriteString("# AGENTS\n\n## Role\nKeep the shop.\n")
	for i := 0; doc.Tokens([]byte(b.String())) < tokens; i++ {
		if i%10 == 0 {
			fmt.Fprintf(&b, "\n## Part %d\n", i/10)
		}
		fmt.Fprintf(&b, "- rule %d: look at the order before you answer\n", i)
	}
	return b.String()
}

func trim(t *testing.T, l *agenttest.Lab, who agent.Caller, opt TrimOptions) *Trimmed {
	t.Helper()
	res, err := Trim(context.Background(), l.Workspace(), who, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestT22Trim: an AGENTS.md of 1,400 tokens gets at most 1,000 and a pointer; for an agent
// as a proposal, for a user as a commit.
func TestT22Trim(t *testing.T) {
	t.Parallel()
	text := longRules(1400)
	const to = "memory/2026-05-02.md#trimmed-from-agentsmd"
	check := func(l *agenttest.Lab, res *Trimmed) {
		t.Helper()
		kept, note := l.ReadFile("AGENTS.md"), l.ReadFile("memory/2026-05-02.md")
		if n := doc.Tokens([]byte(kept)); n > 1000 || n < 900 || res.Files[0].Before < 1400 || res.Files[0].After != n || res.Files[0].To != to {
			t.Errorf("%d tokens: %+v", n, res.Files)
		}
		if !strings.HasSuffix(kept, "\n\n→ Trimmed: "+to+"\n") {
			t.Errorf("no pointer in %q", kept[len(kept)-100:])
		}
		if why := unbalanced([]byte(text), []byte(kept), []byte("# 2026-05-02\n"), []byte(note), true); why != "" {
			t.Error(why)
		}
		if bad := failing(l); len(bad) > 0 {
			t.Error(bad)
		}
		l.Check()
	}
	l := newLab(t, "three_layer", "AGENTS.md", text)
	res := trim(t, l, human, TrimOptions{})
	if res.Proposal != nil || len(res.Save.Commits) != 1 || res.Save.Commits[0].Event != "trim" {
		t.Fatalf("%+v", res)
	}
	check(l, res)
	wantLines(t, trailersOf(l, "HEAD"), "Claw-Moved: AGENTS.md → "+to, fmt.Sprintf("Claw-Tokens: AGENTS.md %d → %d", res.Files[0].Before, res.Files[0].After), "Claw-Actor: user")
	if again := trim(t, l, human, TrimOptions{}); len(again.Save.Commits) != 0 || len(again.Files) != 0 {
		t.Errorf("again: %+v", again)
	}

	l = newLab(t, "three_layer", "AGENTS.md", text)
	for _, who := range []agent.Caller{robot, forged} {
		head := l.Git("rev-parse", "HEAD")
		res = trim(t, l, who, TrimOptions{Path: "AGENTS.md"})
		if res.Proposal == nil || res.Proposal.Kind != proposal.Trim || l.Git("rev-parse", "HEAD") != head || l.ReadFile("AGENTS.md") != text {
			t.Fatalf("%+v", res)
		}
	}
	accept(l, res.Proposal)
	check(l, res)
}

func TestTrimRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t, "three_layer", "AGENTS.md", "# A\n\n"+strings.Repeat("one long line without an end ", 200)+"\n", "README.md", "x")
	var refused *agent.RefusedError
	for _, path := range []string{"", "AGENTS.md", "README.md", "memory/x.md"} {
		if _, err := Trim(context.Background(), l.Workspace(), human, TrimOptions{Path: path}); !errors.As(err, &refused) {
			t.Errorf("'%s': %v", path, err)
		}
	}
	var none *agent.NoFileError
	if _, err := Trim(context.Background(), l.Workspace(), human, TrimOptions{Path: "SOUL.md"}); !errors.As(err, &none) {
		t.Error(err)
	}
	l.Check()
}

// TestTrimOpenFence: what has to be closed gains a line, so that a person looks at it.
func TestTrimOpenFence(t *testing.T) {
	t.Parallel()
	l := newLab(t, "three_layer", "AGENTS.md", longRules(900)+"\n```\nopen\n"+strings.Repeat("code line of some length\n", 60))
	res := trim(t, l, human, TrimOptions{})
	if res.Proposal == nil || res.Save != nil && len(res.Save.Commits) > 0 {
		t.Fatalf("%+v", res)
	}
	if !strings.Contains(res.Proposal.Body, "close") {
		t.Error(res.Proposal.Body)
	}
}

// TestTrimBudget: claw.l1.budget lowers limits by file; a long MEMORY.md is cut by lines.
func TestTrimBudget(t *testing.T) {
	t.Parallel()
	hot := "# Agent Memory\n#tags: ops\nlast_verified: 2026-05-01\nlast_updated: 2026-05-01\n" + strings.Repeat("- x\n", 70)
	for value, limit := range map[string]int{"off": 1000, "on": 800, "USER=300 TOOLS=1": 300, "USER.md=5000": 1000} {
		l := newLab(t, "openclaw_memory", "USER.md", longRules(950), "MEMORY.md", hot)
		l.Git("config", "claw.l1.budget", value)
		res := trim(t, l, human, TrimOptions{Path: "USER.md"})
		if res.Files[0].Limit != limit || res.Files[0].After > limit || (res.Files[0].To == "") != (limit == 1000) {
			t.Errorf("%s: %+v", value, res.Files)
		}
		dry := trim(t, l, human, TrimOptions{Path: "MEMORY.md", DryRun: true})
		if dry.Files[0].To == "" || strings.Contains(l.ReadFile("MEMORY.md"), "Trimmed") {
			t.Errorf("%+v", dry)
		}
		trim(t, l, human, TrimOptions{Path: "MEMORY.md"})
		if n := strings.Count(l.ReadFile("MEMORY.md"), "\n"); n > 60 || n < 58 {
			t.Errorf("%d lines", n)
		}
		if bad := failing(l, "HOT-002", "HOT-003"); len(bad) > 0 {
			t.Error(bad)
		}
		l.Check()
	}
}

// TestTrimUnsaved: a person's unsaved edit is saved before, and a line that is held back
// stays out of git wherever it moves.
func TestTrimUnsaved(t *testing.T) {
	t.Parallel()
	l := newLab(t, "three_layer", "AGENTS.md", longRules(1400))
	l.Write("AGENTS.md", longRules(1400)+"- by hand\n- the key is "+fakeKey()+"\n")
	res, err := Trim(context.Background(), l.Workspace(), human, TrimOptions{})
	if err != nil || !res.Save.Held() {
		t.Fatalf("%+v %v", res, err)
	}
	if note := l.ReadFile("memory/2026-05-02.md"); !strings.Contains(note, "- by hand\n") || !strings.Contains(note, fakeKey()) {
		t.Errorf("lost in %q", note)
	}
	if out := l.Git("log", "--all", "-p"); strings.Contains(out, fakeKey()) || !strings.Contains(out, "by hand") {
		t.Error("the key is in git, or the edit is not")
	}
}
