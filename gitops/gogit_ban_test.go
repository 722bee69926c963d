package gitops_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestGoGitFaults shows the fault behind every call of go-git that .golangci.yml
// bans. A test here that fails tells that go-git has changed and the ban can be
// looked at again.
func TestGoGitFaults(t *testing.T) {
	t.Parallel()
	for name, show := range map[string]func(t *testing.T, r *gittest.Repo, g *git.Repository, w *git.Worktree) bool{
		"Add takes no index.lock":              addTakesNoLock,
		"Add runs no filter":                   addRunsNoFilter,
		"Add hides a racy edit":                addHidesEdit,
		"Commit runs no hook":                  commitRunsNoHook,
		"Commit writes no reflog":              commitWritesNoReflog,
		"Commit compares nothing":              commitComparesNothing,
		"Status ignores core.excludesFile":     statusIgnoresExcludes,
		"Reset removes untracked files":        resetRemovesUntracked,
		"Clean takes nested repositories":      cleanTakesNested,
		"SetReference takes no lock":           setReferenceTakesNoLock,
		"RemoveReference takes no lock":        removeReferenceTakesNoLock,
		"PackRefs takes no lock":               packRefsTakesNoLock,
		"SetConfig drops comments":             setConfigDropsComments,
		"RepackObjects drops staged blobs":     repackDropsStaged,
		"Push runs no pre-push hook":           pushRunsNoHook,
		"DiffTree reads what did not change":   diffTreeReadsWholeTrees,
		"Log does not know replaced commits":   logKnowsNoReplace,
		"Blame does not know replaced commits": blameKnowsNoReplace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			g, err := git.PlainOpen(r.Dir)
			if err != nil {
				t.Fatal(err)
			}
			w, err := g.Worktree()
			if err != nil {
				t.Fatal(err)
			}
			if !show(t, r, g, w) {
				t.Error("go-git has lost this fault; look at the ban in .golangci.yml again")
			}
		})
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o777); err != nil {
		t.Fatal(err)
	}
}

func addTakesNoLock(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	write(t, r.GitPath("index.lock"), "")
	r.Append("MEMORY.md", "- x\n")
	_, err := w.Add("MEMORY.md")
	return err == nil
}

func addRunsNoFilter(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	r.Git("config", "filter.up.clean", "tr a-z A-Z")
	r.Write(".gitattributes", "*.md filter=up\n")
	r.Write("x.md", "small\n")
	h, err := w.Add("x.md")
	if err != nil {
		t.Fatal(err)
	}
	return r.Git("cat-file", "blob", h.String()) == "small"
}

