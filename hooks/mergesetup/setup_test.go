package mergesetup

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// place is an adopted workspace in a folder of a repository.
type place struct {
	t   *testing.T
	top string
	env []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, top: top, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Li", "GIT_AUTHOR_EMAIL=li@example.org", "GIT_COMMITTER_NAME=Li", "GIT_COMMITTER_EMAIL=li@example.org",
	}}
	p.git("init", "-q", "-b", "main")
	p.write("a gent/.claw/config", "[claw]\n\tversion = 1\n")
	p.write("a gent/SOUL.md", "x\n")
	p.git("add", ".")
	p.git("commit", "-qm", "x")
	return p
}

func (p *place) write(rel, text string) {
	p.t.Helper()
	name := filepath.Join(p.top, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.top, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *place) setup(dir, binary string) Setup {
	p.t.Helper()
	g := gitops.NewGit(gitops.Env{Environ: p.env, Dir: p.top, Now: time.Now})
	ws, err := memory.Open(context.Background(), g, dir, "")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = ws.Repo.Close() })
	return Setup{Workspace: ws, Binary: binary}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".git/info/attributes", "*.bin binary\n")
	ctx := context.Background()
	binary := filepath.Join(p.top, "it's 100%A", "git-claw")
	s := p.setup(filepath.Join(p.top, "a gent"), binary)
	st, err := s.Look(ctx)
	if err != nil || st.State != Missing || st.Attributes || st.Committed || len(s.Changes(st)) != 2 {
		t.Fatalf("before: %+v %v", st, err)
	}
	changed, err := s.Install(ctx)
	if err != nil || len(changed) != 2 {
		t.Fatalf("%v %v", changed, err)
	}
	if st, err = s.Look(ctx); err != nil || !st.Done() || st.Binary != filepath.ToSlash(binary) || st.Runnable {
		t.Fatalf("after: %+v %v", st, err)
	}
	if changed, err = s.Install(ctx); err != nil || len(changed) != 0 {
		t.Errorf("a second time: %v %v", changed, err)
	}
	if got := p.git("check-attr", "merge", "--", "a gent/memory/deep/x.md", "memory/x.md", "x.bin"); got != "a gent/memory/deep/x.md: merge: claw\nmemory/x.md: merge: unspecified\nx.bin: merge: unset\n" {
		t.Errorf("attributes:\n%s", got)
	}
	if got := strings.TrimSuffix(p.git("config", "--local", "--get", DriverName), "\n"); got != Line(binary) {
		t.Errorf("the line is %q", got)
	}
	if home, _ := os.ReadDir(strings.TrimPrefix(p.env[1], "HOME=")); len(home) != 0 {
		t.Errorf("in the home folder: %v", home)
	}
	p.write("bin/git-claw", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(p.top, "bin/git-claw"), 0o755); err != nil {
		t.Fatal(err)
	}
	other := p.setup(filepath.Join(p.top, "a gent"), filepath.Join(p.top, "bin/git-claw"))
	if st, err := other.Look(ctx); err != nil || st.State != Outdated {
		t.Errorf("another binary: %+v %v", st, err)
	}
	if changed, err := other.Install(ctx); err != nil || len(changed) != 1 {
		t.Errorf("another binary: %v %v", changed, err)
	}
	if st, err := other.Look(ctx); err != nil || !st.Done() || !st.Runnable {
		t.Errorf("another binary: %+v %v", st, err)
	}
}

// TestWorktree: a linked worktree shares what was set up.
func TestWorktree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ctx := context.Background()
	p.git("worktree", "add", "-q", filepath.Join(p.top, "linked"), "-b", "other")
	s := p.setup(filepath.Join(p.top, "linked", "a gent"), "/opt/bin/git-claw")
	if changed, err := s.Install(ctx); err != nil || len(changed) != 2 {
		t.Fatalf("%v %v", changed, err)
	}
	if st, err := p.setup(filepath.Join(p.top, "a gent"), "/opt/bin/git-claw").Look(ctx); err != nil || !st.Done() {
		t.Errorf("from the main worktree: %+v %v", st, err)
	}
}

func TestLeftAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, line := range map[string]string{
		"another program":   "other %A",
		"an edited line":    Line("/opt/bin/git-claw") + " ",
		"another fallback":  strings.Replace(Line("/opt/bin/git-claw"), "git merge-file", "true", 1),
		"a placeholder":     "b='/opt/%A'" + lineRest,
		"quotes that end":   "b='/opt'; x; '/git-claw'" + lineRest,
		"nothing":           "",
		"a path with quote": "b='/it's/git-claw'" + lineRest,
	} {
		p := newPlace(t)
		p.git("config", DriverName, line)
		s := p.setup(filepath.Join(p.top, "a gent"), "/opt/bin/git-claw")
		_, err := s.Install(ctx)
		var foreign *ForeignError
		if !errors.As(err, &foreign) {
			t.Errorf("%s: %v", name, err)
		}
		if got := p.git("config", "--local", "--get", DriverName); got != line+"\n" {
			t.Errorf("%s: the line is now %q", name, got)
		}
	}
	p := newPlace(t)
	for _, binary := range []string{"", "git-claw", "/opt/a\nb"} {
		var bad *BinaryError
		if _, err := p.setup(filepath.Join(p.top, "a gent"), binary).Install(ctx); !errors.As(err, &bad) {
			t.Errorf("%q: %v", binary, err)
		}
	}
}

// TestNotWritable: a configuration that git cannot write is told, and nothing else is.
func TestNotWritable(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".git/config.lock", "")
	_, err := p.setup(filepath.Join(p.top, "a gent"), "/opt/bin/git-claw").Install(context.Background())
	var unwritten *gitops.ConfigWriteError
	if !errors.As(err, &unwritten) || unwritten.Name != DriverName || !strings.Contains(unwritten.Reason, "config") || strings.Contains(unwritten.Reason, "\n") {
		t.Errorf("%v", err)
	}
}

// TestLineInShell: the line finds the binary by its path, then in PATH, and then merges by itself,
// whatever the path holds.
func TestLineInShell(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	for _, name := range []string{"plain", "with space", "it's", "100%A", "$(touch bad)", "a;b", "`x`", "ü", `"q"`, "-n"} {
		p := newPlace(t)
		dir := filepath.Join(p.top, "bin", name)
		binary := filepath.Join(dir, "git-claw")
		p.write("bin/"+name+"/git-claw", "#!/bin/sh\nprintf '%s|' \"$@\" >\"$FOUND\"\nexit 0\n")
		if err := os.Chmod(binary, 0o755); err != nil {
			t.Fatal(err)
		}
		p.git("config", DriverName, Line(binary))
		p.write(".gitattributes", "*.md merge=claw\n")
		p.write("it's $x.md", "base\n")
		p.git("add", ".")
		p.git("commit", "-qm", "base")
		p.git("checkout", "-qb", "two")
		p.write("it's $x.md", "two\n")
		p.git("commit", "-qam", "two")
		p.git("checkout", "-q", "main")
		p.write("it's $x.md", "one\n")
		p.git("commit", "-qam", "one")
		found := filepath.Join(t.TempDir(), "found")
		p.env = append(p.env, "FOUND="+found)
		p.git("merge", "-q", "--no-edit", "two")
		b, err := os.ReadFile(found)
		words := strings.Split(string(b), "|")
		if err != nil || len(words) != 8 || words[0] != "merge-driver" || words[1] != "--marker-size=7" || words[2] != "--" || words[6] != "it's $x.md" {
			t.Errorf("%s: called with %q, %v", name, words, err)
		}
		if _, err := os.Stat(filepath.Join(p.top, "bad")); err == nil {
			t.Errorf("%s was run by the shell", name)
		}
	}
}
