package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// lab is an adopted workspace in a repository of its own, with a clock that
// stands still until it is set.
type lab struct {
	t   *testing.T
	dir string // top level
	sub string // where the workspace lies below it

	mu  sync.Mutex
	now time.Time
	rnd *rand.ChaCha8
	env []string
}

// newLab makes a workspace in a subfolder (or at the top level for ""), with one
// commit that adopts it.
func newLab(t *testing.T, sub string, files ...string) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), sub: sub, rnd: rand.NewChaCha8([32]byte{1})}
	if real, err := filepath.EvalSymlinks(l.dir); err == nil {
		l.dir = real
	}
	l.clock("2026-05-02T09:00:00Z")
	l.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Li", "GIT_AUTHOR_EMAIL=li@example.org", "GIT_COMMITTER_NAME=Li", "GIT_COMMITTER_EMAIL=li@example.org",
	}
	l.git("init", "-q", "-b", "main")
	l.write(".claw/config", "[claw]\n\ttimezone = UTC\n\thost = openclaw\n")
	for i := 0; i+1 < len(files); i += 2 {
		l.write(files[i], files[i+1])
	}
	l.gitCommit("claw(workspace): adopt\n\nClaw-Event: workspace.adopt\nClaw-Id: 20260502-00000001\nClaw-Actor: user\n")
	return l
}

func (l *lab) clock(at string) {
	l.t.Helper()
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = t
}

func (l *lab) time() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Read makes the lab a source of chance that goroutines may share.
func (l *lab) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rnd.Read(b)
}

func (l *lab) path(rel string) string {
	return filepath.Join(l.dir, filepath.FromSlash(l.sub), filepath.FromSlash(rel))
}

func (l *lab) write(rel, text string) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(rel)), 0o777); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(l.path(rel), []byte(text), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) read(rel string) string {
	l.t.Helper()
	b, err := os.ReadFile(l.path(rel))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(b)
}

func (l *lab) remove(rel string) {
	l.t.Helper()
	if err := os.Remove(l.path(rel)); err != nil {
		l.t.Fatal(err)
	}
}

// git runs git at the top level and returns its output.
func (l *lab) git(args ...string) string {
	l.t.Helper()
	out, err := l.tryGit(args...)
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (l *lab) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = l.dir
	stamp := l.time().Format(time.RFC3339)
	cmd.Env = append(append([]string{}, l.env...), "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// gitCommit commits everything with git alone.
func (l *lab) gitCommit(message string) {
	l.t.Helper()
	l.git("add", "-A", "-f")
	l.git("commit", "-q", "--allow-empty", "-m", message)
}

// ws opens the workspace as a new process would.
func (l *lab) ws() *memory.Workspace {
	l.t.Helper()
	g := gitops.NewGit(gitops.Env{Environ: l.env, Dir: l.dir, Now: l.time, Rand: l})
	ws, err := memory.Open(context.Background(), g, l.path("."), "")
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = ws.Repo.Close() })
	return ws
}

// head returns a file as HEAD has it; "" when it does not.
func (l *lab) head(rel string) string {
	l.t.Helper()
	p := rel
	if l.sub != "" {
		p = l.sub + "/" + rel
	}
	out, err := l.tryGit("show", "HEAD:"+p)
	if err != nil {
		return ""
	}
	return out
}

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