func addHidesEdit(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	r.Git("config", "core.trustCtime", "false") // the test may take more than a second
	long := time.Now().Add(-time.Hour)
	r.Write("MEMORY.md", "one\n")
	if err := os.Chtimes(r.Path("MEMORY.md"), long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Add("MEMORY.md"); err != nil {
		t.Fatal(err)
	}
	// The entry is racily clean when the index is as old as the file.
	if err := os.Chtimes(r.GitPath("index"), long, long); err != nil {
		t.Fatal(err)
	}
	r.Write("MEMORY.md", "two\n")
	if err := os.Chtimes(r.Path("MEMORY.md"), long, long); err != nil {
		t.Fatal(err)
	}
	if r.Status()[0] != "MM MEMORY.md" {
		t.Fatalf("git sees %q", r.Status())
	}
	r.Append("AGENTS.md", "- x\n")
	if _, err := w.Add("AGENTS.md"); err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(strings.Join(r.Status(), "\n"), "MM MEMORY.md")
}

func author() *object.Signature {
	return &object.Signature{Name: gittest.Name, Email: gittest.Email, When: time.Unix(1, 0)}
}

func commitRunsNoHook(_ *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	r.Hook("pre-commit", "exit 1\n")
	r.Append("MEMORY.md", "- x\n")
	r.Git("add", "-A")
	_, err := w.Commit("x", &git.CommitOptions{Author: author()})
	return err == nil
}

func commitWritesNoReflog(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	r.Append("MEMORY.md", "- x\n")
	r.Git("add", "-A")
	if _, err := w.Commit("x", &git.CommitOptions{Author: author()}); err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(r.Git("reflog"), r.Head()[:7])
}

func commitComparesNothing(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	before := r.Head()
	write(t, r.GitPath("HEAD.lock"), "")
	write(t, r.GitPath("refs/heads/main.lock"), "")
	r.Append("MEMORY.md", "- x\n")
	r.Git("add", "-A")
	_, err := w.Commit("x", &git.CommitOptions{Author: author()})
	return err == nil && r.Head() != before
}

func statusIgnoresExcludes(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	write(t, r.Base+"/excludes", "*.log\n")
	r.Git("config", "core.excludesFile", r.Base+"/excludes")
	r.Write("x.log", "")
	st, err := w.Status()
	if err != nil {
		t.Fatal(err)
	}
	return len(r.Status()) == 0 && !st.IsClean()
}

func resetRemovesUntracked(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	r.Write(".gitignore", "*.log\n")
	r.Git("add", ".gitignore")
	r.Git("commit", "-q", "-m", "ignore")
	first := r.Git("rev-parse", "HEAD~1")
	r.Write("notes/untracked.md", "precious\n")
	r.Write("notes/x.log", "precious\n")
	r.Write("x.log", "precious\n")
	r.Git("rm", "-q", "-r", "notes")
	r.Git("commit", "-q", "-m", "rm")
	lost := func() bool {
		for _, f := range []string{"notes/untracked.md", "notes/x.log", "x.log"} {
			if _, err := os.Lstat(r.Path(f)); err != nil {
				return true
			}
		}
		return false
	}
	if lost() {
		t.Fatal("git removed them")
	}
	if err := w.Reset(&git.ResetOptions{Mode: git.HardReset, Commit: plumbing.NewHash(first)}); err != nil {
		return true
	}
	if err := w.Checkout(&git.CheckoutOptions{Hash: plumbing.NewHash(r.Git("rev-parse", "main@{1}")), Force: true}); err != nil {
		return true
	}
	return lost()
}

func cleanTakesNested(t *testing.T, r *gittest.Repo, _ *git.Repository, w *git.Worktree) bool {
	r.Git("init", "-q", "nested")
	r.Write("nested/x.md", "precious\n")
	r.Git("clean", "-q", "-f", "-d")
	if _, err := os.Lstat(r.Path("nested/x.md")); err != nil {
		t.Fatal("git removed it")
	}
	_ = w.Clean(&git.CleanOptions{Dir: true})
	_, err := os.Lstat(r.Path("nested/x.md"))
	return err != nil
}

func setReferenceTakesNoLock(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	write(t, r.GitPath("refs/heads/x.lock"), "")
	ref := plumbing.NewHashReference("refs/heads/x", plumbing.NewHash(r.Head()))
	if err := g.Storer.CheckAndSetReference(ref, nil); err != nil {
		return false
	}
	return g.Storer.SetReference(ref) == nil
}

func removeReferenceTakesNoLock(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	r.Git("branch", "x")
	r.Git("pack-refs", "--all")
	write(t, r.GitPath("packed-refs.lock"), "")
	return g.Storer.RemoveReference("refs/heads/x") == nil
}

func packRefsTakesNoLock(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	r.Git("branch", "x")
	write(t, r.GitPath("packed-refs.lock"), "")
	return g.Storer.PackRefs() == nil
}

func setConfigDropsComments(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	file := r.GitPath("config")
	write(t, file, gittest.ReadFile(t, file)+"# why this is so\n[alias]\n\tx = \"!f() { echo a; }; f\" ; comment\n")
	write(t, file+".lock", "")
	c, err := g.Config()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.SetConfig(c); err != nil {
		return false
	}
	return !strings.Contains(gittest.ReadFile(t, file), "why this is so")
}

func repackDropsStaged(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	r.Write("staged.md", "precious\n")
	r.Git("add", "staged.md")
	r.Git("commit", "-q", "-m", "x")
	id := r.Git("rev-parse", "HEAD:staged.md")
	r.Git("repack", "-q", "-a", "-d")
	r.Git("reset", "-q", "--soft", "HEAD~1") // in the index and the reflog
	if err := g.RepackObjects(&git.RepackConfig{}); err != nil {
		return true
	}
	_, err := r.Try("cat-file", "-e", id)
	return err != nil
}

func pushRunsNoHook(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	r.Git("init", "-q", "--bare", r.Base+"/up.git")
	if _, err := g.CreateRemote(&config.RemoteConfig{Name: "up", URLs: []string{r.Base + "/up.git"}}); err != nil {
		t.Fatal(err)
	}
	r.Hook("pre-push", "exit 1\n")
	return g.Push(&git.PushOptions{RemoteName: "up", RefSpecs: []config.RefSpec{"refs/heads/main:refs/heads/main"}}) == nil
}

// counting counts the objects that are read.
type counting struct {
	storer.EncodedObjectStorer
	n int
}

func (c *counting) EncodedObject(kind plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	c.n++
	return c.EncodedObjectStorer.EncodedObject(kind, h)
}

func diffTreeReadsWholeTrees(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	for i := range 50 {
		r.Write(fmt.Sprintf("d%d/x.md", i), fmt.Sprint(i))
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "many")
	r.Write("d7/x.md", "edit")
	r.Git("commit", "-q", "-a", "-m", "one")
	c := &counting{EncodedObjectStorer: g.Storer}
	tree := func(rev string) *object.Tree {
		tr, err := object.GetTree(c, plumbing.NewHash(r.Git("rev-parse", rev+"^{tree}")))
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	changes, err := object.DiffTree(tree("HEAD~1"), tree("HEAD"))
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	t.Logf("%d objects read for one change", c.n)
	return c.n > 20
}

func logKnowsNoReplace(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	r.Append("MEMORY.md", "- x\n")
	r.Git("commit", "-q", "-a", "-m", "second")
	r.Git("replace", "--graft", "HEAD")
	if r.Git("rev-list", "--count", "HEAD") != "1" {
		t.Fatal("git replace")
	}
	name := "MEMORY.md"
	it, err := g.Log(&git.LogOptions{FileName: &name})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	_ = it.ForEach(func(*object.Commit) error { n++; return nil })
	return n != 1
}

func blameKnowsNoReplace(t *testing.T, r *gittest.Repo, g *git.Repository, _ *git.Worktree) bool {
	r.Append("MEMORY.md", "- x\n")
	r.Git("commit", "-q", "-a", "-m", "second")
	r.Git("replace", "--graft", "HEAD")
	c, err := g.CommitObject(plumbing.NewHash(r.Head()))
	if err != nil {
		t.Fatal(err)
	}
	b, err := git.Blame(c, "MEMORY.md")
	if err != nil {
		t.Fatal(err)
	}
	return b.Lines[0].Hash.String() != r.Head()
}
