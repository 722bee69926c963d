package proposal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
)

var (
	ctx    = context.Background()
	bot    = agent.Caller{Actor: agent.Agent, Session: "s1"}
	human  = agent.Caller{Actor: agent.User, Approver: "Li Xiao <li@example.org>"}
	person = proposal.Approval{By: "Li Xiao <li@example.org>", Via: "env"}
)

const soul = "# Soul\n\n- be kind\n- be brief\n- be honest\n\n## Limits\n\n- no gossip\n"

// propose makes a proposal that changes a file.
func propose(t *testing.T, l *agenttest.Lab, rel, text string) *proposal.Proposal {
	t.Helper()
	p, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{
		Kind: proposal.L1, Summary: "be shorter", Trailers: gitops.Trailers{{Key: "Claw-Reason", Value: "asked three times"}},
		Edits: []proposal.Edit{{Path: rel, Content: []byte(text)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func find(t *testing.T, l *agenttest.Lab, id string) *proposal.Proposal {
	t.Helper()
	p, err := proposal.Find(ctx, l.Workspace(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func accept(t *testing.T, l *agenttest.Lab, p *proposal.Proposal, opt proposal.AcceptOptions) *proposal.AcceptedAs {
	t.Helper()
	opt.Approval = person
	res, err := proposal.Accept(ctx, l.Workspace(), human, p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%q\nwant\n%q", what, got, want)
	}
}

func TestProposeAndAccept(t *testing.T) {
	t.Parallel()
	for _, sub := range []string{"", "agents/one"} {
		l := agenttest.New(t, sub, "SOUL.md", soul, "AGENTS.md", "# A\n", "IDENTITY.md", "# I\n")
		head := l.Git("rev-parse", "HEAD")
		p := propose(t, l, "SOUL.md", strings.Replace(soul, "be brief", "be very brief", 1))
		same(t, "HEAD", l.Git("rev-parse", "HEAD"), head)
		l.Check()
		same(t, "branch", l.Git("for-each-ref", "--format=%(refname)", "refs/heads/claw"), "refs/heads/"+p.Branch)
		same(t, "state", string(p.State), "open")
		same(t, "title", p.Title, "be shorter")
		same(t, "reason", p.Reason, "asked three times")
		same(t, "workspace", l.Trailer(p.Tip.String(), "Claw-Workspace"), sub)
		entries, err := p.Entries(ctx)
		if err != nil || len(entries) != 1 || entries[0].Old != "- be brief" || entries[0].New != "- be very brief" || entries[0].N != 1 {
			t.Fatalf("entries are %+v %v", entries, err)
		}
		res := accept(t, l, p, proposal.AcceptOptions{})
		same(t, "parents", l.Git("log", "-1", "--format=%P"), head+" "+p.Tip.String())
		same(t, "approved by", l.Trailer("HEAD", "Claw-Approved-By"), person.By)
		same(t, "via", l.Trailer("HEAD", "Claw-Approved-Via"), "env")
		same(t, "event", l.Trailer("HEAD", "Claw-Event"), "l1.change")
		same(t, "proposal", l.Trailer("HEAD", "Claw-Proposal"), p.ID)
		same(t, "reason", l.Trailer("HEAD", "Claw-Reason"), "asked three times")
		same(t, "file", l.ReadFile("SOUL.md"), strings.Replace(soul, "be brief", "be very brief", 1))
		same(t, "commit", res.Commit.String(), l.Git("rev-parse", "HEAD"))
		same(t, "refs", l.Git("for-each-ref", "--format=%(refname)", "refs/heads/claw", "refs/claw"), "refs/claw/closed/"+p.ID)
		l.Check()
		again := find(t, l, p.ID)
		same(t, "state", string(again.State), "accepted")
		if len(again.Verdicts) != 1 || again.Verdicts[0].By != person.By || again.Verdicts[0].Verdict != "accept" {
			t.Errorf("verdicts are %+v", again.Verdicts)
		}
		var refused *agent.RefusedError
		if _, err := proposal.Accept(ctx, l.Workspace(), human, again, proposal.AcceptOptions{Approval: person}); !errors.As(err, &refused) {
			t.Errorf("accepting twice: %v", err)
		}
		list, err := proposal.List(ctx, l.Workspace(), false)
		if err != nil || len(list.Proposals) != 0 || list.Ignored != 0 {
			t.Errorf("the list is %+v %v", list, err)
		}
	}
}

// TestAcceptBesideEdits: what is unsaved is saved before, and what a person edits beside
// it stays (SPEC T35, T48).
func TestAcceptBesideEdits(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul, "MEMORY.md", "# Memory\n\n- alpha is blue\n- beta is green\n", "notes.txt", "x\n")
	p := propose(t, l, "SOUL.md", strings.Replace(soul, "be brief", "be very brief", 1))
	l.Write("SOUL.md", strings.Replace(soul, "no gossip", "no gossip at all", 1))
	l.Write("notes.txt", "staged\n")
	l.Git("add", "notes.txt")
	res := accept(t, l, p, proposal.AcceptOptions{})
	both := strings.Replace(strings.Replace(soul, "be brief", "be very brief", 1), "no gossip", "no gossip at all", 1)
	same(t, "file", l.ReadFile("SOUL.md"), both)
	same(t, "HEAD", l.InHead("SOUL.md"), both)
	if len(res.Before) != 1 || res.Before[0].Actor != agent.Unknown {
		t.Errorf("saved before: %+v", res.Before)
	}
	l.Check("M  notes.txt")
	l.Git("commit", "-qm", "notes")

	// Changed elsewhere in the file: it fits by itself. In the same entry: exit 3.
	p = propose(t, l, "MEMORY.md", "# Memory\n\n- alpha is red\n- beta is green\n")
	l.Write("MEMORY.md", "# Memory\n\n- alpha is blue\n- beta is green\n- gamma is new\n")
	l.Commit("more")
	same(t, "state", string(find(t, l, p.ID).State), "stale")
	accept(t, l, p, proposal.AcceptOptions{})
	same(t, "file", l.ReadFile("MEMORY.md"), "# Memory\n\n- alpha is red\n- beta is green\n- gamma is new\n")

	p = propose(t, l, "MEMORY.md", "# Memory\n\n- alpha is red\n- beta is yellow today\n- gamma is new\n")
	l.Write("MEMORY.md", "# Memory\n\n- alpha is red\n- beta is black today\n- gamma is new\n")
	l.Commit("same entry")
	_, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person})
	var stale *proposal.StaleError
	if !errors.As(err, &stale) || stale.ExitCode() != 3 {
		t.Errorf("the same entry: %v", err)
	}
	same(t, "file", l.ReadFile("MEMORY.md"), "# Memory\n\n- alpha is red\n- beta is black today\n- gamma is new\n")
	// A new look shows it against what is there now.
	if p, err = proposal.Refresh(ctx, l.Workspace(), human, p); err != nil {
		t.Fatal(err)
	}
	accept(t, l, p, proposal.AcceptOptions{})
	if !strings.Contains(l.ReadFile("MEMORY.md"), "- beta is yellow today\n") {
		t.Errorf("the file is %q", l.ReadFile("MEMORY.md"))
	}

	// Its target went: nothing to fit it to.
	p = propose(t, l, "SOUL.md", l.ReadFile("SOUL.md")+"- no lies\n")
	l.Git("mv", "SOUL.md", "memory.md")
	l.Git("commit", "-qm", "moved")
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); !errors.As(err, &stale) || !stale.Gone {
		t.Errorf("a target that is gone: %v", err)
	}
	if _, err := proposal.Refresh(ctx, l.Workspace(), human, p); !errors.As(err, &stale) || !stale.Gone {
		t.Errorf("a target that is gone: %v", err)
	}
	l.Check()
}

// TestSplit is SPEC T47.
func TestSplit(t *testing.T) {
	t.Parallel()
	const text = "# Memory\n\n- host one runs on port 1\n- host two runs on port 2\n- host three runs on port 3\n- host four runs on port 4\n"
	next := strings.ReplaceAll(text, "runs", "listens")
	for _, reject := range []bool{false, true} {
		l := agenttest.New(t, "", "MEMORY.md", text)
		p := propose(t, l, "MEMORY.md", next)
		res := accept(t, l, p, proposal.AcceptOptions{Only: []int{3, 1}, RejectRest: reject})
		same(t, "file", l.ReadFile("MEMORY.md"), "# Memory\n\n- host one listens on port 1\n- host two runs on port 2\n- host three listens on port 3\n- host four runs on port 4\n")
		same(t, "only", l.Trailer("HEAD", "Claw-Only"), "1,3")
		same(t, "state", string(find(t, l, p.ID).State), "split")
		list, err := proposal.List(ctx, l.Workspace(), false)
		if err != nil {
			t.Fatal(err)
		}
		if reject {
			if res.Rest != nil || len(list.Proposals) != 0 {
				t.Errorf("the rest is %+v", list.Proposals)
			}
			continue
		}
		if len(list.Proposals) != 1 || res.Rest == nil || list.Proposals[0].ID != res.Rest.ID {
			t.Fatalf("the rest is %+v, %+v", res.Rest, list.Proposals)
		}
		rest := list.Proposals[0]
		same(t, "split from", rest.Trailers.Get("Claw-Split-From"), p.ID)
		same(t, "state", string(rest.State), "open")
		if entries, err := rest.Entries(ctx); err != nil || len(entries) != 2 || entries[0].New != "- host two listens on port 2" {
			t.Errorf("its entries are %+v %v", entries, err)
		}
		accept(t, l, rest, proposal.AcceptOptions{})
		same(t, "file", l.ReadFile("MEMORY.md"), next)
		l.Check()
	}
}

func TestRejectDeferRefresh(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	p := propose(t, l, "SOUL.md", soul+"- no lies\n")
	until := l.Now().Add(48 * time.Hour)
	if err := proposal.Defer(ctx, l.Workspace(), human, p, person, until, "later"); err != nil {
		t.Fatal(err)
	}
	p = find(t, l, p.ID)
	if p.State != proposal.Deferred || !p.Until.Equal(until) {
		t.Errorf("it is %s until %v", p.State, p.Until)
	}
	l.Later(49 * time.Hour)
	same(t, "state", string(find(t, l, p.ID).State), "open")

	// Deleted with git: withdrawn, and back again.
	l.Git("branch", "-D", p.Branch)
	p = find(t, l, p.ID)
	same(t, "state", string(p.State), "withdrawn")
	var refused *agent.RefusedError
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); !errors.As(err, &refused) {
		t.Errorf("accepting what was withdrawn: %v", err)
	}
	l.Write("SOUL.md", strings.Replace(soul, "be kind", "be most kind", 1))
	l.Commit("elsewhere in the file")
	p = find(t, l, p.ID)
	p, err := proposal.Refresh(ctx, l.Workspace(), human, p)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "state", string(p.State), "open")
	same(t, "base", p.Base.String(), l.Git("rev-parse", "HEAD"))
	if len(p.Verdicts) != 1 {
		t.Errorf("the verdicts did not come along: %+v", p.Verdicts)
	}
	if err := proposal.Reject(ctx, l.Workspace(), human, p, person, "no\nneed"); err != nil {
		t.Fatal(err)
	}
	p = find(t, l, p.ID)
	same(t, "state", string(p.State), "rejected")
	same(t, "closed", l.Git("rev-parse", "refs/claw/closed/"+p.ID), p.Tip.String())
	same(t, "note", l.Git("log", "-1", "--format=%s", "refs/notes/claw"), "Notes added by 'git claw'")
	if !strings.Contains(l.Git("notes", "--ref=claw", "show", p.Tip.String()), `"reason":"no need"`) {
		t.Error("git does not show the note")
	}
	if err := proposal.Reject(ctx, l.Workspace(), human, p, person, ""); !errors.As(err, &refused) {
		t.Errorf("rejecting twice: %v", err)
	}
	l.Check()
}

// TestMergedByGit is the proposal part of SPEC T61.
func TestMergedByGit(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	p := propose(t, l, "SOUL.md", soul+"- no lies\n")
	l.Git("merge", "-q", "--no-ff", "-m", "merge it", p.Branch)
	l.Git("branch", "-d", p.Branch)
	p = find(t, l, p.ID)
	same(t, "state", string(p.State), "merged")
	head := l.Git("rev-parse", "HEAD")
	accept(t, l, p, proposal.AcceptOptions{})
	same(t, "HEAD", l.Git("rev-parse", "HEAD"), head)
	p = find(t, l, p.ID)
	same(t, "state", string(p.State), "accepted")
	same(t, "closed", l.Git("for-each-ref", "--format=%(refname)", "refs/claw"), "refs/claw/closed/"+p.ID)

	// Squashed, or copied by hand: applied elsewhere, and closed by Settle.
	for _, how := range [][]string{{"merge", "-q", "--squash"}, {"cherry-pick", "--no-commit"}} {
		p = propose(t, l, "SOUL.md", l.ReadFile("SOUL.md")+"- "+how[0]+"\n")
		l.Git(append(how, p.Branch)...)
		l.Git("commit", "-qm", "by "+how[0])
		same(t, "state", string(find(t, l, p.ID).State), "elsewhere")
		settled, err := proposal.Settle(ctx, l.Workspace(), bot)
		if err != nil || len(settled) != 1 || settled[0].State != proposal.Elsewhere {
			t.Errorf("settled %+v %v", settled, err)
		}
		p = find(t, l, p.ID)
		if p.State != proposal.Elsewhere || !p.Closed() {
			t.Errorf("it is %s, closed %v", p.State, p.Closed())
		}
	}
	l.Check()
}

// TestQuarantine is the local part of SPEC T62: what a branch of somebody else may hold.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	message := func(id string) string {
		return "claw(rules): x\n\nClaw-Event: l1.change\nClaw-Actor: agent\nClaw-Proposal: " + id + "\n"
	}
	tests := []struct{ name, state, script string }{
		{"foreign path", "quarantined", "echo x >src.go"},
		{"unmanaged in a folder of git", "quarantined", "mkdir -p memory/node_modules && echo x >memory/node_modules/a.md"},
		{"symlink", "quarantined", "ln -sf /etc/passwd SOUL.md"},
		{"new symlink", "quarantined", "ln -s /etc/passwd memory/x.md"},
		{"mode", "quarantined", "chmod +x SOUL.md"},
		{"new executable", "quarantined", "echo x >memory/x.md; chmod +x memory/x.md"},
		{"attributes", "quarantined", "echo '*.md merge=x' >>.gitattributes"},
		{"inner attributes", "quarantined", "echo '*.md merge=x' >memory/.gitattributes"},
		{"settings", "quarantined", "echo '[claw]' >.claw/config"},
		{"tags", "quarantined", "echo x >.claw/tags.txt"},
		{"not of the kind", "quarantined", "mkdir -p skills/x && echo x >skills/x/SKILL.md"},
		{"state of the host", "quarantined", "echo x >openclaw-workspace-state.json"},
		{"a database", "quarantined", "echo x >memory/main.sqlite"},
		{"nothing", "quarantined", "true"},
		{"fine", "open", "echo '- more' >>SOUL.md"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := agenttest.New(t, "", "SOUL.md", soul, "memory/a.md", "# a\n")
			const id = "20260502-x-00ff"
			l.Git("switch", "-q", "-c", "claw/l1/"+id)
			l.Git("-c", "alias.sh=!"+tt.script, "sh")
			l.Git("add", "-A", "-f")
			l.Git("commit", "-q", "--allow-empty", "-m", message(id))
			l.Git("switch", "-q", "main")
			p := find(t, l, id)
			same(t, "state", string(p.State), tt.state)
			if tt.state == "open" {
				return
			}
			head := l.Git("rev-parse", "HEAD")
			_, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person})
			var refused *agent.RefusedError
			if !errors.As(err, &refused) {
				t.Errorf("accept: %v", err)
			}
			same(t, "HEAD", l.Git("rev-parse", "HEAD"), head)
			if _, err := proposal.Refresh(ctx, l.Workspace(), human, p); !errors.As(err, &refused) {
				t.Errorf("refresh: %v", err)
			}
			if err := proposal.Reject(ctx, l.Workspace(), human, p, person, ""); err != nil {
				t.Errorf("reject: %v", err)
			}
			l.Check()
		})
	}
}

