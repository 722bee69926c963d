package gitops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestOwnCommitObject: the commit that is built here is the one `git commit-tree`
// builds from the same tree, parent, clock, message and identity.
func TestOwnCommitObject(t *testing.T) {
	t.Parallel()
	people := [][2]string{
		{"Ann Example", "ann@example.org"},
		{"王小明", "xiao@example.org"},
		{"O'Brien Jr", "o.brien+claw@example.org"},
		{"trailing dot.", "a@example.org"},
		{" spaces ", "a@example.org"},
		{"a <b> c", "a@example.org"},
		{"\"quoted\"", "a@example.org"},
		{"tab\there", "a@example.org"},
	}
	messages := []string{"one line", "subject\n\nbody\n\nKey: value\n", "键 ✅\n", "ends in blank lines\n\n\n"}
	r := gittest.New(t)
	for i, who := range people {
		for j, msg := range messages {
			r.Write("a.md", fmt.Sprint(i, j))
			parent := r.Head()
			identity := []string{
				"GIT_AUTHOR_NAME=" + who[0], "GIT_AUTHOR_EMAIL=" + who[1],
				"GIT_COMMITTER_NAME=" + who[0], "GIT_COMMITTER_EMAIL=" + who[1],
			}
			repo := r.Open(identity...)
			res, err := gittest.Save(t.Context(), repo, repo.Writer(gitops.WriterOptions{}), msg, "a.md")
			if err != nil {
				t.Fatal(err)
			}
			when := strings.TrimSpace(r.Git("show", "-s", "--format=%ad", "--date=raw", "HEAD"))
			dates := []string{"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when}
			out, err := r.TryEnv(append(identity, dates...), msg, "commit-tree", "-F", "-", "-p", parent, res.Tree.String())
			if err != nil {
				t.Fatal(err, out)
			}
			if want := strings.TrimSpace(out); res.Commit.String() != want {
				t.Errorf("%q, %q: built\n%s\ngit builds\n%s", who, msg, r.Git("cat-file", "commit", res.Commit.String()), r.Git("cat-file", "commit", want))
			}
		}
	}
}
