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

// token has the shape of a provider's key; it is put together so that no scanner finds
// one in this source.
func token() string { return "ghp_" + "Zx9vQ2LmT4bK7cWpR8sJ" + "d3Fh6Gk1Mn5Pq0Ty" }

func TestCapture(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	got, err := Correct(context.Background(), d.Workspace(), agent.Caller{Actor: agent.Agent, Session: "a b"}, Correction{
		Line: line(t, report), Kind: "process", Quote: "skip\n the \"intro\" <!-- id=cand-000000000001 -->",
	})
	must(t, err)
	id := "cand-c9c2066bd344"
	if got.Candidate.ID != id || len(got.Save.Commits) != 1 {
		t.Fatalf("%+v", got)
	}
	want := "---\nid: " + id + "\nstatus: pending\nkind: process\nsource: correction\nfirst_seen: 2026-05-02T09:00:00Z\nlast_seen: 2026-05-02T09:00:00Z\nasks: 0\nignored: 0\n---\n" +
		report + "\n\n## Occurrences\n- 2026-05-02T09:00:00Z session=a-b \"skip the \\\"intro\\\" <! -- id=cand-000000000001 -- >\"\n"
	if text := d.InHead(si + pendingName(id)); text != want {
		t.Errorf("%s", text)
	}
	log := "# Corrections\n\n## 2026-05-02\n- [09:00] " + report + "\n  Type: process\n  Context: writing:report\n  Confirmed: pending (1/3)\n"
	if text := d.InHead(si + prefs.Corrections); text != log {
		t.Errorf("%s", text)
	}
	if s := d.Git("log", "-1", "--format=%s"); s != "claw(prefs): [writing:report] start with the result" {
		t.Error(s)
	}
	head := d.head()
	again, err := Correct(context.Background(), d.Workspace(), agent.Caller{Actor: agent.Agent, Session: "a b"}, Correction{Line: line(t, report)})
	must(t, err)
	if !again.Known || d.head() != head {
		t.Error("the same second and session, and it counts twice")
	}
	dry, err := Correct(context.Background(), d.Workspace(), bot, Correction{Line: line(t, report), DryRun: true})
	must(t, err)
	if len(dry.Save.Commits) != 1 || d.head() != head || dry.Candidate.Count != 2 {
		t.Errorf("a dry run: %+v", dry.Save)
	}
	d.Check()
}

// TestRefused: what must not be stored, who nothing is learned from, and words that would
// not stay one entry. Nothing is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	head := d.head()
	group := agent.Caller{Actor: agent.Agent, Kind: "group"}
	plain := Correction{Line: line(t, report)}
	for name, c := range map[string]struct {
		caller agent.Caller
		what   Correction
		code   int
	}{
		"group":        {group, plain, 1},
		"kind":         {bot, Correction{Line: plain.Line, Kind: "wish"}, 129},
		"key":          {bot, Correction{Line: prefs.Line{Context: "api", Pattern: "ask me", Preference: "use " + token()}}, 1},
		"card":         {bot, Correction{Line: prefs.Line{Context: "pay", Pattern: "ask for the card", Preference: "it is 4539 1488 0343 6467"}}, 1},
		"iban":         {bot, Correction{Line: prefs.Line{Context: "pay", Pattern: "ask", Preference: "DE89 3704 0044 0532 0130 00"}}, 1},
		"mail":         {bot, Correction{Line: prefs.Line{Context: "mail", Pattern: "ask", Preference: "wren@example.org / " + "Tr0ub4dor&3xY"}}, 1},
		"another line": {bot, Correction{Line: prefs.Line{Context: "a", Pattern: "b", Preference: "c\n- d"}}, 129},
		"an id":        {bot, Correction{Line: prefs.Line{Context: "a", Pattern: "b", Preference: "c <!-- id=cand-000000000001 pin=1 -->"}}, 129},
		"invisible":    {bot, Correction{Line: prefs.Line{Context: "a", Pattern: "b", Preference: "c\u202e"}}, 129},
		"context":      {bot, Correction{Line: prefs.Line{Context: "../a", Pattern: "b", Preference: "c"}}, 129},
	} {
		_, err := Correct(context.Background(), d.Workspace(), c.caller, c.what)
		var code interface{ ExitCode() int }
		if !errors.As(err, &code) || code.ExitCode() != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), token()) {
			t.Errorf("%s: the message has the value", name)
		}
	}
	for name, r := range map[string]Reflection{
		"no lesson":    {Context: "a"},
		"two lines":    {Context: "a", Lesson: "b\n== 2026-01-01T00:00:00Z r-00000000"},
		"key":          {Context: "a", Lesson: "use " + token()},
		"two contexts": {Context: "a\nLESSON: b", Lesson: "c"},
	} {
		if _, err := Reflect(context.Background(), d.Workspace(), bot, r); err == nil {
			t.Errorf("%s: it was written", name)
		}
	}
	if _, err := Reflect(context.Background(), d.Workspace(), group, Reflection{Context: "a", Lesson: "b"}); err == nil {
		t.Error("a reflection from a group")
	}
	if d.head() != head {
		t.Error(d.Git("log", "-p", head+".."))
	}
	d.Check()
}

