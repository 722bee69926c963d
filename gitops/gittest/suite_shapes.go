package gittest

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// everyShape is what must work in each shape of repository.
func everyShape(s *suite, shape Shape) {
	r, repo := s.new(shape.Options...)
	before := r.Head()

	// What the user works on beside it: staged, unstaged, untracked.
	r.Write("notes/b.md", "b\nstaged\n")
	r.Git("add", "notes/b.md")
	r.Write("bin/run.sh", "#!/bin/sh\necho edited\n")
	r.Write("notes/draft.md", "draft\n")

	r.Append("memory/2026-03-01.md", "- later\n")
	r.Write("memory/new/2026-03-02.md", "- new\n")
	r.Remove("memory/2026-02-28.md")
	res := s.save(repo, "claw(memory): write back\n\nClaw-Actor: agent\n", "memory")
	s.equal("HEAD", r.Head(), res.Commit.String())
	s.equal("parent", r.Git("rev-parse", "HEAD^"), before)
	s.equal("changes", r.Git("diff-tree", "-r", "--name-status", "--no-commit-id", "HEAD"),
		"D\tmemory/2026-02-28.md\nM\tmemory/2026-03-01.md\nA\tmemory/new/2026-03-02.md")
	s.equal("content", r.InHead("memory/2026-03-01.md"), "## morning\n- note\n- later\n")
	s.equal("trailer", r.Git("log", "-1", "--format=%(trailers:key=Claw-Actor,valueonly)"), "agent\n")
	s.equal("branch", r.Git("symbolic-ref", "HEAD"), res.Ref)
	if log := r.Git("reflog", "-1", "--format=%gs", "HEAD"); log != "commit: claw(memory): write back" {
		s.Errorf("reflog says %q", log)
	}
	edits := []string{"M  notes/b.md", " M bin/run.sh", "?? notes/draft.md"}
	r.CheckClean(edits...)
	s.reads(r, repo, res)

	// Once more on top, with an edit of the same length in the same second.
	r.Write("memory/2026-03-01.md", "## morning\n- note\n- LATER\n")
	if got := r.Status(); !has(got, " M memory/2026-03-01.md") {
		s.Errorf("an edit right after the commit is hidden: %q", got)
	}
	s.save(repo, "again", "memory/2026-03-01.md")
	r.CheckClean(edits...)

	s.takesBack(r, repo, edits)
	s.refs(r, repo)
	r.CheckClean(edits...)
	s.merges(r, repo)
	r.CheckClean(edits...)
	if b, err := os.ReadFile(r.Base + "/hook-log"); err == nil && strings.Count(string(b), "ran") != 4 {
		s.Errorf("the hook of core.hooksPath ran %d times, want 4", strings.Count(string(b), "ran"))
	}
}

// reads looks at the commit through gitops.
func (s *suite) reads(r *Repo, repo *gitops.Repo, res gitops.Result) {
	s.Helper()
	ctx := context.Background()
	c, err := repo.Show(ctx, "HEAD")
	must(s.T, err)
	s.equal("Show", c.ID, res.Commit)
	s.equal("trailer", c.Trailers.Get("claw-actor"), "agent")
	s.equal("paths", strings.Join(c.Paths, " "), "memory/2026-02-28.md memory/2026-03-01.md memory/new/2026-03-02.md")
	s.equal("date", c.Author.When.Unix(), r.Clock.Now().Unix())
	diff, err := repo.DiffTrees(ctx, c.Parents[0], c.ID)
	must(s.T, err)
	s.equal("number of changes", len(diff), 3)
	e, ok, err := repo.Objects().Lookup(ctx, c.Tree, "bin/run.sh")
	if err != nil || !ok || e.Mode != gitops.ModeExecutable {
		s.Errorf("bin/run.sh is %v %v %v", e, ok, err)
	}
	b, err := repo.Objects().Blob(ctx, e.ID)
	must(s.T, err)
	s.equal("blob", string(b), "#!/bin/sh\necho hi\n")
	bl, err := repo.BlameLine(ctx, "", "memory/2026-03-01.md", 3)
	must(s.T, err)
	s.equal("blame", bl.Commit, res.Commit)
}

// takesBack commits and puts into the work tree at once.
func (s *suite) takesBack(r *Repo, repo *gitops.Repo, edits []string) {
	s.Helper()
	tx := s.placing(repo, "undo", map[string]*string{
		"memory/2026-03-01.md":     text("## morning\n- note\n"),
		"memory/2026-02-28.md":     text("## morning\n- old note\n"),
		"memory/new/2026-03-02.md": nil,
	})
	_, err := s.commit(repo, tx)
	must(s.T, err)
	s.equal("file", r.Read("memory/2026-03-01.md"), "## morning\n- note\n")
	s.equal("file", r.Read("memory/2026-02-28.md"), "## morning\n- old note\n")
	if _, err := os.Lstat(r.Path("memory/new/2026-03-02.md")); err == nil {
		s.Error("memory/new/2026-03-02.md is still there")
	}
	r.CheckClean(edits...)
}