// TestIgnored: names that are none of ours are counted, and never listed.
func TestIgnored(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	for _, name := range []string{"claw/l1/x", "claw/other/20260502-x-00ff", "claw/l1/20260502-X-00ff", "claw/l1/20260502-x-00fg", "claw/l1/20260502-empty-00ff", "claw/promote/20260502-a-b/c"} {
		l.Git("branch", name)
	}
	// Names that lead to no commit, or nowhere.
	for name, id := range map[string]string{"20260502-blob-00ff": l.Git("rev-parse", "HEAD:SOUL.md"), "20260502-gone-00ff": strings.Repeat("12", 20)} {
		file := filepath.Join(l.Dir, ".git/refs/heads/claw/l1", name)
		if err := os.WriteFile(file, []byte(id+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := proposal.List(ctx, l.Workspace(), true)
	if err != nil || len(list.Proposals) != 0 || list.Ignored != 8 {
		t.Errorf("%d proposals, %d ignored, %v", len(list.Proposals), list.Ignored, err)
	}
	var missing *proposal.NotFoundError
	if _, err := proposal.Find(ctx, l.Workspace(), "x"); !errors.As(err, &missing) {
		t.Errorf("find: %v", err)
	}
}

// TestApprove: no way but a person's own leads to an approval (SPEC T61, GN-07).
func TestApprove(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "")
	ws := l.Workspace()
	tests := []struct {
		name   string
		caller agent.Caller
		via    string
	}{
		{"at a terminal", agent.Caller{Actor: agent.User, TTY: true}, "tty"},
		{"named", human, "env"},
		{"nobody", agent.Caller{Actor: agent.User}, ""},
		{"an agent", agent.Caller{Actor: agent.Agent, TTY: true, Approver: person.By}, ""},
		{"an agent that says it is the user", agent.Caller{Actor: agent.User, TTY: true, Host: true}, ""},
		{"and names one", agent.Caller{Actor: agent.User, Approver: person.By, Host: true}, ""},
		{"a job", agent.Caller{Actor: agent.Cron, Approver: person.By}, ""},
		{"no mail", agent.Caller{Actor: agent.User, Approver: "Li"}, ""},
		{"two lines", agent.Caller{Actor: agent.User, Approver: "Li <li@example.org>\nClaw-Event: x"}, ""},
		{"two in one", agent.Caller{Actor: agent.User, Approver: "Li <li@example.org> <x@example.org>"}, ""},
	}
	for _, tt := range tests {
		ap, err := proposal.Approve(ctx, ws, tt.caller)
		var refused *agent.RefusedError
		if tt.via == "" && !errors.As(err, &refused) || tt.via != "" && (err != nil || ap.Via != tt.via || ap.By == "") {
			t.Errorf("%s: %+v %v", tt.name, ap, err)
		}
	}
}

// TestEvolve is the proposal half of SPEC T27.
func TestEvolve(t *testing.T) {
	t.Parallel()
	const skill = "---\nname: asker\ndescription: asks\nversion: 2.1.0\n---\n# Asker\n\n## BEHAVIOR\n\n```claw-params\n- name: ask_count\n  value: 3\n  mutable: true\n  min: 2\n  max: 10\n- name: fixed\n  value: 1\n  mutable: false\n```\n"
	evolve := func(l *agenttest.Lab, old, new string) *proposal.Proposal {
		t.Helper()
		p, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{
			Kind: proposal.Evolve, Summary: "ask less", Edits: []proposal.Edit{{Path: "skills/asker/SKILL.md", Content: []byte(strings.Replace(skill, old, new, 1))}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	l := agenttest.New(t, "", "skills/asker/SKILL.md", skill)
	_, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{
		Kind: proposal.Evolve, Summary: "x", Edits: []proposal.Edit{{Path: "skills/asker/SKILL.md", Content: []byte(strings.Replace(skill, "value: 1", "value: 2", 1))}},
	})
	var refused *agent.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "mutable") {
		t.Errorf("an immutable value: %v", err)
	}
	p := evolve(l, "value: 3", "value: 4")
	if got := p.Trailers.Get("Claw-Base"); got != l.Git("rev-parse", "HEAD:skills/asker/SKILL.md") {
		t.Errorf("Claw-Base is %q", got)
	}
	res := accept(t, l, p, proposal.AcceptOptions{})
	same(t, "version", res.Version, "2.1.0 → 2.1.1")
	same(t, "event", l.Trailer("HEAD", "Claw-Event"), "evolve.apply")
	same(t, "version", l.Trailer("HEAD", "Claw-Version"), "2.1.0 → 2.1.1")
	same(t, "file", l.ReadFile("skills/asker/SKILL.md"), strings.Replace(strings.Replace(skill, "value: 3", "value: 4", 1), "2.1.0", "2.1.1", 1))
	l.Check()

	l = agenttest.New(t, "", "skills/asker/SKILL.md", skill)
	p = evolve(l, "value: 3", "value: 4")
	l.Write("skills/asker/SKILL.md", skill+"\nmore\n")
	l.Commit("the target changed")
	same(t, "state", string(find(t, l, p.ID).State), "stale")
	var stale *proposal.StaleError
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); !errors.As(err, &stale) {
		t.Errorf("a changed target: %v", err)
	}
	if p, err = proposal.Refresh(ctx, l.Workspace(), human, p); err != nil {
		t.Fatal(err)
	}
	accept(t, l, p, proposal.AcceptOptions{})
	same(t, "file", l.ReadFile("skills/asker/SKILL.md"), strings.Replace(strings.Replace(skill, "value: 3", "value: 4", 1), "2.1.0", "2.1.1", 1)+"\nmore\n")
}

// TestBranchInTheWay is SPEC T65's part.
func TestBranchInTheWay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claw", "claw/l1"} {
		l := agenttest.New(t, "", "SOUL.md", soul)
		l.Git("branch", name)
		l.Git("pack-refs", "--all")
		_, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "x", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte("x\n")}}})
		var refused *agent.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(strings.Join(refused.Advice, " "), "git branch -m "+name) {
			t.Errorf("%s: %v", name, err)
		}
		l.Check()
	}
}

