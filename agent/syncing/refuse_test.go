package syncing_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/syncing"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/tombstone"
)

// TestRefusals: what ends a sync leaves everything as it was.
func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n", "notes.txt", "one\n")
	a, b := f.m[0], f.m[1]

	a.Git("remote", "rename", "origin", "x")
	a.Git("remote", "remove", "x")
	var no *agent.RefusedError
	if _, err := trySync(a, syncing.Options{}); !errors.As(err, &no) || !strings.HasPrefix(no.Advice[0], "git remote add origin ") {
		t.Errorf("no remote: %v", err)
	}
	a.Git("remote", "add", "origin", f.remote+".gone")
	a.Write("MEMORY.md", "# Memory\n\n- a\n")
	var gone *gitops.RemoteError
	if _, err := trySync(a, syncing.Options{}); !errors.As(err, &gone) || gone.ExitCode() != 128 {
		t.Errorf("remote gone: %v", err)
	}
	a.Git("remote", "set-url", "origin", f.remote)

	// A conflict that only a person can solve.
	a.Write("notes.txt", "two\n")
	a.Commit("a")
	b.Write("notes.txt", "three\n")
	b.Commit("b")
	if _, err := trySync(a, syncing.Options{WithForeign: true}); err != nil {
		t.Fatal(err)
	}
	was := b.Git("rev-parse", "HEAD")
	var conflict *agent.MergeConflictError
	if _, err := trySync(b, syncing.Options{WithForeign: true}); !errors.As(err, &conflict) || conflict.ExitCode() != 3 || conflict.Files[0].Path != "notes.txt" {
		t.Errorf("conflict: %v", err)
	}
	if b.Git("rev-parse", "HEAD") != was || b.ReadFile("notes.txt") != "three\n" {
		t.Error("something moved")
	}
	b.Check()

	b.Git("switch", "-q", "--detach")
	if _, err := trySync(b, syncing.Options{}); !errors.As(err, &no) {
		t.Errorf("detached: %v", err)
	}
}

// TestRewritten: a remote whose history was replaced is not merged.
func TestRewritten(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
	a, b := f.m[0], f.m[1]
	a.Write("MEMORY.md", "# Memory\n\n- a secret\n")
	doSync(a)
	doSync(b)
	a.Git("reset", "-q", "--hard", "HEAD~1")
	a.Write("MEMORY.md", "# Memory\n\n- nothing\n")
	a.Commit("instead")
	a.Git("push", "-q", "-f", "origin", "main")
	b.Write("memory/b.md", "# B\n")
	for range 2 { // and not the second time either
		var conflict *agent.ConflictError
		if _, err := trySync(b, syncing.Options{}); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "was rewritten") {
			t.Fatalf("%v", err)
		}
	}
	// One that was only cut back is no other.
	tip := f.at("rev-parse", "main")
	f.at("update-ref", "refs/heads/main", "main~1")
	var conflict *agent.ConflictError
	if _, err := trySync(b, syncing.Options{}); !errors.As(err, &conflict) {
		t.Errorf("cut back: %v", err)
	}
	f.at("update-ref", "refs/heads/main", tip)
	if f.at("log", "--format=%s", "-1", "main") != "instead" {
		t.Error("the remote was changed")
	}
	b.Git("branch", "before-rewrite")
	b.Git("reset", "-q", "--keep", "origin/main")
	doSync(b)
	if strings.Contains(b.ReadFile("MEMORY.md"), "secret") {
		t.Error("it came back")
	}
}