// refs makes, moves and deletes a ref.
func (s *suite) refs(r *Repo, repo *gitops.Repo) {
	s.Helper()
	ctx, w := context.Background(), s.writer(repo)
	one, two := s.id(r.Git("rev-parse", "HEAD~1")), s.id(r.Head())
	name := "refs/heads/claw/l1/20260301-x-00ff"
	for _, up := range []gitops.RefUpdate{{Name: name, New: one}, {Name: name, Old: one, New: two}} {
		must(s.T, w.UpdateRefs(ctx, []gitops.RefUpdate{up}, "test"))
		s.equal("ref", r.Git("rev-parse", name), up.New.String())
	}
	var moved *gitops.MovedError
	if err := w.UpdateRefs(ctx, []gitops.RefUpdate{{Name: name, Old: one, New: two}}, "test"); !as(err, &moved) {
		s.Errorf("moving a ref with a wrong old value: %v", err)
	}
	refs, err := repo.Refs(ctx, "refs/heads/claw")
	must(s.T, err)
	if len(refs) != 1 || refs[0].Name != name || refs[0].ID != two {
		s.Errorf("refs are %v", refs)
	}
	must(s.T, w.UpdateRefs(ctx, []gitops.RefUpdate{{Name: name, Old: two}}, "test"))
	if out, err := r.Try("rev-parse", "-q", "--verify", name); err == nil {
		s.Errorf("the deleted ref is still %s", out)
	}
}

// merges builds a commit beside HEAD, which moves nothing, and merges it.
func (s *suite) merges(r *Repo, repo *gitops.Repo) {
	s.Helper()
	ctx, w := context.Background(), s.writer(repo)
	head := s.id(r.Head())
	status := strings.Join(r.Status(), "\n")
	const proposed = "## morning\n- note\n- proposed\n"
	built, err := w.Build(ctx, gitops.Build{
		Base: head, Parents: []gitops.ID{head}, Message: "propose\n\nClaw-Event: l1.change\n",
		Changes: []gitops.Change{
			{Path: "memory/2026-03-01.md", Content: []byte(proposed)},
			{Path: "memory/2026-02-28.md", Delete: true},
		},
	})
	must(s.T, err)
	s.equal("HEAD", r.Head(), head.String())
	s.equal("status", strings.Join(r.Status(), "\n"), status)
	s.equal("changes", r.Git("diff-tree", "-r", "--name-status", "--no-commit-id", built.Commit.String()),
		"D\tmemory/2026-02-28.md\nM\tmemory/2026-03-01.md")
	same := gitops.Build{Base: built.Commit, Changes: []gitops.Change{{Path: "memory/2026-03-01.md", Content: []byte(proposed)}}}
	if _, err := w.Build(ctx, same); !errors.Is(err, gitops.ErrNothing) {
		s.Errorf("building nothing: %v", err)
	}
	tx := s.placing(repo, "accept", map[string]*string{"memory/2026-03-01.md": text(proposed), "memory/2026-02-28.md": nil})
	tx.Merges = []gitops.ID{built.Commit}
	res, err := s.commit(repo, tx)
	must(s.T, err)
	s.equal("parents", r.Git("log", "-1", "--format=%P"), head.String()+" "+built.Commit.String())
	s.equal("tree", res.Tree, built.Tree)
	s.equal("file", r.Read("memory/2026-03-01.md"), proposed)
	refs, err := repo.ReachableRefs(ctx, "HEAD", "refs/heads")
	must(s.T, err)
	if len(refs) == 0 {
		s.Error("the branch is not in its own history")
	}
	base, err := repo.MergeBase(ctx, head, res.Commit)
	must(s.T, err)
	s.equal("merge base", base, head)
}

func text(s string) *string { return &s }

// placing makes a transaction that gives files in HEAD and in the work tree a new
// content; nil removes one.
func (s *suite) placing(repo *gitops.Repo, message string, files map[string]*string) gitops.Tx {
	s.Helper()
	ctx := context.Background()
	head, err := repo.Head(ctx)
	must(s.T, err)
	tree, err := repo.Objects().TreeOf(ctx, head.Commit)
	must(s.T, err)
	tx := gitops.Tx{Message: message, Head: head.Commit}
	for name, content := range files {
		e, _, err := repo.Objects().Lookup(ctx, tree, name)
		must(s.T, err)
		if e.Mode == gitops.ModeTree {
			e = gitops.TreeEntry{}
		}
		work, mode, err := repo.ReadWork(name, 0)
		must(s.T, err)
		pl := &gitops.Place{Base: work, Existed: mode != gitops.ModeAbsent, Delete: content == nil}
		ch := gitops.Change{Path: name, HeadID: e.ID, IndexID: e.ID, Delete: content == nil, Place: pl}
		if content != nil {
			pl.Content = []byte(*content)
			ch.Content = pl.Content
		}
		tx.Changes = append(tx.Changes, ch)
	}
	return tx
}
