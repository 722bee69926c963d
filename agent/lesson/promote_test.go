package lesson

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory/header"
	"github.com/git-claw/git-claw/memory/lessons"
)

func (l *lab) promote(opt PromoteOptions) *Promoted {
	l.t.Helper()
	got, err := Promote(context.Background(), l.ws(), robot, opt)
	if err != nil {
		l.t.Fatal(err)
	}
	return got
}

// three writes a lesson that came up three times in a week and returns its id.
func (l *lab) three(text, key string) string {
	l.t.Helper()
	id := ""
	for _, at := range []string{"2026-05-03T09:00:00Z", "2026-05-05T09:00:00Z", "2026-05-08T09:00:00Z"} {
		l.clock(at)
		id = l.capture(CaptureOptions{Kind: Error, Text: text, Key: key, Task: "T1"}).ID
	}
	return id
}

// person is somebody at a terminal.
var person = agent.Caller{Actor: agent.User, TTY: true}

func (l *lab) accept(p *proposal.Proposal) *proposal.AcceptedAs {
	l.t.Helper()
	ctx, ws := context.Background(), l.ws()
	ap, err := proposal.Approve(ctx, ws, person)
	if err != nil {
		l.t.Fatal(err)
	}
	res, err := proposal.Accept(ctx, ws, person, p, proposal.AcceptOptions{Approval: ap})
	if err != nil {
		l.t.Fatal(err)
	}
	return res
}

// failing are the checks that fail.
func (l *lab) failing(ids ...string) []string {
	l.t.Helper()
	rep, err := health.ExamineWork(context.Background(), l.ws(), health.Options{Only: ids})
	if err != nil {
		l.t.Fatal(err)
	}
	var out []string
	for _, f := range rep.Findings {
		if f.Status == health.Fail {
			out = append(out, f.ID+" "+f.Path+" "+f.Message)
		}
	}
	return out
}

// TestT10List: three times in seven days are listed as a candidate, in eight they are
// not; slow recurrence is told apart.
func TestT10List(t *testing.T) {
	t.Parallel()
	l := newLab(t, lessons.Errors, "# Errors\n\n"+
		"- 2026-04-01T00:00:00Z [ERR-20260401-aaa] seen=2026-04-01T00:00:00Z,2026-04-02T00:00:00Z,2026-04-08T00:00:00Z seven days\n"+
		"- 2026-04-01T00:00:00Z [ERR-20260401-bbb] seen=2026-04-01T00:00:00Z,2026-04-02T00:00:00Z,2026-04-09T00:00:00Z eight days\n"+
		"- 2026-04-01T00:00:00Z [ERR-20260401-ccc] task=T1,T2 seen=2026-04-01T00:00:00Z,2026-04-02T00:00:00Z,2026-04-30T00:00:00Z two tasks\n"+
		"- 2026-04-01T00:00:00Z [ERR-20260401-ddd] seen=2026-04-01T00:00:00Z,2026-04-02T00:00:00Z,2026-04-03T00:00:00Z status=promoted done\n"+
		"- 2026-04-01T00:00:00Z [ERR-20260401-eee] seen=2026-04-01T00:00:00Z,2026-04-02T00:00:00Z,2026-04-03T00:00:00Z status=wont_fix left\n")
	head := l.git("rev-parse", "HEAD")
	ids := func(all bool) string {
		list, err := List(context.Background(), l.ws(), all)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, n := range list {
			s := n.ID[len(n.ID)-3:]
			if n.Often {
				s += "!"
			}
			if n.Slow {
				s += "~"
			}
			out = append(out, s)
		}
		return strings.Join(out, " ")
	}
	if got := ids(false); got != "aaa! ccc~" {
		t.Error(got)
	}
	if got := ids(true); got != "aaa! ccc~ bbb eee" {
		t.Error(got)
	}
	if l.git("rev-parse", "HEAD") != head {
		t.Error("looking changed something")
	}
	l.clean()
}

