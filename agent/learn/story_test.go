package learn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/memory/prefs"
)

// TestConfirm is T15 of the specification: three occurrences in 7 days, a question, yes.
func TestConfirm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	start := d.head()
	var got *Captured
	for i, quote := range []string{"skip the intro", "again: result first", "result!"} {
		got = d.correct(report, quote)
		if c := got.Candidate; c.Count != i+1 || c.Eligible != (i == 2) || c.Status != pending || c.Explicit {
			t.Fatalf("after %d: %+v", i+1, c)
		}
		d.Later(3 * day)
	}
	id := got.Candidate.ID
	asked := d.ask()
	if len(asked.Questions) != 1 || asked.Questions[0].ID != id || asked.Questions[0].Asks != 1 || !asked.Questions[0].Waits {
		t.Fatalf("%+v", asked)
	}
	wants(t, d.refs(), "refs/heads/claw/candidate/20260511-start-with-the-result-")
	if d.InHead(hotFile) != "" {
		t.Error("the proposal is on the branch already")
	}
	done := d.confirm(id, ConfirmOptions{})
	if done.Candidate.Status != confirmed || done.Candidate.Path != hotFile {
		t.Errorf("%+v", done.Candidate)
	}
	wants(t, d.ReadFile(hotFile), "## "+prefs.Active+"\n- "+report+" <!-- id="+id+" pin=0 since=2026-05-11 -->\n")
	if d.ReadFile(hotFile) != d.InHead(hotFile) || d.ReadFile(si+pendingName(id)) != "" || d.InHead(si+pendingName(id)) != "" {
		t.Error("HEAD and work tree differ, or it still waits")
	}
	if got, want := d.events(start), "candidate.create candidate.repeat candidate.repeat candidate.ask candidate.confirm"; got != want {
		t.Errorf("events: %s", got)
	}
	for key, want := range map[string]string{
		"Claw-Candidate": id, "Claw-Tier-From": "pending", "Claw-Tier-To": "hot", "Claw-Count": "3", "Claw-Window": "7d", "Claw-Actor": "user",
		"Claw-Approved-By": "Li <li@example.org>", "Claw-Approved-Via": "tty", "Claw-Evidence": "skip the intro,again: result first,result!",
	} {
		if got := d.Trailer("HEAD", key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if n := len(strings.Fields(d.Git("log", "-1", "--format=%P"))); n != 2 {
		t.Errorf("the merge has %d parents", n)
	}
	if refs := d.refs(); !strings.HasPrefix(refs, "refs/claw/closed/") || strings.Contains(refs, "\n") {
		t.Errorf("refs:\n%s", refs)
	}
	d.Check()
}

// TestWindow: three times in 7 days are enough, three times in 8 days are not.
func TestWindow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.correct(report, "")
	d.Later(time.Hour)
	d.correct(report, "")
	d.Later(7 * day)
	if c := d.correct(report, "").Candidate; c.Eligible || c.Count != 3 {
		t.Errorf("%+v", c)
	}
	if _, err := Ask(context.Background(), d.Workspace(), bot, []string{line(t, report).ID()}); err == nil {
		t.Error("it was asked about")
	}
	d.Later(-2 * time.Hour)
	if c := d.correct(report, "").Candidate; !c.Eligible || c.Count != 4 {
		t.Errorf("%+v", c)
	}
	d.Check()
}

// TestReject is T15: no.
func TestReject(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.ask()
	start := d.head()
	got, err := Reject(context.Background(), d.Workspace(), person, id, RejectOptions{Reason: "only in one report"})
	must(t, err)
	if got.Candidate.Status != "rejected" || d.ReadFile(si+pendingName(id)) != "" {
		t.Errorf("%+v", got.Candidate)
	}
	wants(t, d.ReadFile(si+prefs.Rejected), "- "+id+" 2026-05-05 only in one report\n")
	if d.events(start) != "candidate.reject" || strings.Contains(d.refs(), "heads") {
		t.Errorf("%s\n%s", d.events(start), d.refs())
	}
	// Asked again only after three later occurrences.
	d.Later(day)
	for i := range 3 {
		c := d.correct(report, "always").Candidate
		if c.Eligible != (i == 2) || c.Count != i+1 {
			t.Errorf("%d: %+v", i, c)
		}
		d.Later(time.Hour)
	}
	d.Check()
}

