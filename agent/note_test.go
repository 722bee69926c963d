package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// note writes a note that must succeed.
func (l *lab) note(opt NoteOptions) *SaveResult {
	l.t.Helper()
	res, err := Note(context.Background(), l.ws(), agentCaller("s1"), opt)
	if err != nil {
		l.t.Fatal(err)
	}
	return res
}

// wantEvents checks the newest events, newest first, in the form of brief.
func (l *lab) wantEvents(want string) {
	l.t.Helper()
	n := strings.Count(want, "\n")
	if got := brief(l.history(HistoryOptions{Max: n})); got != want {
		l.t.Errorf("events:\n%swant:\n%s", got, want)
	}
}

func (l *lab) wantFile(rel, want string) {
	l.t.Helper()
	if got := l.read(rel); got != want {
		l.t.Errorf("%s:\n%q\nwant:\n%q", rel, got, want)
	}
}

func TestNoteDaily(t *testing.T) {
	t.Parallel()
	for _, sub := range []string{"", "agents/juniper"} {
		t.Run(sub, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, sub)
			res := l.note(NoteOptions{Text: "nightly job moved to 02:30"})
			l.note(NoteOptions{Text: "Two lines\nthat stay two"})
			l.wantFile("memory/2026-05-02.md", "# 2026-05-02\n\n- nightly job moved to 02:30\n\nTwo lines\nthat stay two\n")
			if l.head("memory/2026-05-02.md") != l.read("memory/2026-05-02.md") {
				t.Error("HEAD and work tree differ")
			}
			if len(res.Commits) != 1 || res.Commits[0].Subject != "claw(daily): nightly job moved to 02:30" || res.Held() {
				t.Errorf("result %+v", res)
			}
			l.wantEvents("episodic.append agent s1 memory/2026-05-02.md\nepisodic.append agent s1 memory/2026-05-02.md\n")
			if e := l.history(HistoryOptions{Max: 1})[0]; e.Commit.Trailers.Get("Claw-Workspace") != sub {
				t.Errorf("workspace '%s'", e.Commit.Trailers.Get("Claw-Workspace"))
			}
			l.clean()
		})
	}
}

// TestNoteLocalDay: today is that of claw.timezone.
func TestNoteLocalDay(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", ".claw/config", "[claw]\n\ttimezone = Asia/Shanghai\n\thost = openclaw\n")
	l.clock("2026-05-02T18:00:00Z")
	l.note(NoteOptions{Text: "past midnight there"})
	l.wantFile("memory/2026-05-03.md", "# 2026-05-03\n\n- past midnight there\n")
}

func TestNotePlace(t *testing.T) {
	t.Parallel()
	const day = "2026-05-02.md"
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"flat", nil, "memory/" + day},
		{"episodic", []string{"memory/episodic/2026-05-01.md", "x\n"}, "memory/episodic/" + day},
		{"episodic, but the day has a flat note", []string{"memory/episodic/2026-05-01.md", "x\n", "memory/" + day, "y\n"}, "memory/" + day},
		{"the day has both", []string{"memory/episodic/" + day, "x\n", "memory/" + day, "y\n"}, "memory/episodic/" + day},
		{"by year and month", []string{"memory/2026/05/" + day, "x\n"}, "memory/2026/05/" + day},
		{"set", []string{".claw/config", "[claw \"layout\"]\n\tdaily = memory/episodic\n[claw]\n\ttimezone = UTC\n"}, "memory/episodic/" + day},
		{"set to flat", []string{".claw/config", "[claw \"layout\"]\n\tdaily = memory\n[claw]\n\ttimezone = UTC\n", "memory/episodic/2026-05-01.md", "x\n"}, "memory/" + day},
		{"set outside", []string{".claw/config", "[claw \"layout\"]\n\tdaily = memory/../../x\n[claw]\n\ttimezone = UTC\n"}, "memory/" + day},
		{"a folder of notes", []string{".claw/config", "[claw]\n\thost = claude-code\n", "MEMORY.md", "- [a](a.md)\n- [b](b.md)\n", "a.md", "a\n", "b.md", "b\n"}, day},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "", c.files...)
			res := l.note(NoteOptions{Text: "here"})
			if got := strings.Join(res.Commits[0].Paths, " "); got != c.want {
				t.Errorf("written to '%s', want '%s'", got, c.want)
			}
			l.clean()
		})
	}
}

