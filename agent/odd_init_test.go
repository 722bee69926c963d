package agent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
)

// What stands where init writes is never written through or over.
func TestInitInTheWay(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(s *space){
		".gitignore is a link":     func(s *space) { s.Symlink("../outside/x", ".gitignore") },
		".gitattributes is a link": func(s *space) { s.Symlink("README.md", ".gitattributes") },
		".claw is a link":          func(s *space) { s.Symlink("../outside", ".claw") },
		".claw/config is a link":   func(s *space) { s.Symlink("../../outside/x", ".claw/config") },
		".claw is a file":          func(s *space) { s.Write(".claw", "x\n") },
		".gitignore is a folder":   func(s *space) { s.Write(".gitignore/x", "x\n") },
		".claw/config is a folder": func(s *space) { s.Write(".claw/config/x", "x\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, nil)
			must(t, os.Mkdir(filepath.Join(s.Base, "outside"), 0o777))
			make(s)
			s.Append("MEMORY.md", "- unsaved\n")
			files, state := s.files(), s.state()
			_, err := s.init(nil)
			var link *memory.LinkError
			var other *memory.NotRegularError
			if !errors.As(err, &link) && !errors.As(err, &other) {
				t.Errorf("init: %v, want a refusal", err)
			}
			sameFiles(t, "a refused init", files, s.files(), nil)
			if s.state() != state {
				t.Error("a refused init changed HEAD, refs or index")
			}
			if left := readFiles(t, filepath.Join(s.Base, "outside"), ""); len(left) > 0 {
				t.Errorf("written outside: %v", left)
			}
		})
	}
}

// Staged files of others are not in our commits, on a branch without a commit
// either; ignore rules that cover everything do not keep the settings out.
func TestInitBeside(t *testing.T) {
	t.Parallel()
	base := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
	base.Write("main.go", "package main\n")
	base.Write("lib/x.go", "package lib\n")
	base.Write(".gitignore", "*\n!*.go\n")
	base.Write("agent/AGENTS.md", "# A\n")
	base.Git("add", "-f", "main.go", "lib/x.go")
	s := base.at("agent")
	res := s.adopt()
	if got := s.Git("ls-tree", "-r", "--name-only", "HEAD"); got != "agent/.claw/config\nagent/.gitattributes\nagent/.gitignore" {
		t.Errorf("HEAD has %q", got)
	}
	if !slices.ContainsFunc(res.Notices, func(n string) bool { return strings.Contains(n, "git ignores") && strings.Contains(n, "AGENTS.md") }) {
		t.Errorf("nobody is told that the notes are ignored: %q", res.Notices)
	}
	if again := s.adopt(); !again.Commit.IsZero() {
		t.Error("a second init made a commit")
	}
	s.Append("agent/.claw/config", "[claw]\n\ttimezone = UTC\n")
	wantBrief(t, s.saveAs(User, SaveOptions{}), "l1.edit user .claw/config")
	base.CheckClean("A  lib/x.go", "A  main.go")
}

// A workspace may lie in a folder of any name.
func TestOddPrefix(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"a [b]*/w?", "-x/--all", "line\nbreak", ":(glob)x", "晨露/产出 ", "it's \"$(id)\"", "back\\slash", "~", "caf\xe9"} {
		base := newSpace(t, map[string]string{"README.md": "x\n"})
		s := base.at(root)
		base.Write(root+"/AGENTS.md", "# A\n")
		base.Write(root+"/SOUL.md", "# S\n")
		base.Write(root+"/IDENTITY.md", "# I\n")
		base.Write(root+"/memory/a.md", "- a\n")
		base.Write(root+"/Journal/b.md", "- b\n")
		s.adopt()
		base.Append(root+"/memory/a.md", "- more\n")
		base.Append("README.md", "not ours\n")
		res := s.saveAs(Agent, SaveOptions{})
		wantBrief(t, res, "writeback agent memory/a.md")
		dash, err := Status(t.Context(), s.open(), nil)
		if err != nil || dash.Unmanaged.Notes != 1 {
			t.Errorf("%q: unmanaged %+v, %v", root, dash.Unmanaged, err)
		}
		if _, err := s.undoAs(User, res.Commits[0].ID); err != nil {
			t.Errorf("%q: undo: %v", root, err)
		}
		if got := base.Read(root + "/memory/a.md"); got != "- a\n" {
			t.Errorf("%q: %q", root, got)
		}
		base.CheckClean(" M README.md", "?? "+root+"/Journal/b.md")
	}
}

// Taking the adoption back leaves the folder as it was, and it can be adopted
// again; settings that were deleted by hand are written anew.
func TestInitAgain(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	s.Write(".gitignore", "*.log\n")
	s.Git("add", ".gitignore")
	s.Git("commit", "-qm", "ignore")
	before := s.files()
	s.adopt()
	if _, err := s.undoAs(User, "HEAD"); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "adoption and undo", before, s.files(), nil)
	s.CheckClean()
	s.adopt()
	s.CheckClean()

	s.Append(".claw/config", "[claw]\n\ttimezone = UTC\n")
	s.saveAs(User, SaveOptions{})
	must(t, os.Remove(s.Path(".claw/config")))
	s.adopt()
	if got := s.Read(".claw/config"); strings.Count(got, "version = 1") != 1 || s.InHead(".claw/config") != got {
		t.Errorf(".claw/config is %q, in HEAD %q", got, s.InHead(".claw/config"))
	}
	s.CheckClean()
}

