package agent

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// presence watches that a file is there all the time, with nothing but what it
// may hold: by events of the system and by looking again and again.
type presence struct {
	t     *testing.T
	stop  chan struct{}
	wg    sync.WaitGroup
	looks int
	sys   *fsnotify.Watcher
}

func (s *space) watchPresence(name string, texts ...string) *presence {
	s.t.Helper()
	p := &presence{t: s.t, stop: make(chan struct{})}
	var err error
	if p.sys, err = fsnotify.NewWatcher(); err != nil {
		s.t.Fatal(err)
	}
	if err := p.sys.Add(s.dir()); err != nil {
		s.t.Fatal(err)
	}
	file := s.Path(name)
	p.wg.Go(func() {
		for ev := range p.sys.Events {
			if ev.Name == file && (ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)) {
				p.t.Errorf("'%s' was taken away: %s", name, ev)
			}
		}
	})
	p.wg.Go(func() {
		for {
			select {
			case <-p.stop:
				return
			default:
			}
			b, err := os.ReadFile(file)
			if err != nil || !slices.Contains(texts, string(b)) {
				p.t.Errorf("'%s' holds %.40q (%v)", name, b, err)
				return
			}
			p.looks++
			time.Sleep(50 * time.Microsecond)
		}
	})
	return p
}

func (p *presence) end() {
	p.t.Helper()
	close(p.stop)
	_ = p.sys.Close()
	p.wg.Wait()
	if p.looks == 0 {
		p.t.Error("nobody looked")
	}
}

// T49: no moment of init, save and undo shows the workspace without AGENTS.md,
// nor half of it.
func TestT49Present(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	v1 := s.Read("AGENTS.md")
	v2, v3 := v1+"- second\n", "# Agents\n\n- replaced\n"
	p := s.watchPresence("AGENTS.md", v1, v2, v3)
	s.adopt()
	// Written the way editors do, so that the writer of the test never shows half.
	replace := func(text string) {
		s.Write("../next", text)
		if err := os.Rename(s.Path("../next"), s.Path("AGENTS.md")); err != nil {
			t.Fatal(err)
		}
	}
	replace(v2)
	s.saveAs(Agent, SaveOptions{})
	if _, err := s.undoAs(User, "HEAD"); err != nil {
		t.Fatal(err)
	}
	if got := s.Read("AGENTS.md"); got != v1 {
		t.Errorf("after undo: %q", got)
	}
	replace(v3)
	s.saveAs(User, SaveOptions{})
	if _, err := s.undoAs(User, "HEAD"); err != nil {
		t.Fatal(err)
	}
	p.end()
	s.CheckClean()
}

