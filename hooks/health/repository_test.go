package health

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/hooks/mergesetup"
	"github.com/git-claw/git-claw/memory"
)

// oid is an object id that ends in a digit.
func oid(digit byte) gitops.ID {
	id := make([]byte, 20)
	id[19] = digit
	return gitops.IDFromString(string(id))
}

func withID(c gitops.Commit, digit byte) gitops.Commit {
	c.ID = oid(digit)
	return c
}

func dirty(paths ...string) *gitops.Status {
	st := &gitops.Status{}
	for _, p := range paths {
		st.Entries = append(st.Entries, gitops.StatusEntry{Path: p, Index: '.', Work: 'M', HeadID: oid(1), IndexID: oid(1)})
	}
	return st
}

func repositoryCases() []checkCase {
	const note = "memory/a.md"
	plain := commitWith("2026-02-21T08:00:00Z", []string{note})
	ours := commitWith("2026-02-20T08:00:00Z", []string{note}, "Claw-Event: writeback", "Claw-Actor: agent")
	merge := plain
	merge.Parents = []gitops.ID{oid(1), oid(2)}
	const proposal = "refs/heads/claw/l1/20260201-short-tone-0a1b"
	return []checkCase{
		{id: "GIT-001", name: "a work tree", files: core(tree{".claw/config": "[claw]\n"})},
		{id: "GIT-001", name: "the mark of the root is gone", files: core(nil), want: []string{"FAIL .claw/config"}},
		{id: "GIT-001", name: "the mark is a link", edge: true, files: core(nil), links: map[string]string{".claw/config": "x"}, want: []string{"FAIL .claw/config"}},

		{id: "GIT-002", name: "all is saved", seen: "2026-02-01T12:00:00Z"},
		{id: "GIT-002", name: "seen for the first time", files: tree{note: "x"}, git: &fakeGit{status: dirty(note)}},
		{id: "GIT-002", name: "two hours ago", edge: true, files: tree{note: "x"}, git: &fakeGit{status: dirty(note)}, seen: "2026-03-01T10:00:00Z"},
		{id: "GIT-002", name: "over two hours ago", edge: true, files: tree{note: "x"}, git: &fakeGit{status: dirty(note)}, seen: "2026-03-01T09:59:59Z", want: []string{"WARN " + note}},
		{id: "GIT-002", name: "a removed one", git: &fakeGit{status: dirty(note)}, seen: "2026-02-01T12:00:00Z", want: []string{"WARN " + note}},
		{id: "GIT-002", name: "seen in the future", edge: true, files: tree{note: "x"}, git: &fakeGit{status: dirty(note)}, seen: "2026-04-01T12:00:00Z"},
		{id: "GIT-002", name: "what is not managed", files: tree{"src/a.go": "x"}, git: &fakeGit{status: dirty("src/a.go", "memory/x.sqlite")}, seen: "2026-02-01T12:00:00Z"},
		{id: "GIT-002", name: "links and large files are never saved", config: []string{"maxFileBytes = 65536"}, files: tree{note: x(65537)}, links: map[string]string{"memory/l": "a"}, git: &fakeGit{status: dirty(note, "memory/l")}, seen: "2026-02-01T12:00:00Z"},

		{id: "GIT-012", name: "as large as may be", edge: true, config: []string{"maxFileBytes = 65536"}, files: tree{note: x(65536)}},
		{id: "GIT-012", name: "too large", edge: true, config: []string{"maxFileBytes = 65536"}, files: tree{note: x(65537)}, want: []string{"WARN " + note}},
		{id: "GIT-012", name: "what is not managed", config: []string{"maxFileBytes = 65536"}, files: tree{"src/a": x(65537)}},

		{id: "GIT-003", name: "all have trailers", git: &fakeGit{adopted: tree{}, since: []gitops.Commit{ours}}},
		{id: "GIT-003", name: "one has none", git: &fakeGit{adopted: tree{}, since: []gitops.Commit{ours, withID(plain, 3)}}, want: []string{"INFO"}},
		{id: "GIT-003", name: "a merge needs none", edge: true, git: &fakeGit{adopted: tree{}, since: []gitops.Commit{merge}}},
		{id: "GIT-003", name: "before adoption", edge: true, git: &fakeGit{since: []gitops.Commit{plain}}},

		{id: "GIT-004", name: "no proposal"},
		{id: "GIT-004", name: "14 days", edge: true, git: &fakeGit{refs: []gitops.Ref{{Name: proposal, ID: oid(4)}}, commits: map[gitops.ID]string{oid(4): "2026-02-15T12:00:00Z"}}},
		{id: "GIT-004", name: "over 14 days", edge: true, git: &fakeGit{refs: []gitops.Ref{{Name: proposal, ID: oid(4)}}, commits: map[gitops.ID]string{oid(4): "2026-02-15T11:59:59Z"}}, want: []string{"WARN"}},
		{id: "GIT-004", name: "it names no commit", edge: true, git: &fakeGit{refs: []gitops.Ref{{Name: proposal, ID: oid(4)}}}, want: []string{"WARN"}},
		{id: "GIT-004", name: "a branch of another kind", git: &fakeGit{refs: []gitops.Ref{{Name: "refs/heads/claw/other/20260201-short-tone-0a1b", ID: oid(4)}}, commits: map[gitops.ID]string{oid(4): "2026-01-01T00:00:00Z"}}},

		{id: "GIT-006", name: "all is pushed", git: &fakeGit{remotes: []string{"origin"}}},
		{id: "GIT-006", name: "no remote", git: &fakeGit{}, want: []string{"WARN"}},
		{id: "GIT-006", name: "less than seven days behind", edge: true, git: &fakeGit{remotes: []string{"origin"}, pushed: "2026-02-22T12:00:00Z"}},
		{id: "GIT-006", name: "seven days behind", edge: true, git: &fakeGit{remotes: []string{"origin"}, pushed: "2026-02-22T11:59:59Z"}, want: []string{"WARN"}},

		{id: "GIT-007", name: "set up"},
		{id: "GIT-007", name: "no driver", git: &fakeGit{merging: mergesetup.Missing}, want: []string{"WARN"}},
		{id: "GIT-007", name: "another driver", git: &fakeGit{merging: mergesetup.Foreign}, want: []string{"WARN"}},
		{id: "GIT-007", name: "of another binary, which runs", edge: true, git: &fakeGit{merging: mergesetup.Outdated}},
		{id: "GIT-007", name: "a program that is gone", edge: true, git: &fakeGit{merging: "unrunnable"}, want: []string{"WARN"}},
		{id: "GIT-007", name: "no attributes", git: &fakeGit{merging: "attributes"}, want: []string{"WARN"}},

		{id: "GIT-009", name: "notes only", git: &fakeGit{tracked: []string{note, "AGENTS.md"}}},
		{id: "GIT-009", name: "state of the host", git: &fakeGit{tracked: []string{".openclaw/workspace-state.json", "openclaw-workspace-state.json", note}}, want: []string{"FAIL .openclaw/workspace-state.json", "FAIL openclaw-workspace-state.json"}},
		{id: "GIT-009", name: "databases here", git: &fakeGit{tracked: []string{"main.sqlite", "memory/main.sqlite-wal"}}, want: []string{"FAIL main.sqlite", "FAIL memory/main.sqlite-wal"}},
		{id: "GIT-009", name: "a database of the code around", edge: true, git: &fakeGit{tracked: []string{"src/fixture.sqlite", "src/testdata/.openclaw/state.json", "src/.attested"}}},
	}
}

func TestProposalNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"claw/l1/20260201-short-tone-0a1b": true, "claw/skill/20260201-x-0a1b2c3d": true,
		"claw/l1/20260201-short-tone-0A1B": false, "claw/l1/20260201--0a1b": false, "claw/l1/2026020-x-0a1b": false,
		"claw/l1/20260201-short_tone-0a1b": false, "claw/l1/20260201-x-0a1": false, "claw/x/20260201-x-0a1b": false, "claw/l1": false, "main": false, "claw/": false,
	} {
		if isProposal(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// Whoever can push can have a ref name anything: the checks of everything else still
// run.
func TestBadRefs(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t, gittest.Unborn())
	repo.Write(".claw/config", configText(nil))
	repo.Write("SOUL.md", "# SOUL\n")
	repo.Git("add", ".")
	repo.Git("commit", "-q", "-m", "init", "-m", "Claw-Event: workspace.init\nClaw-Actor: user\nClaw-Workspace:")
	repo.Append("SOUL.md", "- kind\n")
	repo.Git("commit", "-q", "-a", "-m", "kind", "-m", "Claw-Event: l1.edit\nClaw-Actor: agent")
	blob := strings.TrimSpace(repo.Git("rev-parse", "HEAD:SOUL.md")) + "\n"
	gone := strings.Repeat("12345678", len(blob)/8) + "\n"
	const names = "20261130-a-002"
	for name, id := range map[string]string{
		"refs/heads/claw/l1/" + names + "0": blob, "refs/heads/claw/evolve/" + names + "1": blob,
		"refs/heads/claw/l1/" + names + "2": gone, "refs/heads/claw/evolve/" + names + "3": gone,
		"refs/notes/claw": blob, "refs/remotes/origin/x": gone, "refs/remotes/origin/y": blob,
	} {
		file := filepath.Join(repo.Dir, ".git", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(id), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	repo.Git("config", "remote.origin.url", "https://example.com/x.git")
	ws, err := memory.Find(t.Context(), repo.Open())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := ExamineWork(t.Context(), ws, Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range rep.Findings {
		count[f.ID]++
	}
	if count["GIT-004"] != 4 || count["L1-006"] != 1 {
		t.Errorf("%v", rep.Findings)
	}
}
