package review_test

import (
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/review"
)

// TestWriters: a person who chooses sees who wrote which version, also where lines moved
// in the work tree, and nobody where no commit has them.
func TestWriters(t *testing.T) {
	t.Parallel()
	const (
		path = "memory/ports.md"
		mark = "<!-- claw:conflict id=0a36564f kind=edit n=2 -->\n"
	)
	for _, sub := range []string{"", "agents/one"} {
		l := agenttest.New(t, sub, path, "# Ports\n")
		l.Write(path, "# Ports\n\n- the port is 80\n")
		first := save(t, l, bot).Commits[0]
		l.Write(path, "# Ports\n\n- the port is 80\n- the port is 81\n  or so\n")
		second := save(t, l, human).Commits[0]
		l.Write(path, "# Ports\n\n"+mark+"- the port is 80\n- the port is 81\n  or so\n")

		writers := func() []*agent.Event {
			t.Helper()
			found, err := review.Conflicts(ctx, l.Workspace())
			if err != nil || len(found) != 1 {
				t.Fatalf("found %d contradictions, %v", len(found), err)
			}
			out, err := review.Writers(ctx, l.Workspace(), found[0])
			if err != nil || len(out) != 2 {
				t.Fatalf("%d writers, %v", len(out), err)
			}
			return out
		}
		if got := writers(); got[0] != nil || got[1] != nil {
			t.Errorf("unsaved: %+v", got)
		}
		save(t, l, bot)
		l.Write(path, "# Ports\n\nA new line.\n\n"+mark+"- the port is 80\n- the port is 81\n  or so\n")
		got := writers()
		if got[0] == nil || got[0].ID != first.ID || got[0].Session != bot.Session {
			t.Errorf("the first: %+v", got[0])
		}
		if got[1] == nil || got[1].ID != second.ID || got[1].Actor != agent.User {
			t.Errorf("the second: %+v", got[1])
		}
	}
}
