package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// savePaths saves named paths as the user.
func (s *space) savePaths(paths ...string) (*SaveResult, error) {
	s.t.Helper()
	return Save(context.Background(), s.open(), Caller{Actor: User}, SaveOptions{Paths: paths})
}

// A path is a path, whatever is in its name.
func TestSaveOddPaths(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	names := []string{
		"memory/a*.md", "memory/[ab].md", "memory/-n.md", "memory/line\nbreak.md", "memory/caf\xe9.md", "memory/:(top)x.md",
		"memory/!x.md", "memory/back\\slash.md", "memory/ lead and trail .md", "memory/\u202eevil.md", "memory/--all",
	}
	for _, n := range append(names, "memory/ab.md", "memory/a.md", "memory/x.md") {
		s.Write(n, "- x\n")
	}
	for _, n := range names {
		res, err := s.savePaths(n)
		if err != nil {
			t.Fatalf("%q: %v", n, err)
		}
		if len(res.Commits) != 1 || !slices.Equal(res.Commits[0].Paths, []string{n}) {
			t.Errorf("%q: %q", n, res.brief())
		}
	}
	s.CheckClean("?? memory/a.md", "?? memory/ab.md", "?? memory/x.md")

	s.Write("memory/node_modules/x.md", "- x\n")
	s.Write("memory/x.tmp", "- x\n")
	for n, want := range map[string]string{
		"README.md": "lies outside", "memory/node_modules/x.md": "never are", "memory/x.tmp": "temporary",
	} {
		var no *RefusedError
		if _, err := s.savePaths(n); !errors.As(err, &no) || !strings.Contains(err.Error(), want) {
			t.Errorf("save %s: %v, want a refusal that says %q", n, err, want)
		}
	}
	for _, n := range []string{"memory/absent.md", "absent.md", "memory/node_modules/absent.md", "memory/absent.tmp"} {
		var none *NoFileError
		if _, err := s.savePaths(n); !errors.As(err, &none) {
			t.Errorf("save %s: %v, want that there is no such file", n, err)
		}
	}
	if res, err := s.savePaths("MEMORY.md"); err != nil || len(res.Commits) > 0 {
		t.Errorf("an unchanged file: %v, %v", res, err)
	}
	s.Write("memory/sub/b.md", "- b\n")
	if res, err := s.savePaths("memory/sub"); err != nil || len(res.Commits) != 1 {
		t.Errorf("a folder: %v, %v", res, err)
	}
	s.Remove("memory/sub")
	if res, err := s.savePaths("memory/sub"); err != nil || len(res.Commits) != 1 {
		t.Errorf("a removed folder: %v, %v", res, err)
	}
}

// What git ignores is not saved, and naming it says why.
func TestSaveIgnored(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Append(".gitignore", "memory/private/\n")
	s.Write("memory/private/x.md", "- x\n")
	s.Write("memory/working-buffer.md", "- buffer\n")
	s.Write("memory/x.pem", "pem\n")
	s.Write("memory/y.md", "- y\n")
	wantBrief(t, s.saveAs(Agent, SaveOptions{}), "writeback agent memory/y.md")
	for _, n := range []string{"memory/private/x.md", "memory/private", "memory/working-buffer.md", "memory/x.pem"} {
		var no *RefusedError
		if _, err := s.savePaths(n); !errors.As(err, &no) || !strings.Contains(err.Error(), "git ignores it") {
			t.Errorf("save %s: %v, want a refusal that names the rule", n, err)
		}
	}
	s.CheckClean(" M .gitignore")
}

// Links, pipes and repositories in the place of notes are left alone, and a
// folder that became a link does not look like a removal of all that was in it.
func TestSaveLinks(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, map[string]string{
		"AGENTS.md": "# A\n", "memory/a.md": "- a\n", "memory/b.md": "- b\n", "reference/r.md": "- r\n", "memory/sub/c.md": "- c\n",
	})
	must(t, os.Rename(s.Path("memory"), s.Path("../elsewhere")))
	s.Symlink("../elsewhere", "memory")
	must(t, os.Remove(s.Path("reference/r.md")))
	must(t, makeFIFO(s.Path("reference/r.md")))
	s.Write("skills/nested/SKILL.md", "# x\n")
	s.Git("init", "-q", "skills/nested")
	s.Git("-C", "skills/nested", "commit", "-q", "--allow-empty", "-m", "x")
	s.Write("MEMORY.md", "# M\n")
	files, state := s.files(), s.Head()
	res := s.saveAs(Agent, SaveOptions{})
	wantBrief(t, res, "writeback agent MEMORY.md")
	if !res.Held() {
		t.Errorf("nobody is told that memory/ is not saved: %q", reasons(res.Skipped))
	}
	if got := s.Git("ls-tree", "-r", "--name-only", "HEAD", "memory", "reference"); got != "memory/a.md\nmemory/b.md\nmemory/sub/c.md\nreference/r.md" {
		t.Errorf("HEAD has %q", got)
	}
	for _, k := range res.Skipped {
		if strings.Contains(k.Reason, "shortest form") {
			t.Errorf("a reason that nobody understands: %q", reasons(res.Skipped))
		}
	}
	if _, err := s.savePaths("memory/a.md"); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a file behind a link: %v", err)
	}
	if dash, err := Status(context.Background(), s.open(), nil); err != nil || len(dash.Unsaved) > 0 {
		t.Errorf("status: unsaved %v, %v", dash.Unsaved, err)
	}
	sameFiles(t, "save", files, s.files(), nil)
	if s.Head() == state {
		t.Error("nothing was saved")
	}
	s.Fsck()
}

