package agent

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

// searchIn searches one tier.
func (s *space) searchIn(tier string, force bool) (*Found, error) {
	s.t.Helper()
	return Search(context.Background(), s.open(), SearchOptions{
		Query: "fact", Tier: tier, Force: force, Clock: time.Now, Hostname: "here",
		Warn: func(string, ...any) {},
	})
}

// With `all` any check that fails shuts search off, where the profile is on; hot
// notes and --force are let through.
func TestGateAll(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Git("config", "claw.profiles", "openclaw_memory")
	s.Git("config", "claw.recall.gate", "all")
	s.Write("MEMORY.md", "# Agent Memory\n#tags: memory\nlast_verified: 2026-03-01\nlast_updated: 2026-03-01\n- one fact\n")
	s.Write("memory/bad.md", "<<<<<<< a\n- fact\n=======\n- fact\n>>>>>>> b\n")
	var shut *GateError
	for tier, refused := range map[string]bool{"": true, "warm": true, "cold": true, "all": true, "hot": false, "buffer": false, "scratch": false} {
		_, err := s.searchIn(tier, false)
		if errors.As(err, &shut) != refused || !refused && err != nil {
			t.Errorf("tier '%s': %v", tier, err)
		}
	}
	found, err := s.searchIn("", true)
	if err != nil || len(found.Results) == 0 || len(found.Failed) == 0 {
		t.Errorf("--force: %v, %v", found, err)
	}
	for what, refused := range map[string]bool{"memory/bad.md": true, "memory/2026-02-28.md": true, "MEMORY.md": false, "AGENTS.md": false} {
		_, err := Get(context.Background(), s.open(), GetOptions{What: what, Warn: func(string, ...any) {}})
		if errors.As(err, &shut) != refused || !refused && err != nil {
			t.Errorf("get '%s': %v", what, err)
		}
	}
	s.Git("config", "claw.profiles", "skills")
	if found, err := s.searchIn("", false); err != nil || len(found.Failed) > 0 {
		t.Errorf("with the profile off: %v, %v", found, err)
	}
}

// What is no buffer costs nothing and says nothing.
func TestGateWithoutBuffer(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Git("config", "claw.recall.gate", "integrity")
	if found, err := s.searchIn("", false); err != nil || len(found.Failed) > 0 {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := os.Lstat(s.Path(memory.BufferPath)); err == nil {
		t.Error("a search made a buffer")
	}
}

// The check that looks through history counts as the last examination found it, for
// as long as no other one is made.
func TestGateRotation(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Git("config", "claw.profiles", "openclaw_memory")
	s.Git("config", "claw.recall.gate", "integrity")
	ws := s.open()
	head, err := ws.Repo.Head(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	recordHealth(ws, head.Commit, &health.Report{Fails: 1, Findings: []health.Finding{{ID: rotationCheck, Status: health.Fail}}})
	var shut *GateError
	if _, err := s.searchIn("", false); !errors.As(err, &shut) || len(shut.Failed) != 1 || shut.Failed[0] != rotationCheck {
		t.Errorf("%v", err)
	}
	// A later commit: the gate depends on the check, so it is asked again.
	s.Write("memory/a.md", "- another\n")
	s.saveAs(Agent, SaveOptions{})
	if found, err := s.searchIn("", false); err != nil || len(found.Failed) > 0 {
		t.Errorf("after a commit: %v, %v", found, err)
	}
	s.Git("config", "claw.recall.gate", "off")
	if found, err := s.searchIn("", false); err != nil || len(found.Failed) != 1 {
		t.Errorf("with the gate off: %v, %v", found, err)
	}
	if _, err := Health(context.Background(), s.open(), HealthOptions{}); err != nil {
		t.Fatal(err)
	}
	if found, err := s.searchIn("", false); err != nil || len(found.Failed) > 0 {
		t.Errorf("after an examination: %v, %v", found, err)
	}
}
