package gittest

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// one is a transaction that adds a file.
func (s *suite) one(r *Repo, name string) gitops.Tx {
	return gitops.Tx{Message: "x", Head: s.id(r.Head()), Changes: []gitops.Change{{Path: name, Content: []byte("x\n")}}}
}

// inProgress tries to save while git is in the middle of something.
func inProgress(what string, start func(r *Repo), opts ...Option) contract {
	name := what + " in progress"
	for _, o := range opts {
		if o != nil {
			name += ", other shape"
		}
	}
	return contract{name, func(s *suite) {
		r := New(s.T, opts...)
		r.Git("switch", "-q", "-c", "side")
		r.Write("MEMORY.md", "side\n")
		r.Git("commit", "-q", "-a", "-m", "side")
		side := r.Head()
		r.Git("format-patch", "-q", "-1", "-o", r.Base, "HEAD")
		r.Git("switch", "-q", "-")
		r.Write("MEMORY.md", "main\n")
		r.Git("commit", "-q", "-a", "-m", "main")
		r.Environ = append(r.Environ, "SIDE="+side)
		start(r)
		r.Write("MEMORY.md", "resolved\n")
		r.Git("add", "MEMORY.md")
		before := r.Head()
		res, err := s.commit(r.Open(), s.one(r, "new.md"))
		var p *gitops.ProgressError
		s.refused(r, before, res, err, &p)
		s.equal("what", p.What, what)
		if len(p.How) == 0 || !strings.Contains(p.How[0], "--abort") {
			s.Errorf("how to end it: %q", p.How)
		}
		r.CheckClean("M  MEMORY.md")
	}}
}

// conflicting runs a git command that must stop at a conflict.
func conflicting(args ...string) func(r *Repo) {
	return func(r *Repo) {
		r.t.Helper()
		side := r.Env().Getenv("SIDE")
		call := append([]string{}, args...)
		for i := range call {
			call[i] = strings.ReplaceAll(strings.ReplaceAll(call[i], "SIDE", side), "BASE", r.Base)
		}
		if out, err := r.Try(call...); err == nil {
			r.t.Fatalf("git %s makes no conflict: %s", strings.Join(call, " "), out)
		}
	}
}

