package gittest

import (
	"context"

	"github.com/git-claw/git-claw/gitops"
)

var refsContract = []contract{
	{"several refs move together or not at all", func(s *suite) {
		for _, opts := range [][]Option{nil, {Reftable()}} {
			r, repo := s.new(opts...)
			ctx, w := context.Background(), s.writer(repo)
			one := s.id(r.Head())
			r.Append("MEMORY.md", "- x\n")
			two := s.save(repo, "x").Commit
			up := []gitops.RefUpdate{{Name: "refs/heads/claw/l1/a", New: one}, {Name: "refs/claw/closed/a", New: two}}
			must(s.T, w.UpdateRefs(ctx, up, "made"))
			var moved *gitops.MovedError
			bad := []gitops.RefUpdate{{Name: "refs/heads/claw/l1/a", Old: one, New: two}, {Name: "refs/claw/closed/a", Old: one, New: two}}
			if err := w.UpdateRefs(ctx, bad, "x"); !as(err, &moved) {
				s.Errorf("one wrong old value of two: %v", err)
			}
			s.equal("first", r.Git("rev-parse", "refs/heads/claw/l1/a"), one.String())
			if err := w.UpdateRefs(ctx, up[:1], "again"); !as(err, &moved) {
				s.Errorf("creating what exists: %v", err)
			}
			gone := []gitops.RefUpdate{{Name: "refs/heads/none", Old: one, New: two}}
			if err := w.UpdateRefs(ctx, gone, "x"); !as(err, &moved) {
				s.Errorf("moving what does not exist: %v", err)
			}
			s.equal("reflog", r.Git("reflog", "-1", "--format=%gs", "claw/l1/a"), "made")
			r.CheckClean()
		}
	}},
	{"deleting a packed ref", func(s *suite) {
		r, repo := s.new()
		r.Git("branch", "claw/l1/x")
		r.Git("pack-refs", "--all", "--prune")
		up := []gitops.RefUpdate{{Name: "refs/heads/claw/l1/x", Old: s.id(r.Head())}}
		must(s.T, s.writer(repo).UpdateRefs(context.Background(), up, "x"))
		s.equal("refs", r.Git("for-each-ref", "--format=%(refname)"), "refs/heads/main")
		r.CheckClean()
	}},
	{"a branch in the way", func(s *suite) {
		r, repo := s.new()
		r.Git("branch", "claw")
		r.Git("pack-refs", "--all", "--prune")
		up := []gitops.RefUpdate{{Name: "refs/heads/claw/l1/x", New: s.id(r.Head())}}
		if err := s.writer(repo).UpdateRefs(context.Background(), up, "x"); !as(err, new(*gitops.GitError)) {
			s.Errorf("error is %T %v", err, err)
		}
		r.CheckClean()
	}},
	{"a hook that refuses", func(s *suite) {
		for _, opts := range [][]Option{nil, {Reftable()}} {
			r, repo := s.new(opts...)
			r.Hook("reference-transaction", "test \"$1\" != prepared\n")
			up := []gitops.RefUpdate{{Name: "refs/heads/x", New: s.id(r.Head())}}
			var he *gitops.HookError
			if err := s.writer(repo).UpdateRefs(context.Background(), up, "x"); !as(err, &he) {
				s.Errorf("error is %T %v", err, err)
			}
			r.CheckClean()
		}
	}},
}
