package gitops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestApplyPatch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := gittest.New(t, gittest.Files(map[string]string{"a/one.md": "one\n", "two.md": "two\n", "gone.md": "gone\n", "old name.md": "a long text that stays\nwith two lines\n"}))
	r.Write("a/one.md", "one\nmore\n")
	r.Remove("gone.md")
	r.Write("new.md", "new\n")
	r.Git("mv", "old name.md", "new name.md")
	r.Git("add", "-A")
	patch := r.Git("diff", "--cached", "-M") + "\n"
	r.Git("reset", "-q", "--hard")
	repo := r.Open()
	head, err := repo.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	before := r.Git("count-objects")
	files, err := repo.ApplyPatch(ctx, head.Commit, []byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.Path] = f.Mode.String() + " " + string(f.Content)
	}
	for path, want := range map[string]string{
		"a/one.md": "100644 one\nmore\n", "gone.md": "000000 ", "new.md": "100644 new\n", "old name.md": "000000 ",
		"new name.md": "100644 a long text that stays\nwith two lines\n",
	} {
		if got[path] != want {
			t.Errorf("%s is %q, want %q", path, got[path], want)
		}
	}
	if after := r.Git("count-objects"); after != before {
		t.Errorf("objects: %s, then %s", before, after)
	}
	r.CheckClean()

	outside := filepath.Join(r.Base, "outside.md")
	for name, bad := range map[string]string{
		"does not fit":    "--- a/two.md\n+++ b/two.md\n@@ -1 +1 @@\n-three\n+four\n",
		"no patch":        "hello\n",
		"outside":         "--- a/../outside.md\n+++ b/../outside.md\n@@ -0,0 +1 @@\n+x\n",
		"into git":        "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n",
		"a symbolic link": "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
		"through a link": "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+" + r.Base + "\n\\ No newline at end of file\n" +
			"diff --git a/link/outside.md b/link/outside.md\nnew file mode 100644\n--- /dev/null\n+++ b/link/outside.md\n@@ -0,0 +1 @@\n+x\n",
	} {
		_, err := repo.ApplyPatch(ctx, head.Commit, []byte(bad))
		var pe *gitops.PatchError
		var escape *gitops.EscapeError
		if !errors.As(err, &pe) && !errors.As(err, &escape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a patch wrote outside")
	}
	r.CheckClean()
}