// TestT11Promote: an agent's promotion is a branch and nothing else; without a person it
// is not accepted; with one lesson and target change together and SCR-009 passes.
func TestT11Promote(t *testing.T) {
	t.Parallel()
	l := newLab(t, append(profiles("learnings openclaw_memory"), lessonsLearned, "# Lessons learned\n#tags: errors\n> last_verified: 2026-05-01\n")...)
	id := l.three("npm ci fails without a lockfile; run npm install first", "deps.no-lockfile")
	head := l.git("rev-parse", "HEAD")
	got := l.promote(PromoteOptions{ID: id})
	if l.git("rev-parse", "HEAD") != head || got.Proposal == nil || got.Proposal.Kind != proposal.Promote || got.Reason != Recurrence || got.To != lessonsLearned+"#deps" {
		t.Fatalf("%+v", got)
	}
	tr := l.trailers("claw/promote/" + got.Proposal.ID)
	for _, want := range []string{
		"Claw-Event: promote", "Claw-From: .learnings/ERRORS.md#" + id, "Claw-To: " + lessonsLearned + "#deps", "Claw-Reason: recurrence",
		"Claw-Count: 3", "Claw-Window: 7d", "Claw-Key: deps.no-lockfile", "Claw-Actor: agent",
	} {
		if !strings.Contains(tr, want+"\n") {
			t.Errorf("no %q in\n%s", want, tr)
		}
	}
	if !strings.Contains(got.Proposal.Body, "came up 3 times: 2026-05-03T09:00:00Z, 2026-05-05T09:00:00Z, 2026-05-08T09:00:00Z; tasks T1.") {
		t.Error(got.Proposal.Body)
	}
	var refused *agent.RefusedError
	if _, err := proposal.Approve(context.Background(), l.ws(), robot); !errors.As(err, &refused) || refused.ExitCode() != 1 {
		t.Errorf("an agent approves: %v", err)
	}
	if _, err := Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: id}); !errors.As(err, &refused) || !strings.Contains(refused.Advice[0], got.Proposal.ID) {
		t.Errorf("twice: %v", err)
	}
	res := l.accept(got.Proposal)
	if !res.Merge {
		t.Errorf("%+v", res)
	}
	want := "# Lessons learned\n#tags: errors\n> last_verified: 2026-05-01\n\n## deps\n\n- npm ci fails without a lockfile; run npm install first\n"
	if have := l.read(lessonsLearned); have != want {
		t.Errorf("got %q\nwant %q", have, want)
	}
	entry := lessons.Parse([]byte(l.read(lessons.Errors))).Entries[0]
	if entry.Status != lessons.Promoted || entry.To != lessonsLearned+"#deps" {
		t.Errorf("%+v", entry)
	}
	tr = l.trailers("HEAD")
	for _, want := range []string{"Claw-Event: promote", "Claw-Approved-By: Li <li@example.org>", "Claw-Approved-Via: tty", "Claw-To: " + lessonsLearned + "#deps"} {
		if !strings.Contains(tr, want+"\n") {
			t.Errorf("no %q in\n%s", want, tr)
		}
	}
	if bad := l.failing("SCR-009", "SCR-002", "SCR-007", "OWN-001", "TAG-001"); len(bad) > 0 {
		t.Error(bad)
	}
	if _, err := Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: id, Reason: Severity}); !errors.As(err, &refused) {
		t.Errorf("again: %v", err)
	}
	if list, err := List(context.Background(), l.ws(), true); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	l.clean()
}

