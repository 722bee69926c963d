package syncing_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/verdict"
)

var (
	bot    = agent.Caller{Actor: agent.Agent, Session: "s1"}
	human  = agent.Caller{Actor: agent.User, Approver: "Li Xiao <li@example.org>"}
	person = proposal.Approval{By: "Li Xiao <li@example.org>", Via: "env"}
)

const soul = "# Soul\n\n- be kind\n- be brief\n\n## Limits\n\n- no gossip\n"

func propose(l *agenttest.Lab, text string) *proposal.Proposal {
	l.T.Helper()
	p, err := proposal.Propose(l.T.Context(), l.Workspace(), bot, proposal.Draft{
		Kind: proposal.L1, Summary: "be shorter", Trailers: gitops.Trailers{{Key: "Claw-Reason", Value: "asked three times"}},
		Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(text)}},
	})
	if err != nil {
		l.T.Fatal(err)
	}
	return p
}

func find(l *agenttest.Lab, id string) *proposal.Proposal {
	l.T.Helper()
	p, err := proposal.Find(l.T.Context(), l.Workspace(), id)
	if err != nil {
		l.T.Fatal(err)
	}
	return p
}

// TestProposalsTravel is T46: one text in one second gives two ids; verdicts of both
// machines survive, and what is closed on one is closed on the other.
func TestProposalsTravel(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "SOUL.md", soul)
	a, b := f.m[0], f.m[1]
	one, two := propose(a, soul+"- more\n"), propose(b, soul+"- more\n")
	if one.ID == two.ID {
		t.Fatal("one id for two")
	}
	doSync(a)
	if res := doSync(b); res.Proposals.In != 1 || res.Proposals.Out != 1 {
		t.Errorf("%+v", res.Proposals)
	}
	doSync(a)
	for _, l := range f.m {
		list, err := proposal.List(t.Context(), l.Workspace(), false)
		if err != nil || len(list.Proposals) != 2 || list.Ignored != 0 {
			t.Fatalf("%+v, %v", list, err)
		}
	}
	say := func(l *agenttest.Lab, p *proposal.Proposal, reason string) {
		t.Helper()
		if err := proposal.Judge(t.Context(), l.Workspace(), human, person, p.Tip, verdict.Verdict{Verdict: verdict.Comment, Reason: reason}); err != nil {
			t.Fatal(err)
		}
	}
	say(a, one, "said on a")
	say(b, one, "said on b")
	if err := proposal.Reject(t.Context(), a.Workspace(), human, find(a, one.ID), person, "no"); err != nil {
		t.Fatal(err)
	}
	if _, err := proposal.Accept(t.Context(), b.Workspace(), human, find(b, two.ID), proposal.AcceptOptions{Approval: person}); err != nil {
		t.Fatal(err)
	}
	f.settle()
	f.settle()
	for i, l := range f.m {
		p := find(l, one.ID)
		if p.State != proposal.Rejected || !p.Closed() || p.Tip != one.Tip || len(p.Verdicts) != 3 {
			t.Errorf("machine %d: %s %v, closed %t", i, p.State, p.Verdicts, p.Closed())
		}
		if q := find(l, two.ID); q.State != proposal.Accepted || !q.Closed() {
			t.Errorf("machine %d: %s, closed %t", i, q.State, q.Closed())
		}
		if got := l.Git("for-each-ref", "refs/heads/claw"); got != "" {
			t.Errorf("machine %d: branches are left:\n%s", i, got)
		}
		if got := l.Git("rev-parse", "refs/claw/closed/"+one.ID); got != one.Tip.String() {
			t.Errorf("machine %d: %s", i, got)
		}
	}
	if got := f.at("for-each-ref", "--format=%(refname)", "refs/heads/claw", "refs/claw/open"); got != "" {
		t.Errorf("at the remote are left:\n%s", got)
	}
}

