package gitops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func openAt(t *testing.T, r *gittest.Repo, dir string, environ ...string) *gitops.Repo {
	t.Helper()
	env := r.Env()
	env.Environ = append(append([]string{}, env.Environ...), environ...)
	env.Dir = dir
	repo, err := gitops.Open(context.Background(), gitops.NewGit(env), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return repo
}

func TestOpen(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sub := openAt(t, r, r.Path("notes/deep"))
	if sub.TopLevel != r.Dir || sub.Prefix != "notes/deep/" || sub.GitDir != r.Path(".git") || sub.CommonDir != r.Path(".git") || sub.Bare || sub.InHook {
		t.Errorf("from a folder: %+v", sub)
	}
	// As in a hook: relative variables, of a directory that is not the top.
	hook := openAt(t, r, r.Dir, "GIT_DIR=.git", "GIT_INDEX_FILE=.git/index")
	if hook.GitDir != r.Path(".git") || !hook.InHook {
		t.Errorf("in a hook: %+v", hook)
	}
	if _, err := hook.Status(context.Background(), gitops.StatusOptions{}); err != nil {
		t.Error(err)
	}
	// Another work tree than the one around the git dir.
	else_ := filepath.Join(r.Base, "elsewhere")
	if err := os.MkdirAll(else_, 0o777); err != nil {
		t.Fatal(err)
	}
	away := openAt(t, r, else_, "GIT_DIR="+r.Path(".git"), "GIT_WORK_TREE="+else_)
	if away.TopLevel != else_ {
		t.Errorf("GIT_WORK_TREE: %+v", away)
	}
	r.Git("config", "core.worktree", else_)
	away = openAt(t, r, r.Path(".git"))
	st, err := away.Status(context.Background(), gitops.StatusOptions{})
	if err != nil || away.TopLevel != else_ || len(st.Entries) != 8 {
		t.Errorf("core.worktree: %+v %v %v", away, st, err)
	}
	e, ok, err := away.Objects().Lookup(context.Background(), mustTree(t, away), "MEMORY.md")
	if err != nil || !ok || e.ID.IsZero() {
		t.Errorf("%v %v %v", e, ok, err)
	}
}

func mustTree(t *testing.T, repo *gitops.Repo) gitops.ID {
	t.Helper()
	h, err := repo.Head(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	id, err := repo.Objects().TreeOf(context.Background(), h.Commit)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestOpenNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	ctx := context.Background()
	if _, err := gitops.Open(ctx, gitops.NewGit(r.Env()), r.Base); !errors.Is(err, gitops.ErrNotRepository) {
		t.Errorf("error is %v", err)
	}
	env := r.Env()
	env.Environ = append(env.Environ, "PATH="+r.Base)
	if _, err := gitops.Open(ctx, gitops.NewGit(env), r.Dir); err == nil || !strings.Contains(err.Error(), "cannot find 'git' in PATH") {
		t.Errorf("without git: %v", err)
	}
	if _, err := gitops.Open(ctx, gitops.NewGit(r.Env()), filepath.Join(r.Base, "none")); err == nil {
		t.Error("a directory that is not there")
	}
}

func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	r := gittest.New(t, gittest.LinkedWorktree())
	repo := r.Open()
	common := filepath.Join(r.Base, "work", ".git")
	if repo.CommonDir != common || repo.GitDir != filepath.Join(common, "worktrees", "linked") || repo.TopLevel != r.Dir {
		t.Errorf("%+v", repo)
	}
	if repo.ClawDir() == repo.CommonClawDir() {
		t.Error("the journal of a linked worktree is its own")
	}
	h, err := repo.Head(context.Background())
	if err != nil || h.Branch() != "linked" {
		t.Errorf("%+v %v", h, err)
	}
}

func TestHooksDir(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		opts []gittest.Option
		path func(r *gittest.Repo) string
		want func(r *gittest.Repo) string
	}{
		{nil, nil, func(r *gittest.Repo) string { return r.Path(".git/hooks") }},
		{[]gittest.Option{gittest.LinkedWorktree()}, nil, func(r *gittest.Repo) string { return filepath.Join(r.Base, "work/.git/hooks") }},
		{nil, func(*gittest.Repo) string { return ".githooks" }, func(r *gittest.Repo) string { return r.Path(".githooks") }},
		{nil, func(r *gittest.Repo) string { return r.Base + "/h" }, func(r *gittest.Repo) string { return r.Base + "/h" }},
		{nil, func(*gittest.Repo) string { return "~/h" }, func(r *gittest.Repo) string { return r.Base + "/home/h" }},
	} {
		r := gittest.New(t, c.opts...)
		if c.path != nil {
			r.Git("config", "core.hooksPath", c.path(r))
		}
		if got, err := r.Open().HooksDir(context.Background()); err != nil || got != c.want(r) {
			t.Errorf("hooks are in '%s' (%v), want '%s'", got, err, c.want(r))
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, opts := range [][]gittest.Option{nil, {gittest.Reftable()}, {gittest.SHA256()}} {
		r := gittest.New(t, opts...)
		repo := r.Open()
		check := func(what, ref string) {
			t.Helper()
			h, err := repo.Head(ctx)
			if err != nil || h.Ref != ref || h.Commit.String() != r.Head() {
				t.Errorf("%s: %+v %v", what, h, err)
			}
		}
		check("loose", "refs/heads/main")
		r.Git("pack-refs", "--all")
		check("packed", "refs/heads/main")
		r.Git("commit", "-q", "--allow-empty", "-m", "x")
		check("loose over packed", "refs/heads/main")
		r.Git("switch", "-q", "-c", "refs/heads/x") // refs/heads/refs/heads/x
		check("an odd name", "refs/heads/refs/heads/x")
		r.Git("switch", "-q", "--detach")
		check("detached", "")
		r.Git("symbolic-ref", "HEAD", "refs/heads/none")
		if h, err := repo.Head(ctx); err != nil || h.Ref != "refs/heads/none" || !h.Commit.IsZero() {
			t.Errorf("unborn: %+v %v", h, err)
		}
		r.Git("update-ref", "refs/other/x", "main")
		r.Git("symbolic-ref", "HEAD", "refs/heads/sym")
		r.Git("symbolic-ref", "refs/heads/sym", "refs/heads/main")
		if h, err := repo.Head(ctx); err != nil || h.Commit.String() != r.Git("rev-parse", "main") {
			t.Errorf("a symbolic branch: %+v %v", h, err)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script as git")
	}
	r := gittest.New(t)
	ctx := context.Background()
	if v, err := gitops.NewGit(r.Env()).Version(ctx); err != nil || !strings.HasPrefix(v, "2.") {
		t.Errorf("%s %v", v, err)
	}
	for says, tooOld := range map[string]bool{"git version 2.37.9": true, "git version 1.9.1": true, "git version 2.38.0 (Apple Git-140)": false, "git version 3.0": false} {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/git", []byte("#!/bin/sh\necho '"+says+"'\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		env := r.Env()
		env.Environ = append(slices.Clone(env.Environ), "PATH="+dir)
		_, err := gitops.NewGit(env).Version(ctx)
		var old *gitops.TooOldError
		if errors.As(err, &old) != tooOld {
			t.Errorf("%q: %v", says, err)
		}
	}
	if err := os.WriteFile(r.Path("git"), []byte("#!/bin/sh\necho no version\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	env := r.Env()
	env.Environ = append(slices.Clone(env.Environ), "PATH=.:"+r.Dir)
	if v, err := gitops.NewGit(env).Version(ctx); err == nil {
		t.Errorf("version %q", v)
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := gitops.Canonical([]string{
		"GIT_DIR=.git", "GIT_INDEX_FILE=" + filepath.Join(dir, "abs"), "GIT_WORK_TREE=", "LC_ALL=de_DE", "GIT_EXTERNAL_DIFF=evil",
		"GIT_LITERAL_PATHSPECS=0", "GIT_PREFIX=x/", "HOME=/h", "GIT_AUTHOR_NAME=n", "malformed",
	}, dir)
	want := []string{
		"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_INDEX_FILE=" + filepath.Join(dir, "abs"), "GIT_WORK_TREE=", "HOME=/h", "GIT_AUTHOR_NAME=n",
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	e := gitops.Env{Environ: []string{"A=1", "A=2", "AB=3"}}
	if e.Getenv("A") != "2" || e.Getenv("B") != "" {
		t.Error("Getenv")
	}
}

func TestGitErrors(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo, ctx := r.Open(), context.Background()
	_, err := repo.Git.Run(ctx, gitops.Cmd{Dir: r.Dir, Args: []string{"-c", "a.b=c", "rev-parse", "--verify", "none"}})
	var ge *gitops.GitError
	if !errors.As(err, &ge) || ge.Code != 128 || !strings.HasPrefix(ge.Error(), "git rev-parse: ") || strings.Contains(ge.Error(), "fatal:") {
		t.Errorf("%v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := repo.Git.Run(cancelled, gitops.Cmd{Dir: r.Dir, Args: []string{"version"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, kv := range [][2]string{
		{"status.showUntrackedFiles", "no"},
		{"status.branch", "true"},
		{"status.relativePaths", "true"},
		{"status.aheadBehind", "false"},
		{"status.renames", "copies"},
		{"status.showStash", "true"},
		{"color.status", "always"},
		{"column.ui", "always"},
		{"core.quotePath", "true"},
	} {
		r.Git("config", kv[0], kv[1])
	}
	r.Git("clone", "-q", "--bare", r.Dir, r.Base+"/up.git")
	r.Git("remote", "add", "up", r.Base+"/up.git")
	r.Git("fetch", "-q", "up")
	r.Git("branch", "-q", "-u", "up/main")
	r.Git("commit", "-q", "--allow-empty", "-m", "ahead")
	r.Append("MEMORY.md", "- x\n")
	r.Git("stash", "-q")
	r.Git("mv", "notes/b.md", "notes/c.md")
	r.Append("AGENTS.md", "- y\n")
	r.Git("add", "AGENTS.md")
	r.Append("AGENTS.md", "- z\n")
	r.Chmod("bin/run.sh", 0o644)
	r.Remove("src/main.txt")
	r.Symlink("MEMORY.md", "src/main.txt")
	r.Write("new é/a\nb.md", "")
	repo, ctx := r.Open(), context.Background()
	st, err := repo.Status(ctx, gitops.StatusOptions{Untracked: true})
	if err != nil {
		t.Fatal(err)
	}
	if st.Head.Ref != "refs/heads/main" || st.Head.Commit.String() != r.Head() || st.Upstream != "up/main" || st.Ahead != 1 || st.Behind != 0 {
		t.Errorf("%+v", st)
	}
	want := map[string]string{
		"AGENTS.md": "MM", "bin/run.sh": ".M", "notes/b.md": "D.", "notes/c.md": "A.", "src/main.txt": ".T", "new é/a\nb.md": "??",
	}
	for _, e := range st.Entries {
		if got := string([]byte{e.Index, e.Work}); got != want[e.Path] {
			t.Errorf("'%s' is %s, want %s", e.Path, got, want[e.Path])
		}
		if e.Partial() != (e.Path == "AGENTS.md") || e.Untracked() != strings.HasPrefix(e.Path, "new") {
			t.Errorf("%+v", e)
		}
		delete(want, e.Path)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
	for _, c := range []struct {
		opt  gitops.StatusOptions
		want int
	}{
		{gitops.StatusOptions{}, 5},
		{gitops.StatusOptions{Paths: []string{}}, 0},
		{gitops.StatusOptions{Paths: []string{"notes", "new é"}, Untracked: true}, 3},
		{gitops.StatusOptions{Paths: []string{"*.md"}, Untracked: true}, 0},
		{gitops.StatusOptions{Paths: []string{"none"}, Untracked: true}, 0},
	} {
		st, err := repo.Status(ctx, c.opt)
		if err != nil || len(st.Entries) != c.want || st.Head.Commit.IsZero() {
			t.Errorf("%+v: %+v %v", c.opt, st, err)
		}
	}
}
