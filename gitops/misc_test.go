package gitops_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// Messages are lower case, without a full stop, with the subject in quotes, and
// every error that a person can act on says how.
func TestErrorTexts(t *testing.T) {
	t.Parallel()
	type hinted interface {
		error
		Hints() []string
	}
	for _, e := range []hinted{
		&gitops.RevError{Rev: "x"}, &gitops.DubiousError{Path: "/x"}, &gitops.ProgressError{What: "merge", How: []string{"git merge --abort"}},
		&gitops.ProgressError{What: "unmerged paths", Paths: []string{"a"}, How: []string{"git status"}}, &gitops.LockedError{Path: "/x/index.lock", Owner: "git"},
		&gitops.LockedError{Path: "/x/index.lock", Stale: true, Age: time.Hour}, &gitops.MovedError{Subject: "HEAD"}, &gitops.IdentError{},
		&gitops.HookError{Name: "pre-commit", Output: "1\n2\n3\n4\n5\n6\nlast\n"}, &gitops.WorkTreeChangedError{Path: "a"}, &gitops.SparseError{Path: "a"},
	} {
		text := e.Error()
		if text == "" || text[0] >= 'A' && text[0] <= 'Z' || strings.HasSuffix(text, ".") || strings.Contains(text, "\n") {
			t.Errorf("%T says %q", e, text)
		}
		if len(e.Hints()) == 0 || strings.Join(e.Hints(), "") == "" {
			t.Errorf("%T has no hint", e)
		}
	}
	for _, e := range []error{&gitops.TooOldError{Have: "1", Need: "2"}, &gitops.EscapeError{Path: "../x", Reason: "y"}, &gitops.ClashError{Path: "a", Other: "A"}, &gitops.GitError{Code: 3}} {
		if text := e.Error(); text == "" || strings.HasSuffix(text, ".") {
			t.Errorf("%T says %q", e, text)
		}
	}
	h := &gitops.HookError{Name: "pre-commit", Output: "1\n2\n3\n4\n5\n6\nlast\n"}
	if got := strings.Join(h.Hints(), "\n"); strings.Contains(got, "said: 1\n") || !strings.Contains(got, "said: last") {
		t.Errorf("hints are %q", got)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "12", strings.Repeat("g", 40), strings.Repeat("1", 41)} {
		if id, err := gitops.ParseID(bad); err == nil {
			t.Errorf("%q is %v", bad, id)
		}
	}
	for _, n := range []int{40, 64} {
		id, err := gitops.ParseID(strings.Repeat("ab", n/2))
		if err != nil || id.String() != strings.Repeat("ab", n/2) || id.Short() != "ababababab" || len(id.Bytes()) != n/2 {
			t.Errorf("%v %v", id, err)
		}
		b, err := json.Marshal(id)
		if err != nil || string(b) != `"`+id.String()+`"` {
			t.Errorf("%s %v", b, err)
		}
		if zero, err := gitops.ParseID(strings.Repeat("0", n)); err != nil || !zero.IsZero() || zero != (gitops.ID{}) {
			t.Errorf("%v %v", zero, err)
		}
	}
	if b, err := json.Marshal(gitops.ID{}); err != nil || string(b) != `""` {
		t.Errorf("%s %v", b, err)
	}
}

func TestCreateAndIdent(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	ctx := context.Background()
	dir := filepath.Join(r.Base, "new")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	repo, err := gitops.Create(ctx, gitops.NewGit(r.Env()), dir)
	if err != nil || repo.TopLevel != dir {
		t.Fatalf("%+v %v", repo, err)
	}
	if err := repo.CheckIdent(ctx); err != nil {
		t.Error(err)
	}
	if _, err := gitops.Create(ctx, gitops.NewGit(r.Env()), filepath.Join(r.Base, "none")); err == nil {
		t.Error("made a repository in a directory that is not there")
	}
	r.Git("config", "--global", "--remove-section", "user")
	r.Git("config", "--global", "user.useConfigOnly", "true")
	var ident *gitops.IdentError
	if err := repo.CheckIdent(ctx); !errors.As(err, &ident) {
		t.Errorf("error is %v", err)
	}
}

