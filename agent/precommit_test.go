package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
)

// checked is what speaks against the commit that the index would make.
func (l *lab) checked(how CommitCheck) string {
	l.t.Helper()
	l.git("add", "-A")
	v, err := CheckCommit(context.Background(), l.ws().Repo, how)
	if err != nil || v.Unchecked != nil {
		l.t.Fatal(err, v)
	}
	var out []string
	for _, s := range v.Secrets {
		out = append(out, "secret "+s.Path)
	}
	for _, f := range v.Findings {
		out = append(out, string(f.Status)+" "+f.ID+" "+f.Path)
	}
	return strings.Join(out, ", ")
}

const stagedMarkers = "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n"

func TestCheckCommit(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "SOUL.md", "# Soul\n", "USER.md", "# User\n")
	key := "- key " + fakeKey() + "\n"
	for _, tt := range []struct {
		name string
		set  func()
		how  CommitCheck
		want string
	}{
		{"nothing", func() {}, CommitCheck{}, ""},
		{"markers", func() { l.write("SOUL.md", "# Soul\n"+stagedMarkers) }, CommitCheck{}, "FAIL GIT-005 SOUL.md"},
		{"secrets only", func() { l.write("USER.md", key) }, CommitCheck{SecretsOnly: true}, "secret USER.md"},
		{"a secret is told once, and first", func() {}, CommitCheck{}, "secret USER.md, FAIL GIT-005 SOUL.md"},
		{"after the commit they are old", func() { l.git("commit", "-q", "-m", "x") }, CommitCheck{}, ""},
	} {
		tt.set()
		if got := l.checked(tt.how); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What a merge brings along was committed before; a secret that is picked counts.
func TestCheckCommitOfOthers(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "SOUL.md", "# Soul\n", "code.txt", "a\n")
	l.git("checkout", "-q", "-b", "other")
	l.write("USER.md", "- key "+fakeKey()+"\n"+stagedMarkers)
	l.write("code.txt", "other\n")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "other")
	l.git("checkout", "-q", "main")
	l.write("code.txt", "main\n")
	l.gitCommit("main")
	if _, err := l.tryGit("merge", "-q", "other"); err == nil {
		t.Fatal("the merge did not stop")
	}
	l.write("code.txt", "both\n")
	if got := l.checked(CommitCheck{}); got != "" {
		t.Errorf("merge: %s", got)
	}
	l.write("SOUL.md", "- key "+fakeKey()+"\n")
	if got := l.checked(CommitCheck{}); got != "secret SOUL.md" {
		t.Errorf("merge that adds one: %s", got)
	}
	l.git("reset", "-q", "--hard")
	if _, err := l.tryGit("cherry-pick", "other"); err == nil {
		t.Fatal("the cherry-pick did not stop")
	}
	l.write("code.txt", "both\n")
	if id, err := l.ws().Repo.PickedHead(); err != nil || id.String() != strings.TrimSpace(l.git("rev-parse", "other")) {
		t.Errorf("picked: %v, %v", id, err)
	}
	if got := l.checked(CommitCheck{}); got != "secret USER.md" {
		t.Errorf("pick: %s", got)
	}
	l.git("reset", "-q", "--hard")
	if id, err := l.ws().Repo.PickedHead(); err != nil || id != (gitops.ID{}) {
		t.Errorf("nothing is picked: %v, %v", id, err)
	}
}

// A workspace in a workspace is examined as its own.
func TestCheckCommitInner(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", "SOUL.md", "# Soul\n")
	l.write("inner/.claw/config", l.read(".claw/config"))
	l.write("inner/SOUL.md", "# Soul\n"+stagedMarkers)
	l.write("USER.md", stagedMarkers)
	got := l.checked(CommitCheck{})
	if strings.Count(got, "GIT-005 inner/SOUL.md") != 1 || strings.Count(got, "GIT-005 USER.md") != 1 {
		t.Error(got)
	}
}
