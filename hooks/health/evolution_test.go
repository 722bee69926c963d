package health

import (
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

const evolves = "---\nname: ask\ndescription: asks\nversion: 2.1.0\n---\n# Ask\n\n## Triggers\n- when asked\n\n## Behavior\n```claw-params\n" +
	"- name: ask_count\n  value: 3\n  mutable: true\n  min: 2\n  max: 10\n- name: fixed\n  value: 5\n```\n"

const proposalText = "---\nproposal-id: 20260220-001\ntype: evolve\nreason: asked too often\n---\n**Target**: skills/ask/SKILL.md\n**Old rule**: 3\n**New rule**: 4\n"

func evolutionCases() []checkCase {
	const file, folder = "skills/ask/SKILL.md", "self-improving/evolution/proposals/"
	const approval = "Claw-Approved-By: Wren <wren@example.org>"
	changed := func(change ...string) string { return strings.NewReplacer(change...).Replace(evolves) }
	// history is one commit, 5, on 4.
	history := func(text string, more func(*fakeGit), trailers ...string) *fakeGit {
		c := withID(commitWith("2026-02-20T08:00:00Z", []string{file}, trailers...), 5)
		c.Parents = []gitops.ID{oid(4)}
		g := &fakeGit{adopted: tree{}, since: []gitops.Commit{c}, at: map[gitops.ID]tree{oid(4): {file: evolves}, oid(5): {file: text}}}
		if more != nil {
			more(g)
		}
		return g
	}
	merged := func(trailers ...string) func(*fakeGit) {
		return func(g *fakeGit) {
			m := withID(commitWith("2026-02-20T09:00:00Z", nil, trailers...), 6)
			m.Parents = []gitops.ID{oid(4), oid(5)}
			g.since = append(g.since, m)
		}
	}
	kept := func(g *fakeGit) {
		g.notes = map[gitops.ID]string{oid(5): `{"v":1,"at":"2026-02-21T08:00:00Z","verdict":"accept"}` + "\n"}
	}
	const agent, user, edit = "Claw-Actor: agent", "Claw-Actor: user", "Claw-Event: skill.edit"
	const proposal = "Claw-Proposal: 20260220-ask-0000"
	const propose, apply = "Claw-Event: evolve.propose", "Claw-Event: evolve.apply"
	trigger, far, legal := changed("when asked", "always"), changed("value: 3", "value: 11"), changed("value: 3", "value: 10", "2.1.0", "2.1.1")
	bad := []string{"FAIL " + file}
	// waits are branches, each with a proposal on 4.
	waits := func(n int, head string) *fakeGit {
		g := &fakeGit{head: tree{file: head}, commits: map[gitops.ID]string{}, parents: map[gitops.ID]gitops.ID{}, at: map[gitops.ID]tree{oid(4): {file: evolves}}}
		for i := range n {
			id := fmt.Sprintf("20260220-ask-%04x", i)
			tip := oid(byte(10 + i))
			g.refs = append(g.refs, gitops.Ref{Name: "refs/heads/claw/evolve/" + id, ID: tip})
			g.commits[tip], g.parents[tip] = "2026-02-20T08:00:00Z", oid(4)
			g.at[tip] = tree{folder + id + ".md": strings.Replace(proposalText, "20260220-001", id, 1)}
		}
		return g
	}
	return []checkCase{
		{id: "EVO-001", name: "a legal change", git: history(legal, nil, agent, edit)},
		{id: "EVO-001", name: "a trigger", git: history(trigger, nil, agent, edit), want: bad},
		{id: "EVO-001", name: "a description", git: history(changed("asks\n", "asks more\n"), nil, "Claw-Actor: cron"), want: bad},
		{id: "EVO-001", name: "by a person", edge: true, git: history(trigger, nil, user, edit)},
		{id: "EVO-001", name: "kept by a verdict", edge: true, git: history(trigger, kept, agent, edit)},
		{id: "EVO-001", name: "merged by a person", edge: true, git: history(trigger, merged(user, approval, proposal), agent, "Claw-Event: skill.change")},
		{id: "EVO-001", name: "merged by an agent that says it is approved", edge: true, git: history(trigger, merged(agent, approval, proposal), agent, "Claw-Event: skill.change"), want: bad},
		{id: "EVO-001", name: "nothing recorded", edge: true, git: history(trigger, func(g *fakeGit) { g.adopted = nil }, agent, edit)},

		{id: "EVO-002", name: "at the bound", edge: true, git: history(legal, nil, agent, edit)},
		{id: "EVO-002", name: "over the bound", edge: true, git: history(far, nil, agent, edit), want: bad},
		{id: "EVO-002", name: "not mutable", git: history(changed("value: 5", "value: 6"), nil, agent, edit), want: bad},
		{id: "EVO-002", name: "merged by git itself", edge: true, git: history(far, merged(), agent, propose), want: bad},
		{id: "EVO-002", name: "taken back", edge: true, git: history(far, func(g *fakeGit) {
			g.since = append([]gitops.Commit{withID(commitWith("2026-02-21T08:00:00Z", nil, user, "Claw-Event: undo", "Claw-Undoes: "+oid(5).String()), 6)}, g.since...)
		}, agent, edit)},
		{id: "EVO-002", name: "a skill that does not evolve", git: history("x\n", func(g *fakeGit) { g.at[oid(4)] = tree{file: changed("mutable: true", "mutable: false")} }, agent, edit)},

		{id: "EVO-003", name: "2.1.0 to 2.1.1", git: history(legal, nil, apply, approval)},
		{id: "EVO-003", name: "the same version", git: history(changed("value: 3", "value: 4"), nil, apply, approval), want: bad},
		{id: "EVO-003", name: "one too many", edge: true, git: history(changed("2.1.0", "2.1.2"), nil, apply, approval), want: bad},
		{id: "EVO-003", name: "no version at all", edge: true, git: history("x\n", func(g *fakeGit) { g.at[oid(4)] = tree{file: "y\n"} }, apply, approval)},

		{id: "EVO-004", name: "a proposal", files: tree{folder + "20260220-001.md": proposalText, folder + "README.md": "# Proposals\n"}},
		{id: "EVO-004", name: "no reason", files: tree{folder + "a.md": strings.Replace(proposalText, "reason: asked too often\n", "", 1)}, want: []string{"FAIL " + folder + "a.md:1"}},
		{id: "EVO-004", name: "one id twice", edge: true, files: tree{folder + "a.md": proposalText, folder + "b.md": proposalText}, want: []string{"FAIL " + folder + "b.md"}},

		{id: "EVO-005", name: "approved", git: history(legal, merged(user, apply, approval, proposal), agent, propose)},
		{id: "EVO-005", name: "an agent says that it is approved", edge: true, git: history(legal, nil, agent, apply, approval, proposal), want: bad},
		{id: "EVO-005", name: "no proposal behind it", edge: true, git: history(legal, nil, user, apply, approval), want: bad},
		{id: "EVO-005", name: "signed", edge: true, local: signatures, git: signs(named, history(legal, merged(user, apply, approval, proposal), agent, propose))},
		{id: "EVO-005", name: "signed by nobody", edge: true, local: signatures, git: history(legal, merged(user, apply, approval, proposal), agent, propose), want: bad},
		{id: "EVO-005", name: "a note has no signature", edge: true, local: signatures, git: history(legal, func(g *fakeGit) { merged()(g); kept(g) }, agent, propose), want: bad},
		{id: "EVO-005", name: "merged by git itself", git: history(legal, merged(), agent, propose), want: bad},
		{id: "EVO-005", name: "merged by git, and confirmed", edge: true, git: history(legal, func(g *fakeGit) { merged()(g); kept(g) }, agent, propose)},
		{id: "EVO-005", name: "applied by the agent itself", edge: true, git: history(legal, nil, agent, apply), want: bad},

		{id: "EVO-006", name: "waits", git: waits(1, evolves)},
		{id: "EVO-006", name: "the skill changed", git: waits(1, legal), want: []string{"WARN " + file}},
		{id: "EVO-006", name: "50 wait", edge: true, git: waits(50, evolves)},
		{id: "EVO-006", name: "51 wait", edge: true, git: waits(51, evolves), want: []string{"WARN"}},
	}
}