// TestRepeatWhileWaiting: a lesson that comes up again while its promotion waits keeps
// both, the new time and the status.
func TestRepeatWhileWaiting(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	id := l.three("ask before a delete", "")
	p := l.promote(PromoteOptions{ID: id}).Proposal
	l.clock("2026-05-09T09:00:00Z")
	l.capture(CaptureOptions{Kind: Error, Text: "ask before a delete"})
	ctx, ws := context.Background(), l.ws()
	ap, _ := proposal.Approve(ctx, ws, person)
	var stale *proposal.StaleError
	if _, err := proposal.Accept(ctx, ws, person, p, proposal.AcceptOptions{Approval: ap}); err != nil {
		if !errors.As(err, &stale) {
			t.Fatal(err)
		}
		if p, err = proposal.Refresh(ctx, l.ws(), person, p); err != nil {
			t.Fatal(err)
		}
		l.accept(p)
	}
	entry := lessons.Parse([]byte(l.read(lessons.Errors))).Entries[0]
	if entry.Status != lessons.Promoted || entry.Count() != 4 || entry.To != "MEMORY.md#lessons" {
		t.Errorf("%+v", entry)
	}
	if bad := l.failing("SCR-009"); len(bad) > 0 {
		t.Error(bad)
	}
	l.clean()
}

func TestReasons(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	id := l.capture(CaptureOptions{Kind: Lesson, Text: "back up before a migration"}).ID
	var usage *agent.UsageError
	var refused *agent.RefusedError
	for _, c := range []struct {
		opt PromoteOptions
		as  any
	}{
		{PromoteOptions{ID: id}, &usage},
		{PromoteOptions{ID: id, Reason: "because"}, &usage},
		{PromoteOptions{ID: id, Reason: References}, &usage}, // of skills only
		{PromoteOptions{ID: id, Reason: Explicit}, &usage},
		{PromoteOptions{ID: id, Reason: Recurrence}, &refused},
		{PromoteOptions{ID: id, Reason: References, Skill: "x"}, &refused},
		{PromoteOptions{ID: id, Reason: Severity, To: "../x.md"}, &usage},
		{PromoteOptions{ID: id, Reason: Severity, To: "/etc/x.md"}, &usage},
		{PromoteOptions{ID: id, Reason: Severity, To: "x.txt"}, &usage},
		{PromoteOptions{ID: id, Reason: Severity, To: "other/x.md"}, &refused},
		{PromoteOptions{ID: id, Reason: Severity, To: ".learnings/ERRORS.md"}, &refused},
		{PromoteOptions{ID: id, Reason: Severity, To: "memory/2026-05-02.md"}, &refused},
		{PromoteOptions{ID: id, Reason: Severity, To: ".claw/x.md"}, &refused},
		{PromoteOptions{ID: id, Reason: Severity, To: "MEMORY.md#nothere"}, &refused},
		{PromoteOptions{ID: id, Reason: Severity, Skill: "Bad Name"}, &usage},
		{PromoteOptions{ID: id, Reason: Severity, Skill: "a", To: "MEMORY.md"}, &usage},
	} {
		if _, err := Promote(context.Background(), l.ws(), robot, c.opt); err == nil || !errors.As(err, c.as) {
			t.Errorf("%+v: %v", c.opt, err)
		}
	}
	var none *NoLessonError
	if _, err := Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: "LRN-20260101-zzz", Reason: Severity}); !errors.As(err, &none) {
		t.Error(err)
	}
	if out := l.git("branch", "--list", "claw/*"); out != "" {
		t.Error(out)
	}
	// Whoever says so in person needs no quote.
	if _, err := Promote(context.Background(), l.ws(), person, PromoteOptions{ID: id, Reason: Explicit}); err != nil {
		t.Error(err)
	}
	l.clean()
}