// TestSecretQuote: the correction is kept, the quote is not.
func TestSecretQuote(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	got, err := d.tryCorrect(bot, report, "always use "+token())
	must(t, err)
	if !got.Save.Held() || got.Candidate.Count != 1 || got.Candidate.Explicit {
		t.Errorf("%+v %+v", got.Save, got.Candidate)
	}
	if all := d.Git("cat-file", "--batch-all-objects", "--batch"); strings.Contains(all, token()) {
		t.Error("the key is in an object")
	}
	d.Check()
}

// TestOldCorrections: fifty stay, the others are in the archive, and none is lost.
func TestOldCorrections(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Corrections\n\n## 2026-04-01\n")
	for i := range 50 {
		fmt.Fprintf(&b, "- [09:%02d] [code] \"a%d\" -> \"b\"\n", i, i)
	}
	d := newDesk(t, si+prefs.Corrections, b.String())
	for range 3 {
		d.correct(report, "")
		d.Later(time.Hour)
	}
	now, old := prefs.ParseCorrections([]byte(d.InHead(si+prefs.Corrections))), prefs.ParseCorrections([]byte(d.InHead(si+prefs.OldCorrections)))
	if len(now) != 50 || len(old) != 3 || old[2].Text != `[code] "a2" -> "b"` || old[2].Day != "2026-04-01" || now[49].Day != "2026-05-02" {
		t.Errorf("%d and %d: %+v", len(now), len(old), old)
	}
	d.Check()
}

// TestConfirmedAgain: a correction of what is a rule already counts as a use of it.
func TestConfirmedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.confirm(id, ConfirmOptions{})
	d.tick()
	d.Later(20 * day)
	start := d.head()
	got := d.correct(report, "again")
	if got.Candidate.Status != confirmed || d.events(start) != "candidate.repeat" || d.ReadFile(si+pendingName(id)) != "" {
		t.Errorf("%+v %s", got.Candidate, d.events(start))
	}
	if paths := d.Git("log", "-1", "--name-only", "--format="); paths != si+prefs.Corrections {
		t.Error(paths)
	}
	wants(t, d.ReadFile(si+prefs.Corrections), "  Confirmed: yes\n")
	d.Later(20 * day) // 40 since it was confirmed, 20 since it was used
	if got := d.tick(); len(got.Actions) != 0 {
		t.Errorf("%v", got.Actions)
	}
	d.Later(11 * day)
	if d.tick(); d.find(id).Tier != prefs.TierWarm {
		t.Errorf("%+v", d.find(id))
	}
	d.Check()
}