func TestNoteClose(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	l.note(NoteOptions{Text: "moved the job"})
	l.note(NoteOptions{Close: true, Text: "Decisions: job at 02:30\nSignal: disk was busy\none more thing"})
	l.note(NoteOptions{Text: "afterthought"})
	l.note(NoteOptions{Close: true, Text: "Open: watch tonight"})
	l.wantFile("memory/2026-05-02.md", "# 2026-05-02\n\n- moved the job\n- one more thing\n- afterthought\n\n"+
		"Updated: 2026-05-02\nDecisions: job at 02:30\nSignal: disk was busy\nOpen: watch tonight\n")
	l.wantEvents("episodic.close agent s1 memory/2026-05-02.md\nepisodic.append agent s1 memory/2026-05-02.md\n" +
		"episodic.close agent s1 memory/2026-05-02.md\nepisodic.append agent s1 memory/2026-05-02.md\n")
	if res := l.note(NoteOptions{Close: true}); len(res.Commits) != 0 {
		t.Errorf("closing again changed something: %+v", res)
	}
	l.clean()
}

// TestNoteSavesFirst: edits of the file by others are a commit of their own,
// before the note.
func TestNoteSavesFirst(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/2026-05-02.md", "# day\n\n- a\n", "memory/other.md", "x\n")
	l.write("memory/2026-05-02.md", "# day\n\n- a\n- typed by hand")
	l.write("memory/other.md", "unrelated\n")
	l.note(NoteOptions{Text: "the note"})
	l.wantFile("memory/2026-05-02.md", "# day\n\n- a\n- typed by hand\n- the note\n")
	l.wantEvents("episodic.append agent s1 memory/2026-05-02.md\nwriteback unknown  memory/2026-05-02.md\n")
	l.clean(" M memory/other.md")

	// A new file that nobody committed yet, and one that was deleted.
	l.remove("memory/2026-05-02.md")
	l.write("memory/2026-05-03.md", "by the host\n")
	l.note(NoteOptions{Text: "anew"})
	l.wantFile("memory/2026-05-02.md", "# 2026-05-02\n\n- anew\n")
	l.clock("2026-05-03T09:00:00Z")
	l.note(NoteOptions{Text: "next day"})
	l.wantEvents("episodic.append agent s1 memory/2026-05-03.md\nwriteback unknown  memory/2026-05-03.md\n" +
		"episodic.append agent s1 memory/2026-05-02.md\nwriteback unknown  memory/2026-05-02.md\n")
	l.clean(" M memory/other.md")
}

func TestNoteKeepsForm(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/2026-05-02.md", "# day\r\n\r\n- caf\xe9 \x07\r\n")
	l.note(NoteOptions{Text: "windows"})
	l.wantFile("memory/2026-05-02.md", "# day\r\n\r\n- caf\xe9 \x07\r\n- windows\r\n")
	l.clean()
}

// TestNoteConverted: where git converts line ends, the file keeps its own form
// and the commit has git's.
func TestNoteConverted(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", ".gitattributes", "*.md text eol=crlf\n", "memory/2026-05-02.md", "- a\r\n")
	l.note(NoteOptions{Text: "b"})
	l.note(NoteOptions{Text: "c"})
	l.wantFile("memory/2026-05-02.md", "- a\r\n- b\r\n- c\r\n")
	if got := l.head("memory/2026-05-02.md"); got != "- a\n- b\n- c\n" {
		t.Errorf("committed %q", got)
	}
	l.wantEvents("episodic.append agent s1 memory/2026-05-02.md\nepisodic.append agent s1 memory/2026-05-02.md\n")
	l.clean()
}

// TestNotePartlyStaged: refused, and nothing at all changes.
func TestNotePartlyStaged(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/2026-05-02.md", "- a\n")
	l.write("memory/2026-05-02.md", "- a\n- staged\n")
	l.git("add", "memory/2026-05-02.md")
	l.write("memory/2026-05-02.md", "- a\n- staged\n- not staged\n")
	before := l.git("rev-parse", "HEAD") + l.git("ls-files", "-s")
	_, err := Note(context.Background(), l.ws(), agentCaller("s1"), NoteOptions{Text: "x"})
	var refused *RefusedError
	if !errors.As(err, &refused) || len(refused.Hints()) != 1 {
		t.Fatalf("error %v", err)
	}
	if l.git("rev-parse", "HEAD")+l.git("ls-files", "-s") != before {
		t.Error("something was committed or staged")
	}
	l.wantFile("memory/2026-05-02.md", "- a\n- staged\n- not staged\n")
	l.clean("MM memory/2026-05-02.md")
}