// TestQuote: an order in quotes is evidence. It is accepted at once only where that is
// switched on, never for a rule file, and a secret in it is left out.
func TestQuote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, quote, to string
		on, merged      bool
		kind            string
	}{
		{"off", "always back up first", "memory/procedural/backup.md", false, false, ""},
		{"on", "always back up first", "memory/procedural/backup.md", true, true, ""},
		{"no order", "nice work", "memory/procedural/backup.md", true, false, ""},
		{"rule file", "always back up first", "AGENTS.md", true, false, ""},
		{"memory", "always back up first", "MEMORY.md", true, false, ""},
		{"secret", "always use " + fakeKey(), "memory/procedural/backup.md", true, false, ""},
		{"group", "always back up first", "memory/procedural/backup.md", true, false, "group"},
	} {
		l := newLab(t, "AGENTS.md", "# AGENTS\n")
		if c.on {
			l.git("config", "claw.approve.quotes", "true")
		}
		id := l.capture(CaptureOptions{Kind: Lesson, Text: "back up before a migration"}).ID
		head := l.git("rev-parse", "HEAD")
		who := robot
		who.Kind = c.kind
		got, err := Promote(context.Background(), l.ws(), who, PromoteOptions{ID: id, Quote: c.quote, To: c.to})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got.Reason != Explicit || (got.Accepted != nil) != c.merged || (l.git("rev-parse", "HEAD") != head) != c.merged {
			t.Errorf("%s: %+v", c.name, got)
		}
		if out := l.git("log", "--all", "-p"); strings.Contains(out, fakeKey()) || (got.Unquoted != "") != (c.name == "secret") {
			t.Errorf("%s: the key is in git, or nothing is said of it", c.name)
		}
		if tr := l.trailers("HEAD"); c.merged && (!strings.Contains(tr, "Claw-Evidence: always back up first\n") || !strings.Contains(tr, "Claw-Reason: explicit\n") || strings.Contains(tr, "Approved")) {
			t.Errorf("%s:\n%s", c.name, tr)
		}
		l.clean()
	}
}

// TestRouting: where the layout keeps lessons, and what may be too much.
func TestRouting(t *testing.T) {
	t.Parallel()
	om := append(profiles("learnings openclaw_memory"), ".claw/tags.txt", "# ops\nnetworking\nfixes\ndeps\n")
	hot := "# Agent Memory\n#tags: fixes\nlast_verified: 2026-05-01\nlast_updated: 2026-05-01\n"
	promoted := "# Errors\n\n"
	for _, id := range []string{"aaa", "bbb", "ccc"} {
		promoted += "- 2026-05-01T00:00:00Z [ERR-20260501-" + id + "] key=deps." + id + " status=promoted to=" + lessonsLearned + "#deps done with " + id + "\n"
	}
	ll := "# Lessons learned\n#tags: fixes\n> last_verified: 2026-05-01\n\n## deps\n- done with aaa\n- done with bbb\n- done with ccc\n"
	for _, c := range []struct {
		name  string
		files []string
		text  string
		key   string
		to    string
		want  string
	}{
		{"without the profile", nil, "x is y", "deps.q", "", "MEMORY.md#lessons"},
		{"lessons learned", om, "x is y", "", "", lessonsLearned + "#lessons-learned"},
		{"by topic", om, "x is y", "deps.q", "", lessonsLearned + "#deps"},
		{"the file of a topic", append(slices.Clone(om), procedural+"deps.md", "# Deps\n#tags: deps\n> last_verified: 2026-05-01\n"), "x is y", "deps.q", "", procedural + "deps.md#lessons"},
		{"a new file for a topic", append(slices.Clone(om), lessons.Errors, promoted, lessonsLearned, ll), "x is y", "deps.q", "", procedural + "deps.md#lessons"},
		{"an address", om, "the store listens on 10.0.0.5:8443", "net.store", "", infrastructure + "#lessons"},
		{"known already", append(slices.Clone(om), semantic+"projects.md", "# Projects\n#tags: fixes\n> last_verified: 2026-05-01\n\n## Now\n- X is  Y.\n"), "x is y", "deps.q", "", semantic + "projects.md#projects"},
		{"a section", append(slices.Clone(om), "AGENTS.md", "# AGENTS\n\n## Tools\n- a\n\n## Rules\n- b\n"), "x is y", "", "AGENTS.md#tools", "AGENTS.md#tools"},
		{"pitfalls", append(slices.Clone(om), "TOOLS.md", "# TOOLS\n\n## Pitfalls\n"), "x is y", "", "TOOLS.md", "TOOLS.md#pitfalls"},
	} {
		l := newLab(t, append([]string{"MEMORY.md", hot}, c.files...)...)
		id := l.capture(CaptureOptions{Kind: Error, Text: c.text, Key: c.key}).ID
		got, err := Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: id, Reason: Severity, To: c.to})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.To != c.want {
			t.Errorf("%s: went to '%s'", c.name, got.To)
		}
		l.accept(got.Proposal)
		if bad := l.failing(); len(bad) > 0 {
			t.Errorf("%s: %v", c.name, bad)
		}
		l.clean()
	}
	if tags, ok := header.Tags(header.NewWarm("x", []string{"deps"}, "2026-05-02")); !ok || len(tags) != 1 {
		t.Error("no tags")
	}
}

