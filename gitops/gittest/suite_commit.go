package gittest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

var commitContract = []contract{
	{"first commit on an unborn branch", func(s *suite) {
		r, repo := s.new(Unborn())
		r.Write("MEMORY.md", "- one\n")
		r.Write("memory/a.md", "- two\n")
		res := s.save(repo, "start")
		s.equal("branch", res.Ref, "refs/heads/main")
		s.equal("commits", r.Git("rev-list", "--count", "HEAD"), "1")
		s.equal("files", r.Git("ls-files"), "MEMORY.md\nmemory/a.md")
		r.CheckClean()
	}},
	{"detached HEAD", func(s *suite) {
		r, repo := s.new()
		main := r.Head()
		r.Git("checkout", "-q", "--detach")
		r.Append("MEMORY.md", "- detached\n")
		res := s.save(repo, "detached")
		s.equal("branch", res.Ref, "")
		s.equal("HEAD", r.Head(), res.Commit.String())
		s.equal("main", r.Git("rev-parse", "main"), main)
		r.CheckClean()
	}},
	{"a branch that is packed or has slashes", func(s *suite) {
		r, repo := s.new()
		r.Git("switch", "-q", "-c", "team/a/b")
		r.Git("pack-refs", "--all", "--prune")
		r.Append("MEMORY.md", "- x\n")
		s.equal("branch", s.save(repo, "x").Ref, "refs/heads/team/a/b")
		r.CheckClean()
	}},
	{"an executable stays one", func(s *suite) {
		r, repo := s.new()
		r.Append("bin/run.sh", "echo more\n")
		tx := s.transaction(repo, "x")
		tx.Changes[0].Mode = gitops.ModeAbsent
		_, err := s.commit(repo, tx)
		must(s.T, err)
		s.equal("entry", r.Git("ls-tree", "HEAD", "bin/run.sh")[:6], "100755")
		r.CheckClean()
	}},
	{"chmod is committed", func(s *suite) {
		r, repo := s.new()
		r.Chmod("notes/b.md", 0o755)
		r.Chmod("bin/run.sh", 0o644)
		s.save(repo, "x")
		s.equal("diff", r.Git("diff-tree", "-r", "--no-commit-id", "--summary", "HEAD"),
			" mode change 100755 => 100644 bin/run.sh\n mode change 100644 => 100755 notes/b.md")
		r.CheckClean()
	}},
	{"core.fileMode=false keeps the mode of the entry", func(s *suite) {
		r := New(s.T)
		r.Git("config", "core.fileMode", "false")
		repo := r.Open()
		r.Append("bin/run.sh", "echo more\n")
		r.Chmod("bin/run.sh", 0o644)
		r.Append("notes/b.md", "more\n")
		r.Chmod("notes/b.md", 0o755)
		s.save(repo, "x")
		s.equal("run.sh", r.Git("ls-tree", "HEAD", "bin/run.sh")[:6], "100755")
		s.equal("b.md", r.Git("ls-tree", "HEAD", "notes/b.md")[:6], "100644")
		r.CheckClean()
	}},
	{"a symbolic link is its target", func(s *suite) {
		r, repo := s.new()
		r.Symlink("../MEMORY.md", "notes/link")
		r.Symlink("/nowhere/x", "dangling")
		r.Symlink("loop", "loop")
		s.save(repo, "links")
		s.equal("entry", r.Git("ls-tree", "HEAD", "notes/link")[:6], "120000")
		s.equal("content", r.InHead("notes/link"), "../MEMORY.md")
		r.Remove("dangling")
		r.Symlink("other", "dangling")
		r.Remove("loop")
		r.Write("loop", "now a file\n")
		s.save(repo, "change")
		s.equal("content", r.InHead("dangling"), "other")
		s.equal("entry", r.Git("ls-tree", "HEAD", "loop")[:6], "100644")
		r.CheckClean()
	}},
	{"core.symlinks=false keeps a link", func(s *suite) {
		r := New(s.T)
		r.Symlink("MEMORY.md", "link")
		r.Git("add", "link")
		r.Git("commit", "-q", "-m", "link")
		r.Git("config", "core.symlinks", "false")
		r.Remove("link")
		r.Write("link", "AGENTS.md")
		repo := r.Open()
		tx := s.transaction(repo, "x")
		tx.Changes[0].Mode = gitops.ModeAbsent
		_, err := s.commit(repo, tx)
		must(s.T, err)
		s.equal("entry", r.Git("ls-tree", "HEAD", "link")[:6], "120000")
		r.CheckClean()
	}},
	{"deletion, down to the last file of a folder", func(s *suite) {
		r, repo := s.new()
		r.Remove("notes")
		s.save(repo, "x")
		s.equal("tree", r.Git("ls-tree", "--name-only", "HEAD"), "AGENTS.md\nMEMORY.md\nbin\nmemory\nsrc")
		r.CheckClean()
	}},
	{"deletion of everything", func(s *suite) {
		r, repo := s.new()
		for _, p := range []string{"AGENTS.md", "MEMORY.md", "memory", "notes", "bin", "src"} {
			r.Remove(p)
		}
		res := s.save(repo, "x")
		s.equal("tree", res.Tree.String(), r.Git("hash-object", "-t", "tree", "--stdin"))
		r.CheckClean()
	}},
	{"rename", func(s *suite) {
		r, repo := s.new()
		must(s.T, os.MkdirAll(r.Path("memory/archive/2026"), 0o777))
		must(s.T, os.Rename(r.Path("memory/2026-02-28.md"), r.Path("memory/archive/2026/2026-02-28.md")))
		s.save(repo, "x")
		s.equal("diff", r.Git("diff-tree", "-r", "-M", "--no-commit-id", "--name-status", "HEAD"),
			"R100\tmemory/2026-02-28.md\tmemory/archive/2026/2026-02-28.md")
		r.CheckClean()
	}},
	{"a file becomes a folder and back", func(s *suite) {
		r, repo := s.new()
		r.Remove("MEMORY.md")
		r.Write("MEMORY.md/part-1.md", "one\n")
		r.Write("MEMORY.md/sub/part-2.md", "two\n")
		s.save(repo, "to folder")
		s.equal("files", r.Git("ls-tree", "-r", "--name-only", "HEAD", "MEMORY.md"), "MEMORY.md/part-1.md\nMEMORY.md/sub/part-2.md")
		r.CheckClean()
		r.Remove("MEMORY.md")
		r.Write("MEMORY.md", "one again\n")
		s.save(repo, "to file")
		s.equal("files", r.Git("ls-tree", "-r", "--name-only", "HEAD", "MEMORY.md"), "MEMORY.md")
		r.CheckClean()
	}},
	{"names that sort around a folder", func(s *suite) {
		r, repo := s.new()
		for _, n := range []string{"notes-x", "notes.md", "notes0", "notes/0", "notes!", "note"} {
			r.Write(n, n)
		}
		s.save(repo, "x")
		r.Remove("notes.md")
		r.Write("notes-x", "y")
		s.save(repo, "y")
		r.CheckClean()
	}},
	{"nothing to commit", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		tx := gitops.Tx{Head: s.id(before), Message: "x"}
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, gitops.ErrNothing)
		id := s.id(r.Git("rev-parse", "HEAD:MEMORY.md"))
		tx.Changes = []gitops.Change{
			{Path: "MEMORY.md", Content: []byte(r.Read("MEMORY.md")), HeadID: id, IndexID: id},
			{Path: "never/was.md", Delete: true},
		}
		res, err = s.commit(repo, tx)
		s.refused(r, before, res, err, gitops.ErrNothing)
		r.CheckClean()
	}},
	{"a path that is changed twice", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		tx := s.one(r, "x.md")
		tx.Changes = append(tx.Changes, gitops.Change{Path: "x.md", Delete: true})
		if res, err := s.commit(repo, tx); err == nil || !res.Commit.IsZero() || r.Head() != before {
			s.Errorf("%v %v", res, err)
		}
		r.CheckClean()
	}},
	{"nothing to commit on an unborn branch", func(s *suite) {
		r, repo := s.new(Unborn())
		res, err := s.commit(repo, gitops.Tx{Message: "x", Changes: []gitops.Change{{Path: "a", Delete: true}}})
		if !as(err, gitops.ErrNothing) || !res.Commit.IsZero() {
			s.Errorf("%v %v", res, err)
		}
		r.CheckClean()
	}},
	{"messages", func(s *suite) {
		r, repo := s.new()
		long := strings.Repeat("备份 ✅ ", 60)
		for i, msg := range []string{
			"", "\n", long, "100% `rm -rf` $(x) \"q\" 'p' \\ 🦞", "# not a comment", "subject\n\n# body\n\nKey: value\n", "a\n\n\n\nb   \n",
		} {
			r.Append("MEMORY.md", fmt.Sprintf("- %d\n", i))
			res := s.save(repo, msg)
			got := r.Git("log", "-1", "--format=%B")
			s.equal("message", strings.TrimRight(got, "\n"), strings.TrimRight(msg, "\n"))
			c, err := repo.Objects().Commit(context.Background(), res.Commit)
			must(s.T, err)
			s.equal("subject", c.Subject, r.Git("log", "-1", "--format=%s"))
		}
		r.CheckClean()
	}},
	{"the clock is the injected one, git's own variables come first", func(s *suite) {
		r, repo := s.new()
		r.Clock.Advance(36 * time.Hour)
		r.Append("MEMORY.md", "- x\n")
		s.save(repo, "x")
		s.equal("dates", r.Git("log", "-1", "--format=%at %ct"), fmt.Sprintf("%d %d", r.Clock.Now().Unix(), r.Clock.Now().Unix()))
		repo = r.Open("GIT_AUTHOR_DATE=@1234567890 +0200", "GIT_AUTHOR_NAME=Other", "GIT_AUTHOR_EMAIL=o@example.com")
		r.Append("MEMORY.md", "- y\n")
		s.save(repo, "y")
		s.equal("author", r.Git("log", "-1", "--date=raw", "--format=%an %ae %ad"), "Other o@example.com 1234567890 +0200")
		s.equal("committer", r.Git("log", "-1", "--format=%cn %ct"), fmt.Sprintf("%s %d", Name, r.Clock.Now().Unix()))
		r.CheckClean()
	}},
	{"the reason in the reflog", func(s *suite) {
		r, repo := s.new()
		r.Append("MEMORY.md", "- x\n")
		tx := s.transaction(repo, "subject")
		tx.Reflog = "claw: two\nlines"
		_, err := s.commit(repo, tx)
		must(s.T, err)
		s.equal("reflog of HEAD", r.Git("reflog", "-1", "--format=%gs", "HEAD"), "claw: two lines")
		s.equal("reflog of main", r.Git("reflog", "-1", "--format=%gs", "main"), "claw: two lines")
		r.CheckClean()
	}},
	{"10,000 entries in one folder", func(s *suite) {
		r, repo := s.new()
		for i := range 10_000 {
			must(s.T, os.WriteFile(r.Path(fmt.Sprintf("memory/n%05d.md", i)), fmt.Appendf(nil, "%d\n", i), 0o666))
		}
		s.save(repo, "many")
		s.equal("files", strings.Count(r.Git("ls-tree", "--name-only", "HEAD", "memory/"), "\n"), 10_001)
		r.Write("memory/n05000.md", "edit\n")
		r.Remove("memory/n09999.md")
		s.save(repo, "one")
		s.equal("diff", r.Git("diff-tree", "-r", "--no-commit-id", "--name-status", "HEAD"), "M\tmemory/n05000.md\nD\tmemory/n09999.md")
		r.CheckClean()
	}},
}
