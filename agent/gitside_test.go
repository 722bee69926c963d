package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/payload"
)

// T35: what the user staged stays staged and is in no commit of ours; a partly
// staged file is left as it is, and the rest is saved.
func TestT35(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("README.md", "staged\n")
	s.Write("src/new.go", "package x\n")
	s.Git("add", "README.md", "src/new.go")
	s.Append("USER.md", "- staged part\n")
	s.Git("add", "USER.md")
	s.Append("USER.md", "- and a part that is not\n")
	s.Append("MEMORY.md", "- unstaged\n")
	s.Append("memory/2026-02-28.md", "- staged whole\n")
	s.Git("add", "memory/2026-02-28.md")
	s.Git("rm", "-q", "--cached", "AGENTS.md")
	staged := s.Git("diff", "--cached", "--", "README.md", "src", "USER.md", "AGENTS.md")
	files := s.files()

	res := s.saveAs(Agent, SaveOptions{})
	wantBrief(t, res, "writeback agent MEMORY.md,memory/2026-02-28.md")
	if !res.Held() {
		t.Error("the save does not say that something was held back")
	}
	for _, want := range []string{"USER.md:0 partly staged", "AGENTS.md:0 partly staged"} {
		if !slices.ContainsFunc(reasons(res.Skipped), func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("skipped %q, want %q", reasons(res.Skipped), want)
		}
	}
	if now := s.Git("diff", "--cached", "--", "README.md", "src", "USER.md", "AGENTS.md"); now != staged {
		t.Errorf("what was staged changed from\n%s\nto\n%s", staged, now)
	}
	if p := s.Git("diff", "--name-only", "HEAD~1", "HEAD"); p != "MEMORY.md\nmemory/2026-02-28.md" {
		t.Errorf("the commit holds %q", p)
	}
	sameFiles(t, "save", files, s.files(), nil)
	s.CheckClean("M  README.md", "A  src/new.go", "MM USER.md", "D  AGENTS.md", "?? AGENTS.md")

	for _, run := range []func() error{
		func() error { _, err := s.undoAs(User, s.idOf("HEAD")); return err },
		func() error {
			_, err := Save(context.Background(), s.open(), Caller{Actor: User}, SaveOptions{Paths: []string{"USER.md"}})
			return err
		},
	} {
		if err := run(); err != nil {
			t.Error(err)
		}
	}
	if now := s.Git("diff", "--cached", "--", "README.md", "src", "USER.md", "AGENTS.md"); now != staged {
		t.Error("an undo of other files changed what was staged")
	}
}

// idOf is the Claw-Id of a commit.
func (s *space) idOf(rev string) string {
	s.t.Helper()
	return strings.TrimSpace(s.Git("log", "-1", "--format=%(trailers:key=Claw-Id,valueonly)", rev, "--"))
}

// T64: what is dirty when a turn begins is nobody's, what changed in it is the
// agent's; undo offers the agent's.
func TestT64(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newAdopted(t, nil)
	git := gitops.NewGit(s.Env())
	s.Append("MEMORY.md", "- typed by somebody\n")
	event := payload.Event{Kind: payload.TurnStart, Session: "sess-1", Cwd: filepath.Join(s.Dir, "memory")}
	before, err := Turn(ctx, git, event, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Append("memory/2026-02-28.md", "- learned in the turn\n")
	event.Kind = payload.TurnEnd
	after, err := Turn(ctx, git, event, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantBrief(t, before, "writeback unknown MEMORY.md")
	wantBrief(t, after, "writeback agent memory/2026-02-28.md")
	if again, err := Turn(ctx, git, event, nil); err != nil || len(again.Commits) > 0 {
		t.Errorf("a turn without edits: %v, %v", again, err)
	}

	s.Append("USER.md", "- by watch\n")
	ctx2, stop := context.WithCancel(ctx)
	stop()
	if err := Watch(ctx2, s.open(), Caller{Actor: Unknown}, WatchOptions{Quiet: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	last, err := LastAgentChange(ctx, s.open())
	if err != nil || last == nil || last.ID != after.Commits[0].ID {
		t.Errorf("undo offers %v (%v), want the agent's change", last, err)
	}
	var got []string
	for e, err := range History(ctx, s.open(), HistoryOptions{Max: 3}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(e.Actor)+" "+e.Session)
	}
	if want := []string{"unknown ", "agent sess-1", "unknown "}; !slices.Equal(got, want) {
		t.Errorf("log says %q, want %q", got, want)
	}
	if _, err := s.undoAs(Agent, last.ID); err != nil {
		t.Fatal(err)
	}
	if next, err := LastAgentChange(ctx, s.open()); err != nil || next != nil {
		t.Errorf("after the undo it offers %v (%v), want nothing", next, err)
	}
	s.CheckClean()
}

// T67: foreign hooks run on a write-back; one that fails stops the commit, and
// nothing else.
func TestT67(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, hook := range []string{"reference-transaction", "prepare-commit-msg", "pre-commit", "commit-msg"} {
		t.Run(hook, func(t *testing.T) {
			t.Parallel()
			s := newAdopted(t, nil)
			ran, fail := filepath.Join(s.Base, "ran"), filepath.Join(s.Base, "fail")
			body := "echo x >>'" + ran + "'\nif test -e '" + fail + "'; then echo 'not today' >&2; exit 1; fi\n"
			if hook == "reference-transaction" {
				body = "test \"$1\" = prepared || exit 0\n" + body
			}
			s.Hook(hook, body)

			s.Append("MEMORY.md", "- one\n")
			s.saveAs(Agent, SaveOptions{})
			if _, err := os.Stat(ran); err != nil {
				t.Fatal("the hook did not run")
			}
			s.CheckClean()

			s.Append("MEMORY.md", "- two\n")
			if err := os.WriteFile(fail, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			head, text := s.Head(), s.Read("MEMORY.md")
			_, err := Save(ctx, s.open(), Caller{Actor: Agent}, SaveOptions{})
			var he *gitops.HookError
			if !errors.As(err, &he) || he.Name != hook {
				t.Fatalf("save: %v, want *HookError of '%s'", err, hook)
			}
			if s.Head() != head || s.Read("MEMORY.md") != text {
				t.Error("a refused commit changed HEAD or the file")
			}
			dash, err := Status(ctx, s.open(), nil)
			if err != nil || dash.Failed == nil || dash.Failed.Hook != hook || len(dash.Unsaved) != 1 {
				t.Errorf("status: failed %+v, unsaved %v (%v)", dash.Failed, dash.Unsaved, err)
			}
			if _, err := s.undoAs(User, "HEAD"); !errors.As(err, &he) {
				t.Errorf("undo: %v, want *HookError", err)
			}
			if s.Head() != head || s.Read("MEMORY.md") != text {
				t.Error("a refused undo changed HEAD or the file")
			}

			if err := os.Remove(fail); err != nil {
				t.Fatal(err)
			}
			s.saveAs(Agent, SaveOptions{})
			if dash, err := Status(ctx, s.open(), nil); err != nil || dash.Failed != nil {
				t.Errorf("status still shows the hook: %+v (%v)", dash.Failed, err)
			}
			s.CheckClean()
		})
	}
}