// TestRefusedByRemote: a hook of the remote says no, and why.
func TestRefusedByRemote(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, "MEMORY.md", "# Memory\n")
	a := f.m[0]
	hook := "#!/bin/sh\necho 'the branch is protected'\nexit 1\n"
	if err := os.WriteFile(f.remote+"/hooks/pre-receive", []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	a.Write("memory/a.md", "# A\n")
	_, err := trySync(a, syncing.Options{})
	var no *agent.RefusedError
	if !errors.As(err, &no) || !strings.Contains(strings.Join(no.Advice, "\n"), "origin said: the branch is protected") {
		t.Fatalf("%v", err)
	}
	if err.Error() != "'origin' does not take 'main': pre-receive hook declined" {
		t.Errorf("%v", err)
	}
	if err := os.Remove(f.remote + "/hooks/pre-receive"); err != nil {
		t.Fatal(err)
	}
	// Of some refs only: the memory goes.
	hook = "#!/bin/sh\ncase $1 in refs/notes/*) echo 'no notes'; exit 1;; esac\n"
	if err := os.WriteFile(f.remote+"/hooks/update", []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	judge(a, "kept here")
	_, err = trySync(a, syncing.Options{})
	if !errors.As(err, &no) || err.Error() != "'origin' does not take 'refs/notes/claw': hook declined" || !strings.Contains(strings.Join(no.Advice, "\n"), "what it takes was pushed") {
		t.Errorf("%v %q", err, no.Advice)
	}
	if f.at("rev-parse", "main") != a.Git("rev-parse", "HEAD") {
		t.Error("the memory was not pushed")
	}
	if err := os.Remove(f.remote + "/hooks/update"); err != nil {
		t.Fatal(err)
	}
	a.Write("memory/a.md", "# A\n\n- more\n")
	if res := doSync(a); !res.Pushed {
		t.Errorf("%+v", res)
	}
}

// TestErasedElsewhere: a forgotten entry that another machine still holds does not come
// back, by a merge or by a fast-forward (SPEC T59).
func TestErasedElsewhere(t *testing.T) {
	t.Parallel()
	const head, gone = "# Memory\n\n- first fact\n", "- the number of the card is on the fridge\n"
	sum := fmt.Sprintf("%x", tombstone.Of([]byte(gone)))
	f := newFleet(t, 3, "MEMORY.md", head+gone)
	a, b, c := f.m[0], f.m[1], f.m[2]
	a.Write("MEMORY.md", head)
	a.Write(".claw/tombstones", sum+" 2026-05-02\n")
	doSync(a)
	// Written anew in another file there, and pushed before the tombstone was known.
	b.Write("memory/b.md", "# B\n\n- something else\n"+gone)
	doSync(b)
	f.settle()
	for _, l := range f.m {
		if s := l.ReadFile("MEMORY.md") + l.ReadFile("memory/b.md"); strings.Contains(s, "fridge") || !strings.Contains(s, "something else") {
			t.Errorf("%s", s)
		}
	}
	// A plain git machine pushes it; the next one that syncs has only to fast-forward.
	c.Write("memory/c.md", "# C\n\n- of c\n"+gone)
	c.Commit("by hand")
	c.Git("push", "-q", "origin", "main")
	doSync(a)
	if s := a.ReadFile("memory/c.md"); strings.Contains(s, "fridge") || !strings.Contains(s, "of c") {
		t.Errorf("%s", s)
	}
	f.settle()
	if s := c.ReadFile("memory/c.md"); strings.Contains(s, "fridge") {
		t.Errorf("%s", s)
	}
}

// TestPurged: a history that was purged is neither merged nor pushed.
func TestPurged(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
	a, b := f.m[0], f.m[1]
	b.Write("memory/b.md", "# B\n")
	b.Commit("b")
	purged := b.Git("rev-parse", "HEAD")
	a.Write(".claw/tombstones", "purged "+purged+"\n")
	doSync(a)
	before := f.at("rev-parse", "main")
	var conflict *agent.ConflictError
	if _, err := trySync(b, syncing.Options{}); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "purged") {
		t.Errorf("%v", err)
	}
	if f.at("rev-parse", "main") != before {
		t.Error("it was pushed")
	}
}