// TestDefer is T15: not now, and what that does to the count of ignored questions.
func TestDefer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.ask()
	d.Later(day)
	d.ask() // the first one was ignored
	if c := d.find(id); c.Asks != 2 || c.Ignored != 1 {
		t.Errorf("%+v", c)
	}
	_, err := Defer(context.Background(), d.Workspace(), person, id)
	must(t, err)
	if c := d.find(id); c.Status != deferred || c.Ignored != 0 || c.Eligible || c.Waits {
		t.Errorf("%+v", c)
	}
	if got := d.ask(); len(got.Questions) != 0 {
		t.Errorf("%+v", got.Questions)
	}
	d.Later(7*day - time.Second)
	if d.tick(); d.find(id).Status != deferred {
		t.Error("it came back early")
	}
	d.Later(time.Second)
	if c := d.find(id); c.Status != pending || !c.Eligible {
		t.Errorf("%+v", c)
	}
	for range 3 {
		if got := d.ask(); len(got.Questions) != 1 || len(got.Dropped) != 0 {
			t.Fatalf("%+v", got)
		}
		d.Later(day)
	}
	// An agent does not count the last one; a person who asks does.
	for _, c := range []agent.Caller{bot, {Actor: agent.Unknown}, {Actor: agent.Cron, Host: true}} {
		got, err := Ask(context.Background(), d.Workspace(), c, nil)
		must(t, err)
		if len(got.Questions) != 1 || len(got.Dropped) != 0 {
			t.Errorf("%+v: %+v", c, got)
		}
		d.Later(day)
	}
	got, err := Ask(context.Background(), d.Workspace(), person, nil)
	must(t, err)
	if len(got.Dropped) != 1 || len(got.Questions) != 0 {
		t.Errorf("%+v", got)
	}
	wants(t, d.ReadFile(si+prefs.Rejected), id+" 2026-05-19 ignored 3 times")
	if d.Trailer("HEAD", "Claw-Reason") != "auto-ignored" || strings.Contains(d.refs(), "heads") {
		t.Error(d.refs())
	}
	d.Check()
}

// TestIgnored is T15: three questions without an answer, counted by the clock.
func TestIgnored(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	start := d.head()
	for i := range 3 {
		d.ask()
		if again := d.ask(); len(again.Questions) != 1 || len(again.Save.Commits) != 0 {
			t.Errorf("the same question, once more: %+v", again.Save)
		}
		d.Later(7*day - time.Second)
		if d.tick(); d.find(id).Ignored != i {
			t.Errorf("ignored early: %+v", d.find(id))
		}
		d.Later(time.Second)
		d.tick()
	}
	if c := d.find(id); c.Status != "rejected" {
		t.Errorf("%+v", c)
	}
	want := "candidate.ask candidate.ignore candidate.ask candidate.ignore candidate.ask candidate.reject"
	if got := d.events(start); got != want {
		t.Errorf("events: %s", got)
	}
	d.Check()
}

// TestMovedClock: no agent silences a question by the time that it gives.
func TestMovedClock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newDesk(t)
	id := d.often(report)
	d.ask()
	d.Later(3650 * day)
	for range 4 {
		d.ask()
		_, err := Tick(ctx, d.Workspace(), bot)
		must(t, err)
		d.Later(40 * day)
	}
	if c := d.find(id); c.Status != pending || c.Ignored != 0 {
		t.Errorf("in leaps: %+v", c)
	}
	for range 5 {
		d.ask()
		d.Later(8 * day)
		_, err := Tick(ctx, d.Workspace(), bot)
		must(t, err)
	}
	if c := d.find(id); c.Status != pending || c.Ignored != 2 {
		t.Errorf("in steps: %+v", c)
	}
	// What was asked in the future was not ignored yet.
	d.ask()
	d.Later(-8 * day)
	if d.tick(); d.find(id).Status != pending {
		t.Errorf("%+v", d.find(id))
	}
	if _, err := Ask(ctx, d.Workspace(), person, nil); err != nil || d.find(id).Status != pending {
		t.Errorf("%+v %v", d.find(id), err)
	}
	d.Check()
}

