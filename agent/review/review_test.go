package review_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/agent/review"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

var (
	ctx   = context.Background()
	bot   = agent.Caller{Actor: agent.Agent, Session: "s1"}
	human = agent.Caller{Actor: agent.User, Approver: "Li Xiao <li@example.org>"}
)

func queue(t *testing.T, l *agenttest.Lab) *review.Queue {
	t.Helper()
	q, err := review.Read(ctx, l.Workspace(), human)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func save(t *testing.T, l *agenttest.Lab, who agent.Caller) *agent.SaveResult {
	t.Helper()
	res, err := agent.Save(ctx, l.Workspace(), who, agent.SaveOptions{Propose: proposal.InPlace})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func kinds(q *review.Queue) string {
	var out []string
	for _, i := range q.Items {
		out = append(out, string(i.Kind))
	}
	return strings.Join(out, " ")
}

func finds(t *testing.T, ws *memory.Workspace, id string) int {
	t.Helper()
	rep, err := agent.Health(ctx, ws, agent.HealthOptions{Only: []string{id}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range rep.Findings {
		if f.ID == id && f.Status != health.Pass {
			n++
		}
	}
	return n
}

const soul = "# Soul\n\n- be kind\n"

// TestInPlace is SPEC T50: an agent's own edit of SOUL.md is a commit of its own that
// waits, and warns, until a person keeps it; under l1.strict it is a proposal; watch only
// records it.
func TestInPlace(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul, "AGENTS.md", "# A\n", "IDENTITY.md", "# I\n", "memory/2026-05-01.md", "# d\n")
	l.Write("SOUL.md", soul+"- be brief\n")
	l.Write("memory/2026-05-01.md", "# d\n\n- note\n")
	res := save(t, l, bot)
	if len(res.Commits) != 2 || res.Commits[0].Event != "l1.edit" || len(res.Commits[0].Paths) != 1 {
		t.Fatalf("saved %+v", res.Commits)
	}
	q := queue(t, l)
	if kinds(q) != "edit" || q.Items[0].ID != res.Commits[0].ID {
		t.Fatalf("the queue is %q", kinds(q))
	}
	if finds(t, l.Workspace(), "L1-006") != 1 {
		t.Error("L1-006 does not warn")
	}
	// An agent does not keep it.
	var refused *agent.RefusedError
	for _, who := range []agent.Caller{bot, {Actor: agent.User}, {Actor: agent.User, Approver: human.Approver, Host: true}} {
		if _, err := review.Decide(ctx, l.Workspace(), who, q.Items[0], review.Decision{Answer: review.Accept}); !errors.As(err, &refused) {
			t.Errorf("%+v kept it: %v", who, err)
		}
	}
	if _, err := review.Decide(ctx, l.Workspace(), human, q.Items[0], review.Decision{Answer: review.Accept}); err != nil {
		t.Fatal(err)
	}
	if q := queue(t, l); kinds(q) != "" || finds(t, l.Workspace(), "L1-006") != 0 {
		t.Errorf("after it was kept: %q, L1-006 %d", kinds(q), finds(t, l.Workspace(), "L1-006"))
	}

	// Taken back it is gone from the queue as well.
	l.Write("SOUL.md", soul+"- be brief\n- be loud\n")
	save(t, l, agent.Caller{Actor: agent.Unknown})
	q = queue(t, l)
	if kinds(q) != "edit" {
		t.Fatalf("an edit of nobody: %q", kinds(q))
	}
	if _, err := review.Decide(ctx, l.Workspace(), human, q.Items[0], review.Decision{Answer: review.Reject}); err != nil {
		t.Fatal(err)
	}
	if got := l.ReadFile("SOUL.md"); got != soul+"- be brief\n" || kinds(queue(t, l)) != "" {
		t.Errorf("taken back: %q", got)
	}

	l.Git("config", "claw.l1.strict", "true")
	l.Write("SOUL.md", soul+"- be brief\n- be bold\n")
	res = save(t, l, bot)
	if len(res.Commits) != 0 || len(res.Proposed) != 1 || l.ReadFile("SOUL.md") != soul+"- be brief\n" {
		t.Errorf("strict: %+v, the file is %q", res, l.ReadFile("SOUL.md"))
	}
	if q = queue(t, l); kinds(q) != "proposal" {
		t.Fatalf("strict: %q", kinds(q))
	}
	if _, err := review.Decide(ctx, l.Workspace(), human, q.Items[0], review.Decision{Answer: review.Accept}); err != nil {
		t.Fatal(err)
	}
	if l.ReadFile("SOUL.md") != soul+"- be brief\n- be bold\n" {
		t.Errorf("accepted: %q", l.ReadFile("SOUL.md"))
	}
	// Settings wait apart: a person applies them by hand.
	l.Write(".claw/config", l.ReadFile(".claw/config")+"\tmaxFileBytes = 100000\n")
	if res = save(t, l, bot); len(res.Proposed) != 1 || strings.Contains(l.ReadFile(".claw/config"), "maxFileBytes") {
		t.Errorf("settings: %+v", res)
	}
	p := find(t, l, res.Proposed[0].ID)
	if p.State != proposal.Quarantined {
		t.Errorf("settings are %s", p.State)
	}
	l.Check()
}

func find(t *testing.T, l *agenttest.Lab, id string) *proposal.Proposal {
	t.Helper()
	p, err := proposal.Find(ctx, l.Workspace(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStrictKeepsSecrets: a file with a line that is in no commit is never put back.
func TestStrictKeepsSecrets(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	l.Git("config", "claw.l1.strict", "true")
	text := soul + "- be brief\n- aws key AKIA" + "Q3EGUVX5TNZKHP4R\n"
	l.Write("SOUL.md", text)
	res := save(t, l, bot)
	if l.ReadFile("SOUL.md") != text || !res.Held() || len(res.Proposed) != 0 {
		t.Errorf("%+v, the file is %q", res, l.ReadFile("SOUL.md"))
	}
	if strings.Contains(l.InHead("SOUL.md"), "AKIA") {
		t.Error("the key is in git")
	}
}

// TestMergedWithGit is the review part of SPEC T61: listed once, and confirmed.
func TestMergedWithGit(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	p, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "be bold", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- be bold\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	l.Git("merge", "-q", "--no-ff", "-m", "merge", p.Branch)
	q := queue(t, l)
	if kinds(q) != "proposal" || len(q.Items[0].Answers) != 2 {
		t.Fatalf("the queue is %q", kinds(q))
	}
	if _, err := review.Decide(ctx, l.Workspace(), human, q.Items[0], review.Decision{Answer: review.Accept}); err != nil {
		t.Fatal(err)
	}
	if q = queue(t, l); kinds(q) != "" {
		t.Errorf("it is listed again: %q", kinds(q))
	}
	// Squashed: closed as applied elsewhere; the commit that brought it is the person's.
	p, err = proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "be calm", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- be bold\n- be calm\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	l.Git("merge", "-q", "--squash", p.Branch)
	l.Git("commit", "-qm", "claw(rules): update\n\nClaw-Event: l1.edit\nClaw-Actor: agent\nClaw-Id: 20260502-0000aaaa")
	if q = queue(t, l); kinds(q) != "edit" {
		t.Errorf("squashed: %q", kinds(q))
	}
}

// TestFindTellsApart: a part of an id counts only when it is one thing's.
func TestFindTellsApart(t *testing.T) {
	t.Parallel()
	q := &review.Queue{Items: []*review.Item{{ID: "20260502-aaaa", Title: "Be bold"}, {ID: "20260502-bbbb", Title: "be brief"}}}
	for name, want := range map[string]int{"20260502-aaaa": 0, "aaaa": 0, "bbbb": 1, "brief": 1, "BOLD": 0, "2026": -1, "be b": -1, "": -1, "x": -1} {
		got := q.Find(name)
		if want < 0 && got != nil || want >= 0 && got != q.Items[want] {
			t.Errorf("%q finds %+v", name, got)
		}
	}
}

// TestSmuggled: ways by which an agent gets a rule in without asking lead to a person all
// the same.
func TestSmuggled(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul, "skills/tea/SKILL.md", "---\nname: tea\ndescription: x\n---\n", "self-improving/memory.md", "# Preferences\n\n## Active Patterns\n")
	// A preference written into the store.
	l.Write("self-improving/memory.md", l.ReadFile("self-improving/memory.md")+"- [x] \"a\" -> \"b\" <!-- id=cand-0123456789ab pin=1 since=2026-05-01 -->\n")
	l.Write("memory/2026-05-02.md", "# d\n\n- a note\n")
	res := save(t, l, bot)
	if len(res.Commits) != 2 {
		t.Errorf("saved %+v", res.Commits)
	}
	if q := queue(t, l); kinds(q) != "edit" || finds(t, l.Workspace(), "PRF-012") != 1 {
		t.Fatalf("a preference: %q, PRF-012 %d", kinds(q), finds(t, l.Workspace(), "PRF-012"))
	}
	if _, err := review.Decide(ctx, l.Workspace(), human, queue(t, l).Items[0], review.Decision{Answer: review.Reject}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(l.ReadFile("self-improving/memory.md"), "cand-") || !strings.Contains(l.ReadFile("memory/2026-05-02.md"), "a note") {
		t.Error("taking it back took something else, or did not")
	}

	// A proposal that is copied onto the branch.
	for _, d := range []proposal.Draft{
		{Kind: proposal.L1, Summary: "be bold", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- be bold\n")}}},
		{Kind: proposal.Skill, Summary: "brew", Edits: []proposal.Edit{{Path: "skills/tea/SKILL.md", Content: []byte("---\nname: tea\ndescription: y\n---\n")}}},
	} {
		p, err := proposal.Propose(ctx, l.Workspace(), bot, d)
		if err != nil {
			t.Fatal(err)
		}
		l.Write("memory/2026-05-02.md", l.ReadFile("memory/2026-05-02.md")+"- more\n")
		save(t, l, bot)
		l.Git("cherry-pick", p.Tip.String())
		q := queue(t, l)
		if kinds(q) != "edit" {
			t.Fatalf("%s: %q", d.Kind, kinds(q))
		}
		if _, err := review.Decide(ctx, l.Workspace(), human, q.Items[0], review.Decision{Answer: review.Accept}); err != nil {
			t.Fatal(err)
		}
	}
	if q := queue(t, l); kinds(q) != "" {
		t.Errorf("left: %q", kinds(q))
	}
	// What a host's marker stands beside is not done by the user.
	for said, want := range map[string]agent.Actor{"user": agent.Agent, "agent": agent.Agent, "cron": agent.Cron, "": agent.Agent} {
		if got, err := agent.Who(said, true, []string{"CLAUDECODE"}); err != nil || got != want {
			t.Errorf("%q is %s %v", said, got, err)
		}
	}
}

// TestTakeBackAMerge: what git merged can be taken back in review as well.
func TestTakeBackAMerge(t *testing.T) {
	t.Parallel()
	for _, how := range [][]string{{"merge", "-q", "--no-ff", "-m", "merge"}, {"merge", "-q", "--ff-only"}} {
		l := agenttest.New(t, "", "SOUL.md", soul)
		p, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "be bold", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- be bold\n")}}})
		if err != nil {
			t.Fatal(err)
		}
		l.Git(append(how, p.Branch)...)
		if _, err := review.Decide(ctx, l.Workspace(), human, queue(t, l).Items[0], review.Decision{Answer: review.Reject}); err != nil {
			t.Fatal(err)
		}
		if l.ReadFile("SOUL.md") != soul || kinds(queue(t, l)) != "" {
			t.Errorf("%v: %q, %q", how, l.ReadFile("SOUL.md"), kinds(queue(t, l)))
		}
		l.Check()
	}
}

// TestDisputed: what was accepted here and rejected on another machine stays, and is put
// to a person (SPEC GN-17).
func TestDisputed(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{true, false} {
		l := agenttest.New(t, "", "SOUL.md", soul)
		p, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "be bold", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- be bold\n")}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := review.Decide(ctx, l.Workspace(), human, queue(t, l).Items[0], review.Decision{Answer: review.Accept}); err != nil {
			t.Fatal(err)
		}
		l.Later(time.Hour)
		// The note of the other machine, as a merge of notes brings it.
		l.Git("notes", "--ref=claw", "append", "-m", `{"v":1,"at":"`+l.Now().Format(time.RFC3339)+`","by":"Mo <mo@example.org>","actor":"user","via":"tty","verdict":"reject"}`, p.Tip.String())
		l.Later(time.Hour)
		q := queue(t, l)
		if kinds(q) != "proposal" || q.Items[0].Proposal.State != proposal.Accepted {
			t.Fatalf("the queue is %q", kinds(q))
		}
		want, answer := soul+"- be bold\n", review.Accept
		if !keep {
			want, answer = soul, review.Reject
		}
		if _, err := review.Decide(ctx, l.Workspace(), human, q.Items[0], review.Decision{Answer: answer}); err != nil {
			t.Fatal(err)
		}
		if l.ReadFile("SOUL.md") != want || kinds(queue(t, l)) != "" {
			t.Errorf("keep %v: %q, %q", keep, l.ReadFile("SOUL.md"), kinds(queue(t, l)))
		}
	}
}

// TestThreeVersions: each of three versions can be chosen, alone.
func TestThreeVersions(t *testing.T) {
	t.Parallel()
	const text = "# M\n\n<!-- claw:conflict id=0123abcd kind=edit n=3 -->\n- the port is 81\n- the port is 82\n- the port is 83\n"
	for answer, want := range map[review.Answer]string{
		review.First: "- the port is 81\n", review.Second: "- the port is 82\n", "third": "- the port is 83\n",
		review.Both: "- the port is 81\n- the port is 82\n- the port is 83\n",
	} {
		l := agenttest.New(t, "", "MEMORY.md", text)
		i := queue(t, l).Items[0]
		if len(i.Answers) != 5 {
			t.Fatalf("answers are %v", i.Answers)
		}
		if _, err := review.Decide(ctx, l.Workspace(), human, i, review.Decision{Answer: answer}); err != nil {
			t.Fatal(err)
		}
		if got := l.ReadFile("MEMORY.md"); got != "# M\n\n"+want {
			t.Errorf("%s: %q", answer, got)
		}
	}
}