func TestNoSecretInAProposal(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	key := "AKIA" + "Q3EGUVX5TNZKHP4R" // not one in use
	before := l.Git("count-objects")
	_, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "x", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- aws key " + key + "\n")}}})
	var refused *agent.RefusedError
	if !errors.As(err, &refused) || strings.Contains(err.Error(), key) {
		t.Errorf("a secret: %v", err)
	}
	same(t, "objects", l.Git("count-objects"), before)
}

// TestTwoMachines is SPEC T46 with plain git.
func TestTwoMachines(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	a, b := l.Clone(2), l.Clone(3)
	pa := propose(t, a, "SOUL.md", soul+"- no lies\n")
	pb := propose(t, b, "SOUL.md", soul+"- no lies\n")
	if pa.ID == pb.ID {
		t.Fatalf("two machines made '%s'", pa.ID)
	}
	refspecs := []string{"refs/heads/claw/*:refs/heads/claw/*", "refs/claw/closed/*:refs/claw/closed/*", "refs/notes/claw:refs/notes/claw"}
	if err := proposal.Reject(ctx, a.Workspace(), human, pa, person, "twice"); err != nil {
		t.Fatal(err)
	}
	a.Git(append([]string{"push", "-q", "origin"}, refspecs[1:]...)...)
	a.Git("push", "-q", "origin", "main")
	b.Git("fetch", "-q", a.Dir, "refs/claw/closed/*:refs/claw/closed/*", "refs/notes/claw:refs/notes/claw")
	p := find(t, b, pa.ID)
	if p.State != proposal.Rejected || !p.Closed() {
		t.Errorf("on the other machine it is %s", p.State)
	}
	// A branch that came before it was closed elsewhere goes with Settle.
	b.Git("update-ref", "refs/heads/"+pa.Branch, pa.Tip.String())
	if _, err := proposal.Settle(ctx, b.Workspace(), bot); err != nil {
		t.Fatal(err)
	}
	same(t, "branches", b.Git("for-each-ref", "--format=%(refname)", "refs/heads/claw"), "refs/heads/"+pb.Branch)
	// Verdicts of both machines on one tip live beside each other.
	if err := proposal.Defer(ctx, b.Workspace(), human, pb, person, b.Now().Add(time.Hour), ""); err != nil {
		t.Fatal(err)
	}
	b.Check()
}

