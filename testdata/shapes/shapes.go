package shapes

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// Shape is one kind of workspace.
type Shape struct {
	Name  string
	About string // what it stands for
	// Roots are the folders that hold a workspace, below the repository; none
	// stands for its top.
	Roots []string
	// Refusal says why the workspace cannot be adopted as it is, "" when it can.
	Refusal Refusal
	// Withheld lists values that lie in the work tree only and are in no object:
	// they must not get into one.
	Withheld []string
	// Make builds it in dir, the top of a fresh repository without a commit. What
	// a hostile shape aims at lies in Outside(dir).
	Make func(t testing.TB, dir string)
}

// Refusal is the kind of a clear no.
type Refusal string

// The refusals.
const (
	NoIdentity   Refusal = "no identity"
	InProgress   Refusal = "merge in progress"
	PartlyStaged Refusal = "partly staged"
	ReadOnly     Refusal = "read-only"
)

// All lists every shape.
func All() []Shape {
	var all []Shape
	for _, group := range [][]Shape{sizes(), names(), git(), texts(), secrets(), hosts(), hostile()} {
		all = append(all, group...)
	}
	return all
}

// Named returns one shape.
func Named(t testing.TB, name string) Shape {
	t.Helper()
	for _, s := range All() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no shape '%s'", name)
	return Shape{}
}

// Folders are the workspaces of a shape, "" for the top of the repository.
func (s Shape) Folders() []string {
	if len(s.Roots) == 0 {
		return []string{""}
	}
	return s.Roots
}

// Outside is the folder beside a repository that hostile shapes point at.
func Outside(dir string) string { return filepath.Join(filepath.Dir(dir), "outside") }

// kit writes into one repository.
type kit struct {
	t   testing.TB
	dir string
}

func (k kit) path(name string) string { return filepath.Join(k.dir, filepath.FromSlash(name)) }

func (k kit) write(name, text string) {
	k.t.Helper()
	k.mkdir(filepath.Dir(k.path(name)))
	k.must(os.WriteFile(k.path(name), []byte(text), 0o666))
}

func (k kit) append(name, text string) {
	k.t.Helper()
	old, err := os.ReadFile(k.path(name))
	if err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	k.write(name, string(old)+text)
}

func (k kit) mkdir(abs string) {
	k.t.Helper()
	k.must(os.MkdirAll(abs, 0o777))
}

func (k kit) link(target, name string) {
	k.t.Helper()
	k.mkdir(filepath.Dir(k.path(name)))
	k.must(os.Symlink(target, k.path(name)))
}

func (k kit) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// git runs git in a folder below the repository, with an identity and a clock of
// its own: a shape looks the same wherever it is built.
func (k kit) git(args ...string) string {
	k.t.Helper()
	return k.gitEnv(nil, args...)
}

func (k kit) gitEnv(env []string, args ...string) string {
	k.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = k.dir
	cmd.Env = append(gittest.Environ(k.dir, ""),
		"GIT_AUTHOR_NAME=Wren", "GIT_AUTHOR_EMAIL=wren@example.org", "GIT_AUTHOR_DATE=2026-02-01T08:00:00Z",
		"GIT_COMMITTER_NAME=Wren", "GIT_COMMITTER_EMAIL=wren@example.org", "GIT_COMMITTER_DATE=2026-02-01T08:00:00Z",
		"GIT_CONFIG_GLOBAL="+os.DevNull)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		k.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// commit commits everything that is not ignored.
func (k kit) commit(message string) {
	k.t.Helper()
	k.git("add", "-A")
	k.git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
}

// core writes small rule files, as OpenClaw's workspaces have them.
func (k kit) core(prefix string) {
	k.t.Helper()
	k.write(prefix+"AGENTS.md", "# Agents\n\n- Answer first, explain after.\n- Ask before deleting.\n")
	k.write(prefix+"SOUL.md", "# Soul\n\nCurious and calm.\n")
	k.write(prefix+"IDENTITY.md", "# Identity\n\n- Name: Pip\n- Domain: gardening\n")
	k.write(prefix+"USER.md", "# User\n\n- Likes short answers.\n")
	k.write(prefix+"MEMORY.md", "# Memory\n\n## Active\n- The greenhouse is watered on Mondays.\n")
	k.write(prefix+"memory/2026-02-27.md", "# 2026-02-27\n\n- Ordered seeds.\n- Fixed the pump.\n")
	k.write(prefix+"memory/2026-02-28.md", "# 2026-02-28\n\n- Seeds arrived.\n")
}

// build turns a function of a kit into a Make.
func build(f func(k kit)) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		t.Helper()
		f(kit{t: t, dir: dir})
	}
}