// TestNoteStaged: a wholly staged edit is committed first; what is staged
// elsewhere stays staged.
func TestNoteStaged(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/2026-05-02.md", "- a\n", "code.go", "x\n")
	l.write("memory/2026-05-02.md", "- a\n- staged\n")
	l.write("code.go", "y\n")
	l.git("add", "memory/2026-05-02.md", "code.go")
	l.note(NoteOptions{Text: "x"})
	l.wantEvents("episodic.append agent s1 memory/2026-05-02.md\nwriteback unknown  memory/2026-05-02.md\n")
	l.clean("M  code.go")
}

// TestNoteSecret: a flagged line goes into the file and into no object; the rest
// of the note is committed, and later notes leave the line where it is.
func TestNoteSecret(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/2026-05-02.md", "- a\n")
	key := fakeKey()
	res := l.note(NoteOptions{Text: "The provider sent a new key:\n" + key + "\nIt works."})
	if !res.Held() || len(res.Skipped) != 1 || res.Skipped[0].Line != 4 || len(res.Commits) != 1 {
		t.Errorf("result %+v", res)
	}
	l.wantFile("memory/2026-05-02.md", "- a\n\nThe provider sent a new key:\n"+key+"\nIt works.\n")
	if got := l.head("memory/2026-05-02.md"); got != "- a\n\nThe provider sent a new key:\nIt works.\n" {
		t.Errorf("committed %q", got)
	}
	if res := l.note(NoteOptions{Text: "harmless"}); res.Held() || len(res.Commits) != 1 {
		t.Errorf("a later note: %+v", res)
	}
	// All of it flagged: nothing to commit.
	if res := l.note(NoteOptions{Text: "key again: " + key}); !res.Held() || len(res.Commits) != 0 {
		t.Errorf("only a secret: %+v", res)
	}
	l.clock("2026-05-03T09:00:00Z")
	if res := l.note(NoteOptions{Text: "key again: " + key}); !res.Held() || len(res.Commits) != 0 {
		t.Errorf("only a secret, in a new file: %+v", res)
	}
	l.wantFile("memory/2026-05-03.md", "# 2026-05-03\n\n- key again: "+key+"\n")
	if res := l.note(NoteOptions{Text: "harmless"}); res.Held() || len(res.Commits) != 1 {
		t.Errorf("a note beside it: %+v", res)
	}
	if got := l.head("memory/2026-05-03.md"); got != "# 2026-05-03\n\n- harmless\n" {
		t.Errorf("committed %q", got)
	}
	for id := range strings.FieldsSeq(l.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")) {
		if strings.Contains(l.git("cat-file", "-p", id), key) {
			t.Errorf("object %s holds the key", id)
		}
	}
	if strings.Contains(l.git("log", "--format=%B"), "The provider") {
		t.Error("the message quotes a note with a secret")
	}
	l.clean(" M memory/2026-05-02.md", " M memory/2026-05-03.md")
}

// TestNoteIgnored: a note that git ignores is written and not committed.
func TestNoteIgnored(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", ".gitignore", "memory/????-??-??.md\n")
	res := l.note(NoteOptions{Text: "no history"})
	if len(res.Commits) != 0 || len(res.Skipped) != 1 || res.Held() {
		t.Errorf("result %+v", res)
	}
	l.note(NoteOptions{Text: "again"})
	l.wantFile("memory/2026-05-02.md", "# 2026-05-02\n\n- no history\n- again\n")
	l.clean()
}

// TestNoteHook: what was said is not lost when a hook refuses the commit.
func TestNoteHook(t *testing.T) {
	t.Parallel()
	l := newLab(t, "")
	hook := l.dir + "/.git/hooks/pre-commit"
	gittest.Executable(t, hook, "#!/bin/sh\necho no >&2\nexit 1\n")
	_, err := Note(context.Background(), l.ws(), agentCaller("s1"), NoteOptions{Text: "keep me"})
	var he *gitops.HookError
	if !errors.As(err, &he) {
		t.Fatalf("error %v", err)
	}
	l.wantFile("memory/2026-05-02.md", "# 2026-05-02\n\n- keep me\n")
	l.clean("?? memory/2026-05-02.md")
}

// TestNoteRefusals: nothing is written where it must not be.
func TestNoteRefusals(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "elsewhere/x.md", "x\n")
	l.note(NoteOptions{Text: "first"})
	l.remove("memory/2026-05-02.md")
	if err := os.Remove(l.path("memory")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", l.path("memory")); err != nil {
		t.Fatal(err)
	}
	_, err := Note(context.Background(), l.ws(), agentCaller("s1"), NoteOptions{Text: "through a link"})
	if err == nil {
		t.Error("wrote through a symbolic link")
	}
	if _, err := os.Stat(l.path("elsewhere/2026-05-02.md")); err == nil {
		t.Error("the note is behind the link")
	}
	if err := os.RemoveAll(l.path(".claw")); err != nil {
		t.Fatal(err)
	}
	_, err = Note(context.Background(), l.ws(), agentCaller("s1"), NoteOptions{Text: "not adopted"})
	var not *memory.NotAdoptedError
	if !errors.As(err, &not) {
		t.Errorf("not adopted: %v", err)
	}
}

