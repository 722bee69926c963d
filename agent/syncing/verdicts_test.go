package syncing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/verdict"
)

func judge(l *agenttest.Lab, reason string) {
	l.T.Helper()
	of, err := gitops.ParseID(l.Git("rev-parse", "HEAD"))
	if err != nil {
		l.T.Fatal(err)
	}
	if err := proposal.Judge(l.T.Context(), l.Workspace(), human, person, of, verdict.Verdict{Verdict: verdict.Comment, Reason: reason}); err != nil {
		l.T.Fatal(err)
	}
}

// TestStrangeNotes: of the remote's notes only verdicts come here, and the remote gets a
// tip without the rest; whatever git is told about notes.
func TestStrangeNotes(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, "MEMORY.md", "# Memory\n")
	a, b := f.m[0], f.m[1]
	judge(a, "of a")
	judge(b, "of b")
	doSync(a)
	// A merge of notes of the user's own waits here, and git is told otherwise.
	b.Git("config", "notes.claw.mergeStrategy", "manual")
	b.Git("config", "notes.mergeStrategy", "ours")
	if err := os.MkdirAll(filepath.Join(b.Dir, ".git", "NOTES_MERGE_WORKTREE"), 0o777); err != nil {
		t.Fatal(err)
	}
	b.Git("update-ref", "NOTES_MERGE_PARTIAL", "HEAD")
	b.Git("symbolic-ref", "NOTES_MERGE_REF", "refs/notes/commits")
	if res := doSync(b); !res.Verdicts || len(res.Strange) > 0 {
		t.Fatalf("%+v", res)
	}
	doSync(a)
	for _, l := range f.m {
		if s := l.Git("notes", "--ref=claw", "show", "HEAD"); !strings.Contains(s, "of a") || !strings.Contains(s, "of b") || strings.Count(s, "\n") != 1 {
			t.Errorf("%s", s)
		}
	}

	// Somebody else puts other things there: a text, a file, a link, an executable, what is
	// too large, a secret, beside a verdict.
	x := a.Clone(9)
	x.Git("remote", "set-url", "origin", f.remote)
	x.Git("fetch", "-q", "origin", "refs/notes/claw:refs/notes/claw")
	head := x.Git("rev-parse", "HEAD")
	x.Git("notes", "--ref=claw", "append", "-m", "only words", "HEAD")
	x.Git("notes", "--ref=claw", "append", "-m", `{"v":1,"at":"2026-05-02T10:00:00Z","verdict":"comment","reason":"api_key = sk-live-`+strings.Repeat("4fQ9", 10)+`"}`, "HEAD")
	x.Git("notes", "--ref=claw", "append", "-m", `{"v":1,"at":"2026-05-02T10:00:00Z","verdict":"comment","reason":"of x"}`, "HEAD")
	x.Write("large", strings.Repeat("large\n", 200_000))
	large := x.Git("hash-object", "-w", "large")
	tree := x.Git("ls-tree", "refs/notes/claw")
	x.Write("tree", tree+"\n100644 blob "+large+"\t"+strings.Repeat("1", 40)+"\n100755 blob "+large+"\t"+strings.Repeat("2", 40)+"\n120000 blob "+large+"\t"+strings.Repeat("3", 40)+
		"\n100644 blob "+large+"\tREADME\n100644 blob "+large+"\t"+strings.Repeat("0", 40)+"\n100644 blob "+large+"\t"+strings.Repeat("A", 40)+"\n")
	made := x.Git("-c", "alias.mk=!git mktree <tree", "mk")
	x.Git("push", "-q", "origin", x.Git("commit-tree", "-p", "refs/notes/claw", "-m", "x", made)+":refs/notes/claw")
	judge(a, "once more")
	for i, l := range f.m {
		res := doSync(l)
		if want := []int{8, 0}[i]; len(res.Strange) != want || !res.Verdicts {
			t.Errorf("machine %d: %+v", i, res.Strange)
		}
		s := l.Git("notes", "--ref=claw", "show", head)
		if !strings.Contains(s, "of x") || !strings.Contains(s, "once more") || strings.Contains(s, "only words") || strings.Contains(s, "sk-live") {
			t.Errorf("machine %d: %s", i, s)
		}
		if s := l.Git("ls-tree", "-r", "--name-only", "refs/notes/claw"); s != head {
			t.Errorf("machine %d: %s", i, s)
		}
	}
	f.settle()
	if f.at("rev-parse", "refs/notes/claw") != a.Git("rev-parse", "refs/notes/claw") || a.Git("rev-parse", "refs/notes/claw") != b.Git("rev-parse", "refs/notes/claw") {
		t.Error("they have different verdicts")
	}

	// What is written here and is no verdict is not sent on.
	b.Git("notes", "--ref=claw", "append", "-m", "words of a person", "HEAD")
	was := f.at("rev-parse", "refs/notes/claw")
	b.Write("MEMORY.md", "# Memory\n\n- more\n")
	if res := doSync(b); len(res.Strange) != 1 || res.Strange[0].Remote || !res.Pushed || f.at("rev-parse", "refs/notes/claw") != was {
		t.Errorf("%+v", res)
	}
	b.Git("notes", "--ref=claw", "remove", "HEAD~1")
	if res := doSync(b); len(res.Strange) != 0 || f.at("rev-parse", "refs/notes/claw") == was {
		t.Errorf("%+v", res.Strange)
	}

	// Nothing but strange things, and no notes at all here; then no commit.
	f.at("update-ref", "refs/notes/claw", f.at("commit-tree", "-m", "x", f.at("rev-parse", "main^{tree}")))
	b.Git("update-ref", "-d", "refs/notes/claw")
	if res := doSync(b); len(res.Strange) == 0 || b.Git("ls-tree", "-r", "refs/notes/claw") != "" {
		t.Errorf("%+v", res.Strange)
	}
	f.at("update-ref", "refs/notes/claw", f.at("rev-parse", "main:MEMORY.md"))
	judge(b, "again")
	if res := doSync(b); len(res.Strange) != 1 {
		t.Errorf("%+v", res.Strange)
	}
	b.Check()
}