// T49: the first commit is not taken back, a file the host needs is not removed,
// and state of the host is restored by no command.
func TestT49Refused(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"README.md": "x\n"})
	for name, text := range map[string]string{
		"AGENTS.md": "# Agents\n", "SOUL.md": "# Soul\n", "IDENTITY.md": "# I\n", "memory/a.md": "- a\n",
	} {
		s.Write(name, text)
	}
	baseline := s.adopt().Baseline
	files, head := s.files(), s.Head()
	var no *RefusedError
	for _, target := range []string{s.Git("rev-list", "--max-parents=0", "HEAD"), baseline.Commits[0].ID} {
		if _, err := s.undoAs(User, target); !errors.As(err, &no) || no.ExitCode() != 1 {
			t.Errorf("undo of %s: %v, want *RefusedError", target, err)
		}
	}
	sameFiles(t, "a refused undo", files, s.files(), nil)
	if s.Head() != head {
		t.Error("a refused undo made a commit")
	}

	// Older commits hold host state, as people commit it by mistake.
	const state, db = "openclaw-workspace-state.json", "memory/main.sqlite"
	s.Write(state, "{\"v\":1}\n")
	s.Write(db, "SQLite format 3")
	s.Append("memory/a.md", "- b\n")
	s.Git("add", "-f", state, db, "memory/a.md")
	s.Git("commit", "-qm", "with host state")
	with := s.Head()
	s.Git("rm", "-q", state, db)
	s.Write("memory/a.md", "- a\n")
	s.Git("commit", "-qam", "without host state")
	res, err := s.undoAs(User, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Read("memory/a.md"); got != "- a\n- b\n" {
		t.Errorf("the note is %q, want it back", got)
	}
	for _, name := range []string{state, db} {
		if _, err := os.Lstat(s.Path(name)); err == nil {
			t.Errorf("undo restored '%s'", name)
		}
		if out, err := s.Try("cat-file", "-e", "HEAD:"+name); err == nil {
			t.Errorf("undo committed '%s' %s", name, out)
		}
		if !slices.ContainsFunc(res.Skipped, func(k Skipped) bool { return k.Path == name }) {
			t.Errorf("undo does not say that '%s' was left out: %q", name, reasons(res.Skipped))
		}
	}
	// In the work tree it is nobody's business, even where git is told to add it.
	s.Write(state, "{\"v\":2}\n")
	s.Git("add", "-f", state)
	if r := s.saveAs(Agent, SaveOptions{}); len(r.Commits) > 0 {
		t.Errorf("save committed host state: %q", r.brief())
	}
	if _, err := s.undoAs(User, with); err != nil && !errors.As(err, new(*ConflictError)) {
		t.Errorf("undo of the commit with host state: %v", err)
	}
	if got := s.Read(state); got != "{\"v\":2}\n" {
		t.Errorf("host state is %q now", got)
	}
}