// TestNoteDryRun: says what it would do and does nothing.
func TestNoteDryRun(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/2026-05-02.md", "- a\n")
	l.write("memory/2026-05-02.md", "- a\n- dirty\n")
	res := l.note(NoteOptions{Text: "x", DryRun: true})
	if len(res.Commits) != 1 || !res.Commits[0].Commit.IsZero() || res.Commits[0].Event != eventAppend {
		t.Errorf("result %+v", res)
	}
	l.wantFile("memory/2026-05-02.md", "- a\n- dirty\n")
	l.clean(" M memory/2026-05-02.md")
}

// TestNoteGuards: of two notes computed from the same file the second one does
// not win; this is what the retries of Note rest on.
func TestNoteGuards(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/2026-05-02.md", "# day\n")
	ctx := context.Background()
	plan := func(text string) (*noter, notePlan) {
		n := &noter{ws: l.ws(), caller: agentCaller(text), lines: said(text), res: &SaveResult{}, scan: secret.New()}
		files, err := n.ready(ctx, []string{"memory/2026-05-02.md"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := n.planDaily(files[0], l.time())
		if err != nil {
			t.Fatal(err)
		}
		return n, p
	}
	first, p1 := plan("first")
	second, p2 := plan("second")
	third, p3 := plan("third")
	if err := first.write(ctx, p1); err != nil {
		t.Fatal(err)
	}
	var moved *gitops.MovedError
	var changed *gitops.WorkTreeChangedError
	if err := second.write(ctx, p2); !errors.As(err, &moved) && !errors.As(err, &changed) {
		t.Errorf("after a commit: %v", err)
	}
	l.git("reset", "-q", "--soft", "HEAD~1")
	l.git("reset", "-q", "--", "memory/2026-05-02.md")
	if err := third.write(ctx, p3); !errors.As(err, &moved) && !errors.As(err, &changed) {
		t.Errorf("after an edit: %v", err)
	}
	l.wantFile("memory/2026-05-02.md", "# day\n\n- first\n")
	l.clean(" M memory/2026-05-02.md")
}

// TestNoteCarriedOver: what was committed is brought into a file that was edited
// before it could be placed.
func TestNoteCarriedOver(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "memory/a.md", "# a\n\n- one\n- typed at once\n")
	n := &noter{ws: l.ws()}
	f := &noteFile{rel: "memory/a.md", exists: true, text: []byte("# a\n\n- one\n")}
	if err := n.carryOver(noteEdit{file: f, next: []byte("# a\n\n- one\n- note\n")}); err != nil {
		t.Fatal(err)
	}
	l.wantFile("memory/a.md", "# a\n\n- one\n- typed at once\n- note\n")
}

// TestNoteParallel: notes of many writers at once all land, in HEAD and in the
// file, each once, while somebody types into the same file and others commit
// with git.
func TestNoteParallel(t *testing.T) {
	t.Parallel()
	const writers, each = 6, 3
	l := newLab(t, "", "memory/2026-05-02.md", "# day\n", "code.go", "0\n")
	var wg sync.WaitGroup
	for i := range writers {
		ws := l.ws()
		wg.Go(func() {
			for k := range each {
				text := fmt.Sprintf("note %d.%d", i, k)
				if _, err := Note(context.Background(), ws, agentCaller(fmt.Sprint(i)), NoteOptions{Text: text}); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	wg.Go(func() {
		for k := range 5 {
			l.write("code.go", fmt.Sprint(k))
			for range 100 { // git fails while we hold its lock, as beside git itself
				if _, err := l.tryGit("commit", "-q", "-m", "by hand", "--", "code.go"); err == nil {
					break
				}
			}
		}
	})
	wg.Go(func() {
		// An editor that reads, thinks for no time, and appends.
		f, err := os.OpenFile(l.path("memory/2026-05-02.md"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = f.WriteString("- typed\n")
		_ = f.Close()
	})
	wg.Wait()
	l.save(User, "", "")
	for i := range writers {
		for k := range each {
			line := fmt.Sprintf("- note %d.%d\n", i, k)
			if strings.Count(l.read("memory/2026-05-02.md"), line) != 1 || strings.Count(l.head("memory/2026-05-02.md"), line) != 1 {
				t.Errorf("'%s' is not there once", line)
			}
		}
	}
	l.clean()
}
