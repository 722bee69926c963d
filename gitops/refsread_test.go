package gitops_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestListRefsAsGit: whatever refs there are, and wherever they lie, the answer is that of
// `git for-each-ref`.
func TestListRefsAsGit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	one := r.Head()
	r.Append("MEMORY.md", "- x\n")
	r.Git("commit", "-q", "-a", "-m", "two")
	put := func(n int, names ...string) {
		for i, name := range names {
			r.Git("update-ref", name, []string{one, "HEAD"}[(i+n)%2])
		}
	}
	raw := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(r.GitPath(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.GitPath(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	prefixes := []string{
		"refs/heads/claw", "refs/heads/main", "refs/claw/open", "refs/notes/claw", "refs/remotes/my-remote/claw", "refs/tags", "refs/none", "refs/heads/clawed/x",
	}
	check := func(when string) {
		t.Helper()
		refs, err := r.Open().Refs(t.Context(), prefixes...)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, ref := range refs {
			fmt.Fprintf(&got, "%s %s\n", ref.ID, ref.Name)
		}
		want := r.Git(append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes...)...)
		if strings.TrimSpace(got.String()) != want {
			t.Errorf("%s:\n%s\nwant:\n%s", when, got.String(), want)
		}
	}
	check("few")
	put(0, "refs/heads/claw/l1/a", "refs/heads/claw/l1/b", "refs/heads/claws", "refs/claw/open/1", "refs/claw/opened/1", "refs/notes/claw", "refs/tags/v1")
	check("loose")
	r.Git("tag", "-a", "-m", "x", "annotated")
	r.Git("pack-refs", "--all")
	check("packed")
	put(1, "refs/heads/claw/l1/a", "refs/heads/claw/l2/c", "refs/notes/claw", "refs/remotes/my-remote/claw/x")
	r.Git("update-ref", "-d", "refs/claw/open/1")
	check("both")
	raw("refs/heads/claw/l2/c.lock", "")
	raw("refs/heads/claw/.hidden", "x")
	check("files that are no refs")
	r.Git("symbolic-ref", "refs/heads/claw/alias", "refs/heads/main")
	check("a symbolic ref")
	r.Git("symbolic-ref", "-d", "refs/heads/claw/alias")
	put(0, "refs/heads/claw/l1/ü", "refs/heads/claw/l1/a@b")
	check("other names")
	r.Git("pack-refs", "--all")
	check("other names, packed")
	r.Git("update-ref", "-d", "refs/heads/claw/l1/ü")
	r.Git("update-ref", "-d", "refs/heads/claw/l1/a@b")
	raw("refs/heads/claw/l2/torn", one[:20])
	check("a torn one")
}
