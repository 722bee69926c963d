package health

import (
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
)

func editsCases() []checkCase {
	const when = "2026-02-20T08:00:00Z"
	edit := func(digit byte, trailers ...string) gitops.Commit {
		return withID(commitWith(when, []string{"SOUL.md", "memory/a.md"}, trailers...), digit)
	}
	agent := edit(5, "Claw-Event: l1.edit", "Claw-Actor: agent", "Claw-Id: 20260220-aaaaaaaa")
	const user, approval, proposal = "Claw-Actor: user", "Claw-Approved-By: Wren <wren@example.org>", "Claw-Proposal: 20260220-a-0000"
	history := func(c ...gitops.Commit) *fakeGit { return &fakeGit{adopted: tree{}, since: c} }
	// merge is 6, which merges the commit 5.
	merge := func(trailers ...string) gitops.Commit {
		m := withID(commitWith(when, nil, trailers...), 6)
		m.Parents = []gitops.ID{oid(4), oid(5)}
		return m
	}
	noted := func(verdicts string) *fakeGit {
		g := history(agent)
		g.notes = map[gitops.ID]string{oid(5): verdicts}
		return g
	}
	const accept = `{"v":1,"at":"2026-02-21T08:00:00Z","verdict":"accept"}` + "\n"
	const reject = `{"v":1,"at":"2026-02-22T08:00:00Z","verdict":"reject"}` + "\n"
	soul := []string{"WARN SOUL.md"}
	return []checkCase{
		{id: "L1-006", name: "by the user", git: history(edit(5, "Claw-Event: l1.edit", "Claw-Actor: user"))},
		{id: "L1-006", name: "by the agent", git: history(agent), want: soul},
		{id: "L1-006", name: "by nobody known", git: history(edit(5, "Claw-Actor: unknown")), want: soul},
		{id: "L1-006", name: "with plain git", edge: true, git: history(edit(5))},
		{id: "L1-006", name: "strict", config: []string{"l1.strict = true"}, git: history(agent), want: []string{"FAIL SOUL.md"}},
		{id: "L1-006", name: "approved", git: history(merge(user, approval, proposal), agent)},
		{id: "L1-006", name: "merged, and nobody approved it", git: history(merge(user, proposal), agent), want: soul},
		{id: "L1-006", name: "an agent says that it is approved", git: history(edit(5, "Claw-Actor: agent", approval, proposal)), want: soul},
		{id: "L1-006", name: "an agent says so in a merge", edge: true, git: history(merge("Claw-Actor: agent", approval, proposal), agent), want: soul},
		{id: "L1-006", name: "a merge of no proposal", edge: true, git: history(merge(user, approval), agent), want: soul},
		{id: "L1-006", name: "the user and an agent", edge: true, git: history(edit(5, user, "Claw-Actor: agent", approval)), want: soul},
		{id: "L1-006", name: "it says that it undoes something", edge: true, git: history(edit(5, "Claw-Actor: agent", "Claw-Event: l1.edit", "Claw-Undoes: 20260220-bbbbbbbb")), want: soul},
		{id: "L1-006", name: "taken back, as another says", edge: true, git: history(edit(6, user, "Claw-Event: l1.edit", "Claw-Undoes: 20260220-aaaaaaaa"), agent), want: soul},
		{id: "L1-006", name: "signed", local: signatures, git: signs(named, history(merge(user, approval, proposal), agent))},
		{id: "L1-006", name: "signed with another key", local: signatures, git: signs("SHA256:other", history(merge(user, approval, proposal), agent)), want: soul},
		{id: "L1-006", name: "signed by nobody", local: signatures, git: history(merge(user, approval, proposal), agent), want: soul},
		{id: "L1-006", name: "no key is named", edge: true, local: signatures[:1], git: signs(named, history(merge(user, approval, proposal), agent)), want: soul},
		{id: "L1-006", name: "a note has no signature", edge: true, local: signatures, git: noted(accept), want: soul},
		{id: "L1-006", name: "approved in a commit of its own", edge: true, local: signatures, git: history(edit(5, user, approval)), want: soul},
		{id: "L1-006", name: "a person's hand needs none", edge: true, local: signatures, git: history(edit(5, user))},
		{id: "L1-006", name: "kept by a verdict", git: noted(accept)},
		{id: "L1-006", name: "kept, then not", edge: true, git: noted(accept + reject), want: soul},
		{id: "L1-006", name: "taken back", git: history(edit(6, "Claw-Event: undo", "Claw-Actor: agent", "Claw-Undoes: 20260220-aaaaaaaa"), agent)},
		{id: "L1-006", name: "taken back and brought back", edge: true, want: soul, git: history(
			edit(7, "Claw-Event: undo", "Claw-Actor: user", "Claw-Undoes: 20260221-bbbbbbbb"),
			edit(6, "Claw-Event: undo", "Claw-Actor: agent", "Claw-Id: 20260221-bbbbbbbb", "Claw-Undoes: 20260220-aaaaaaaa"), agent)},
		{id: "L1-006", name: "the set-up", git: history(edit(5, "Claw-Event: bootstrap.complete", "Claw-Actor: agent"))},
		{id: "L1-006", name: "MEMORY.md is no rule", edge: true, git: history(commitWith(when, []string{"MEMORY.md"}, "Claw-Actor: agent"))},
		{id: "L1-006", name: "not adopted", edge: true, git: &fakeGit{since: []gitops.Commit{agent}}},
		{id: "L1-007", name: "it is gone", files: core(tree{"memory/2026-02-28.md": "x"})},
		{id: "L1-007", name: "there, and nothing done", edge: true, files: core(tree{"BOOTSTRAP.md": "x"}), git: &fakeGit{adopted: core(nil)}},
		{id: "L1-007", name: "there, and IDENTITY.md filled in", files: core(tree{"BOOTSTRAP.md": "x"}), git: &fakeGit{adopted: core(tree{"IDENTITY.md": "empty"})}, want: []string{"WARN BOOTSTRAP.md"}},
		{id: "L1-007", name: "there, with daily notes", edge: true, files: core(tree{"BOOTSTRAP.md": "x", "memory/2026-02-28.md": "x"}), want: []string{"WARN BOOTSTRAP.md"}},
	}
}

// A bare repository has history to look at, and no workspace.
func TestBare(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t, gittest.Bare())
	ws, err := memory.Find(t.Context(), repo.Open())
	if err != nil {
		t.Fatal(err)
	}
	snap, err := At(t.Context(), ws, gitops.ID{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Examine(t.Context(), ws, snap, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) == 0 || rep.Findings[len(rep.Findings)-1].ID != "GIT-001" || rep.Fails != 1 {
		t.Errorf("%v", rep.Findings)
	}
}
