package curate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/memory/hot"
)

const agentMemory = "# Agent Memory\n#tags: rules\nlast_verified: 2026-05-01\nlast_updated: 2026-04-01\n\n## Active\n- a\n\n## Active Decisions\n\n## Open Questions\n"

func TestDecide(t *testing.T) {
	t.Parallel()
	l := newLab(t, "openclaw_memory", "MEMORY.md", agentMemory, ".claw/tags.txt", "# a\nmemory\nrules\n")
	res, anchor, err := Decide(context.Background(), l.Workspace(), robot, DecideOptions{Title: "Fire  at night", Because: "power is cheap"})
	if err != nil || anchor != "fire-at-night" || len(res.Commits) != 1 {
		t.Fatalf("%+v %s %v", res, anchor, err)
	}
	if _, _, err = Decide(context.Background(), l.Workspace(), robot, DecideOptions{Title: "No glaze in May", Because: "it runs\nwhen it is wet"}); err != nil {
		t.Fatal(err)
	}
	want := "# Decisions\n#tags: rules memory\n> last_verified: 2026-05-02\n\n## Fire at night\n\n2026-05-02: power is cheap\n\n## No glaze in May\n\n2026-05-02: it runs\nwhen it is wet\n"
	if have := l.ReadFile(hot.DecisionsPath); have != want {
		t.Errorf("got %q\nwant %q", have, want)
	}
	want = strings.Replace(agentMemory, "## Active Decisions\n\n", "## Active Decisions\n\n- Fire at night → "+hot.DecisionsPath+"#fire-at-night\n- No glaze in May → "+hot.DecisionsPath+"#no-glaze-in-may\n\n", 1)
	if have := l.ReadFile("MEMORY.md"); have != strings.Replace(want, "last_updated: 2026-04-01", "last_updated: 2026-05-02", 1) {
		t.Errorf("got %q\nwant %q", have, want)
	}
	wantLines(t, trailersOf(l, "HEAD"), "Claw-Event: decision.add", "Claw-Decision: No glaze in May")
	if bad := failing(l); len(bad) > 0 {
		t.Error(bad)
	}
	l.Check()
	var refused *agent.RefusedError
	if _, _, err = Decide(context.Background(), l.Workspace(), robot, DecideOptions{Title: "fire at night.", Because: "x"}); !errors.As(err, &refused) {
		t.Error(err)
	}
	var usage *agent.UsageError
	for _, opt := range []DecideOptions{{}, {Title: "x"}, {Because: "x"}, {Title: "!!", Because: "x"}, {Title: "a\x00", Because: "b"}} {
		if _, _, err = Decide(context.Background(), l.Workspace(), robot, opt); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	l.Check()
}

// TestDecideFresh: without the two files they are made; a full MEMORY.md takes no more.
func TestDecideFresh(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"openclaw_memory", "base"} {
		l := newLab(t, profile)
		if _, _, err := Decide(context.Background(), l.Workspace(), robot, DecideOptions{Title: "C# → Go", Because: "speed"}); err != nil {
			t.Fatal(err)
		}
		if bad := failing(l); len(bad) > 0 {
			t.Error(bad)
		}
		l.Check()
	}
	full := "# Agent Memory\n#tags: rules\nlast_verified: 2026-05-01\nlast_updated: 2026-04-01\n" + strings.Repeat("- x\n", 55)
	l := newLab(t, "openclaw_memory", "MEMORY.md", full)
	var refused *agent.RefusedError
	if _, _, err := Decide(context.Background(), l.Workspace(), robot, DecideOptions{Title: "One more", Because: "x"}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "the limit is 60") {
		t.Error(err)
	}
	l.Check()
}

func TestT08Verify(t *testing.T) {
	t.Parallel()
	const rel = "memory/semantic/projects.md"
	for age, fails := range map[string]bool{"2026-04-03": false, "2026-04-02": true, "2026-05-03": true} {
		l := newLab(t, "openclaw_memory", rel, "# Projects\r\n#tags: ops\r\n> last_verified: "+age+"\r\n\r\n- x\r\n")
		if bad := failing(l, "WARM-001", "WARM-002"); (len(bad) > 0) != fails {
			t.Errorf("%s: %v", age, bad)
		}
		res, err := Verify(context.Background(), l.Workspace(), robot, VerifyOptions{Path: rel, Evidence: "read the\nboard"})
		if err != nil || len(res.Commits) != 1 {
			t.Fatalf("%+v %v", res, err)
		}
		if bad := failing(l, "WARM-001", "WARM-002"); len(bad) > 0 {
			t.Error(bad)
		}
		if have := l.ReadFile(rel); have != "# Projects\r\n#tags: ops\r\n> last_verified: 2026-05-02\r\n\r\n- x\r\n" {
			t.Errorf("%q", have)
		}
		wantLines(t, trailersOf(l, "HEAD"), "Claw-Event: warm.verify", "Claw-Evidence: read the board")
		if res, err = Verify(context.Background(), l.Workspace(), robot, VerifyOptions{Path: rel, Evidence: "again"}); err != nil || len(res.Commits) != 0 {
			t.Errorf("%+v %v", res, err)
		}
		l.Check()
	}
}

func TestVerifyRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t, "openclaw_memory", "memory/x.md", "x\n", "MEMORY.md", agentMemory)
	var usage *agent.UsageError
	if _, err := Verify(context.Background(), l.Workspace(), robot, VerifyOptions{Path: "MEMORY.md", Evidence: " \n"}); !errors.As(err, &usage) {
		t.Error(err)
	}
	var refused *agent.RefusedError
	for _, opt := range []VerifyOptions{{Path: "memory/x.md", Evidence: "x"}, {Path: "SOUL.md", Evidence: "x"}, {Path: "MEMORY.md", Evidence: fakeKey()}} {
		if _, err := Verify(context.Background(), l.Workspace(), robot, opt); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	var none *agent.NoFileError
	if _, err := Verify(context.Background(), l.Workspace(), robot, VerifyOptions{Path: "memory/semantic/none.md", Evidence: "x"}); !errors.As(err, &none) {
		t.Error(err)
	}
	if _, err := Verify(context.Background(), l.Workspace(), robot, VerifyOptions{Path: "MEMORY.md", Evidence: "looked"}); err != nil || !strings.Contains(l.ReadFile("MEMORY.md"), "last_verified: 2026-05-02\n") {
		t.Error(err)
	}
	l.Check()
}