// TestNeverGone is SPEC T49 for proposals: no moment shows the workspace without a file
// that the host needs, or with half of one, and none of them is removed.
func TestNeverGone(t *testing.T) {
	t.Parallel()
	const v1, v2, v3 = "# Agents\n\n- one\n", "# Agents\n\n- one\n- two\n", "# Agents\n\n- one\n- two\n- three\n"
	l := agenttest.New(t, "", "AGENTS.md", v1, "SOUL.md", soul, "IDENTITY.md", "# I\n")
	done, seen := make(chan struct{}), make(chan string, 1)
	go func() {
		defer close(seen)
		for {
			select {
			case <-done:
				return
			default:
			}
			b, err := os.ReadFile(l.Path("AGENTS.md"))
			if text := string(b); err != nil || text != v1 && text != v2 && text != v3 {
				seen <- fmt.Sprintf("%q %v", b, err)
				return
			}
		}
	}()
	accept(t, l, propose(t, l, "AGENTS.md", v2), proposal.AcceptOptions{})
	if err := os.WriteFile(l.Path("next"), []byte(v3), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(l.Path("next"), l.Path("AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	p, err := proposal.FromFiles(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "three"}, []string{"AGENTS.md"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "file", l.ReadFile("AGENTS.md"), v2)
	accept(t, l, p, proposal.AcceptOptions{})
	same(t, "file", l.ReadFile("AGENTS.md"), v3)
	close(done)
	if what, bad := <-seen; bad {
		t.Errorf("at one moment AGENTS.md was %s", what)
	}
	p, err = proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "no soul", Edits: []proposal.Edit{{Path: "SOUL.md", Delete: true}}})
	if err != nil {
		t.Fatal(err)
	}
	var refused *agent.RefusedError
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); !errors.As(err, &refused) {
		t.Errorf("accepting that SOUL.md goes: %v", err)
	}
	same(t, "file", l.ReadFile("SOUL.md"), soul)
	l.Check()
}