// TestPromoteStopped: a check that fails on a file it would write, a limit, and a lesson
// that is not in git yet.
func TestPromoteStopped(t *testing.T) {
	t.Parallel()
	full := "# Agent Memory\n#tags: fixes\nlast_verified: 2026-05-01\nlast_updated: 2026-05-01\n" + strings.Repeat("- x\n", 56)
	l := newLab(t, append(profiles("learnings openclaw_memory"), "MEMORY.md", full, lessonsLearned, "# Lessons learned\nno tags\n> last_verified: 2026-05-01\n")...)
	id := l.capture(CaptureOptions{Kind: Error, Text: "x is y"}).ID
	for to, want := range map[string]string{"MEMORY.md": "60 lines", "": "TAG-001"} {
		_, err := Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: id, Reason: Severity, To: to})
		var refused *agent.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), strings.TrimPrefix(want, "60 ")) {
			t.Errorf("to '%s': %v", to, err)
		}
	}
	l.write(lessons.Learned, "# Learnings\n\n- 2026-05-02T00:00:00Z [LRN-20260502-hnd] by hand\n")
	if _, err := Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: "LRN-20260502-hnd", Reason: Severity}); err == nil || !strings.Contains(err.Error(), "not in git yet") {
		t.Error(err)
	}
}

// TestSkill: a lesson becomes a skill, as a proposal of that kind.
func TestSkill(t *testing.T) {
	t.Parallel()
	l := newLab(t, append(profiles("learnings skills"), lessons.Learned, "# Learnings\n\n## [LRN-20260401-abc] best_practice\n**Status**: resolved\n\n### Summary\nFire the kiln \"slowly\": after rain it cracks. Wait a day.\n\n### Metadata\n- See Also: ERR-20260401-aaa, ERR-20260401-bbb\n\n---\n",
		lessons.Errors, "# Errors\n\n- 2026-04-01T00:00:00Z [ERR-20260401-aaa] one\n- 2026-04-01T00:00:00Z [ERR-20260401-bbb] two\n")...)
	got := l.promote(PromoteOptions{ID: "lrn-20260401-ABC", Skill: "slow-kiln"})
	if got.Proposal.Kind != proposal.Skill || got.Reason != References || got.To != "skills/slow-kiln/SKILL.md" {
		t.Fatalf("%+v", got)
	}
	l.accept(got.Proposal)
	text := l.read("skills/slow-kiln/SKILL.md")
	if !strings.HasPrefix(text, "---\nname: slow-kiln\ndescription: \"Fire the kiln \\\"slowly\\\": after rain it cracks\"\n---\n") {
		t.Error(text)
	}
	if e := lessons.Parse([]byte(l.read(lessons.Learned))).Entries[0]; e.Status != lessons.PromotedToSkill || e.To != "skills/slow-kiln/SKILL.md" {
		t.Errorf("%+v", e)
	}
	if bad := l.failing(); len(bad) > 0 {
		t.Error(bad)
	}
	var refused *agent.RefusedError
	other := l.capture(CaptureOptions{Kind: Error, Text: "again"}).ID
	if _, err := Promote(context.Background(), l.ws(), robot, PromoteOptions{ID: other, Skill: "slow-kiln", Reason: Broad}); !errors.As(err, &refused) {
		t.Error(err)
	}
	l.clean()
}
