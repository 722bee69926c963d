package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestWhy(t *testing.T) {
	t.Parallel()
	l := storied(t)
	ctx := context.Background()
	l.write("memory/a.md", "# moved\n- zero\n- one\n- two\n")
	l.save(Agent, "s3", "")
	l.write("memory/a.md", "# moved\n- zero\n- one\n- two\n- unsaved\n")
	l.write("memory/new.md", "- new\r\n")
	for _, c := range []struct {
		path           string
		line           int
		text, event, s string
		unsaved        bool
	}{
		{"AGENTS.md", 3, "- never ask", eventL1Edit, "s2", false},
		{"AGENTS.md", 1, "# Rules", eventAdopt, "", false},
		{"memory/a.md", 2, "- zero", eventWriteback, "s3", false},
		{"memory/a.md", 4, "- two", eventWriteback, "s1", false},
		{"memory/a.md", 5, "- unsaved", "", "", true},
		{"memory/new.md", 1, "- new", "", "", true},
		{"memory/c.md", 1, "- c", eventGit, "", false},
	} {
		r, err := Why(ctx, l.ws(), c.path, c.line, "")
		if err != nil {
			t.Errorf("%s:%d: %v", c.path, c.line, err)
			continue
		}
		if r.Text != c.text || r.Event != c.event || r.Session != c.s || r.Unsaved != c.unsaved || r.Commit.IsZero() != c.unsaved || r.Path != c.path {
			t.Errorf("%s:%d: %+v", c.path, c.line, r)
		}
	}
	if r, err := Why(ctx, l.ws(), "memory/a.md", 4, ""); err != nil || r.OriginLine != 2 || r.OriginPath != "" || r.Actor != Agent || r.ID == "" {
		t.Errorf("origin: %+v, %v", r, err)
	}
}

func TestWhyTrailers(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.write("memory/a.md", "- always in metric units\n")
	l.gitCommit("x\n\nClaw-Event: candidate.confirm\nClaw-Id: 20260503-4b1f90aa\nClaw-Actor: user\nClaw-Proposal: 20260503-units-00ff\n" +
		"Claw-Evidence: please, metric\nClaw-Approved-By: Li <li@example.org>\nClaw-Approved-Via: tty\n")
	r, err := Why(context.Background(), l.ws(), "memory/a.md", 1, "")
	if err != nil {
		t.Fatal(err)
	}
	if r.Evidence != "please, metric" || r.Proposal != "20260503-units-00ff" || r.ApprovedBy != "Li <li@example.org>" || r.Via != "tty" ||
		r.ID != "20260503-4b1f90aa" || r.Date.Format("2006-01-02") != "2026-05-02" {
		t.Errorf("%+v", r)
	}
}

func TestWhyErrors(t *testing.T) {
	t.Parallel()
	l := storied(t)
	l.write("README.md", "x\n")
	ctx := context.Background()
	code := func(err error) int {
		var c interface{ ExitCode() int }
		if errors.As(err, &c) {
			return c.ExitCode()
		}
		return 0
	}
	for _, c := range []struct {
		path, kind string
		line, code int
		say        string
	}{
		{"AGENTS.md", "", 4, 128, "no line 4 in 'AGENTS.md': it has 3"},
		{"AGENTS.md", "", 0, 128, "no line 0"},
		{"memory/none.md", "", 1, 128, "no such file 'memory/none.md'"},
		{"README.md", "", 1, 1, "'README.md' is not managed"},
		{"../code.go", "", 1, 1, "'../code.go' is outside the workspace"},
		{"/etc/passwd", "", 1, 1, "outside"},
		{"MEMORY.md", "group", 3, 1, "private"},
		{"memory/../MEMORY.md", "group", 3, 1, "outside"},
		{"self-improving/memory.md", "cron", 1, 1, "private"},
		{"USER.md", "subagent", 1, 1, "private"},
		{"USER.md", "made-up", 1, 1, "private"},
	} {
		r, err := Why(ctx, l.ws(), c.path, c.line, c.kind)
		if err == nil || code(err) != c.code || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s:%d for '%s': %+v, %v (code %d)", c.path, c.line, c.kind, r, err, code(err))
		}
	}
	if r, err := Why(ctx, l.ws(), "MEMORY.md", 3, "main"); err != nil || r.Text != "- secret plan" {
		t.Errorf("the main session: %+v, %v", r, err)
	}
	// A public line from a commit that also changed private files.
	r, err := Why(ctx, l.ws(), "memory/b.md", 1, "group")
	if err != nil || r.Text != "- b" || strings.Contains(r.Subject, "plan") || r.ID == "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestWhyUnborn: nothing is committed before the first commit.
func TestWhyUnborn(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.git("checkout", "-q", "--orphan", "empty")
	l.write("AGENTS.md", "- a\n")
	if r, err := Why(context.Background(), l.ws(), "AGENTS.md", 1, ""); err != nil || !r.Unsaved {
		t.Errorf("%+v, %v", r, err)
	}
	l.git("add", "AGENTS.md")
	if r, err := Why(context.Background(), l.ws(), "AGENTS.md", 1, ""); err != nil || !r.Unsaved {
		t.Errorf("staged: %+v, %v", r, err)
	}
}

func TestWhyID(t *testing.T) {
	t.Parallel()
	l := newLab(
		t, "", ".learnings/ERRORS.md", "```\n- [ERR-20260502-k3f] example\n```\n- [ERR-20260502-k3f2] other\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=a.b it failed\n",
		"self-improving/pending/cand-7c1e09ab42d3.md", "---\nid: cand-7c1e09ab42d3\n---\n[a] \"b\" -> \"c\"\n",
	)
	ctx := context.Background()
	r, err := WhyID(ctx, l.ws(), "ERR-20260502-k3f", "")
	if err != nil || r.Path != ".learnings/ERRORS.md" || r.Line != 5 || r.Event != eventAdopt {
		t.Errorf("a lesson: %+v, %v", r, err)
	}
	r, err = WhyID(ctx, l.ws(), "cand-7c1e09ab42d3", "")
	if err != nil || r.Line != 2 {
		t.Errorf("a candidate: %+v, %v", r, err)
	}
	r, err = WhyID(ctx, l.ws(), "20260502-00000001", "")
	if err != nil || r.Event != eventAdopt || r.Line != 0 {
		t.Errorf("an event: %+v, %v", r, err)
	}
	var refused *RefusedError
	if r, err := WhyID(ctx, l.ws(), "cand-7c1e09ab42d3", "group"); !errors.As(err, &refused) {
		t.Errorf("a candidate in a group: %+v, %v", r, err)
	}
	var none *NoEntryError
	if r, err := WhyID(ctx, l.ws(), "LRN-20260502-zzz", ""); !errors.As(err, &none) {
		t.Errorf("nothing: %+v, %v", r, err)
	}
}
