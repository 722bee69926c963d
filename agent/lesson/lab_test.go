package lesson

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/memory"
)

// lab is a workspace of lessons.
type lab struct {
	*agenttest.Lab
	t *testing.T
}

// newLab makes a workspace with these files (path, text, ...). `.claw/config` may be among
// them.
func newLab(t *testing.T, files ...string) *lab {
	t.Helper()
	return &lab{agenttest.New(t, "", append(profiles("learnings"), files...)...), t}
}

// profiles is a configuration with profiles.
func profiles(names string) []string {
	return []string{".claw/config", "[claw]\n\ttimezone = UTC\n\thost = openclaw\n\tprofiles = " + names + "\n"}
}

func (l *lab) clock(at string) { l.t.Helper(); l.Clock(at) }

func (l *lab) write(rel, text string) { l.t.Helper(); l.Write(rel, text) }

func (l *lab) read(rel string) string { l.t.Helper(); return l.ReadFile(rel) }

func (l *lab) git(args ...string) string { l.t.Helper(); return l.Git(args...) }

func (l *lab) ws() *memory.Workspace { l.t.Helper(); return l.Workspace() }

// clean checks that the repository is sound and that nothing is unsaved.
func (l *lab) clean() { l.t.Helper(); l.Check() }

// trailers are those of the newest commit of a revision, as `Key: value` lines.
func (l *lab) trailers(rev string) string {
	l.t.Helper()
	return strings.TrimRight(l.Git("log", "-1", "--format=%(trailers:only,unfold)", rev), "\n") + "\n"
}

func (l *lab) capture(opt CaptureOptions) *Captured {
	l.t.Helper()
	got, err := Capture(context.Background(), l.ws(), robot, opt)
	if err != nil {
		l.t.Fatal(err)
	}
	return got
}

// robot is the agent in a session.
var robot = agent.Caller{Actor: agent.Agent, Session: "s1"}

// fakeKey has the shape of a provider's key; it is put together so that no scanner
// finds one in this source.
func fakeKey() string { return fmt.Sprintf("%s_%s_%s", "sk", "live", "4eC39HqLyjWDarjtT1zdp7dc") }
