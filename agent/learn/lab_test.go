package learn

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/memory/prefs"
)

const (
	si      = "self-improving/"
	hotFile = si + prefs.Hot
	day     = 24 * time.Hour
)

var (
	bot    = agent.Caller{Actor: agent.Agent, Session: "s1"}
	person = agent.Caller{Actor: agent.User, TTY: true}
)

// desk is a workspace and what tests do in it.
type desk struct{ *agenttest.Lab }

func newDesk(t *testing.T, files ...string) desk {
	t.Helper()
	return desk{agenttest.New(t, "", append([]string{".gitignore", si + "heartbeat-state.md\n"}, files...)...)}
}

func line(t testing.TB, text string) prefs.Line {
	t.Helper()
	l, err := prefs.ParseLine(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// report is the line that most tests speak of.
const report = `[writing:report] "long introduction" -> "start with the result"`

// correct captures a correction, as an agent in a session of its own.
func (d desk) correct(text, quote string) *Captured {
	d.T.Helper()
	got, err := d.tryCorrect(bot, text, quote)
	if err != nil {
		d.T.Fatal(err)
	}
	return got
}

func (d desk) tryCorrect(caller agent.Caller, text, quote string) (*Captured, error) {
	d.T.Helper()
	return Correct(context.Background(), d.Workspace(), caller, Correction{Line: line(d.T, text), Quote: quote})
}

// often captures a correction on three days and returns its id.
func (d desk) often(text string) string {
	d.T.Helper()
	id := ""
	for range 3 {
		id = d.correct(text, "again").Candidate.ID
		d.Later(day)
	}
	return id
}

func (d desk) ask() *Asked {
	d.T.Helper()
	got, err := Ask(context.Background(), d.Workspace(), bot, nil)
	if err != nil {
		d.T.Fatal(err)
	}
	return got
}

func (d desk) confirm(id string, opt ConfirmOptions) *Confirmed {
	d.T.Helper()
	got, err := Confirm(context.Background(), d.Workspace(), person, id, opt)
	if err != nil {
		d.T.Fatal(err)
	}
	return got
}

func (d desk) tick() *Ticked {
	d.T.Helper()
	got, err := Tick(context.Background(), d.Workspace(), agent.Caller{Actor: agent.Cron})
	if err != nil {
		d.T.Fatal(err)
	}
	return got
}

func (d desk) find(id string) *Candidate {
	d.T.Helper()
	got, err := Find(context.Background(), d.Workspace(), person, id)
	if err != nil {
		d.T.Fatal(err)
	}
	return got
}

// events are the names of the events since a commit, oldest first.
func (d desk) events(since string) string {
	d.T.Helper()
	out := d.Git("log", "--reverse", "--first-parent", "--format=%(trailers:key=Claw-Event,valueonly,separator=)", since+"..HEAD")
	return strings.Join(strings.Fields(out), " ")
}

func (d desk) head() string { return d.Git("rev-parse", "HEAD") }

// refs lists what there is of proposals.
func (d desk) refs() string {
	return d.Git("for-each-ref", "--format=%(refname)", "refs/heads/claw", "refs/claw/open", "refs/claw/closed")
}

func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in\n%s", p, text)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
