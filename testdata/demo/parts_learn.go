package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// learn is a week in which Mika says one thing three times.
func (t *tour) learn() {
	t.title("Said three times, asked once, a rule from then on")
	t.say("Within a week Mika corrects the same thing three times; the agent writes it down.")
	for _, c := range []struct{ at, session, quote string }{
		{"2026-11-24T10:00:00Z", "tuesday", "centimetres please, not inches"},
		{"2026-11-26T15:30:00Z", "thursday", "again inches. centimetres!"},
		{"2026-11-27T09:10:00Z", "friday", "the size in centimetres, as always"},
	} {
		t.clock(c.at)
		t.agent("learn", "correction", "--session", c.session, "--quote", c.quote, `[shop:sizes] "sizes in inches" -> "sizes in centimetres"`)
	}
	t.say("The agent cannot make it a rule, neither by a flag nor in Mika's name.")
	t.refused("only a person may decide this", "candidate", "confirm", "cand", "--as", "user")
	t.clock("2026-11-27T18:00:00Z")
	t.say("In the evening Mika looks at what waits. One key: y.")
	t.press([]sandbox.Key{{After: "Should this be a rule?", Type: ""}, {After: "? ", Type: "y"}}, "git", "claw", "review", "cand")
	t.say("It is among the preferences that every session loads, and why tells how it got there.")
	line := t.lineOf("self-improving/memory.md", "centimetres")
	t.claw([]string{"approved", "3 times within 7d"}, "why", fmt.Sprintf("self-improving/memory.md:%d", line))
}

// agent runs a command as Juniper does, within its host.
func (t *tour) agent(args ...string) {
	if t.err != nil {
		return
	}
	old := t.box
	t.box = t.host.box
	t.claw(nil, args...)
	t.box = old
}

// refused runs a command of the agent's that must not work.
func (t *tour) refused(why string, args ...string) {
	if t.err != nil {
		return
	}
	argv := append([]string{"git", "claw"}, args...)
	fmt.Fprintf(t.out, "\n$ %s\n", quote(argv))
	t.told = false
	res, err := t.host.box.With("GIT_CLAW_APPROVER=Mika <mika@example.org>").Run(t.ctx, t.dir, "", argv...)
	if err != nil {
		t.fail(err)
		return
	}
	fmt.Fprint(t.out, res.Both)
	if res.Code != 1 || !strings.Contains(res.Both, why) {
		t.fail(fmt.Errorf("'%s' was not refused: exit status %d", quote(argv), res.Code))
	}
}

// press runs a command of Mika's at a terminal, and types. Where no terminal can be
// played, it is decided by name.
func (t *tour) press(keys []sandbox.Key, argv ...string) {
	if t.err != nil {
		return
	}
	res, err := t.box.With("GIT_CLAW_ACTOR=").Terminal(t.ctx, t.dir, keys, argv...)
	if errors.Is(err, sandbox.ErrNoTerminal) {
		old := t.box
		t.box = t.box.With("GIT_CLAW_APPROVER=Mika <mika@example.org>")
		t.show(nil, append(argv[:len(argv)-1:len(argv)-1], "--answer", "accept", argv[len(argv)-1])...)
		t.box = old
		return
	}
	fmt.Fprintf(t.out, "\n$ %s\n%s", quote(argv), res.Both)
	t.told = false
	if err == nil && res.Code != 0 {
		err = fmt.Errorf("'%s' ended with exit status %d", quote(argv), res.Code)
	}
	t.do(func() error { return err })
}