// Modes, renames, files that became folders and back: saved as they are, and
// taken back as they were.
func TestSaveKinds(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, map[string]string{
		"AGENTS.md": "# A\n", "SOUL.md": "# S\n", "IDENTITY.md": "# I\n", "skills/x/run.sh": "#!/bin/sh\n",
		"memory/topic": "- a file\n", "memory/area/one.md": "- one\n", "memory/area/two.md": "- two\n", "memory/old.md": "- same\n- text\n",
	})
	before := s.files()
	s.Chmod("skills/x/run.sh", 0o755)
	s.Remove("memory/topic")
	s.Write("memory/topic/one.md", "- a folder\n")
	s.Remove("memory/area")
	s.Write("memory/area", "- a file\n")
	s.Git("mv", "memory/old.md", "memory/new.md")
	after := s.files()
	res := s.saveAs(Agent, SaveOptions{})
	wantBrief(t, res, "skill.edit agent skills/x/run.sh",
		"writeback agent memory/area/one.md,memory/area/two.md,memory/new.md,memory/old.md,memory/topic,memory/area,memory/topic/one.md")
	sameFiles(t, "save", after, s.files(), nil)
	if mode := s.Git("ls-tree", "HEAD", "skills/x/run.sh"); !strings.HasPrefix(mode, "100755") {
		t.Errorf("the mode is %s", mode)
	}
	s.CheckClean()
	for _, c := range slices.Backward(res.Commits) {
		if _, err := s.undoAs(User, c.ID); err != nil {
			t.Fatalf("undo of %q: %v", c.Paths, err)
		}
	}
	sameFiles(t, "save and undo", before, s.files(), func(p string) bool {
		return p == ".gitignore" || p == ".gitattributes" || p == ".claw/config"
	})
	s.CheckClean()
}

// Where the file system has no executable bit git's mode stays.
func TestSaveFileModeFalse(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil, gittest.Config("core.fileMode", "false"))
	s.Write("skills/x/run.sh", "#!/bin/sh\n")
	s.Git("add", "--chmod=+x", "skills/x/run.sh")
	s.Git("commit", "-qm", "script")
	s.Append("skills/x/run.sh", "echo x\n")
	s.Write("memory/x.md", "- x\n")
	s.Chmod("memory/x.md", 0o755)
	s.saveAs(Agent, SaveOptions{})
	for path, mode := range map[string]string{"skills/x/run.sh": "100755", "memory/x.md": "100644"} {
		if got := s.Git("ls-tree", "HEAD", path); !strings.HasPrefix(got, mode) {
			t.Errorf("'%s' is %s, want mode %s", path, got, mode)
		}
	}
	s.CheckClean()
}

// Line ends that git converts: committed with LF, left with CRLF in the work
// tree, by save, by what is held back, and by undo.
func TestSaveCRLF(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil, gittest.Config("core.autocrlf", "true"))
	s.Write("memory/x.md", "# X\r\n\r\n- one\r\n- two\r\n")
	first := s.saveAs(Agent, SaveOptions{})
	s.CheckClean()
	s.Write("memory/x.md", "# X\r\n\r\n- one\r\n- two, edited\r\n- key "+stripeKey()+"\r\n- three\r\n")
	res := s.saveAs(Agent, SaveOptions{})
	if got, want := s.InHead("memory/x.md"), "# X\n\n- one\n- two, edited\n- three\n"; got != want {
		t.Errorf("HEAD has %q, want %q", got, want)
	}
	s.Append("memory/x.md", "- four\r\n")
	s.saveAs(Agent, SaveOptions{})
	if _, err := s.undoAs(User, res.Commits[0].ID); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Read("memory/x.md"), "# X\r\n\r\n- one\r\n- two\r\n- key "+stripeKey()+"\r\n- four\r\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if got, want := s.InHead("memory/x.md"), "# X\n\n- one\n- two\n- four\n"; got != want {
		t.Errorf("HEAD has %q, want %q", got, want)
	}
	s.CheckClean(" M memory/x.md")
	s.noValue(stripeKey(), first, res)
}

