package curate

import (
	"context"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/hooks/health"
)

var (
	robot  = agent.Caller{Actor: agent.Agent, Session: "s1"}
	human  = agent.Caller{Actor: agent.User, TTY: true}
	forged = agent.Caller{Actor: agent.User, Host: true, Approver: "Li <li@example.org>"}
)

// newLab makes a workspace with profiles.
func newLab(t *testing.T, profiles string, files ...string) *agenttest.Lab {
	t.Helper()
	return agenttest.New(t, "", append([]string{".claw/config", "[claw]\n\ttimezone = UTC\n\thost = openclaw\n\tprofiles = " + profiles + "\n"}, files...)...)
}

// failing are the checks that fail.
func failing(l *agenttest.Lab, ids ...string) []string {
	l.T.Helper()
	rep, err := health.ExamineWork(context.Background(), l.Workspace(), health.Options{Only: ids})
	if err != nil {
		l.T.Fatal(err)
	}
	var out []string
	for _, f := range rep.Findings {
		if f.Status == health.Fail {
			out = append(out, f.ID+" "+f.Path+" "+f.Message)
		}
	}
	return out
}

func accept(l *agenttest.Lab, p *proposal.Proposal) {
	l.T.Helper()
	ctx, ws := context.Background(), l.Workspace()
	ap, err := proposal.Approve(ctx, ws, human)
	if err != nil {
		l.T.Fatal(err)
	}
	if _, err := proposal.Accept(ctx, ws, human, p, proposal.AcceptOptions{Approval: ap}); err != nil {
		l.T.Fatal(err)
	}
}

// trailersOf are the trailers of a revision, one a line.
func trailersOf(l *agenttest.Lab, rev string) string {
	l.T.Helper()
	return l.Git("log", "-1", "--format=%(trailers:only,unfold)", rev) + "\n"
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text+"\n", "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// fakeKey has the shape of a provider's key; it is put together so that no scanner finds
// one in this source.
func fakeKey() string { return "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc" }