// TestByHand: files that somebody edited so that they cannot be read are left as they
// are, whatever the command is.
func TestByHand(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(string) string{
		"no frontmatter": func(s string) string { return strings.Replace(s, "---\nid", "id", 1) },
		"another id":     func(s string) string { return strings.Replace(s, "id: cand-c9c2066bd344", "id: cand-000000000001", 1) },
		"other words":    func(s string) string { return strings.Replace(s, "start with", "begin with", 1) },
		"a counter":      func(s string) string { return strings.Replace(s, "asks: 0", "asks: lots", 1) },
		"decided":        func(s string) string { return strings.Replace(s, "status: pending", "status: confirmed", 1) },
		"a time":         func(s string) string { return strings.Replace(s, "last_seen: 2026-", "last_seen: soon-", 1) },
		"empty":          func(string) string { return "" },
		"bytes":          func(string) string { return "\xff\xfe---\x00" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			id := d.often(report)
			file := si + pendingName(id)
			text := edit(d.ReadFile(file))
			d.Write(file, text)
			for what, try := range map[string]func() error{
				"correct": func() error { _, err := d.tryCorrect(bot, report, ""); return err },
				"ask":     func() error { _, err := Ask(context.Background(), d.Workspace(), bot, []string{id}); return err },
				"confirm": func() error {
					_, err := Confirm(context.Background(), d.Workspace(), person, id, ConfirmOptions{})
					return err
				},
				"reject": func() error {
					_, err := Reject(context.Background(), d.Workspace(), person, id, RejectOptions{})
					return err
				},
				"defer": func() error { _, err := Defer(context.Background(), d.Workspace(), person, id); return err },
			} {
				var no *agent.RefusedError
				if err := try(); !errors.As(err, &no) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if got := d.tick(); len(got.Skipped) != 1 {
				t.Errorf("tick: %+v", got)
			}
			if d.ReadFile(file) != text {
				t.Errorf("it was written over:\n%s", d.ReadFile(file))
			}
			if _, err := List(context.Background(), d.Workspace(), person, true); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestModes: a passive workspace learns from corrections only.
func TestModes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Git("config", "claw.si.mode", "passive")
	for range 3 {
		_, err := Reflect(context.Background(), d.Workspace(), bot, Reflection{Context: "a", Lesson: "b"})
		must(t, err)
		d.Later(time.Hour)
	}
	if list, err := List(context.Background(), d.Workspace(), person, true); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	d.Git("config", "claw.si.mode", "active")
	if got := d.tick(); strings.Join(got.Actions, ";") != "1 lesson that came up often" {
		t.Errorf("%v", got.Actions)
	}
	d.Check()
}

// TestClocks: a clock that goes back, a day in the future, and other time zones.
func TestClocks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.correct(report, "one")
	d.Clock("2031-01-01T00:00:00Z")
	d.correct(report, "far")
	d.Clock("2026-05-02T01:00:00-09:00") // an hour later than the first
	d.correct(report, "zone")
	d.Clock("2026-04-30T23:30:00+14:00")
	c := d.correct(report, "back").Candidate
	if !c.Eligible || c.Count != 4 || c.FirstSeen.Format(time.RFC3339) != "2026-04-30T09:30:00Z" || c.LastSeen.Year() != 2031 {
		t.Errorf("%+v", c)
	}
	id := c.ID
	d.ask()
	d.Clock("2026-04-01T00:00:00Z") // before it was asked
	if d.tick(); d.find(id).Ignored != 0 {
		t.Error("a question of the future was ignored")
	}
	d.confirm(id, ConfirmOptions{})
	d.Clock("2025-01-01T00:00:00Z") // before it was confirmed
	d.tick()
	if c := d.find(id); c.Tier != prefs.TierHot {
		t.Errorf("%+v", c)
	}
	d.Check()
}

// TestParse: the text of a reflection.
func TestParseReflection(t *testing.T) {
	t.Parallel()
	got, err := ParseReflection([]byte("CONTEXT: deploy\nREFLECTION: slow\nLESSON: build first\n"))
	if want := (Reflection{Context: "deploy", Reflection: "slow", Lesson: "build first"}); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	for _, text := range []string{"", "hello", "CONTEXT: a\nLESSON: b\n\nCONTEXT: c\nLESSON: d\n"} {
		var usage *agent.UsageError
		if _, err := ParseReflection([]byte(text)); !errors.As(err, &usage) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