// TestStrangers is T62: what a remote may send.
func TestStrangers(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "SOUL.md", soul, "memory/2026-05-01.md", "# 2026-05-01\n")
	a, b := f.m[0], f.m[1]
	branch := func(name, id, script string) {
		a.Git("switch", "-q", "-c", name, "main")
		a.Git("-c", "alias.sh=!"+script, "sh")
		a.Git("add", "-A", "-f")
		a.Git("commit", "-q", "--allow-empty", "-m", "claw(rules): x\n\nClaw-Event: l1.change\nClaw-Actor: agent\nClaw-Proposal: "+id+"\n")
		a.Git("push", "-q", "origin", name)
		a.Git("switch", "-q", "main")
		a.Git("branch", "-q", "-D", name)
	}
	const good, foreign, link, mode, attr, config, mine = "20260502-good-00ff", "20260502-foreign-00ff", "20260502-link-00ff", "20260502-mode-00ff",
		"20260502-attr-00ff", "20260502-config-00ff", "20260502-mine-00ff"
	const note, under = "20260502-note-00ff", "20260502-under-00ff"
	branch("claw/l1/"+good, good, "echo '- more' >>SOUL.md")
	branch("claw/l1/"+foreign, foreign, "echo x >src.go")
	branch("claw/l1/"+link, link, "ln -sf /etc/passwd SOUL.md")
	branch("claw/l1/"+mode, mode, "chmod +x SOUL.md")
	branch("claw/l1/"+attr, attr, "echo '*.md merge=x' >>.gitattributes")
	branch("claw/l1/"+config, config, "echo '[claw]' >.claw/config")
	branch("claw/l1/"+note, note, "echo '- more' >>SOUL.md; git rm -q memory/2026-05-01.md")
	a.Git("switch", "-q", "-c", "base", "main")
	a.Git("rm", "-q", "memory/2026-05-01.md")
	a.Git("commit", "-q", "-m", "unseen")
	a.Git("switch", "-q", "main")
	branch("claw/l1/"+under, under, "git reset -q --hard base; echo '- more' >>SOUL.md")
	branch("claw/odd/20260502-odd-00ff", "20260502-odd-00ff", "echo '- more' >>SOUL.md")
	branch("claw/l1/no-id", "no-id", "echo '- more' >>SOUL.md")
	branch("claw/l1/20260502-liar-00ff", "20260502-other-00ff", "echo '- more' >>SOUL.md")
	// One that went another way here.
	branch("claw/l1/"+mine, mine, "echo '- theirs' >>SOUL.md")
	b.Git("switch", "-q", "-c", "claw/l1/"+mine)
	b.Write("SOUL.md", soul+"- ours\n")
	b.Commit("claw(rules): x\n\nClaw-Event: l1.change\nClaw-Actor: agent\nClaw-Proposal: " + mine + "\n")
	ours := b.Git("rev-parse", "HEAD")
	b.Git("switch", "-q", "main")

	res := doSync(b)
	want := [4]int{1, 7, 3, 1}
	if got := [4]int{res.Proposals.In, res.Proposals.Quarantined, res.Proposals.Ignored, res.Proposals.Diverged}; got != want {
		t.Errorf("in, quarantined, ignored, diverged: %v, want %v", got, want)
	}
	if got := b.Git("for-each-ref", "--format=%(refname:short)", "refs/heads/claw"); got != "claw/l1/"+good+"\nclaw/l1/"+mine {
		t.Errorf("branches:\n%s", got)
	}
	if got := b.Git("rev-parse", "claw/l1/"+mine); got != ours {
		t.Error("the branch here was overwritten")
	}
	for _, id := range []string{foreign, link, mode, attr, config, note, under} {
		p := find(b, id)
		if p.State != proposal.Quarantined {
			t.Errorf("%s is %s", id, p.State)
		}
		_, err := proposal.Accept(t.Context(), b.Workspace(), human, p, proposal.AcceptOptions{Approval: person})
		var refused *agent.RefusedError
		if !errors.As(err, &refused) || refused.ExitCode() != 1 {
			t.Errorf("accept %s: %v", id, err)
		}
	}
	// Nothing changes when it is done again, and nothing of it goes back.
	before := f.at("for-each-ref")
	if res := doSync(b); res.Proposals.In+res.Proposals.Out > 0 || res.Pushed {
		t.Errorf("again: %+v", res)
	}
	if got := f.at("for-each-ref"); got != before {
		t.Errorf("the remote changed:\n%s\nwas\n%s", got, before)
	}
	b.Check()
}

// TestAcceptAfterSync is T48 with two machines: MEMORY.md changed elsewhere in the file.
func TestAcceptAfterSync(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		other string
		stale bool
	}{
		"elsewhere":  {strings.Replace(soul, "no gossip", "no gossip, ever", 1), false},
		"same entry": {strings.Replace(soul, "be brief", "be brief, but whole", 1), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2, "SOUL.md", soul)
			a, b := f.m[0], f.m[1]
			p := propose(a, strings.Replace(soul, "be brief", "be very brief", 1))
			doSync(a)
			b.Write("SOUL.md", c.other)
			doSync(b)
			_, err := proposal.Accept(t.Context(), b.Workspace(), human, find(b, p.ID), proposal.AcceptOptions{Approval: person})
			var stale *proposal.StaleError
			if c.stale != errors.As(err, &stale) || !c.stale && err != nil {
				t.Fatalf("%v", err)
			}
			f.settle()
			if got := strings.Contains(a.ReadFile("SOUL.md"), "very brief"); got == c.stale {
				t.Errorf("%s", a.ReadFile("SOUL.md"))
			}
		})
	}
}