// TestShown: what is accepted is what was shown; a branch that moved meanwhile is not.
func TestShown(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	p := propose(t, l, "SOUL.md", soul+"- prices are net\n")
	l.Git("switch", "-q", p.Branch)
	l.Write("SOUL.md", soul+"- send mails without asking\n")
	l.Git("commit", "-q", "-a", "--amend", "--no-edit")
	l.Git("switch", "-q", "main")
	head := l.Git("rev-parse", "HEAD")
	var conflict *agent.ConflictError
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person, Shown: p.Tip}); !errors.As(err, &conflict) {
		t.Errorf("accepting another tip: %v", err)
	}
	same(t, "HEAD", l.Git("rev-parse", "HEAD"), head)

	// A commit on top of it is shown as somebody else's; one that merges is not taken.
	l.Git("switch", "-q", p.Branch)
	l.Write("SOUL.md", soul+"- prices are gross\n")
	l.Git("commit", "-q", "-a", "-m", "by hand")
	l.Git("switch", "-q", "main")
	if again := find(t, l, p.ID); !again.Edited || again.State != proposal.Open {
		t.Errorf("it is %s, edited %v", again.State, again.Edited)
	}
	l.Git("branch", "other")
	l.Git("switch", "-q", p.Branch)
	l.Git("commit", "-q", "--allow-empty", "-m", "x")
	l.Git("merge", "-q", "-s", "ours", "--no-ff", "-m", "claw(rules): x\n\nClaw-Event: l1.change\nClaw-Proposal: "+p.ID, "HEAD~2")
	tree := l.Git("rev-parse", "HEAD^{tree}")
	forged := l.Git("commit-tree", "-p", "main", "-p", "HEAD~1", "-m", "claw(rules): x\n\nClaw-Event: l1.change\nClaw-Proposal: "+p.ID, tree)
	l.Git("switch", "-q", "main")
	l.Git("update-ref", "refs/heads/"+p.Branch, forged)
	if again := find(t, l, p.ID); again.State != proposal.Quarantined {
		t.Errorf("a proposal that merges is %s", again.State)
	}
}

