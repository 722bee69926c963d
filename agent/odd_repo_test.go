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
	"github.com/git-claw/git-claw/gitops/gittest"
)

// Save and undo work the same in every kind of repository.
func TestRepositories(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]gittest.Option{
		"linked worktree": {gittest.LinkedWorktree()}, "sha256": {gittest.SHA256()}, "index v4": {gittest.IndexV4()},
		"split index": {gittest.SplitIndex()}, "packed": {gittest.Packed()}, "shallow": {gittest.Shallow()}, "partial": {gittest.PartialClone()},
		"alternates": {gittest.Alternates()}, "fsmonitor": {gittest.FSMonitor()}, "untracked cache": {gittest.UntrackedCache()},
		"odd folder": {gittest.In("a [b] ~ 'c'\"d\n晨露")}, "reftable": {gittest.Reftable()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAdopted(t, nil, opts...)
			s.Append("AGENTS.md", "- one more rule\n")
			s.Append("MEMORY.md", "- one more\n")
			s.Write("memory/new.md", "- new\n")
			text := s.Read("MEMORY.md")
			res := s.saveAs(Agent, SaveOptions{})
			wantBrief(t, res, "l1.edit agent AGENTS.md", "writeback agent MEMORY.md,memory/new.md")
			s.Append("MEMORY.md", "- later\n")
			s.saveAs(User, SaveOptions{})
			for _, c := range res.Commits {
				if _, err := s.undoAs(User, c.ID); err != nil {
					t.Fatalf("undo of %s: %v", c.Event, err)
				}
			}
			if got, want := s.Read("MEMORY.md"), strings.Replace(text, "- one more\n", "- later\n", 1); got != want {
				t.Errorf("MEMORY.md is %q, want %q", got, want)
			}
			s.CheckClean()
		})
	}
}

// A detached HEAD and a branch without a commit are saved to; a branch that
// changes under the save keeps what is its own.
func TestHeads(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("MEMORY.md", "- two\n")
	s.saveAs(User, SaveOptions{})
	main := s.Git("rev-parse", "main")
	s.Git("checkout", "-q", "--detach", "HEAD~1")
	s.Append("MEMORY.md", "- on no branch\n")
	res := s.saveAs(Agent, SaveOptions{})
	if len(res.Commits) != 1 || s.Git("rev-parse", "main") != main || s.Head() == main {
		t.Errorf("detached: %q, main moved: %v", res.brief(), s.Git("rev-parse", "main") != main)
	}
	if dash, err := Status(context.Background(), s.open(), nil); err != nil || dash.Branch != "" {
		t.Errorf("status says branch %q (%v)", dash.Branch, err)
	}
	if _, err := s.undoAs(User, "HEAD"); err != nil {
		t.Error(err)
	}
	s.CheckClean()

	s.Git("switch", "-q", "--orphan", "fresh")
	s.Write(".claw/config", "[claw]\n\tversion = 1\n")
	s.Write("MEMORY.md", "# Memory\n")
	res = s.saveAs(Agent, SaveOptions{})
	wantBrief(t, res, "l1.edit agent .claw/config", "writeback agent MEMORY.md")
	if n := s.Git("rev-list", "--count", "HEAD"); n != "2" {
		t.Errorf("%s commits on the new branch, want 2", n)
	}
	var no *RefusedError
	if _, err := s.undoAs(User, "HEAD~1"); !errors.As(err, &no) {
		t.Errorf("undo of its first commit: %v", err)
	}
	s.CheckClean()
}

// A workspace in a submodule is one of the submodule; from outside it is left
// alone.
func TestSubmodule(t *testing.T) {
	t.Parallel()
	inner := newAdopted(t, nil)
	s := newAdopted(t, nil)
	s.Git("submodule", "add", "-q", "file://"+inner.Dir, "memory/agent")
	s.Git("commit", "-qm", "submodule")
	sub := &space{Repo: s.Repo, t: t, root: "memory/agent"}
	s.Append("memory/agent/MEMORY.md", "- in the submodule\n")
	if res := s.saveAs(Agent, SaveOptions{}); len(res.Commits) > 0 {
		t.Errorf("saved from outside: %q", res.brief())
	}
	res := sub.saveAs(Agent, SaveOptions{})
	wantBrief(t, res, "writeback agent MEMORY.md")
	if res := s.saveAs(Agent, SaveOptions{}); len(res.Commits) > 0 {
		t.Errorf("the gitlink was saved: %q", res.brief())
	}
	if _, err := sub.undoAs(User, res.Commits[0].ID); err != nil {
		t.Error(err)
	}
	if got := s.Read("memory/agent/MEMORY.md"); got != inner.Read("MEMORY.md") {
		t.Errorf("the submodule's file is %q", got)
	}
	s.CheckClean(" M memory/agent")
}

