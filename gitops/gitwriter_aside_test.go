package gitops_test

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestObjectThatAppears: objects are written while the index is made ready. git
// calls one corrupt that it does not find and then sees (a note with CRLF lines whose
// blob it looks at); the commit goes on once they are written.
func TestObjectThatAppears(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script as git")
	}
	r := gittest.New(t)
	r.Write("a.md", "one\n")
	r.Git("add", "a.md")
	r.Git("commit", "-q", "-m", "one")
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := `#!/bin/sh
case " $* " in
*" unpack-objects "*) sleep 0.5 ;;
*" update-index "*)
	if test ! -e '` + dir + `/once'; then
		: >'` + dir + `/once'
		echo 'fatal: loose object 0123 (stored in .git/objects/01/23) is corrupt' >&2
		exit 128
	fi ;;
esac
exec '` + real + `' "$@"
`
	if err := os.WriteFile(dir+"/git", []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	env := r.Env()
	env.Environ = append(slices.Clone(env.Environ), "PATH="+dir+":"+os.Getenv("PATH"))
	repo, err := gitops.Open(t.Context(), gitops.NewGit(env), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	r.Write("a.md", "one\r\ntwo\r\n")
	res, err := gittest.Save(t.Context(), repo, gitWriter(repo, gitops.WriterOptions{}), "two\n", "a.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + "/once"); err != nil {
		t.Error("git never failed: the test shows nothing")
	}
	if got := r.Git("rev-parse", "HEAD"); got != res.Commit.String() {
		t.Errorf("HEAD is %s, want %s", got, res.Commit)
	}
	r.Git("fsck", "--strict")
}