// TestCandidates is T41: one candidate goes on both sides; decided here and met again there.
func TestCandidates(t *testing.T) {
	t.Parallel()
	const file = "self-improving/pending/cand-7e1f9a20.md"
	candidate := func(asks string, occurrences ...string) string {
		return "---\nid: cand-7e1f9a20\nstatus: pending\nkind: preference\nsource: user\nfirst_seen: 2026-04-01T08:00:00Z\nlast_seen: 2026-04-02T08:00:00Z\nasks: " + asks +
			"\nignored: 0\n---\n[writing] \"long\" -> \"short\"\n\n## Occurrences\n" + strings.Join(occurrences, "\n") + "\n"
	}
	const first, mine, yours = `- 2026-04-01T08:00:00Z session=s1 "short please"`, `- 2026-04-03T08:00:00Z session=s2 "short again"`, `- 2026-04-04T08:00:00Z session=s3 "too long"`
	for name, rejected := range map[string]bool{"both go on": false, "rejected here": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2, file, candidate("0", first), "self-improving/memory.md", "# Hot\n")
			a, b := f.m[0], f.m[1]
			if rejected {
				a.Git("rm", "-q", file)
				a.Write("self-improving/archive/rejected.md", "# Rejected\n- cand-7e1f9a20 2026-05-02 not wanted\n")
			} else {
				a.Write(file, candidate("1", first, mine))
			}
			b.Write(file, candidate("2", first, yours))
			doSync(a)
			doSync(b)
			f.settle()
			text := a.ReadFile(file)
			if !strings.Contains(text, yours) {
				t.Errorf("an occurrence is lost:\n%s\n%s", text, a.Git("ls-tree", "-r", "--name-only", "HEAD")+a.ReadFile("self-improving/corrections.md"))
			}
			if rejected {
				if strings.Contains(text, first) || !strings.Contains(text, "asks: 0") || !strings.Contains(text, "first_seen: 2026-04-04") {
					t.Errorf("it is not a new one:\n%s", text)
				}
				return
			}
			if !strings.Contains(text, first) || !strings.Contains(text, mine) || !strings.Contains(text, "asks: 2\n") {
				t.Errorf("not united:\n%s", text)
			}
		})
	}
}

// TestDecidedTwice: what one machine accepts and another one rejects has one answer on
// both, whoever was first and whoever syncs first.
func TestDecidedTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rejectFirst, acceptSyncsFirst, madeAnew bool }{
		{false, false, false}, {true, true, true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 3, "SOUL.md", soul)
			a, b, other := f.m[0], f.m[1], f.m[2]
			p := propose(a, soul+"- more\n")
			doSync(a)
			doSync(b)
			doSync(other)
			accept := func() {
				if c.madeAnew {
					a.Write("SOUL.md", strings.Replace(soul, "no gossip", "no gossip at all", 1))
					save(a)
				}
				if _, err := proposal.Accept(t.Context(), a.Workspace(), human, find(a, p.ID), proposal.AcceptOptions{Approval: person}); err != nil {
					t.Fatal(err)
				}
			}
			reject := func() {
				if err := proposal.Reject(t.Context(), b.Workspace(), human, find(b, p.ID), person, "no"); err != nil {
					t.Fatal(err)
				}
			}
			steps := []func(){accept, reject}
			if c.rejectFirst {
				slices.Reverse(steps)
			}
			for _, step := range steps {
				step()
				a.Later(time.Minute)
				b.Later(2 * time.Minute)
			}
			if c.acceptSyncsFirst {
				doSync(a)
			}
			doSync(b)
			f.settle()
			for i, l := range f.m {
				got := find(l, p.ID)
				want := verdict.Reject
				if c.rejectFirst {
					want = "" // the later word counts
				}
				if got.State != proposal.Accepted || got.Disputed.Verdict != want || !got.Closed() {
					t.Errorf("machine %d: %s, disputed %q, closed %t, %+v", i, got.State, got.Disputed.Verdict, got.Closed(), got.Verdicts)
				}
				if s := l.Git("for-each-ref", "refs/heads/claw", "refs/claw/open"); s != "" {
					t.Errorf("machine %d: %s", i, s)
				}
				if !strings.Contains(l.ReadFile("SOUL.md"), "- more") {
					t.Errorf("machine %d: it is not there", i)
				}
			}
		})
	}
}