// TestFull is T16: memory.md has a hundred lines, and one more is confirmed.
func TestFull(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Preferences\n\n## " + prefs.Confirmed + "\n\n## " + prefs.Active + "\n")
	for i := range 95 {
		fmt.Fprintf(&b, "- [code:go] \"a%d\" -> \"b\" <!-- id=cand-%012x pin=0 since=2026-04-%02d -->\n", i, i, 10+i%20)
	}
	d := newDesk(t, hotFile, b.String())
	id := d.often(report)
	if n := strings.Count(d.ReadFile(hotFile), "\n"); n != 100 {
		t.Fatalf("%d lines", n)
	}
	// The oldest was asked for again, so the next one is the one that goes.
	d.correct(`[code:go] "a0" -> "b"`, "")
	must(t, rename(d, `"a0" -> "b" <!-- id=cand-000000000000`, `"a0" -> "b" <!-- id=`+line(t, `[code:go] "a0" -> "b"`).ID()))
	d.correct(`[code:go] "a0" -> "b"`, "")
	start := d.head()
	got := d.confirm(id, ConfirmOptions{})
	text := d.ReadFile(hotFile)
	if n := strings.Count(text, "\n"); n != 100 || !strings.Contains(text, id) || !strings.Contains(text, `"a0"`) || strings.Contains(text, `"a20"`) {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if len(got.Evicted) != 1 || got.Evicted[0] != "cand-000000000014" || d.events(start) != "writeback candidate.confirm" {
		t.Errorf("%v %s", got.Evicted, d.events(start))
	}
	if got, want := d.InHead(si+"domains/code.md"), "# code\n\n- [code:go] \"a20\" -> \"b\" <!-- id=cand-000000000014 pin=0 since=2026-04-10 -->\n"; got != want {
		t.Errorf("%s", got)
	}
	d.Check()
}

// rename edits memory.md by hand.
func rename(d desk, old, new string) error {
	text := d.ReadFile(hotFile)
	if !strings.Contains(text, old) {
		return fmt.Errorf("%q is not there", old)
	}
	d.Write(hotFile, strings.Replace(text, old, new, 1))
	return nil
}

// TestPinnedOnly is T16: what is pinned needs all of it.
func TestPinnedOnly(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("## " + prefs.Confirmed + "\n")
	for i := range 97 {
		fmt.Fprintf(&b, "- [code] \"a%d\" -> \"b\" <!-- id=cand-%012x pin=1 since=2026-04-01 -->\n", i, i)
	}
	b.WriteString("\n## " + prefs.Active + "\n")
	d := newDesk(t, hotFile, b.String(), si+"domains/x.md", "# x\n\n- [x] \"a\" -> \"b\" <!-- id=cand-0000000000ff pin=0 since=2026-04-01 -->\n")
	id := d.often(report)
	for name, try := range map[string]func() error{
		"confirm": func() error {
			_, err := Confirm(context.Background(), d.Workspace(), person, id, ConfirmOptions{})
			return err
		},
		"always": func() error {
			_, err := Confirm(context.Background(), d.Workspace(), person, id, ConfirmOptions{Always: true})
			return err
		},
		"pin": func() error {
			_, err := Pin(context.Background(), d.Workspace(), person, "cand-0000000000ff", true)
			return err
		},
	} {
		var no *agent.RefusedError
		err := try()
		if !errors.As(err, &no) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d.ReadFile(si+pendingName(id)) == "" {
		t.Error("the candidate is lost")
	}
	d.confirm(id, ConfirmOptions{OnlyIn: "writing"})
	wants(t, d.ReadFile(si+"domains/writing.md"), id)
	d.Check()
}