// A lock that somebody left is waited for, named, and never taken away.
func TestForeignLock(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Git("config", "claw.lockTimeout", "200ms")
	s.Append("MEMORY.md", "- x\n")
	lock := s.GitPath("index.lock")
	must(t, os.WriteFile(lock, []byte("somebody"), 0o666))
	for name, run := range map[string]func() error{
		"save": func() error { _, err := s.savePaths(); return err },
		"undo": func() error { _, err := s.undoAs(User, "HEAD"); return err },
		"note": func() error {
			_, err := Note(context.Background(), s.open(), Caller{Actor: Agent}, NoteOptions{Text: "x"})
			return err
		},
	} {
		var locked *gitops.LockedError
		if err := run(); !errors.As(err, &locked) || locked.Path != lock {
			t.Errorf("%s: %v, want *LockedError for '%s'", name, err, lock)
		}
	}
	if b, err := os.ReadFile(lock); err != nil || string(b) != "somebody" {
		t.Errorf("the lock is %q now (%v)", b, err)
	}
	must(t, os.Remove(lock))
	wantBrief(t, s.saveAs(Agent, SaveOptions{}), "writeback agent MEMORY.md")
	s.CheckClean()
}

// A signature that cannot be made is an error, and the edit stays.
func TestSigningFails(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Git("config", "commit.gpgSign", "true")
	s.Git("config", "gpg.program", "false")
	s.Append("MEMORY.md", "- x\n")
	head, text := s.Head(), s.Read("MEMORY.md")
	if _, err := s.savePaths(); err == nil || !strings.Contains(err.Error(), "gpg") {
		t.Errorf("save: %v, want gpg's failure", err)
	}
	if s.Head() != head || s.Read("MEMORY.md") != text {
		t.Error("a failed signature changed something")
	}
	s.CheckClean(" M MEMORY.md")
}

// What hosts do to a workspace: a bootstrap that is over, and a nightly job that
// rewrites MEMORY.md.
func TestHostEdits(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, map[string]string{
		"AGENTS.md": "# A\n", "SOUL.md": "# S\n", "IDENTITY.md": "# I\n", "USER.md": "# U\n", "BOOTSTRAP.md": "# Hello\n", "MEMORY.md": "# Memory\n\n- a\n- b\n",
		"memory/2026-02-28.md": "- a\n",
	})
	s.Append("BOOTSTRAP.md", "one more question\n")
	wantBrief(t, s.saveAs(Agent, SaveOptions{}), "l1.edit agent BOOTSTRAP.md")
	s.Remove("BOOTSTRAP.md")
	s.Append("IDENTITY.md", "- Name: Pip\n")
	s.Append("SOUL.md", "Calm.\n")
	s.Append("AGENTS.md", "- rule\n")
	s.Append("MEMORY.md", "- c\n")
	wantBrief(t, s.saveAs(Agent, SaveOptions{}),
		"bootstrap.complete agent BOOTSTRAP.md,IDENTITY.md,SOUL.md", "l1.edit agent AGENTS.md", "writeback agent MEMORY.md")

	s.Write("MEMORY.md", "# Memory\n\n- b\n\n## Promoted From Short-Term Memory (2026-03-01)\n\n<!-- openclaw-memory-promotion:memory:memory/2026-02-28.md:1:2 -->\n- promoted [score=0.9]\n")
	s.Append("memory/2026-02-28.md", "- seen\n")
	res := s.saveAs(Agent, SaveOptions{})
	wantBrief(t, res, "writeback agent MEMORY.md", "writeback agent memory/2026-02-28.md")
	if got := strings.TrimSpace(s.Git("log", "-1", "--format=%(trailers:key=Claw-Source,valueonly)", res.Commits[0].Commit.String())); got != "openclaw-dreaming" {
		t.Errorf("Claw-Source is %q", got)
	}
	if _, err := s.undoAs(Agent, res.Commits[0].ID); err != nil {
		t.Errorf("an agent takes back MEMORY.md: %v", err)
	}
	if got := s.Read("MEMORY.md"); got != "# Memory\n\n- a\n- b\n- c\n" {
		t.Errorf("MEMORY.md is %q", got)
	}
	s.CheckClean()
}