// TestLosesEachRace: five more tries, and then the same command may work later.
func TestLosesEachRace(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
	a, b := f.m[0], f.m[1]
	hook := fmt.Sprintf("#!/bin/sh\necho x >>%s/tries\nunset $(git rev-parse --local-env-vars)\ncd %s && git commit -q --allow-empty -m b && git push -q origin main 2>/dev/null\nexit 0\n", f.remote, b.Dir)
	if err := os.WriteFile(a.Dir+"/.git/hooks/pre-push", []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	a.Write("memory/a.md", "# A\n")
	_, err := trySync(a, syncing.Options{})
	var race *syncing.RaceError
	if !errors.As(err, &race) || race.ExitCode() != 4 {
		t.Errorf("%v", err)
	}
	if tries, _ := os.ReadFile(f.remote + "/tries"); strings.Count(string(tries), "x") != 6 {
		t.Errorf("%d tries", strings.Count(string(tries), "x"))
	}
	if err := os.Remove(a.Dir + "/.git/hooks/pre-push"); err != nil {
		t.Fatal(err)
	}
	doSync(a)
	f.settle()
}

// TestEvilPaths: a file that no work tree may have is not taken, and it is said why.
func TestEvilPaths(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, "MEMORY.md", "# Memory\n")
	a := f.m[0]
	doSync(a)
	was := a.Git("rev-parse", "HEAD")
	blob := a.Git("rev-parse", "HEAD:MEMORY.md")
	for _, name := range []string{".GIT", "git~1", ".."} {
		a.Write("tree", "100644 blob "+blob+"\tconfig\n")
		inner := a.Git("-c", "alias.mk=!git mktree <tree", "mk")
		a.Write("tree", a.Git("ls-tree", "HEAD")+"\n040000 tree "+inner+"\t"+name+"\n")
		made := a.Git("-c", "alias.mk=!git mktree <tree", "mk")
		if err := os.Remove(a.Path("tree")); err != nil {
			t.Fatal(err)
		}
		a.Git("push", "-q", "-f", "origin", a.Git("commit-tree", "-p", was, "-m", "evil", made)+":refs/heads/main")
		for _, dry := range []bool{true, false} {
			_, err := trySync(a, syncing.Options{DryRun: dry})
			var no *agent.RefusedError
			if !errors.As(err, &no) || !strings.HasPrefix(err.Error(), "what came has a file '"+name+"/config', which no work tree may have") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if a.Git("rev-parse", "HEAD") != was || a.Git("status", "--porcelain") != "" {
		t.Error("something moved")
	}
}

// TestMergeUnderWay: a merge that somebody began and did not commit is theirs to end, as
// long as nothing in it needs us.
func TestMergeUnderWay(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# M\n")
	a, b := f.m[0], f.m[1]
	a.Write("memory/a.md", "# A\n")
	doSync(a)
	b.Write("memory/b.md", "# B\n")
	b.Commit("b")
	b.Git("fetch", "-q")
	b.Git("merge", "-q", "--no-commit", "--no-ff", "origin/main")
	was := b.Git("rev-parse", "HEAD")
	var p *gitops.ProgressError
	if _, err := trySync(b, syncing.Options{}); !errors.As(err, &p) || b.Git("rev-parse", "HEAD") != was {
		t.Fatalf("it ended the merge: %v", err)
	}
	b.Git("commit", "-q", "--no-edit")
	doSync(b)
	f.settle()
}

// TestPrePush: a hook here that refuses is no remote that cannot be reached.
func TestPrePush(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, "MEMORY.md", "# M\n")
	a := f.m[0]
	hook := filepath.Join(a.Dir, ".git", "hooks", "pre-push")
	if err := errors.Join(os.MkdirAll(filepath.Dir(hook), 0o777), os.WriteFile(hook, []byte("#!/bin/sh\necho no pushing on mondays >&2\nexit 1\n"), 0o777)); err != nil {
		t.Fatal(err)
	}
	a.Write("MEMORY.md", "# M\n\n- more\n")
	var refused *gitops.HookError
	if _, err := trySync(a, syncing.Options{}); !errors.As(err, &refused) || refused.Name != "pre-push" || !strings.Contains(refused.Output, "no pushing on mondays") {
		t.Fatalf("%v", err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if res := doSync(a); !res.Pushed {
		t.Errorf("%+v", res)
	}
}

// TestMadeAnew: a remote that was replaced by one without a commit in common can be merged
// by the command that is named.
func TestMadeAnew(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, "MEMORY.md", "# M\n")
	a := f.m[0]
	doSync(a)
	a.Git("checkout", "-q", "--orphan", "anew")
	a.Git("rm", "-rfq", "MEMORY.md")
	a.Write("memory/anew.md", "# Anew\n")
	a.Commit("anew")
	a.Git("push", "-qf", "origin", "anew:main")
	a.Git("checkout", "-qf", "main")
	var conflict *agent.ConflictError
	if _, err := trySync(a, syncing.Options{}); !errors.As(err, &conflict) {
		t.Fatalf("%v", err)
	}
	hint := conflict.Advice[len(conflict.Advice)-1]
	_, command, _ := strings.Cut(hint, ": ")
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = a.Dir, append(a.Env, "GIT_MERGE_AUTOEDIT=no")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", command, out)
	}
	doSync(a)
	if a.ReadFile("MEMORY.md") == "" || a.ReadFile("memory/anew.md") == "" {
		t.Error("one of the two is gone")
	}
}
