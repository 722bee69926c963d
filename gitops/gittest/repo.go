package gittest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-claw/git-claw/gitops"
)

// Repo is a real repository. Its methods end the test when something fails that
// the test does not ask about.
type Repo struct {
	Dir     string   // top of the work tree; the repository itself when bare
	Base    string   // folder that holds Dir, HOME and whatever belongs to them
	Prefix  string   // where Open looks from, below Dir
	Environ []string // of every git that runs here
	Clock   *Clock

	t    testing.TB
	spec spec
	rand io.Reader
}

// New makes a repository with a few files and one commit, see [Option] for
// others.
func New(t testing.TB, opts ...Option) *Repo {
	t.Helper()
	s := spec{dir: "work", files: startFiles()}
	for _, o := range opts {
		o(&s)
	}
	git := ""
	if s.newGit {
		git = NewGit(t)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	r := &Repo{
		Base: base, Dir: filepath.Join(base, s.dir), Prefix: s.prefix, Environ: Environ(Home(t, base), git),
		Clock: NewClock(), t: t, spec: s, rand: &lockedReader{r: Rand(t.Name())},
	}
	r.create()
	for _, f := range s.after {
		f(r)
	}
	return r
}

// lockedReader lets several goroutines draw from one source.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}

// startFiles is what New commits first.
func startFiles() map[string]string {
	return map[string]string{
		"AGENTS.md":            "# Agents\n\n- be kind\n",
		"MEMORY.md":            "# Memory\n\n- one fact\n",
		"memory/2026-02-28.md": "## morning\n- old note\n",
		"memory/2026-03-01.md": "## morning\n- note\n",
		"notes/deep/er/a.md":   "a\n",
		"notes/b.md":           "b\n",
		"bin/run.sh":           "#!/bin/sh\necho hi\n",
		"src/main.txt":         "code\n",
	}
}

// create makes the repository itself and its first commit.
func (r *Repo) create() {
	r.t.Helper()
	s := r.spec
	must(r.t, os.MkdirAll(r.Dir, 0o777))
	args := []string{"init", "-q", "-b", "main"}
	if s.bare {
		args = append(args, "--bare")
	}
	if s.sha256 {
		args = append(args, "--object-format=sha256")
	}
	if s.reftable {
		args = append(args, "--ref-format=reftable")
	}
	r.Git(args...)
	for _, kv := range s.config {
		r.Git("config", kv[0], kv[1])
	}
	if s.bare || s.unborn {
		return
	}
	for p, c := range s.files {
		r.Write(p, c)
	}
	if _, ok := s.files["bin/run.sh"]; ok {
		r.Chmod("bin/run.sh", 0o755)
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "start")
}

// Env is what gitops takes from its surroundings.
func (r *Repo) Env() gitops.Env {
	return gitops.Env{Environ: r.Environ, Dir: r.Dir, Now: r.Clock.Now, Rand: r.rand}
}

// Open opens the repository with more variables in its environment. It is closed
// with the test.
func (r *Repo) Open(environ ...string) *gitops.Repo {
	r.t.Helper()
	repo, err := r.TryOpen(environ...)
	must(r.t, err)
	return repo
}

// TryOpen is Open that may fail.
func (r *Repo) TryOpen(environ ...string) (*gitops.Repo, error) {
	env := r.Env()
	env.Environ = append(append([]string{}, env.Environ...), environ...)
	repo, err := gitops.Open(context.Background(), gitops.NewGit(env), filepath.Join(r.Dir, filepath.FromSlash(r.Prefix)))
	if err == nil {
		r.t.Cleanup(func() { _ = repo.Close() })
	}
	return repo, err
}

// Git runs git in the repository and returns its stdout without the last
// newline.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.Try(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// Try is Git that may fail; the error holds git's stderr.
func (r *Repo) Try(args ...string) (string, error) { return r.TryEnv(nil, "", args...) }

// TryEnv is Try with more environment and a text on stdin.
func (r *Repo) TryEnv(environ []string, stdin string, args ...string) (string, error) {
	path, err := r.gitPath()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = r.Dir
	cmd.Env = append(append([]string{}, r.Environ...), environ...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errb bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errb
	if err := cmd.Run(); err != nil {
		return strings.TrimSuffix(out.String(), "\n"), fmt.Errorf("%w: %s%s", err, errb.String(), out.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// gitPath looks git up in the repository's own PATH.
func (r *Repo) gitPath() (string, error) {
	for _, dir := range filepath.SplitList(r.Env().Getenv("PATH")) {
		if p, err := exec.LookPath(filepath.Join(dir, "git")); err == nil {
			return p, nil
		}
	}
	return "", errors.New("no git in PATH")
}

// Path is a file's place in the file system.
func (r *Repo) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// GitPath is a place below the git directory of this work tree.
func (r *Repo) GitPath(name string) string {
	r.t.Helper()
	p := r.Git("rev-parse", "--git-path", name)
	if !filepath.IsAbs(p) {
		p = filepath.Join(r.Dir, p)
	}
	return p
}

// Write writes a file, its directories too, in place and with the mode it has.
func (r *Repo) Write(name, content string) {
	r.t.Helper()
	must(r.t, os.MkdirAll(filepath.Dir(r.Path(name)), 0o777))
	must(r.t, os.WriteFile(r.Path(name), []byte(content), 0o666))
}

// Append adds to a file.
func (r *Repo) Append(name, content string) {
	r.t.Helper()
	f, err := os.OpenFile(r.Path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	must(r.t, err)
	_, err = f.WriteString(content)
	must(r.t, err)
	must(r.t, f.Close())
}

// Read returns a work-tree file.
func (r *Repo) Read(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.Path(name))
	must(r.t, err)
	return string(b)
}

// Remove removes a file or a directory with all that is in it.
func (r *Repo) Remove(name string) {
	r.t.Helper()
	must(r.t, os.RemoveAll(r.Path(name)))
}

// Chmod sets a file's permissions.
func (r *Repo) Chmod(name string, mode os.FileMode) {
	r.t.Helper()
	must(r.t, os.Chmod(r.Path(name), mode))
}

// Symlink makes a symbolic link.
func (r *Repo) Symlink(target, name string) {
	r.t.Helper()
	must(r.t, os.MkdirAll(filepath.Dir(r.Path(name)), 0o777))
	must(r.t, os.Symlink(target, r.Path(name)))
}

// Hook installs a shell script as a hook.
func (r *Repo) Hook(name, script string) {
	r.t.Helper()
	p := r.GitPath("hooks/" + name)
	must(r.t, os.MkdirAll(filepath.Dir(p), 0o777))
	Executable(r.t, p, "#!/bin/sh\n"+script)
}

// InHead returns a file's content in HEAD.
func (r *Repo) InHead(name string) string {
	r.t.Helper()
	// git prints the blob as it is, so the last newline is put back.
	out, err := r.TryEnv(nil, "HEAD:"+name+"\n", "cat-file", "--batch")
	must(r.t, err)
	head, body, ok := strings.Cut(out, "\n")
	if !ok || strings.HasSuffix(head, "missing") {
		r.t.Fatalf("'%s' is not in HEAD", name)
	}
	return body
}

// Head is the id of HEAD's commit.
func (r *Repo) Head() string {
	r.t.Helper()
	return r.Git("rev-parse", "--verify", "HEAD")
}

// ReadFile returns a file that is in no repository.
func ReadFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	must(t, err)
	return string(b)
}
