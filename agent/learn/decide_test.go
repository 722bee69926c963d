package learn

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/memory/prefs"
)

// TestPersonOnly: no way around a person's decision: not as an agent, not with a name in
// the environment, not started by a host, not in a session without a terminal.
func TestPersonOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.ask()
	rule := d.often(`[code] "tabs" -> "spaces"`)
	d.confirm(rule, ConfirmOptions{})
	head, refs := d.head(), d.refs()
	for name, caller := range map[string]agent.Caller{
		"agent":                 {Actor: agent.Agent},
		"agent at a terminal":   {Actor: agent.Agent, TTY: true},
		"agent with a name":     {Actor: agent.Agent, Approver: "Li <li@example.org>"},
		"host":                  {Actor: agent.User, TTY: true, Host: true},
		"host with a name":      {Actor: agent.User, Approver: "Li <li@example.org>", Host: true},
		"user without terminal": {Actor: agent.User},
		"cron":                  {Actor: agent.Cron, Approver: "Li <li@example.org>"},
		"unknown":               {Actor: agent.Unknown, TTY: true},
		"no name":               {Actor: agent.User, Approver: "Li"},
	} {
		for what, try := range map[string]func() error{
			"confirm": func() error {
				_, err := Confirm(context.Background(), d.Workspace(), caller, id, ConfirmOptions{})
				return err
			},
			"always": func() error {
				_, err := Confirm(context.Background(), d.Workspace(), caller, id, ConfirmOptions{Always: true})
				return err
			},
			"reject": func() error {
				_, err := Reject(context.Background(), d.Workspace(), caller, id, RejectOptions{})
				return err
			},
			"defer": func() error { _, err := Defer(context.Background(), d.Workspace(), caller, id); return err },
			"reverse": func() error {
				_, err := Reject(context.Background(), d.Workspace(), caller, rule, RejectOptions{})
				return err
			},
			"pin":   func() error { _, err := Pin(context.Background(), d.Workspace(), caller, rule, true); return err },
			"unpin": func() error { _, err := Pin(context.Background(), d.Workspace(), caller, rule, false); return err },
		} {
			var no *agent.RefusedError
			if err := try(); !errors.As(err, &no) || no.ExitCode() != 1 {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
	if d.head() != head || d.refs() != refs {
		t.Error("something was written")
	}
	env := agent.Caller{Actor: agent.User, Approver: "Wren <wren@example.org>"}
	_, err := Confirm(context.Background(), d.Workspace(), env, id, ConfirmOptions{})
	must(t, err)
	if by := d.Trailer("HEAD", "Claw-Approved-By"); by != "Wren <wren@example.org>" || d.Trailer("HEAD", "Claw-Approved-Via") != "env" {
		t.Error(by)
	}
	d.Check()
}

// TestInPlace: an agent that writes itself a rule, or a decided candidate, has approved
// nothing, and is not taken for a candidate that was.
func TestInPlace(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	text := d.ReadFile(si + pendingName(id))
	d.Write(si+pendingName(id), strings.Replace(text, "status: pending", "status: confirmed\napproved_by: Li <li@example.org>", 1))
	got := d.tick()
	if len(got.Skipped) != 1 || d.ReadFile(hotFile) != "" {
		t.Errorf("%+v", got)
	}
}

func TestOnlyInAndAlways(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	one, two := d.often(report), d.often(`[code] "tabs" -> "spaces"`)
	ws := d.Workspace()
	for _, opt := range []ConfirmOptions{{OnlyIn: "a", Always: true}, {OnlyIn: "A b"}, {OnlyIn: "../x"}} {
		var usage *agent.UsageError
		if _, err := Confirm(context.Background(), ws, person, one, opt); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	d.confirm(one, ConfirmOptions{OnlyIn: "project:shop"})
	wants(t, d.InHead(si+"projects/shop.md"), "# shop\n\n- "+report+" <!-- id="+one+" pin=0 since=2026-05-08 -->\n")
	if d.Trailer("HEAD", "Claw-Tier-To") != "warm" {
		t.Error("not in warm")
	}
	d.confirm(two[:9], ConfirmOptions{Always: true})
	wants(t, d.InHead(hotFile), "## "+prefs.Confirmed+"\n- [code] \"tabs\" -> \"spaces\" <!-- id="+two+" pin=1 since=2026-05-08 -->\n")
	var no *agent.RefusedError
	if _, err := Confirm(context.Background(), ws, person, two, ConfirmOptions{}); !errors.As(err, &no) {
		t.Errorf("twice: %v", err)
	}
	var none *NotFoundError
	if _, err := Confirm(context.Background(), ws, person, "cand-0123", ConfirmOptions{}); !errors.As(err, &none) {
		t.Errorf("nobody: %v", err)
	}
	d.Later(400 * day)
	d.tick()
	if c := d.find(two); c.Tier != prefs.TierHot || !c.Pin {
		t.Errorf("what is pinned moved: %+v", c)
	}
	if c := d.find(one); c.Tier != prefs.TierCold {
		t.Errorf("%+v", c)
	}
	d.Check()
}

func TestPins(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.confirm(id, ConfirmOptions{OnlyIn: "writing"})
	start := d.head()
	got, err := Pin(context.Background(), d.Workspace(), person, id, true)
	must(t, err)
	wants(t, d.InHead(hotFile), "## "+prefs.Confirmed+"\n- "+report+" <!-- id="+id+" pin=1 since=2026-05-05 -->\n")
	if strings.Contains(d.InHead(si+"domains/writing.md"), id) || !got.Candidate.Pin || d.Trailer("HEAD", "Claw-Tier-From") != "warm" || d.Trailer("HEAD", "Claw-Approved-By") == "" {
		t.Errorf("%+v", got.Candidate)
	}
	head := d.head()
	_, err = Pin(context.Background(), d.Workspace(), person, id, true)
	if must(t, err); d.head() != head {
		t.Error("pinned twice")
	}
	_, err = Pin(context.Background(), d.Workspace(), person, id, false)
	must(t, err)
	wants(t, d.InHead(hotFile), "## "+prefs.Active+"\n- "+report+" <!-- id="+id+" pin=0 since=2026-05-05 -->\n")
	if got := d.events(start); got != "preference.pin preference.pin" {
		t.Error(got)
	}
	var no *agent.RefusedError
	if _, err := Pin(context.Background(), d.Workspace(), person, d.often(`[a] "b" -> "c"`), true); !errors.As(err, &no) {
		t.Errorf("a candidate: %v", err)
	}
	d.Check()
}

func TestReverse(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	d.confirm(id, ConfirmOptions{})
	start := d.head()
	got, err := Reject(context.Background(), d.Workspace(), person, id, RejectOptions{Reason: "too short", Instead: "start with a summary"})
	must(t, err)
	if got.Candidate.Status != "reversed" || got.Instead == nil || got.Instead.Count != 1 || got.Instead.Eligible || d.events(start) != "preference.reverse" {
		t.Errorf("%+v %+v", got.Candidate, got.Instead)
	}
	wants(t, d.InHead(si+prefs.Reversed), "# Reversed\n\n## 2026-05-05\n- "+report+" <!-- id="+id+" pin=0 since=2026-05-05 -->\n")
	if strings.Contains(d.InHead(hotFile), id) || d.Trailer("HEAD", "Claw-Supersedes") != id || d.Trailer("HEAD", "Claw-Approved-Via") != "tty" {
		t.Error(d.InHead(hotFile))
	}
	wants(t, d.InHead(si+pendingName(got.Instead.ID)), `[writing:report] "long introduction" -> "start with a summary"`)
	if c := d.correct(report, "").Candidate; c.Count != 1 || c.Status != pending {
		t.Errorf("once more: %+v", c)
	}
	d.tick()
	if text := d.InHead(si + prefs.Index); strings.Contains(text, "reversed") {
		t.Errorf("it is in a tier:\n%s", text)
	}
	d.Check()
}

// TestSuperseded: of two proposals of one candidate, the other one is closed.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.often(report)
	s, err := load(d.Workspace())
	must(t, err)
	for range 2 {
		_, err := propose(context.Background(), s, bot, s.pending[id], place{})
		must(t, err)
	}
	d.confirm(id, ConfirmOptions{})
	list, err := proposal.List(context.Background(), d.Workspace(), true)
	must(t, err)
	states := map[proposal.State]int{}
	for _, p := range list.Proposals {
		states[p.State]++
	}
	if len(list.Proposals) != 2 || states[proposal.Accepted] != 1 || states[proposal.Superseded] != 1 || strings.Contains(d.refs(), "heads") {
		t.Errorf("%v\n%s", states, d.refs())
	}
	d.Check()
}

// TestUnsaved: edits that nobody saved are in a commit of their own before a decision, and
// are not lost by it.
func TestUnsaved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, hotFile, "# Preferences\n\n## "+prefs.Active+"\n- by hand\n")
	id := d.often(report)
	d.ask()
	d.Write(hotFile, d.ReadFile(hotFile)+"- and this one\n")
	start := d.head()
	d.confirm(id, ConfirmOptions{})
	if got := d.events(start); got != "writeback candidate.confirm" {
		t.Error(got)
	}
	if text := d.InHead(hotFile); text != "# Preferences\n\n## "+prefs.Active+"\n- by hand\n- and this one\n- "+report+" <!-- id="+id+" pin=0 since=2026-05-05 -->\n" {
		t.Errorf("%s", text)
	}
	d.Check()
}
