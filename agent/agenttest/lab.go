// Package agenttest gives tests of what agents and people do a real workspace: a
// repository in a temporary folder, a clock that stands still until it is set, chance
// from a seed, and clones of it as other machines.
package agenttest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// Lab is an adopted workspace.
type Lab struct {
	T   testing.TB
	Dir string // top level
	Sub string // where the workspace lies below it
	Env []string

	mu  sync.Mutex
	now time.Time
	rnd *rand.ChaCha8
}

// New makes a workspace in a subfolder (or at the top level for ""), with one commit
// that adopts it. files are names and contents by turns; `.claw/config` is there.
func New(t testing.TB, sub string, files ...string) *Lab {
	t.Helper()
	l := &Lab{T: t, Dir: tempDir(t), Sub: sub, rnd: rand.NewChaCha8([32]byte{1})}
	l.Clock("2026-05-02T09:00:00Z")
	l.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Li", "GIT_AUTHOR_EMAIL=li@example.org", "GIT_COMMITTER_NAME=Li", "GIT_COMMITTER_EMAIL=li@example.org",
	}
	l.Git("init", "-q", "-b", "main")
	l.Write(".claw/config", "[claw]\n\ttimezone = UTC\n\thost = openclaw\n")
	for i := 0; i+1 < len(files); i += 2 {
		l.Write(files[i], files[i+1])
	}
	l.Commit("claw(workspace): adopt\n\nClaw-Event: workspace.adopt\nClaw-Id: 20260502-00000001\nClaw-Actor: user\n")
	return l
}

// Clone is the same workspace on another machine: a clone with the origin's branches
// below refs/remotes/origin, its own chance, and the same time.
func (l *Lab) Clone(seed byte) *Lab {
	l.T.Helper()
	return l.CloneFrom(seed, l.Dir, "--no-local")
}

// CloneFrom is Clone of another repository, with options of git clone.
func (l *Lab) CloneFrom(seed byte, url string, options ...string) *Lab {
	l.T.Helper()
	c := &Lab{T: l.T, Dir: filepath.Join(tempDir(l.T), "clone"), Sub: l.Sub, Env: l.Env, now: l.Now(), rnd: rand.NewChaCha8([32]byte{seed})}
	l.Git(append(append([]string{"clone", "-q"}, options...), url, c.Dir)...)
	return c
}

func tempDir(t testing.TB) string {
	dir := t.TempDir()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// Clock sets the time, in the form of RFC 3339.
func (l *Lab) Clock(at string) {
	l.T.Helper()
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		l.T.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = t
}

// Later moves the clock.
func (l *Lab) Later(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// Now is the time.
func (l *Lab) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Read makes the lab a source of chance that goroutines may share.
func (l *Lab) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rnd.Read(b)
}

// Path is the absolute path of a file of the workspace.
func (l *Lab) Path(rel string) string {
	return filepath.Join(l.Dir, filepath.FromSlash(l.Sub), filepath.FromSlash(rel))
}

// Write writes a file of the workspace.
func (l *Lab) Write(rel, text string) {
	l.T.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(l.Path(rel)), 0o777), os.WriteFile(l.Path(rel), []byte(text), 0o666)); err != nil {
		l.T.Fatal(err)
	}
}

// ReadFile reads a file of the workspace; "" where it is absent.
func (l *Lab) ReadFile(rel string) string {
	l.T.Helper()
	b, err := os.ReadFile(l.Path(rel))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.T.Fatal(err)
	}
	return string(b)
}

// Git runs git at the top level and returns its output without the last line end.
func (l *Lab) Git(args ...string) string {
	l.T.Helper()
	out, err := l.TryGit(args...)
	if err != nil {
		l.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// TryGit is Git where it may fail.
func (l *Lab) TryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = l.Dir
	stamp := l.Now().Format(time.RFC3339)
	cmd.Env = append(append([]string{}, l.Env...), "GIT_AUTHOR_DATE="+stamp, "GIT_COMMITTER_DATE="+stamp)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Commit commits everything with git alone.
func (l *Lab) Commit(message string) {
	l.T.Helper()
	l.Git("add", "-A", "-f")
	l.Git("commit", "-q", "--allow-empty", "-m", message)
}

// Workspace opens the workspace as a new process would.
func (l *Lab) Workspace() *memory.Workspace {
	l.T.Helper()
	g := gitops.NewGit(gitops.Env{Environ: l.Env, Dir: l.Dir, Now: l.Now, Rand: l})
	ws, err := memory.Open(context.Background(), g, l.Path("."), "")
	if err != nil {
		l.T.Fatal(err)
	}
	l.T.Cleanup(func() { _ = ws.Repo.Close() })
	return ws
}

// InHead is a file of the workspace as HEAD has it; "" where it has none.
func (l *Lab) InHead(rel string) string {
	l.T.Helper()
	name := rel
	if l.Sub != "" {
		name = l.Sub + "/" + rel
	}
	out, err := l.TryGit("show", "HEAD:"+name)
	if err != nil {
		return ""
	}
	return out
}

// Trailer is the value of a trailer of a commit.
func (l *Lab) Trailer(rev, key string) string {
	l.T.Helper()
	return l.Git("log", "-1", fmt.Sprintf("--format=%%(trailers:key=%s,valueonly,separator=%%x2C)", key), rev)
}

// Check fails the test when the repository is damaged, a lock was left behind or git
// status says anything else than this.
func (l *Lab) Check(status ...string) {
	l.T.Helper()
	l.Git("fsck", "--strict", "--no-dangling")
	if got := l.Git("status", "--porcelain"); got != strings.Join(status, "\n") {
		l.T.Errorf("git status is\n%s\nwant\n%s", got, strings.Join(status, "\n"))
	}
	for _, name := range []string{"index.lock", "HEAD.lock"} {
		if _, err := os.Lstat(filepath.Join(l.Dir, ".git", name)); err == nil {
			l.T.Errorf("'%s' was left behind", name)
		}
	}
}