func TestStaged(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]gittest.Option{nil, {gittest.Unborn()}, {gittest.SHA256()}} {
		r := gittest.New(t, opts...)
		r.Write("new\nline.md", "x\n")
		r.Write("unstaged.md", "x\n")
		r.Git("add", "--", "new\nline.md")
		got, err := r.Open().Staged(context.Background())
		if err != nil || len(got) != 1 || got[0].Path != "new\nline.md" || !got[0].Old.IsZero() || got[0].New.Mode != gitops.ModeFile {
			t.Errorf("%+v %v", got, err)
		}
		if err := os.WriteFile(r.GitPath("index"), []byte("rubbish"), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Open().Staged(context.Background()); err == nil {
			t.Errorf("a broken index holds %v", got)
		}
	}
	if _, err := gittest.New(t, gittest.Bare()).Open().Staged(context.Background()); !errors.Is(err, gitops.ErrBare) {
		t.Errorf("error is %v", err)
	}
}

func TestLocks(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	if got := repo.Locks(); len(got) != 0 {
		t.Errorf("%v", got)
	}
	for _, name := range []string{"index.lock", "HEAD.lock"} {
		if err := os.WriteFile(r.GitPath(name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := repo.Locks(); len(got) != 2 || got[0].Path != r.GitPath("index.lock") || got[1].Age > time.Minute {
		t.Errorf("%v", got)
	}
}

// The trace has verbs and times, and nothing of what is stored.
func TestTraceHasNoContent(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	var out bytes.Buffer
	env := r.Env()
	env.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	repo, err := gitops.Open(context.Background(), gitops.NewGit(env), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	r.Append("MEMORY.md", "- precious content\n")
	if _, err := gittest.Save(context.Background(), repo, gitWriter(repo, gitops.WriterOptions{}), "precious message\n", "MEMORY.md"); err != nil {
		t.Fatal(err)
	}
	for c, err := range repo.Log(context.Background(), gitops.LogOptions{Grep: "precious message"}) {
		if err != nil || c.Subject != "precious message" {
			t.Error(c, err)
		}
	}
	if s := out.String(); !strings.Contains(s, "verb=update-ref") || strings.Contains(s, "precious") || strings.Contains(s, "MEMORY") {
		t.Errorf("trace is %s", s)
	}
}

// Where there are no hard links the index is copied, with its time: a newer one
// would hide edits.
func TestCopyIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(from, []byte("index"), 0o640); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(from, old, old); err != nil {
		t.Fatal(err)
	}
	if err := gitops.CopyIndex(from, to); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(from)
	b, err := os.Stat(to)
	if err != nil || !b.ModTime().Equal(old) || a.Mode() != b.Mode() {
		t.Errorf("%v %v", b, err)
	}
}

// A cancelled command is told to end, and git removes its locks.
func TestCancelEndsGit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	r.Hook("pre-commit", "sleep 20\n")
	r.Append("MEMORY.md", "- x\n")
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := repo.Git.Run(ctx, gitops.Cmd{Dir: r.Dir, Args: []string{"commit", "-q", "-a", "-m", "x"}})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	r.CheckClean(" M MEMORY.md")
}

// The file that a deep or a far place needs is written beside its target when it
// cannot be renamed from the git dir.
func TestPlaceWithoutGitDir(t *testing.T) {
	t.Parallel()
	r := gittest.New(t, gittest.LinkedWorktree())
	repo := r.Open()
	if err := repo.PlaceWork("deep/er/x.md", gitops.Place{Content: []byte("x\n")}); err != nil {
		t.Fatal(err)
	}
	if r.Read("deep/er/x.md") != "x\n" {
		t.Error("content")
	}
	r.CheckClean("?? deep/er/x.md")
}

// Everybody who shares a repository can take its lock and finish its journal.
func TestSharedRepository(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]os.FileMode{"group": 0o060, "true": 0o060, "all": 0o064, "0660": 0o060, "umask": 0, "": 0} {
		r := gittest.New(t)
		r.Hook("commit-msg", "exit 0\n")
		if value != "" {
			r.Git("config", "core.sharedRepository", value)
		}
		repo := r.Open()
		r.Append("MEMORY.md", "- x\n")
		for _, private := range []string{repo.ClawDir(), repo.ClawDir() + "/lock"} {
			if _, err := os.Lstat(private); err == nil {
				t.Fatalf("'%s' is there already", private)
			}
		}
		if _, err := gittest.Save(context.Background(), repo, gitWriter(repo, gitops.WriterOptions{}), "x\n"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{repo.ClawDir(), repo.ClawDir() + "/lock", r.GitPath("COMMIT_EDITMSG"), r.GitPath("index")} {
			fi, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := fi.Mode().Perm(); got&want != want {
				t.Errorf("core.sharedRepository=%s: '%s' has the mode %v", value, name, got)
			}
		}
		r.CheckClean()
	}
}
