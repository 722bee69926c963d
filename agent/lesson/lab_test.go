package lesson

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// lab is an adopted workspace in a repository of its own, with a clock that stands
// still until it is set.
type lab struct {
	t   *testing.T
	dir string
	now time.Time
	rnd *rand.ChaCha8
	env []string
}

// newLab makes a workspace with these files (path, text, ...) and one commit that
// adopts it. `.claw/config` may be among them.
func newLab(t *testing.T, files ...string) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), rnd: rand.NewChaCha8([32]byte{1})}
	if real, err := filepath.EvalSymlinks(l.dir); err == nil {
		l.dir = real
	}
	l.clock("2026-05-02T09:00:00Z")
	l.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Li", "GIT_AUTHOR_EMAIL=li@example.org", "GIT_COMMITTER_NAME=Li", "GIT_COMMITTER_EMAIL=li@example.org",
	}
	l.git("init", "-q", "-b", "main")
	l.write(".claw/config", "[claw]\n\ttimezone = UTC\n\thost = openclaw\n\tprofiles = learnings\n")
	for i := 0; i+1 < len(files); i += 2 {
		l.write(files[i], files[i+1])
	}
	l.git("add", "-A", "-f")
	l.git("commit", "-q", "-m", "claw(workspace): adopt\n\nClaw-Event: workspace.adopt\nClaw-Id: 20260502-00000001\nClaw-Actor: user\n")
	return l
}

func (l *lab) clock(at string) {
	l.t.Helper()
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		l.t.Fatal(err)
	}
	l.now = t
}

func (l *lab) path(rel string) string { return filepath.Join(l.dir, filepath.FromSlash(rel)) }

func (l *lab) write(rel, text string) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(rel)), 0o777); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(l.path(rel), []byte(text), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

// read returns a file of the work tree, "" for one that is not there.
func (l *lab) read(rel string) string {
	l.t.Helper()
	b, err := os.ReadFile(l.path(rel))
	if err != nil && !os.IsNotExist(err) {
		l.t.Fatal(err)
	}
	return string(b)
}

func (l *lab) git(args ...string) string {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = l.dir
	stamp := l.now.Format(time.RFC3339)
	cmd.Env = append(append([]string{}, l.env...), "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp)
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// ws opens the workspace as a new process would.
func (l *lab) ws() *memory.Workspace {
	l.t.Helper()
	g := gitops.NewGit(gitops.Env{Environ: l.env, Dir: l.dir, Now: func() time.Time { return l.now }, Rand: l.rnd})
	ws, err := memory.Open(context.Background(), g, l.dir, "")
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = ws.Repo.Close() })
	return ws
}

// clean checks that the repository is sound and that nothing is unsaved.
func (l *lab) clean() {
	l.t.Helper()
	l.git("fsck", "--strict")
	if got := l.git("status", "--porcelain", "--untracked-files=all"); got != "" {
		l.t.Errorf("git status:\n%s", got)
	}
}

// trailers are those of the newest commit of a revision, as `Key: value` lines.
func (l *lab) trailers(rev string) string {
	l.t.Helper()
	return l.git("log", "-1", "--format=%(trailers:only,unfold)", rev)
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