// Whatever a host calls its session, it is one line of one trailer; nothing of it
// passes for another one.
func TestSessionIDs(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	for i, id := range []string{
		"plain", "two\nClaw-Actor: user\nClaw-Approved-By: x <x@y>", "\x1b[31mred\x07", "tab\there", "\u202ebidi", "caf\xe9", " spaces ", strings.Repeat("long ", 300),
		"x\n\nClaw-Event: forged", "# comment", "---", "\x00nul", "🙂",
	} {
		s.Append("MEMORY.md", "- "+strings.Repeat("x", i+1)+"\n")
		res, err := Save(context.Background(), s.open(), Caller{Actor: Agent, Session: id}, SaveOptions{Message: "m\n\nClaw-Actor: user\n---\nClaw-Id: 20200101-00000000"})
		if err != nil || len(res.Commits) != 1 {
			t.Fatalf("session %q: %v, %v", id, res, err)
		}
		var last Event
		for e, err := range History(context.Background(), s.open(), HistoryOptions{Max: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			last = e
		}
		if last.Actor != Agent || last.Name != eventWriteback || last.ID != res.Commits[0].ID || last.Session != res.Commits[0].Session {
			t.Errorf("session %q: read back as %s %s %s %q", id, last.Name, last.Actor, last.ID, last.Session)
		}
		if n := len(last.Commit.Trailers.All("Claw-Actor")); n != 1 {
			t.Errorf("session %q: %d actors", id, n)
		}
		if strings.ContainsFunc(last.Session, func(r rune) bool { return r < ' ' }) {
			t.Errorf("session %q: control characters in %q", id, last.Session)
		}
		var bySession []string
		for e, err := range History(context.Background(), s.open(), HistoryOptions{Session: id}) {
			if err != nil {
				t.Fatal(err)
			}
			bySession = append(bySession, e.ID)
		}
		if !slices.Contains(bySession, res.Commits[0].ID) {
			t.Errorf("session %q is not found by its name", id)
		}
	}
	s.CheckClean()
}

// What the adoption finds being edited is committed by it or left to the user,
// and a folder without a repository gets one.
func TestInitNew(t *testing.T) {
	t.Parallel()
	s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
	must(t, os.RemoveAll(filepath.Join(s.Dir, ".git")))
	s.Write("MEMORY.md", "# Memory\n")
	s.Write("memory/key.md", "- "+stripeKey()+"\n- fine\n")
	before := readFiles(t, s.Dir, "")
	dry, err := s.init(func(o *InitOptions) { o.DryRun = true })
	if err != nil || !dry.NewRepo {
		t.Fatalf("dry run: %+v, %v", dry, err)
	}
	sameFiles(t, "a dry run", before, readFiles(t, s.Dir, ""), nil)
	res := s.adopt()
	if !res.NewRepo || !res.Baseline.Held() || s.InHead("memory/key.md") != "- fine\n" {
		t.Errorf("init: new %v, held %v, %q", res.NewRepo, res.Baseline.Held(), s.InHead("memory/key.md"))
	}
	s.noValue(stripeKey(), res.Baseline)
	s.CheckClean(" M memory/key.md")

	empty := &space{Repo: s.Repo, t: t, root: "../fresh/agent"}
	made, err := empty.init(nil)
	if err != nil || !made.NewRepo || !made.Plan.Fresh {
		t.Fatalf("a folder that is not there: %+v, %v", made, err)
	}
	if _, err := os.Stat(filepath.Join(s.Base, "fresh/agent/SOUL.md")); err != nil {
		t.Error(err)
	}
}

// The clock of the environment is the clock of the commit.
func TestSaveClock(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Clock.Advance(36 * time.Hour)
	s.Append("MEMORY.md", "- x\n")
	res := s.saveAs(Agent, SaveOptions{})
	if got := s.Git("log", "-1", "--format=%aI %cI"); got != "2026-03-03T00:00:00+00:00 2026-03-03T00:00:00+00:00" || !strings.HasPrefix(res.Commits[0].ID, "20260303-") {
		t.Errorf("dated %s, id %s", got, res.Commits[0].ID)
	}
}

// A work tree whose repository lies elsewhere, by configuration or as people keep
// their dot files.
func TestSeparateGitDir(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(s *space, git string){
		"gitfile": func(s *space, git string) {
			s.Write(".git", "gitdir: "+git+"\n")
			s.Git("config", "core.worktree", s.Dir)
		},
		"environment": func(s *space, git string) { s.Environ = append(s.Environ, "GIT_DIR="+git, "GIT_WORK_TREE="+s.Dir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, nil)
			git := filepath.Join(s.Base, "elsewhere.git")
			must(t, os.Rename(filepath.Join(s.Dir, ".git"), git))
			set(s, git)
			s.adopt()
			s.Append("MEMORY.md", "- x\n")
			s.Append("SOUL.md", "x\n")
			res := s.saveAs(Agent, SaveOptions{})
			wantBrief(t, res, "l1.edit agent SOUL.md", "writeback agent MEMORY.md")
			if _, err := s.undoAs(User, res.Commits[1].ID); err != nil {
				t.Fatal(err)
			}
			if got := s.Read("MEMORY.md"); strings.Contains(got, "- x\n") {
				t.Errorf("MEMORY.md is %q", got)
			}
			s.Fsck()
			if got := s.Status(); len(got) > 0 && !slices.Equal(got, []string{"?? .git"}) {
				t.Errorf("git status: %q", got)
			}
		})
	}
}
