package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
)

// somebody works in a repository, by chance.
type somebody struct {
	*world
	rnd      *rand.Rand
	branches []string
	n        int
}

// searchedFiles and others are what is written; ignored ones begin with "private".
var someFiles = []string{
	"MEMORY.md", "USER.md", "memory/2026-03-01.md", "memory/2026-03-02.md", "memory/plan.md", "memory/sub/a.md",
	"memory/sub/deep/b.MD", "memory/private-1.md", "memory/sub/private-2.md", ".learnings/c.md", "reference/d.md",
	"memory/a b.md", "memory/晨露.md", "memory/not.txt", "other/e.md",
}

func (p *somebody) file() string { return someFiles[p.rnd.IntN(len(someFiles))] }

// unique is a text that stands nowhere else.
func (p *somebody) unique() string {
	p.n++
	return fmt.Sprintf("%sline %d\n", text(p.rnd), p.n)
}

func (p *somebody) exists(rel string) bool {
	_, err := os.Lstat(p.Path(p.sub + rel))
	return err == nil
}

// settle ends what a step began and could not finish.
func (p *somebody) settle() {
	for _, what := range []string{"merge", "rebase", "revert", "cherry-pick"} {
		_ = p.git(what, "--abort")
	}
}

// clean commits all, so that HEAD can be moved.
func (p *somebody) clean() {
	p.Git("add", "-A")
	_ = p.git("commit", "-q", "-m", "all")
}

// edit changes, makes or removes files of the work tree.
func (p *somebody) edit() string {
	f := p.file()
	switch p.rnd.IntN(6) {
	case 0:
		p.Remove(p.sub + f)
		return "remove " + f
	case 1: // other content of the same size
		if p.exists(f) {
			old := p.Read(p.sub + f)
			p.note(f, strings.NewReplacer("amber", "birch", "birch", "amber", "cedar", "ember", "ember", "cedar").Replace(old))
			return "edit in place " + f
		}
	case 2:
		if p.exists(f) {
			p.note(f, p.Read(p.sub+f))
			return "touch " + f
		}
	case 3:
		if p.exists(f) {
			to := p.file()
			p.Remove(p.sub + to)
			if err := os.MkdirAll(filepath.Dir(p.Path(p.sub+to)), 0o777); err == nil {
				_ = os.Rename(p.Path(p.sub+f), p.Path(p.sub+to))
			}
			return "move " + f + " to " + to
		}
	}
	p.note(f, p.unique())
	return "write " + f
}

// step is one thing that happens; it says which.
func (p *somebody) step() string {
	f, branch := p.sub+p.file(), p.branches[p.rnd.IntN(len(p.branches))]
	switch op := p.rnd.IntN(20); op {
	case 0:
		p.clean()
		return "commit all"
	case 1:
		_ = p.git("commit", "-q", "-m", "some", "--", f)
		return "commit " + f
	case 2:
		p.note("memory/plan.md", p.unique())
		p.Git("add", "-A")
		p.note("memory/plan.md", p.unique())
		return "stage, and edit what is staged"
	case 3:
		_ = p.git("commit", "-q", "-m", "staged")
		return "commit what is staged"
	case 4:
		_ = os.MkdirAll(filepath.Dir(p.Path(f)), 0o777)
		_ = p.git("mv", "-f", p.sub+"memory/plan.md", f)
		_ = p.git("commit", "-q", "-m", "move")
		return "git mv to " + f
	case 5:
		_ = p.git("rm", "-q", "-f", f)
		_ = p.git("commit", "-q", "-m", "remove")
		return "git rm " + f
	case 6:
		err := p.git("revert", "--no-edit", fmt.Sprintf("HEAD~%d", p.rnd.IntN(3)))
		return fmt.Sprint("revert: ", err)
	case 7:
		err := p.git("checkout", "-q", branch)
		return fmt.Sprint("checkout ", branch, ": ", err)
	case 8:
		p.clean()
		err := p.git("checkout", "-q", branch)
		return fmt.Sprint("commit, checkout ", branch, ": ", err)
	case 9:
		if len(p.branches) < 4 {
			name := fmt.Sprintf("b%d", len(p.branches))
			p.branches = append(p.branches, name)
			p.Git("checkout", "-q", "-b", name)
			return "make branch " + name
		}
		p.Git("checkout", "-q", "--detach")
		return "detach"
	case 10, 11:
		return p.merge(branch)
	case 12:
		_ = p.git("commit", "-q", "--amend", "--allow-empty", "-m", "said otherwise")
		return "amend the message"
	case 13:
		p.note("memory/plan.md", p.unique())
		_ = p.git("commit", "-q", "-a", "--amend", "--no-edit")
		return "amend"
	case 14:
		err := p.git("reset", "-q", "--hard", "HEAD~1")
		return fmt.Sprint("reset: ", err)
	case 15:
		p.clean()
		err := p.git("rebase", "-q", branch)
		return fmt.Sprint("rebase on ", branch, ": ", err)
	case 16:
		err := p.git("stash", "-q", "-u")
		return fmt.Sprint("stash: ", err)
	case 17:
		_ = p.git("cherry-pick", branch)
		return "cherry-pick " + branch
	case 18:
		var all []string
		for range 1 + p.rnd.IntN(6) {
			all = append(all, p.edit())
		}
		p.clean()
		return "commit of: " + strings.Join(all, ", ")
	default:
		return p.edit()
	}
}

// merge merges a branch. Where both have changed a file the merge gets content that
// neither has: which commit changed a file last that a merge left as one side had
// it, git itself answers in more than one way.
func (p *somebody) merge(branch string) string {
	p.clean()
	if p.git("merge", "-q", "--no-edit", branch) == nil {
		return "merge " + branch
	}
	for f := range strings.SplitSeq(p.Git("-c", "core.quotePath=false", "diff", "--name-only", "--diff-filter=U"), "\n") {
		if f != "" {
			p.Write(f, p.unique())
		}
	}
	p.Git("add", "-A")
	err := p.git("commit", "-q", "-m", "merge")
	return fmt.Sprint("merge with conflicts ", branch, ": ", err)
}

// After every step of a history made by chance the index that followed it answers
// as one that is built from nothing.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	steps := 30
	if testing.Short() {
		steps = 10
	}
	for i, sub := range []string{"", "", "", "team/a b/", "", "team/"} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			// A file that nobody touches keeps the folder of the workspace there.
			w := newWorld(t, sub, gittest.Files(map[string]string{sub + "keep": "", "memory/2026-03-01.md": "## amber\n"}))
			p := &somebody{world: w, rnd: rand.New(gittest.Rand(t.Name())), branches: []string{"main"}}
			w.Write(".gitignore", "private*\n")
			w.note("memory/plan.md", p.unique())
			w.commit()
			var told []string
			for range steps {
				told = append(told, p.step())
				p.settle()
				got := w.refresh(Options{})
				if d := w.fresh().differs(got); d != "" {
					t.Fatalf("after\n%s\na fresh index (-) and the one that followed (+) differ:\n%s", strings.Join(told, "\n"), d)
				}
				if left := w.unnamed(); len(left) > 0 {
					t.Fatalf("after %s: left over %q", told[len(told)-1], left)
				}
			}
		})
	}
}