// Several at once: one adoption, one undo.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	s.Append("MEMORY.md", "- unsaved\n")
	answers := s.atOnce(6, job{Do: "init", Actor: User})
	if n := s.Git("rev-list", "--count", "--grep=^Claw-Event: workspace.adopt", "HEAD"); n != "1" {
		t.Errorf("%s adoptions", n)
	}
	for _, d := range answers {
		if d.Err != "" {
			t.Errorf("init: %s", d.Err)
		}
	}
	s.CheckClean()

	s.Append("memory/2026-02-28.md", "- wrong\n")
	target := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
	done := 0
	for _, d := range s.atOnce(6, job{Do: "undo", Actor: User, Target: target}) {
		switch {
		case d.Err == "" && len(d.Commits) == 1:
			done++
		case !strings.Contains(d.Err, "already") && !strings.Contains(d.Err, "nothing to commit"):
			t.Errorf("undo: %q %q", d.Err, d.Commits)
		}
	}
	if n := s.Git("rev-list", "--count", "--grep=^Claw-Event: undo", "HEAD"); n != "1" || done != 1 {
		t.Errorf("%s undo commits, %d said so", n, done)
	}
	if got := s.Read("memory/2026-02-28.md"); strings.Contains(got, "wrong") {
		t.Errorf("the file is %q", got)
	}
	s.CheckClean()
}

// atOnce runs one job in several processes.
func (s *space) atOnce(n int, j job) []done {
	s.t.Helper()
	out := make([]done, n)
	var wg sync.WaitGroup
	for i := range n {
		cmd := s.process(j)
		wg.Go(func() { out[i] = answer(s.t, cmd) })
	}
	wg.Wait()
	return out
}

// Two worktrees of one repository write side by side, each on its own branch.
func TestTwoWorktrees(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	linked := filepath.Join(s.Base, "linked")
	s.Git("worktree", "add", "-q", "-b", "other", linked)
	two := *s.Repo
	two.Dir = linked
	other := &space{Repo: &two, t: t}
	var wg sync.WaitGroup
	for i, w := range []*space{s, other} {
		for n := range 6 {
			name := string(rune('a'+i)) + string(rune('0'+n)) + ".md"
			cmd := w.process(job{Do: "write", Actor: Agent, Paths: []string{"memory/" + name}, Text: "- x\n"})
			wg.Go(func() {
				if d := answer(t, cmd); d.Err != "" || len(d.Commits) != 1 {
					t.Errorf("%s: %q %q", name, d.Err, d.Commits)
				}
			})
		}
	}
	wg.Wait()
	for _, w := range []*space{s, other} {
		if n := w.Git("rev-list", "--count", "HEAD", "--", "memory"); n != "7" {
			t.Errorf("%s commits in '%s', want 7", n, w.Dir)
		}
		w.CheckClean()
	}
}

// A dry run says what would happen and writes nothing, not even an object.
func TestDryRun(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append("MEMORY.md", "- x\n")
	id := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
	s.Append("SOUL.md", "x\n")
	s.Append("USER.md", "- "+stripeKey()+"\n- y\n")
	all := readFiles(t, s.Dir, "")
	res := s.saveAs(Agent, SaveOptions{DryRun: true})
	wantBrief(t, res, "l1.edit agent SOUL.md", "l1.edit agent USER.md")
	if !res.Held() || !res.Commits[0].Commit.IsZero() {
		t.Errorf("dry run: %+v", res)
	}
	undo, err := Undo(t.Context(), s.open(), Caller{Actor: User}, UndoOptions{Target: id, DryRun: true})
	if err != nil || !slices.Equal(undo.Paths, []string{"MEMORY.md"}) || !undo.Commit.IsZero() {
		t.Errorf("dry undo: %+v, %v", undo, err)
	}
	if _, err := Note(t.Context(), s.open(), Caller{Actor: Agent}, NoteOptions{Text: "x", DryRun: true}); err != nil {
		t.Error(err)
	}
	sameFiles(t, "a dry run", all, readFiles(t, s.Dir, ""), nil)
}

// State of a host is not saved when it is named, and the answer says so.
func TestSaveHostState(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	for _, name := range []string{"memory/main.sqlite", "memory/main.sqlite-wal", "memory/.openclaw/x.md"} {
		s.Write(name, "x\n")
		s.Git("add", "-f", name)
		var no *RefusedError
		if _, err := s.savePaths(name); !errors.As(err, &no) {
			t.Errorf("save %s: %v, want a refusal", name, err)
		}
	}
	if res := s.saveAs(Agent, SaveOptions{}); len(res.Commits) > 0 {
		t.Errorf("saved %q", res.brief())
	}
}