var refuseContract = []contract{
	inProgress("merge", conflicting("merge", "SIDE")),
	inProgress("merge", conflicting("merge", "SIDE"), LinkedWorktree()),
	inProgress("rebase", conflicting("rebase", "SIDE")),
	inProgress("rebase", conflicting("rebase", "--apply", "SIDE"), Config("core.editor", "true")),
	inProgress("cherry-pick", conflicting("cherry-pick", "SIDE")),
	inProgress("cherry-pick", conflicting("cherry-pick", "SIDE"), Reftable()),
	inProgress("revert", conflicting("revert", "--no-edit", "SIDE")),
	inProgress("patch series", conflicting("am", "-q", "-3", "BASE/0001-side.patch")),
	{"inside a hook", func(s *suite) {
		r := New(s.T)
		before := r.Head()
		repo := r.Open("GIT_INDEX_FILE=" + r.GitPath("index"))
		res, err := s.commit(repo, s.one(r, "new.md"))
		s.refused(r, before, res, err, gitops.ErrInHook)
		err = s.writer(repo).UpdateRefs(context.Background(), []gitops.RefUpdate{{Name: "refs/heads/x", New: s.id(before)}}, "x")
		if !as(err, gitops.ErrInHook) {
			s.Errorf("UpdateRefs: %v", err)
		}
		r.CheckClean()
	}},
	{"a bare repository", func(s *suite) {
		r, repo := s.new(Bare())
		_, err := s.commit(repo, gitops.Tx{Changes: []gitops.Change{{Path: "a"}}})
		if !as(err, gitops.ErrBare) {
			s.Error(err)
		}
		tree := r.Git("mktree")
		commit := s.id(r.Git("commit-tree", "-m", "x", tree))
		must(s.T, s.writer(repo).UpdateRefs(context.Background(), []gitops.RefUpdate{{Name: "refs/heads/claw/l1/x", New: commit}}, "x"))
		s.equal("ref", r.Git("rev-parse", "refs/heads/claw/l1/x"), commit.String())
		r.CheckClean()
	}},
	{"paths that leave the work tree", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		for _, p := range []string{
			"", "/etc/passwd", "..", "../x", "a/../../x", "a//b", "./a", "a/", "a/.", ".git/config", ".GIT/hooks/pre-commit",
			"a/.git/config", "git~1/config", ".git./config", ".git /config", ".git:x/y", ".g\u200cit/config", "a\x00b",
		} {
			res, err := s.commit(repo, s.one(r, p))
			s.refused(r, before, res, err, new(*gitops.EscapeError))
			if _, _, err := repo.ReadWork(p, 0); !as(err, new(*gitops.EscapeError)) {
				s.Errorf("read %q: %v", p, err)
			}
		}
		r.CheckClean()
	}},
	{"a path outside the sparse checkout", func(s *suite) {
		for _, opt := range []Option{Sparse("memory"), SparseIndex("memory")} {
			r, repo := s.new(opt)
			before := r.Head()
			id := s.id(r.Git("rev-parse", "HEAD:src/main.txt"))
			tx := s.one(r, "src/main.txt")
			tx.Changes[0].HeadID, tx.Changes[0].IndexID = id, id
			res, err := s.commit(repo, tx)
			s.refused(r, before, res, err, new(*gitops.SparseError))
			r.CheckClean()
		}
	}},
	{"no identity", func(s *suite) {
		sign := then(func(r *Repo) { r.Git("config", "commit.gpgSign", "true") })
		for _, opts := range [][]Option{nil, {UseNewGit()}, {sign}} {
			r := New(s.T, opts...)
			before := r.Head()
			r.Git("config", "--global", "--remove-section", "user")
			r.Git("config", "user.useConfigOnly", "true")
			r.Append("MEMORY.md", "- x\n")
			repo := r.Open()
			tx := s.transaction(repo, "x")
			res, err := s.commit(repo, tx)
			var ident *gitops.IdentError
			s.refused(r, before, res, err, &ident)
			if !strings.Contains(strings.Join(ident.Hints(), "\n"), "user.email") {
				s.Errorf("hints are %q", ident.Hints())
			}
			r.CheckClean(" M MEMORY.md")
		}
	}},
	{"somebody else's repository", func(s *suite) {
		r := New(s.T)
		var d *gitops.DubiousError
		_, err := r.TryOpen("GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
		if !as(err, &d) || d.Path != r.Dir {
			s.Fatalf("%T %v", err, err)
		}
		if !strings.Contains(d.Hints()[0], "safe.directory "+r.Dir) {
			s.Errorf("hints are %q", d.Hints())
		}
		if os.Getuid() == 0 {
			must(s.T, filepath.WalkDir(r.Dir, func(p string, _ os.DirEntry, err error) error {
				if err == nil {
					err = os.Lchown(p, 65534, 65534)
				}
				return err
			}))
			if _, err := r.TryOpen(); !as(err, &d) {
				s.Errorf("owned by another user: %v", err)
			}
		}
		r.Git("config", "--global", "safe.directory", "*")
		r.Open()
		r.CheckClean()
	}},
	{"names that clash where case does not count", func(s *suite) {
		r, repo := s.new(Config("core.ignoreCase", "true"))
		before := r.Head()
		for _, p := range []string{"memory.md", "MEMORY/x.md", "notes/B.MD", "Notes/c.md"} {
			res, err := s.commit(repo, s.one(r, p))
			var clash *gitops.ClashError
			s.refused(r, before, res, err, &clash)
		}
		tx := s.one(r, "ONE.md")
		tx.Changes = append(tx.Changes, gitops.Change{Path: "one.md"})
		res, err := s.commit(repo, tx)
		s.refused(r, before, res, err, new(*gitops.ClashError))
		must(s.T, os.Rename(r.Path("MEMORY.md"), r.Path("Memory.md")))
		id := s.id(r.Git("rev-parse", "HEAD:MEMORY.md"))
		_, err = s.commit(repo, gitops.Tx{Message: "rename", Head: s.id(before), Changes: []gitops.Change{
			{Path: "MEMORY.md", Delete: true, HeadID: id, IndexID: id},
			{Path: "Memory.md", Content: []byte("# Memory\n\n- one fact\n")},
		}})
		must(s.T, err)
		s.equal("entry", r.Git("ls-tree", "--name-only", "HEAD", "Memory.md"), "Memory.md")
		r.CheckClean()
	}},
	{"two spellings of one name where Unicode is composed", func(s *suite) {
		r, repo := s.new(Config("core.precomposeUnicode", "true"))
		_, err := s.commit(repo, s.one(r, "caf\u00e9.md"))
		must(s.T, err)
		before := r.Head()
		res, err := s.commit(repo, s.one(r, "cafe\u0301.md"))
		s.refused(r, before, res, err, new(*gitops.ClashError))
		r.Git("checkout", "-q", "--", ".")
		r.CheckClean()
	}},
	{"a file where a folder is", func(s *suite) {
		r, repo := s.new()
		before := r.Head()
		for _, p := range []string{"notes", "MEMORY.md/x"} {
			res, err := s.commit(repo, s.one(r, p))
			s.refused(r, before, res, err, new(*gitops.ClashError))
		}
		r.CheckClean()
	}},
}
