package syncing

import (
	"context"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/verdict"
)

// foresee says what a sync would do: it moves no ref and writes no file. The objects of
// the remote come here, for only they tell what a merge would give.
func (s *syncer) foresee(ctx context.Context) (err error) {
	s.res.Save, err = agent.Save(ctx, s.ws, s.caller, agent.SaveOptions{DryRun: true, Propose: proposal.InPlace})
	if err != nil {
		return err
	}
	s.res.Before, s.res.After = s.head.Commit, s.head.Commit
	branch := "refs/heads/" + s.res.Branch
	list, err := s.remote.Refs(ctx, branch, proposal.BranchPrefix+"*", proposal.ClosedPrefix+"*", verdict.Ref)
	if err != nil {
		return err
	}
	if err := s.readRefs(ctx); err != nil {
		return err
	}
	s.see(list, branch)
	if !s.refs.theirs.IsZero() {
		if err := s.remote.FetchObjects(ctx, branch); err != nil {
			return err
		}
		if s.res.In, err = s.count(ctx, s.head.Commit, s.refs.theirs); err != nil {
			return err
		}
	}
	if !s.head.Commit.IsZero() {
		if s.res.Out, err = s.count(ctx, s.refs.theirs, s.head.Commit); err != nil {
			return err
		}
	}
	s.res.Out += len(s.res.Save.Commits)
	return s.foreseeMerge(ctx)
}

// see takes over what the remote has now.
func (s *syncer) see(list []gitops.Ref, branch string) {
	s.refs.theirs = gitops.ID{}
	for _, ref := range list {
		switch {
		case ref.Name == branch:
			s.refs.theirs = ref.ID
		case strings.HasPrefix(ref.Name, proposal.BranchPrefix):
			if id, ok := proposal.IDOf(ref.Name); !ok {
				s.res.Proposals.Ignored++
			} else if _, over := s.refs.closed[id]; !over && s.refs.heads[ref.Name] != ref.ID {
				s.res.Proposals.In++
			}
		case strings.HasPrefix(ref.Name, proposal.ClosedPrefix):
			id := strings.TrimPrefix(ref.Name, proposal.ClosedPrefix)
			if _, here := s.refs.closed[id]; !here {
				s.res.Proposals.Closed++
			}
		}
	}
}

func (s *syncer) foreseeMerge(ctx context.Context) error {
	ours, theirs := s.head.Commit, s.refs.theirs
	if s.res.In == 0 || ours.IsZero() {
		return nil
	}
	bases, err := s.ws.Repo.MergeBases(ctx, ours, theirs)
	if err != nil {
		return err
	}
	if err := s.refuseRewritten(ctx, bases); err != nil {
		return err
	}
	if len(bases) == 0 || len(bases) == 1 && bases[0] == ours {
		return nil
	}
	m, err := agent.MergeCommits(ctx, s.ws, bases, ours, theirs, s.remote.Name+"/"+s.res.Branch)
	if err != nil {
		return err
	}
	s.res.Merged, s.res.Contradictions, s.res.Overruled = true, m.Contradictions, m.Overruled
	diff, err := s.ws.Repo.DiffTrees(ctx, ours, m.Tree)
	s.res.Files = len(diff)
	return err
}