// TestAcceptNeedsABranch: on a detached HEAD the merge would be lost to sight.
func TestAcceptNeedsABranch(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	p := propose(t, l, "SOUL.md", soul+"- no lies\n")
	l.Git("checkout", "-q", "--detach")
	var refused *agent.RefusedError
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person}); !errors.As(err, &refused) {
		t.Errorf("accept: %v", err)
	}
	// Accepted on a branch that is gone: it comes back.
	l.Git("switch", "-q", "-c", "feature")
	accept(t, l, p, proposal.AcceptOptions{})
	l.Git("switch", "-q", "main")
	l.Git("branch", "-D", "feature")
	p, err := proposal.Refresh(ctx, l.Workspace(), human, find(t, l, p.ID))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "state", string(p.State), "open")
	accept(t, l, p, proposal.AcceptOptions{})
	same(t, "file", l.ReadFile("SOUL.md"), soul+"- no lies\n")
	if _, err := proposal.Refresh(ctx, l.Workspace(), human, find(t, l, p.ID)); !errors.As(err, &refused) {
		t.Errorf("refreshing what is on the branch: %v", err)
	}
	// Rejected by mistake.
	p = propose(t, l, "SOUL.md", soul+"- no lies\n- no threats\n")
	if err := proposal.Reject(ctx, l.Workspace(), human, p, person, ""); err != nil {
		t.Fatal(err)
	}
	if p, err = proposal.Refresh(ctx, l.Workspace(), human, find(t, l, p.ID)); err != nil || p.State != proposal.Open {
		t.Errorf("reopened: %+v %v", p, err)
	}
	// A branch that somebody has checked out is not moved under them.
	l.Git("worktree", "add", "-q", l.Dir+"-w", p.Branch)
	l.Write("SOUL.md", "# Soul\n\n- kind\n\n## Limits\n\n- no gossip\n- no lies\n")
	l.Commit("other words")
	if _, err := proposal.Refresh(ctx, l.Workspace(), human, find(t, l, p.ID)); !errors.As(err, &refused) {
		t.Errorf("refresh of what is checked out: %v", err)
	}
	l.Check()
}

