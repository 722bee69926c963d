package gittest

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

var indexContract = []contract{
	{"what is staged elsewhere stays staged", func(s *suite) {
		r, repo := s.new()
		r.Write("staged-new.md", "new\n")
		r.Append("AGENTS.md", "- staged\n")
		r.Chmod("notes/b.md", 0o755)
		r.Git("add", "-A")
		r.Git("rm", "-q", "--cached", "src/main.txt")
		r.Git("mv", "memory/2026-02-28.md", "memory/moved.md")
		r.Append("AGENTS.md", "- not staged\n")
		edits := []string{
			"A  staged-new.md", "MM AGENTS.md", "M  notes/b.md", "D  src/main.txt", "?? src/main.txt",
			"D  memory/2026-02-28.md", "A  memory/moved.md",
		}
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x", "MEMORY.md")
		s.equal("diff", r.Git("diff-tree", "-r", "--no-commit-id", "--name-only", "HEAD"), "MEMORY.md")
		r.CheckClean(edits...)
	}},
	{"a staged change of the same content is committed", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- x\n")
		r.Write("new.md", "x\n")
		r.Git("rm", "-q", "src/main.txt")
		r.Git("add", "MEMORY.md", "new.md")
		s.save(repo, "x")
		r.CheckClean()
	}},
	{"partly staged", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- staged\n")
		r.Git("add", "MEMORY.md")
		r.Append("MEMORY.md", "- not staged\n")
		r.Append("AGENTS.md", "- whole\n")
		tx, partial, err := Transaction(context.Background(), repo, "x")
		must(s.T, err)
		s.equal("partly staged", fmt.Sprint(partial), "[MEMORY.md]")
		_, err = s.commit(repo, tx)
		must(s.T, err)
		s.equal("index", r.Git("show", ":MEMORY.md"), "# Memory\n\n- one fact\n- staged")
		r.CheckClean("MM MEMORY.md")
	}},
	{"staged after the look", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		r.Append("MEMORY.md", "- mine\n")
		tx := s.transaction(repo, "x")
		r.Append("MEMORY.md", "- yours\n")
		r.Git("add", "MEMORY.md")
		r.Append("MEMORY.md", "- later\n")
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.MovedError))
		s.equal("index", r.Git("show", ":MEMORY.md"), "# Memory\n\n- one fact\n- mine\n- yours")
		r.CheckClean("MM MEMORY.md")
	}},
	{"another path staged after the look", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- mine\n")
		tx := s.transaction(repo, "x", "MEMORY.md")
		r.Append("AGENTS.md", "- staged\n")
		r.Git("add", "AGENTS.md")
		_, err := s.commit(repo, tx)
		must(s.T, err)
		r.CheckClean("M  AGENTS.md")
	}},
	{"a folder staged where a file is to go", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		tx := gitops.Tx{Message: "x", Head: s.id(before), Changes: []gitops.Change{{Path: "new", Content: []byte("x")}}}
		r.Write("new/staged.md", "precious\n")
		r.Git("add", "new/staged.md")
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.ClashError))
		r.CheckClean("A  new/staged.md")
	}},
	{"intent to add", func(s *suite) {
		r, repo := s.new()
		r.Write("one.md", "one\n")
		r.Write("two.md", "two\n")
		r.Git("add", "--intent-to-add", "one.md", "two.md")
		s.save(repo, "look", "one.md")
		r.CheckClean(" A two.md")
		tx := s.transaction(repo, "no stamp", "two.md")
		tx.Seen = gitops.IndexStamp{}
		_, err := s.commit(repo, tx)
		must(s.T, err)
		r.CheckClean()
	}},
	{"no edit is hidden by an equal time", func(s *suite) {
		r, repo := s.new()
		for i := range 25 {
			r.Write("MEMORY.md", fmt.Sprintf("round %02d a\n", i))
			s.save(repo, "a", "MEMORY.md")
			r.Write("MEMORY.md", fmt.Sprintf("round %02d b\n", i))
			if got := r.Status(); !has(got, " M MEMORY.md") {
				s.Fatalf("round %d: status is %q", i, got)
			}
		}
		r.CheckClean(" M MEMORY.md")
	}},
	{"no edit of another file is hidden by an equal time", func(s *suite) {
		r, repo := s.new()
		for i := range 15 {
			r.Write("AGENTS.md", fmt.Sprintf("round %02d a\n", i))
			r.Git("add", "AGENTS.md")
			r.Write("AGENTS.md", fmt.Sprintf("round %02d b\n", i))
			r.Write("MEMORY.md", fmt.Sprintf("round %02d\n", i))
			s.save(repo, "x", "MEMORY.md")
			if got := r.Status(); !has(got, "MM AGENTS.md") {
				s.Fatalf("round %d: status is %q", i, got)
			}
		}
		r.CheckClean("MM AGENTS.md")
	}},
	{"an edit while the commit is made is not hidden", func(s *suite) {
		r, repo := s.new()
		for i := range 10 {
			r.Write("MEMORY.md", fmt.Sprintf("round %02d a\n", i))
			tx := s.transaction(repo, "x")
			r.Write("MEMORY.md", fmt.Sprintf("round %02d b\n", i))
			_, err := s.commit(repo, tx)
			must(s.T, err)
			s.equal("HEAD", r.InHead("MEMORY.md"), fmt.Sprintf("round %02d a\n", i))
			r.CheckClean(" M MEMORY.md")
		}
	}},
	{"files that did not change need not be read again", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- x\n")
		old := time.Now().Add(-time.Hour) //nolint:forbidigo // a file's time
		must(s.T, os.Chtimes(r.Path("MEMORY.md"), old, old))
		s.save(repo, "x")
		if out := r.Git("diff-files", "--name-only"); out != "" {
			s.Errorf("the index has no stat data for %q", out)
		}
		r.CheckClean()
	}},
	{"unmerged paths", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- stashed\n")
		r.Git("stash", "-q")
		r.Append("MEMORY.md", "- committed\n")
		r.Git("commit", "-q", "-a", "-m", "x")
		if _, err := r.Try("stash", "pop", "-q"); err == nil {
			s.Fatal("stash pop makes no conflict")
		}
		before := r.Head()
		r.Append("AGENTS.md", "- x\n")
		tx := s.transaction(repo, "x", "AGENTS.md")
		res, err := s.commit(repo, tx)
		var p *gitops.ProgressError
		s.refused(r, before, res, err, &p)
		if len(p.Paths) != 1 || p.Paths[0] != "MEMORY.md" {
			s.Errorf("unmerged paths are %q", p.Paths)
		}
		if _, err := Save(context.Background(), repo, s.writer(repo), "x"); !as(err, &p) {
			s.Errorf("saving the unmerged path: %v", err)
		}
		r.CheckClean("UU MEMORY.md", " M AGENTS.md")
	}},
	{"untracked and ignored files stay", func(s *suite) {
		r, repo := s.new()
		r.Write(".gitignore", "*.log\n")
		r.Git("add", ".gitignore")
		r.Git("commit", "-q", "-m", "ignore")
		r.Write("x.log", "log\n")
		r.Write("draft.md", "draft\n")
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x", "MEMORY.md")
		s.equal("ignored", r.Read("x.log"), "log\n")
		r.CheckClean("?? draft.md")
	}},
	{"submodules, gitlinks and nested repositories stay", func(s *suite) {
		r, repo := s.new()
		nested := New(s.T)
		r.Git("clone", "-q", nested.Dir, "linked")
		r.Git("-c", "advice.addEmbeddedRepo=false", "add", "linked")
		r.Git("submodule", "--quiet", "add", nested.Dir, "sub")
		r.Git("commit", "-q", "-m", "submodule")
		r.Git("clone", "-q", nested.Dir, "untracked")
		r.Append("sub/MEMORY.md", "- dirty\n")
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x", "MEMORY.md")
		s.equal("diff", r.Git("diff-tree", "-r", "--no-commit-id", "--name-only", "HEAD"), "MEMORY.md")
		before := r.Head()
		tx := gitops.Tx{Message: "x", Head: s.id(before), Changes: []gitops.Change{{Path: "sub/MEMORY.md", Content: []byte("x")}}}
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.ClashError))
		st, err := repo.Status(context.Background(), gitops.StatusOptions{Untracked: true})
		must(s.T, err)
		for _, e := range st.Entries {
			if !e.Submodule && e.Path != "untracked/" {
				s.Errorf("status has %+v", e)
			}
		}
		r.CheckClean(" M sub", "?? untracked/")
	}},
}
