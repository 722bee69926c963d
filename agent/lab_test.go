package agent

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/memory"
)

// lab is agenttest.Lab from within the package, with what only these tests want.
type lab struct {
	*agenttest.Lab
	t        *testing.T
	dir, sub string
	env      []string
}

// newLab makes a workspace in a subfolder (or at the top level for ""), with one
// commit that adopts it.
func newLab(t *testing.T, sub string, files ...string) *lab {
	t.Helper()
	l := agenttest.New(t, sub, files...)
	return &lab{Lab: l, t: t, dir: l.Dir, sub: l.Sub, env: l.Env}
}

func (l *lab) clock(at string)          { l.t.Helper(); l.Clock(at) }
func (l *lab) time() time.Time          { return l.Now() }
func (l *lab) path(rel string) string   { return l.Path(rel) }
func (l *lab) write(rel, text string)   { l.t.Helper(); l.Write(rel, text) }
func (l *lab) head(rel string) string   { l.t.Helper(); return l.InHead(rel) }
func (l *lab) gitCommit(message string) { l.t.Helper(); l.Commit(message) }
func (l *lab) ws() *memory.Workspace    { l.t.Helper(); return l.Workspace() }

// read fails for a file that is not there.
func (l *lab) read(rel string) string {
	l.t.Helper()
	if _, err := os.Stat(l.path(rel)); err != nil {
		l.t.Fatal(err)
	}
	return l.ReadFile(rel)
}

func (l *lab) remove(rel string) {
	l.t.Helper()
	if err := os.Remove(l.path(rel)); err != nil {
		l.t.Fatal(err)
	}
}

// git runs git at the top level and returns all of its output.
func (l *lab) git(args ...string) string {
	l.t.Helper()
	out, err := l.tryGit(args...)
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (l *lab) tryGit(args ...string) (string, error) { return l.TryGit(args...) }

// clean checks that the repository is sound and that git status says exactly
// what is wanted, one porcelain line each.
func (l *lab) clean(want ...string) {
	l.t.Helper()
	l.git("fsck", "--strict")
	got := strings.TrimSuffix(l.git("status", "--porcelain", "--untracked-files=all"), "\n")
	if w := strings.Join(want, "\n"); got != w {
		l.t.Errorf("git status:\n%s\nwant:\n%s", got, w)
	}
}

// agentCaller is the agent in a session.
func agentCaller(session string) Caller { return Caller{Actor: Agent, Session: session} }

// save commits what was edited, as an actor in a session.
func (l *lab) save(actor Actor, session, message string) *SaveResult {
	l.t.Helper()
	res, err := Save(context.Background(), l.ws(), Caller{Actor: actor, Session: session}, SaveOptions{Message: message})
	if err != nil {
		l.t.Fatal(err)
	}
	return res
}

// history lists all events.
func (l *lab) history(opt HistoryOptions) []Event {
	l.t.Helper()
	var out []Event
	for e, err := range History(context.Background(), l.ws(), opt) {
		if err != nil {
			l.t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// brief tells events in short: name, actor, session and paths.
func brief(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s %s %s\n", e.Name, e.Actor, e.Session, strings.Join(e.Paths, ","))
	}
	return b.String()
}

// fakeKey has the shape of a provider's key; it is put together so that no
// scanner finds one in this source.
func fakeKey() string { return "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc" }