// A file that is too large, or that may not be read, does not keep the others
// from being saved.
func TestSaveUnreadable(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Git("config", "claw.maxFileBytes", "1000")
	s.Write("memory/big.md", strings.Repeat("- line\n", 1000))
	s.Append("memory/2026-02-28.md", strings.Repeat("- grew\n", 1000))
	s.Write("memory/secret.md", "- mine\n")
	s.Append("USER.md", "- x\n")
	s.letIn()
	if out, err := exec.Command("chmod", "-R", "a+rwX", s.Dir).CombinedOutput(); err != nil {
		t.Fatalf("chmod: %v %s", err, out)
	}
	s.Chmod("memory/secret.md", 0)
	d := s.do(job{Do: "save", Actor: Agent, UID: nobody})
	if d.Err != "" || len(d.Commits) != 1 {
		t.Errorf("commits %q, error %q", d.Commits, d.Err)
	}
	for _, want := range []string{"memory/big.md:0 larger than claw.maxFileBytes", "memory/2026-02-28.md:0 larger", "memory/secret.md:0 it cannot be read"} {
		if !slices.ContainsFunc(d.Skipped, func(k string) bool { return strings.HasPrefix(k, want) }) {
			t.Errorf("skipped %q, want %q", d.Skipped, want)
		}
	}
}

// In the middle of a merge, with unmerged paths, or under somebody's lock nothing
// is written, and the error says what is in the way.
func TestSaveInTheWay(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newAdopted(t, nil)
	s.Git("switch", "-qc", "other")
	s.Write("memory/2026-02-28.md", "- theirs\n")
	s.Git("commit", "-qam", "theirs")
	s.Git("switch", "-q", "main")
	s.Write("memory/2026-02-28.md", "- ours\n")
	s.saveAs(User, SaveOptions{})
	if _, err := s.Try("merge", "-q", "other"); err == nil {
		t.Fatal("the merge has no conflict")
	}
	s.Append("USER.md", "- during the merge\n")
	check := func(what string) {
		t.Helper()
		files, state := s.files(), s.state()
		for name, run := range map[string]func() error{
			"save":      func() error { _, err := Save(ctx, s.open(), Caller{Actor: Agent}, SaveOptions{}); return err },
			"save path": func() error { _, err := s.savePaths("USER.md"); return err },
			"undo":      func() error { _, err := s.undoAs(User, "HEAD"); return err },
			"note":      func() error { _, err := Note(ctx, s.open(), Caller{Actor: Agent}, NoteOptions{Text: "x"}); return err },
			"init":      func() error { _, err := s.init(nil); return err },
		} {
			var p *gitops.ProgressError
			if err := run(); !errors.As(err, &p) || len(p.Hints()) == 0 {
				t.Errorf("%s during %s: %v, want *ProgressError", name, what, err)
			}
		}
		sameFiles(t, what, files, s.files(), nil)
		if s.state() != state {
			t.Errorf("%s: HEAD, refs or index changed", what)
		}
	}
	check("a merge")
	s.Git("checkout", "-q", "--ours", "memory/2026-02-28.md")
	s.Git("add", "memory/2026-02-28.md")
	check("a resolved merge")
	s.Git("commit", "-qm", "merged")
	wantBrief(t, s.saveAs(Agent, SaveOptions{}), "l1.edit agent USER.md")
	s.CheckClean()
}

// A lot of bytes is saved in several commits, so that memory does not run out.
func TestSaveBatches(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Git("config", "claw.maxFileBytes", "1000")
	for i := range 10 {
		s.Write(fmt.Sprintf("memory/pic-%d.png", i), strings.Repeat("x", 400))
	}
	s.Write("memory/big.md", strings.Repeat("x", 5000))
	s.Append("SOUL.md", "- x\n")
	res := &SaveResult{}
	save := newSaver(s.open(), Caller{Actor: Agent}, SaveOptions{}, res)
	save.most = 1200
	must(t, save.run(context.Background()))
	if len(res.Commits) < 4 || len(res.Commits) > 8 || len(res.Skipped) != 1 {
		t.Errorf("%q, skipped %q", res.brief(), reasons(res.Skipped))
	}
	s.CheckClean("?? memory/big.md")
}
