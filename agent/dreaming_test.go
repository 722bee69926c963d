package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/payload"
)

// TestDreaming: what OpenClaw's nightly job writes is one commit that names it,
// apart from other notes; the transcripts it works from are never committed.
func TestDreaming(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("MEMORY.md", "\n## Promoted From Short-Term Memory (2026-03-01)\n\n<!-- openclaw-memory-promotion:x -->\n- a fact\n")
	s.Write("memory/dreaming/light/2026-03-01.md", "# light\n")
	s.Write("memory/.dreams/session-corpus/2026-03-01.txt", "User: hello\n")
	s.Append("memory/2026-02-28.md", "- a note\n")
	res := s.saveAs(Unknown, SaveOptions{})
	if len(res.Commits) != 2 || !slices.Equal(res.Commits[0].Paths, []string{"MEMORY.md", "memory/dreaming/light/2026-03-01.md"}) ||
		!slices.Equal(res.Commits[1].Paths, []string{"memory/2026-02-28.md"}) {
		t.Fatalf("commits %+v", res.Commits)
	}
	if got := s.Git("log", "-1", "--format=%(trailers:key=Claw-Source,valueonly)", res.Commits[0].Commit.String()); strings.TrimSpace(got) != "openclaw-dreaming" {
		t.Errorf("source %q", got)
	}
	s.CheckClean("?? memory/.dreams/session-corpus/2026-03-01.txt")
}

// TestSessionEnd: what is dirty when a session ends came after its last turn and
// is not the agent's.
func TestSessionEnd(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	for kind, want := range map[payload.Kind]Actor{payload.SessionEnd: Unknown, payload.TurnEnd: Agent, payload.Compact: Agent, payload.TurnStart: Unknown} {
		s.Append("memory/2026-02-28.md", "- more\n")
		res, err := Turn(context.Background(), gitops.NewGit(s.Env()), payload.Event{Kind: kind, Session: "s", Cwd: s.dir()}, nil)
		if err != nil || len(res.Commits) != 1 || res.Commits[0].Actor != want || (res.Commits[0].Session == "s") != (want == Agent) {
			t.Errorf("%v: %+v, %v", kind, res, err)
		}
	}
	s.CheckClean()
}
