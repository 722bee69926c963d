package health

import "github.com/git-claw/git-claw/gitops"

func prefsHistoryCases() []checkCase {
	const si = "self-improving/"
	const hot, warm = si + "memory.md", si + "domains/writing.md"
	const approval, agent, user = "Claw-Approved-By: Wren <wren@example.org>", "Claw-Actor: agent", "Claw-Actor: user"
	const id = "cand-000000000001"
	entry := preference("000000000001", "a", "2026-02-20")
	other := preference("000000000002", "b", "2026-02-20")
	commit := func(digit byte, paths []string, trailers ...string) gitops.Commit {
		return withID(commitWith("2026-02-20T08:00:00Z", paths, trailers...), digit)
	}
	in := commit(5, []string{hot}, "Claw-Event: candidate.confirm", user, approval)
	// took is a history in which a second commit, 6, took the entry out of memory.md.
	took := func(change func(*fakeGit), trailers ...string) *fakeGit {
		g := &fakeGit{
			adopted: tree{}, since: []gitops.Commit{commit(6, []string{hot}, trailers...), in}, head: tree{hot: other},
			at: map[gitops.ID]tree{oid(5): {hot: entry}, oid(6): {hot: other}},
		}
		if change != nil {
			change(g)
		}
		return g
	}
	// wrote is a history in which one commit, 5, wrote the entry.
	wrote := func(change func(*fakeGit), trailers ...string) *fakeGit {
		g := &fakeGit{adopted: tree{}, since: []gitops.Commit{commit(5, []string{hot}, trailers...)}, head: tree{hot: entry}, at: map[gitops.ID]tree{oid(5): {hot: entry}}}
		if change != nil {
			change(g)
		}
		return g
	}
	keeps := func(digit byte) func(*fakeGit) {
		return func(g *fakeGit) {
			g.notes = map[gitops.ID]string{oid(digit): `{"v":1,"at":"2026-02-21T08:00:00Z","verdict":"accept"}` + "\n"}
		}
	}
	confirm := func(trailers ...string) func(*fakeGit) {
		return func(g *fakeGit) {
			m := commit(6, nil, append(trailers, "Claw-Event: candidate.confirm")...)
			m.Parents = []gitops.ID{oid(4), oid(5)}
			g.since = append([]gitops.Commit{m}, g.since...)
		}
	}
	const proposal = "Claw-Proposal: 20260220-a-0000"
	const writeback = "Claw-Event: writeback"
	lost, bad := []string{"FAIL " + hot}, []string{"FAIL " + hot + ":1"}
	gone, there := tree{hot: other}, tree{hot: entry}
	return []checkCase{
		{id: "PRF-009", name: "in its tier", files: there, git: wrote(nil, user, approval)},
		{id: "PRF-009", name: "in another tier", files: tree{hot: other, warm: entry}, git: took(nil, agent, "Claw-Event: tier.evict")},
		{id: "PRF-009", name: "an agent took it out", files: gone, git: took(nil, agent, writeback), want: lost},
		{id: "PRF-009", name: "lost when it was moved", files: gone, git: took(nil, "Claw-Actor: cron", "Claw-Event: tier.demote"), want: lost},
		{id: "PRF-009", name: "in a profile that nobody listed", edge: true, config: []string{"profiles = self_improving"}, files: gone, git: took(nil, "Claw-Actor: unknown", writeback), want: lost},
		{id: "PRF-009", name: "reversed", edge: true, files: gone, git: took(nil, user, "Claw-Event: preference.reverse")},
		{id: "PRF-009", name: "taken out by hand", edge: true, files: gone, git: took(nil, user, writeback)},
		{id: "PRF-009", name: "kept by a verdict", edge: true, files: gone, git: took(keeps(6), agent, writeback)},
		{id: "PRF-009", name: "adoption held it", edge: true, files: gone, git: took(func(g *fakeGit) { g.adopted = there }, agent, writeback)},
		{id: "PRF-009", name: "nobody had confirmed it", edge: true, files: gone, git: took(func(g *fakeGit) { g.since[1] = commit(5, []string{hot}, agent, writeback) }, agent, writeback)},
		{id: "PRF-009", name: "not committed yet", edge: true, files: gone, git: wrote(nil, user, approval)},
		{id: "PRF-009", name: "lost in a merge", edge: true, files: gone, git: wrote(func(g *fakeGit) { g.head = gone }, user, approval), want: lost},

		{id: "PRF-012", name: "approved", files: there, git: wrote(nil, user, approval)},
		{id: "PRF-012", name: "an agent says that it is approved", files: there, git: wrote(nil, agent, approval, "Claw-Event: candidate.confirm"), want: bad},
		{id: "PRF-012", name: "the user and an agent", edge: true, files: there, git: wrote(nil, user, agent, approval), want: bad},
		{id: "PRF-012", name: "by the agent", files: there, git: wrote(nil, agent, writeback), want: bad},
		{id: "PRF-012", name: "by a person's hand", edge: true, files: tree{hot: "- short answers\n"}, git: wrote(func(g *fakeGit) { g.at[oid(5)] = tree{hot: "- short answers\n"} }, user, writeback)},
		{id: "PRF-012", name: "in free form, by the agent", edge: true, files: tree{hot: "- short answers\n"}, git: wrote(func(g *fakeGit) { g.at[oid(5)] = tree{hot: "- short answers\n"} }, agent, writeback), want: bad},
		{id: "PRF-012", name: "merged by a person", edge: true, files: there, git: wrote(confirm(user, approval, proposal), agent)},
		{id: "PRF-012", name: "merged by an agent that says it is approved", edge: true, files: there, git: wrote(confirm(agent, approval, proposal), agent), want: bad},
		{id: "PRF-012", name: "no proposal behind it", edge: true, files: there, git: wrote(confirm(user, approval, "Claw-Candidate: "+id), agent), want: bad},
		{id: "PRF-012", name: "signed", edge: true, local: signatures, files: there, git: signs(named, wrote(confirm(user, approval, proposal), agent))},
		{id: "PRF-012", name: "signed with another key", edge: true, local: signatures, files: there, git: signs("SHA256:other", wrote(confirm(user, approval, proposal), agent)), want: bad},
		{id: "PRF-012", name: "approved without a signature", edge: true, local: signatures, files: there, git: wrote(nil, user, approval), want: bad},
		{id: "PRF-012", name: "a note has no signature", edge: true, local: signatures, files: there, git: wrote(keeps(5), agent), want: bad},
		{id: "PRF-012", name: "confirmed by its id", edge: true, files: there, git: wrote(func(g *fakeGit) {
			confirm(user, approval, proposal, "Claw-Candidate: "+id)(g)
			g.since[0].Parents[1] = oid(9) // a tip that was refreshed
		}, agent)},
		{id: "PRF-012", name: "a commit that only says so", edge: true, files: there, git: wrote(func(g *fakeGit) {
			confirm(user, approval, proposal, "Claw-Candidate: "+id)(g)
			g.since[0].Parents = []gitops.ID{oid(4)}
		}, agent), want: bad},
		{id: "PRF-012", name: "merged by git itself", edge: true, files: there, git: wrote(confirm(), agent), want: bad},
		{id: "PRF-012", name: "merged by git, and confirmed", edge: true, files: there, git: wrote(keeps(5), agent)},
		{id: "PRF-012", name: "an order in so many words", edge: true, files: there, git: wrote(confirm(agent, proposal, "Claw-Reason: explicit", "Claw-Evidence: always"), agent)},
		{id: "PRF-012", name: "an order that no proposal holds", edge: true, files: there, git: wrote(nil, agent, "Claw-Event: candidate.confirm", "Claw-Reason: explicit", "Claw-Evidence: always"), want: bad},
		{id: "PRF-012", name: "adoption held it", edge: true, files: there, git: wrote(func(g *fakeGit) { g.adopted = there }, agent, writeback)},
		{id: "PRF-012", name: "not committed yet", edge: true, files: tree{hot: entry + other}, git: wrote(nil, user)},
	}
}