// T50, without strict: a rule edited in place by the agent is a commit of its
// own that waits for a person; a watch only records it.
func TestT50(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newAdopted(t, nil)
	s.Append("SOUL.md", "\nQuicker.\n")
	s.Append("MEMORY.md", "- fact\n")
	s.Append("memory/2026-02-28.md", "- note\n")
	s.Write("skills/tea/SKILL.md", "---\nname: tea\n---\n")
	s.Write("skills/tea/brew.sh", "echo tea\n")
	res := s.saveAs(Agent, SaveOptions{})
	wantBrief(t, res,
		"l1.edit agent SOUL.md", "skill.edit agent skills/tea/SKILL.md,skills/tea/brew.sh", "writeback agent MEMORY.md,memory/2026-02-28.md")
	s.Append("SOUL.md", "Slower.\n")
	stopped, stop := context.WithCancel(ctx)
	stop()
	if err := Watch(stopped, s.open(), Caller{Actor: Unknown}, WatchOptions{Quiet: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	s.Append("SOUL.md", "By the user.\n")
	s.saveAs(User, SaveOptions{})

	// An agent does not take rules back by itself; a person does.
	var no *RefusedError
	if _, err := s.undoAs(Agent, res.Commits[0].ID); !errors.As(err, &no) {
		t.Errorf("an agent's undo of a rule: %v, want *RefusedError", err)
	}
	if _, err := s.undoAs(User, res.Commits[1].ID); err != nil {
		t.Error(err)
	}
	s.CheckClean()
}

// T51: a later overlapping change is a conflict in which nothing is written; any
// other one is kept.
func TestT51(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, map[string]string{
		"AGENTS.md": "# A\n", "SOUL.md": "# S\n", "IDENTITY.md": "# I\n", "memory/a.md": "# A\n\n- one\n- two\n- three\n", "memory/b.md": "# B\n",
	})
	s.Write("memory/a.md", "# A\n\n- one\n- two, changed\n- three\n")
	s.Append("memory/b.md", "- b\n")
	first := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
	s.Write("memory/a.md", "# A\n\n- one, later\n- two, changed\n- three\n- four\n")
	s.saveAs(Agent, SaveOptions{})
	s.Append("memory/a.md", "- five, not saved\n")

	head := s.Head()
	res, err := s.undoAs(User, first)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Read("memory/a.md"), "# A\n\n- one, later\n- two\n- three\n- four\n- five, not saved\n"; got != want {
		t.Errorf("a.md is %q, want %q", got, want)
	}
	if n := s.Git("rev-list", "--count", head+"..HEAD"); n != "1" {
		t.Errorf("%s commits, want the undo; the unsaved edit stays unsaved", n)
	}
	if !slices.Equal(res.Paths, []string{"memory/a.md", "memory/b.md"}) || res.Undoes != first {
		t.Errorf("the undo says %+v", res)
	}
	s.CheckClean(" M memory/a.md")

	// Taking the undo back brings the change back.
	if _, err := s.undoAs(User, res.ID); err != nil {
		t.Fatal(err)
	}
	if got := s.Read("memory/a.md"); !strings.Contains(got, "- two, changed\n") {
		t.Errorf("undo of the undo: %q", got)
	}

	s.Write("memory/a.md", strings.Replace(s.Read("memory/a.md"), "- two, changed", "- two, changed once more", 1))
	for _, left := range [][]string{{" M memory/a.md"}, nil} { // not saved, and saved
		if left == nil {
			s.saveAs(Agent, SaveOptions{})
		}
		files, state := s.files(), s.state()
		_, err = s.undoAs(User, first)
		var conflict *ConflictError
		if !errors.As(err, &conflict) || conflict.ExitCode() != 3 {
			t.Fatalf("undo of what was changed later: %v, want *ConflictError", err)
		}
		sameFiles(t, "a conflicting undo", files, s.files(), nil)
		if s.state() != state {
			t.Error("a conflicting undo changed HEAD, refs or index")
		}
		s.CheckClean(left...)
	}
}

// What the user did to the file and did not save stays, whatever is undone in it.
func TestUndoBesideUnsaved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit   func(s *space)
		refuse bool
		status string
	}{
		"removed":  {func(s *space) { s.Remove("memory/a.md") }, false, " D memory/a.md"},
		"a link":   {func(s *space) { s.Remove("memory/a.md"); s.Symlink("b.md", "memory/a.md") }, true, " T memory/a.md"},
		"a folder": {func(s *space) { s.Remove("memory/a.md"); s.Write("memory/a.md/x.md", "- x\n") }, false, " D memory/a.md"},
		"a mode":   {func(s *space) { s.Chmod("memory/a.md", 0o755) }, false, " M memory/a.md"},
		"other line, staged": {func(s *space) {
			s.Append("memory/a.md", "- staged\n")
			s.Git("add", "memory/a.md")
		}, false, " M memory/a.md"},
		"same line":   {func(s *space) { s.Write("memory/a.md", "- one\n- two, once more\n- three\n") }, true, " M memory/a.md"},
		"link parent": {func(s *space) { s.Rename("memory", "elsewhere"); s.Symlink("elsewhere", "memory") }, true, " D memory/a.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAdopted(t, map[string]string{"AGENTS.md": "# A\n", "memory/a.md": "- one\n- two\n- three\n"})
			s.Write("memory/a.md", "- one\n- two, changed\n- three\n")
			id := s.saveAs(Agent, SaveOptions{}).Commits[0].ID
			c.edit(s)
			files, state := s.files(), s.state()
			_, err := s.undoAs(User, id)
			if refused := err != nil; refused != c.refuse {
				t.Fatalf("undo: %v", err)
			}
			if c.refuse {
				if s.state() != state {
					t.Error("a refused undo changed HEAD, refs or index")
				}
				sameFiles(t, "a refused undo", files, s.files(), nil)
			} else if got := s.InHead("memory/a.md"); got != "- one\n- two\n- three\n" {
				t.Errorf("HEAD has %q", got)
			}
			if !slices.Contains(s.Status(), c.status) {
				t.Errorf("status %q, want %q among it", s.Status(), c.status)
			}
			s.CheckClean(s.Status()...)
		})
	}
}

// Rename renames a file or folder of the work tree.
func (s *space) Rename(from, to string) {
	s.t.Helper()
	must(s.t, os.Rename(s.Path(from), s.Path(to)))
}
