package lesson

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory/lessons"
)

func TestCapture(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	got := l.capture(CaptureOptions{Kind: Error, Text: "npm ci fails:\n no lockfile.", Key: "deps.no-lockfile", Task: "T1", Pin: true})
	if got.Count != 1 || got.Again || got.Path != lessons.Errors || !strings.HasPrefix(got.ID, "ERR-20260502-") {
		t.Fatalf("%+v", got)
	}
	want := "# Errors\n\n- 2026-05-02T09:00:00Z [" + got.ID + "] key=deps.no-lockfile task=T1 seen=2026-05-02T09:00:00Z npm ci fails: no lockfile. #pinned\n"
	if have := l.read(lessons.Errors); have != want {
		t.Errorf("got %q\nwant %q", have, want)
	}
	tr := l.trailers("HEAD")
	for _, line := range []string{"Claw-Event: scratch.log\n", "Claw-Actor: agent\n", "Claw-Session: s1\n", "Claw-Key: deps.no-lockfile\n", "Claw-Count: 1\n"} {
		if !strings.Contains(tr, line) {
			t.Errorf("no %q in\n%s", line, tr)
		}
	}
	if id := l.capture(CaptureOptions{Kind: Lesson, Text: "ask first"}).ID; !strings.HasPrefix(id, "LRN-") {
		t.Error(id)
	}
	if id := l.capture(CaptureOptions{Kind: Feature, Text: "a calendar"}).ID; !strings.HasPrefix(id, "FEAT-") {
		t.Error(id)
	}
	l.clean()
}

// TestRepeat: what is known, in whatever file and form, gets a time stamp, and no
// other byte changes (SPEC LR-04, LR-09).
func TestRepeat(t *testing.T) {
	t.Parallel()
	const block = "# Learnings\r\n\r\n## [LRN-20260401-abc] correction\r\n\r\n**Logged**: 2026-04-01T08:00:00Z\r\n**Status**: in arbeit\r\n\r\n### Summary\r\nUse the night job\r\n\r\n### Metadata\r\n- Pattern-Key: config.night\r\n\r\n---\r\n"
	const line = "# Errors\n\nwords of a person\n\n```\n- 2026-04-01T08:00:00Z [ERR-20260401-aaa] seen=2026-04-01T08:00:00Z disk is full\n```\n- 2026-04-02T08:00:00Z [ERR-20260402-bbb] Disk  is FULL!\n"
	l := newLab(t, lessons.Learned, block, lessons.Errors, line)
	l.clock("2026-05-03T10:00:00Z")
	got := l.capture(CaptureOptions{Kind: Lesson, Text: "disk is full.", Task: "T9"})
	if got.ID != "ERR-20260402-bbb" || got.Count != 2 || !got.Again || got.Other != "" {
		t.Errorf("%+v", got)
	}
	want := strings.Replace(line, "[ERR-20260402-bbb] ", "[ERR-20260402-bbb] seen=2026-04-02T08:00:00Z,2026-05-03T10:00:00Z task=T9 ", 1)
	if have := l.read(lessons.Errors); have != want {
		t.Errorf("got %q\nwant %q", have, want)
	}
	if tr := l.trailers("HEAD"); !strings.Contains(tr, "Claw-Event: scratch.repeat\n") || !strings.Contains(tr, "Claw-Count: 2\n") {
		t.Error(tr)
	}
	got = l.capture(CaptureOptions{Kind: Error, Text: "the job ran by day again", Key: "config.night", Pin: true})
	if got.ID != "LRN-20260401-abc" || got.Other != "Use the night job" || got.Count != 2 {
		t.Errorf("%+v", got)
	}
	have := l.read(lessons.Learned)
	rest := strings.Replace(have, "- Seen: 2026-04-01T08:00:00Z, 2026-05-03T10:00:00Z\r\n", "", 1)
	if rest = strings.Replace(rest, " #pinned", "", 1); rest != block {
		t.Errorf("other bytes changed: %q", have)
	}
	if tr := l.trailers("HEAD"); !strings.Contains(tr, "Claw-Evidence: the job ran by day again\n") || !strings.Contains(tr, "Claw-Key: config.night\n") {
		t.Errorf("the new words are nowhere:\n%s", tr)
	}
	// The text decides before the key, and a free key is noted.
	got = l.capture(CaptureOptions{Kind: Error, Text: "disk is full", Key: "fs.full"})
	if got.ID != "ERR-20260402-bbb" || !strings.Contains(l.read(lessons.Errors), "key=fs.full") {
		t.Errorf("%+v\n%s", got, l.read(lessons.Errors))
	}
	l.clean()
}

// TestT10Often: three times within seven days it may become a rule, in eight it may
// not; nothing but the file of lessons changes.
func TestT10Often(t *testing.T) {
	t.Parallel()
	for last, often := range map[string]bool{"2026-05-09T09:00:00Z": true, "2026-05-09T09:00:01Z": false, "2026-05-10T09:00:00Z": false} {
		l := newLab(t)
		l.capture(CaptureOptions{Kind: Error, Text: "the build breaks", Key: "build.breaks"})
		l.clock("2026-05-05T09:00:00Z")
		if got := l.capture(CaptureOptions{Kind: Error, Text: "The build breaks."}); got.Often {
			t.Error("two times are not often")
		}
		l.clock(last)
		if got := l.capture(CaptureOptions{Kind: Lesson, Text: "broken again", Key: "build.breaks"}); got.Often != often || got.Count != 3 {
			t.Errorf("%s: %+v", last, got)
		}
		rep, err := health.ExamineWork(context.Background(), l.ws(), health.Options{Only: []string{"SCR-005"}})
		if err != nil || (len(rep.Findings) == 1 && strings.Contains(rep.Findings[0].Message, "[PROMOTE-CANDIDATE]")) != often {
			t.Errorf("%s: SCR-005 says %+v, %v", last, rep.Findings, err)
		}
		if paths := l.git("log", "--format=", "--name-only"); strings.Contains(paths, "MEMORY") || strings.Contains(l.git("branch", "--list", "claw/*"), "claw") {
			t.Errorf("more than lessons changed:\n%s", paths)
		}
		l.clean()
	}
}

func TestCaptureRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t, lessons.Errors, "# Errors\n\n- 2026-04-02T08:00:00Z [ERR-20260402-bbb] key=Deps.Old_form x y z\n")
	head := l.git("rev-parse", "HEAD")
	var refused *agent.RefusedError
	for _, text := range []string{"Nothing found.", "none", "HEARTBEAT_OK", "no  errors!", "n/a #pinned"} {
		if _, err := Capture(context.Background(), l.ws(), robot, CaptureOptions{Kind: Error, Text: text}); !errors.As(err, &refused) {
			t.Errorf("%q: %v", text, err)
		}
	}
	var usage *agent.UsageError
	for _, opt := range []CaptureOptions{
		{Text: " \n"},
		{Text: "#pinned"},
		{Text: "a\x00b"},
		{Text: "a", Task: "two words"},
		{Text: "a", Task: "a,b"},
		{Text: "a", Key: "nothere.x"},
		{Text: "a", Key: "deps"},
		{Text: "a", Key: "deps."},
		{Text: "a", Key: "deps.Module"},
		{Text: "a", Key: "deps.package.json"},
		{Text: "a", Key: "deps.node-v18"},
		{Text: "a", Key: "deps.a--b"},
		{Text: "a", Key: "deps.a b"},
	} {
		if _, err := Capture(context.Background(), l.ws(), robot, opt); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if now := l.git("rev-parse", "HEAD"); now != head {
		t.Error("something was committed")
	}
	// A key that is there already is taken as it is.
	if got := l.capture(CaptureOptions{Kind: Error, Text: "again", Key: "Deps.Old_form"}); !got.Again {
		t.Errorf("%+v", got)
	}
	l.clean()
}

// TestCaptureSecret: the line stays in the file and out of git; the value is in no
// object.
func TestCaptureSecret(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	got := l.capture(CaptureOptions{Kind: Error, Text: "the call with " + fakeKey() + " fails"})
	if !got.Save.Held() || !strings.Contains(l.read(lessons.Errors), fakeKey()) {
		t.Errorf("%+v", got.Save)
	}
	if out := l.git("log", "--all", "-p"); strings.Contains(out, fakeKey()) {
		t.Error("the key is in git")
	}
	// The words of a repeat go into a trailer, which is no place for one either.
	l.capture(CaptureOptions{Kind: Error, Text: "401 of the shop", Key: "api.shop"})
	l.clock("2026-05-03T09:00:00Z")
	if got := l.capture(CaptureOptions{Kind: Error, Text: "now with " + fakeKey(), Key: "api.shop"}); got.Count != 2 {
		t.Errorf("%+v", got)
	}
	if out := l.git("log", "--all", "-p"); strings.Contains(out, fakeKey()) {
		t.Error("the key is in git")
	}
}

// TestIgnoredLessons: a team keeps the folder out of git; lessons are written all
// the same.
func TestIgnoredLessons(t *testing.T) {
	t.Parallel()
	l := newLab(t, ".gitignore", ".learnings/\n")
	if got := l.capture(CaptureOptions{Kind: Error, Text: "it fails"}); len(got.Save.Commits) != 0 || got.Save.Held() {
		t.Errorf("%+v", got.Save)
	}
	l.clock("2026-05-03T09:00:00Z")
	if got := l.capture(CaptureOptions{Kind: Error, Text: "it fails"}); got.Count != 2 || strings.Count(l.read(lessons.Errors), "it fails") != 1 {
		t.Errorf("%+v", got)
	}
	l.clean()
}

// TestCaptureUnsaved: an edit by hand is saved first, as nobody's.
func TestCaptureUnsaved(t *testing.T) {
	t.Parallel()
	l := newLab(t, lessons.Learned, "# Learnings\n")
	l.write(lessons.Learned, "# Learnings\n\nby hand\n")
	got := l.capture(CaptureOptions{Kind: Lesson, Text: "x y"})
	if n := len(got.Save.Commits); n != 2 || got.Save.Commits[0].Actor != agent.Unknown {
		t.Errorf("%+v", got.Save.Commits)
	}
	l.clean()
}

// TestManyLessons: ids are unique, each lesson is there once.
func TestManyLessons(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Learnings\n\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "- 2026-05-02T08:00:00Z [LRN-20260502-%03s] key=deps.s-%d lesson number %d — é\n", encode(i), i, i)
	}
	l := newLab(t, lessons.Learned, b.String())
	got := l.capture(CaptureOptions{Kind: Lesson, Text: "one more", Key: "deps.more"})
	if again := l.capture(CaptureOptions{Kind: Error, Text: "LESSON number 4711 — É."}); again.ID != "LRN-20260502-"+fmt.Sprintf("%03s", encode(4711)) {
		t.Errorf("%+v", again)
	}
	seen := map[string]bool{}
	for _, e := range lessons.Parse([]byte(l.read(lessons.Learned))).Entries {
		if seen[e.ID] {
			t.Errorf("'%s' is there twice", e.ID)
		}
		seen[e.ID] = true
	}
	if len(seen) != 5001 || !seen[got.ID] {
		t.Errorf("%d lessons", len(seen))
	}
	l.clean()
}

func encode(n int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	return string(letters[n/36/36%36]) + string(letters[n/36%36]) + string(letters[n%36])
}
