package agent

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/hooks/payload"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/testdata/shapes"
)

// T31: the nearest .claw/config is the root, a save stays inside its prefix and
// says so, and where nothing was adopted nothing is written.
func TestT31(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
	shapes.Named(t, "three workspaces").Make(t, s.Dir)
	ops := s.at("agents/workspace-ops")
	for _, w := range []*space{s.at("workspace-main"), s.at("workspace-dev"), ops} {
		w.adopt()
		w.Append(w.root+"/memory/2026-02-28.md", "- in "+w.root+"\n")
	}

	// A nearer AGENTS.md does not make a root.
	s.Write("agents/workspace-ops/memory/deep/AGENTS.md", "# only a note\n")
	ws, err := memory.Open(ctx, gitops.NewGit(s.Env()), s.Path("agents/workspace-ops/memory/deep"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Repo.Close() })
	if ws.Prefix != "agents/workspace-ops/" {
		t.Errorf("root %q, want the folder with .claw/config", ws.Prefix)
	}

	res, err := Save(ctx, ws, Caller{Actor: Agent, Session: "s1"}, SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantBrief(t, res, "writeback agent memory/2026-02-28.md,memory/deep/AGENTS.md")
	changed := strings.Fields(s.Git("diff", "--name-only", "HEAD~1", "HEAD"))
	if want := []string{"agents/workspace-ops/memory/2026-02-28.md", "agents/workspace-ops/memory/deep/AGENTS.md"}; !slices.Equal(changed, want) {
		t.Errorf("the commit holds %q, want %q", changed, want)
	}
	if got := s.Git("log", "-1", "--format=%(trailers:key=Claw-Workspace,valueonly)"); strings.TrimSpace(got) != "agents/workspace-ops" {
		t.Errorf("Claw-Workspace is %q", got)
	}
	if dash, err := Status(ctx, s.at("workspace-dev").open(), nil); err != nil || len(dash.Unsaved) != 1 {
		t.Errorf("the other workspace has unsaved %v (%v), want its own file", dash.Unsaved, err)
	}
	s.CheckClean(" M README.md", " M workspace-dev/memory/2026-02-28.md", " M workspace-main/memory/2026-02-28.md")
}

// T31: without .claw/config whatever writes refuses with a hint, reading works,
// and a host's event is passed over in silence.
func TestT31NotAdopted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSpace(t, nil)
	s.Append("MEMORY.md", "- new\n")
	before := readFiles(t, s.Dir, "")
	caller := Caller{Actor: User}
	for name, run := range map[string]func() error{
		"save":  func() error { _, err := Save(ctx, s.open(), caller, SaveOptions{}); return err },
		"note":  func() error { _, err := Note(ctx, s.open(), caller, NoteOptions{Text: "x"}); return err },
		"undo":  func() error { _, err := Undo(ctx, s.open(), caller, UndoOptions{Target: "HEAD"}); return err },
		"watch": func() error { return Watch(ctx, s.open(), caller, WatchOptions{Quiet: 1}) },
	} {
		var no *memory.NotAdoptedError
		if err := run(); !errors.As(err, &no) || no.ExitCode() != 128 || len(no.Hints()) == 0 {
			t.Errorf("%s: %v, want *NotAdoptedError with a hint", name, err)
		}
	}
	dash, err := Status(ctx, s.open(), nil)
	if err != nil || dash.Adopted || len(dash.Next) == 0 || dash.Next[0].Command != "git claw init" {
		t.Errorf("status says %+v (%v), want not adopted", dash, err)
	}
	if err := drain(ctx, s.open()); err != nil {
		t.Errorf("log: %v", err)
	}
	for _, kind := range []payload.Kind{payload.SessionStart, payload.TurnStart, payload.TurnEnd, payload.SessionEnd} {
		if res, err := Turn(ctx, gitops.NewGit(s.Env()), payload.Event{Kind: kind, Cwd: s.Dir, Session: "x"}, nil); res != nil || err != nil {
			t.Errorf("%v gave %v, %v; want silence", kind, res, err)
		}
	}
	if res, err := Turn(ctx, gitops.NewGit(s.Env()), payload.Event{Kind: payload.TurnEnd, Cwd: s.Base}, nil); res != nil || err != nil {
		t.Errorf("outside of git: %v, %v; want silence", res, err)
	}
	sameFiles(t, "a command without workspace", before, readFiles(t, s.Dir, ""), nil)
}