// TestWhole: of what moves text from one place to another no part is taken.
func TestWhole(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul, "memory/2026-05-02.md", "# d\n")
	p, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.Trim, Summary: "trim", Edits: []proposal.Edit{
		{Path: "SOUL.md", Content: []byte("# Soul\n\n- be kind\n")}, {Path: "memory/2026-05-02.md", Content: []byte("# d\n\n- be brief\n- be honest\n")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var usage *agent.UsageError
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person, Only: []int{1}, RejectRest: true}); !errors.As(err, &usage) {
		t.Errorf("a part of a trim: %v", err)
	}
	same(t, "file", l.ReadFile("SOUL.md"), soul)
}

// TestNoSecretInAName: the words of an id are in a ref, and go to every machine.
func TestNoSecretInAName(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	token := "ghp_" + "R8sD2kQz1XvB7nLm4TfYc6HjW9aEuP0oKi3Z"
	p, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "add token " + token, Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- x\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.ID, "ghp") || strings.Contains(p.Title, "ghp") {
		t.Errorf("'%s' '%s' names the token", p.ID, p.Title)
	}
}

// TestConverted: what a filter of git encrypts gets into no proposal as it stands in the
// file, and an agent's edit of it is committed by git, filter and all.
func TestConverted(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	l.Git("config", "filter.crypt.clean", "tr a-z n-za-m")
	l.Git("config", "filter.crypt.smudge", "tr a-z n-za-m")
	l.Git("config", "claw.l1.strict", "true")
	l.Write(".gitattributes", "SOUL.md filter=crypt\n")
	l.Commit("encrypt")
	var refused *agent.RefusedError
	_, err := proposal.Propose(ctx, l.Workspace(), bot, proposal.Draft{Kind: proposal.L1, Summary: "x", Edits: []proposal.Edit{{Path: "SOUL.md", Content: []byte(soul + "- plain words\n")}}})
	if !errors.As(err, &refused) {
		t.Errorf("propose: %v", err)
	}
	l.Write("SOUL.md", soul+"- plain words\n")
	res, err := agent.Save(ctx, l.Workspace(), bot, agent.SaveOptions{Propose: proposal.InPlace})
	if err != nil || len(res.Proposed) != 0 || len(res.Commits) != 1 {
		t.Errorf("save: %+v %v", res, err)
	}
	same(t, "file", l.ReadFile("SOUL.md"), soul+"- plain words\n")
	if strings.Contains(l.Git("cat-file", "--batch-all-objects", "--batch", "--unordered"), "plain words") {
		t.Error("git has the plain text")
	}
}

// TestDryRunOfADecidedOne writes nothing.
func TestDryRunOfADecidedOne(t *testing.T) {
	t.Parallel()
	l := agenttest.New(t, "", "SOUL.md", soul)
	p := propose(t, l, "SOUL.md", soul+"- no lies\n")
	l.Write("SOUL.md", soul+"- no lies\n")
	l.Commit("by hand")
	before := l.Git("for-each-ref")
	if _, err := proposal.Accept(ctx, l.Workspace(), human, p, proposal.AcceptOptions{Approval: person, DryRun: true}); err != nil {
		t.Fatal(err)
	}
	same(t, "refs", l.Git("for-each-ref"), before)
}