// T32: adoption of a workspace with a past, foreign hooks, a team.
func TestT32(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSpace(t, nil)
	for i, text := range []string{"- second\n", "- third\n"} {
		s.Append("memory/2026-02-28.md", text)
		s.Git("commit", "-qam", []string{"two", "three"}[i])
	}
	s.Write("Journal/a.md", "- mine\n")
	s.Write("Journal/b.md", "- mine\n")
	ran := filepath.Join(s.Base, "ran")
	s.Hook("pre-commit", "echo pre-commit >>'"+ran+"'\n")
	old := s.Git("log", "--format=%H")
	before := s.files()
	tracked := s.Git("ls-files")

	res, err := s.init(func(o *InitOptions) { o.Team, o.NoHooks, o.Binary = true, false, "/opt/claw/git-claw" })
	if err != nil {
		t.Fatal(err)
	}
	added := func(p string) bool {
		return p == ".claw/config" || p == ".gitignore" || p == ".gitattributes"
	}
	sameFiles(t, "init", before, s.files(), added)
	if now := s.Git("log", "--format=%H"); !strings.HasSuffix(now, old) {
		t.Error("init rewrote history")
	}
	now := s.Git("ls-files")
	for f := range strings.SplitSeq(tracked, "\n") {
		if !slices.Contains(strings.Split(now, "\n"), f) {
			t.Errorf("init --team untracked '%s'", f)
		}
	}
	if b, err := os.ReadFile(ran); err != nil || len(b) == 0 {
		t.Errorf("the foreign hook did not run on the commits of init (%v)", err)
	}
	_ = os.Remove(ran)
	s.Append("README.md", "by a person\n")
	s.Git("commit", "-qam", "by a person")
	if _, err := os.Stat(ran); err != nil {
		t.Error("the foreign hook does not run any more")
	}

	state, files := s.state(), readFiles(t, s.Dir, "")
	second, err := s.init(func(o *InitOptions) { o.Team, o.NoHooks, o.Binary = true, false, "/opt/claw/git-claw" })
	if err != nil || !second.Commit.IsZero() {
		t.Errorf("second init: commit %v, %v", second.Commit, err)
	}
	sameFiles(t, "a second init", files, readFiles(t, s.Dir, ""), func(p string) bool {
		return p == ".git/index" // its stat data may be refreshed
	})
	if s.state() != state {
		t.Error("a second init changed HEAD, refs or index")
	}
	checkIgnoresNoNotes(t, s)
	checkUnmanaged(ctx, t, s, res.Workspace)
	s.CheckClean()
}

// checkIgnoresNoNotes: no default pattern matches a note, whatever it is called.
func checkIgnoresNoNotes(t *testing.T, s *space) {
	t.Helper()
	for _, name := range []string{
		"secrets.md", "memory/secrets.env.md", "private.key.md", "x.pem.md", "memory/x.tmp.md", "a.tmp.1.md", ".env.md", "x.sqlite.md", "openclaw-workspace-state.json.md",
	} {
		plain := strings.TrimPrefix(name, "memory/") // --team ignores memory/ as asked
		if out, err := s.Try("check-ignore", "-v", plain); err == nil {
			t.Errorf("'%s' is ignored: %s", plain, out)
		}
	}
}

// checkUnmanaged runs the command that status prints, and the notes are managed.
func checkUnmanaged(ctx context.Context, t *testing.T, s *space, ws *memory.Workspace) {
	t.Helper()
	dash, err := Status(ctx, ws, nil)
	if err != nil {
		t.Fatal(err)
	}
	if dash.Unmanaged.Notes != 3 || dash.Unmanaged.Folder != "Journal/" { // README.md is one
		t.Errorf("unmanaged: %+v, want 3 notes, most in 'Journal/'", dash.Unmanaged)
	}
	cmd := exec.Command("sh", "-c", dash.Unmanaged.Hint)
	cmd.Dir, cmd.Env = s.Base, s.Environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", dash.Unmanaged.Hint, err, out)
	}
	res := s.saveAs(User, SaveOptions{})
	wantBrief(t, res, "l1.edit user .claw/config", "writeback user Journal/a.md,Journal/b.md")
}

// T32: a repository of code gets a recommendation and no error.
func TestT32Code(t *testing.T) {
	t.Parallel()
	s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
	shapes.Named(t, "code repository").Make(t, s.Dir)
	res := s.adopt()
	if !slices.ContainsFunc(res.Notices, func(n string) bool { return strings.Contains(n, "holds code") }) {
		t.Errorf("notices %q do not recommend a repository of its own", res.Notices)
	}
	for p := range strings.SplitSeq(s.Git("diff", "--name-only", "HEAD~2", "HEAD"), "\n") {
		if strings.HasPrefix(p, "src/") || strings.HasPrefix(p, "node_modules/") {
			t.Errorf("init committed '%s'", p)
		}
	}
	s.CheckClean(" M src/f01.ts", "?? node_modules/m00/README.md", "?? src/new.ts")
}
