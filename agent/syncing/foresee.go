package syncing

import (
	"context"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/verdict"
)

// foresee says what a sync would do, and fails where it would: it moves no ref and writes
// no file. The objects of the remote come here, and the commits that would be made are
// made, for only they tell what a merge would give.
func (s *syncer) foresee(ctx context.Context) error {
	before := s.head.Commit
	defer func() { s.res.Before, s.res.After = before, before }()
	save, err := agent.Save(ctx, s.ws, s.caller, agent.SaveOptions{DryRun: true, Build: true, Propose: proposal.InPlace, Unseen: true})
	if save != nil {
		s.res.Save = save
	}
	if err != nil {
		return err
	}
	if !save.Tip.IsZero() {
		s.head.Commit = save.Tip
	}
	list, err := s.remote.Refs(ctx, "refs/heads/"+s.res.Branch, proposal.BranchPrefix+"*", proposal.ClosedPrefix+"*", verdict.Ref)
	if err != nil {
		return err
	}
	if err := s.readRefs(ctx); err != nil {
		return err
	}
	if lacking := s.see(ctx, list); len(lacking) > 0 {
		if err := s.remote.FetchObjects(ctx, lacking...); err != nil {
			return err
		}
	}
	if err := s.takeOnce(ctx); err != nil {
		return err
	}
	if err := s.foreseeProposals(ctx); err != nil || s.opt.NoPush {
		return err
	}
	return s.foreseePush(ctx)
}

// see takes over what the remote has now, and lists those refs of which nothing is here.
func (s *syncer) see(ctx context.Context, list []gitops.Ref) (lacking []string) {
	r := s.refs
	r.theirs, r.trackedNotes = gitops.ID{}, gitops.ID{}
	r.trackedHeads, r.trackedClosed = map[string]gitops.ID{}, map[string]gitops.ID{}
	for _, ref := range list {
		switch {
		case ref.Name == "refs/heads/"+s.res.Branch:
			r.theirs = ref.ID
		case ref.Name == verdict.Ref:
			r.trackedNotes = ref.ID
		case strings.HasPrefix(ref.Name, proposal.BranchPrefix):
			r.trackedHeads[ref.Name] = ref.ID
		case strings.HasPrefix(ref.Name, proposal.ClosedPrefix):
			r.trackedClosed[strings.TrimPrefix(ref.Name, proposal.ClosedPrefix)] = ref.ID
		}
		if _, err := s.ws.Repo.Objects().Commit(ctx, ref.ID); err != nil {
			lacking = append(lacking, ref.Name)
		}
	}
	return lacking
}

// foreseeProposals counts what takeProposals would do.
func (s *syncer) foreseeProposals(ctx context.Context) error {
	v, err := s.lookAtVerdicts(ctx)
	if err != nil {
		return err
	}
	s.res.Verdicts, s.res.Strange = v.came, append(s.res.Strange, v.strange...)
	open := map[string]bool{}
	for name := range s.refs.heads {
		if id, ok := proposal.IDOf(name); ok {
			open[id] = true
		}
	}
	for _, up := range s.closedUpdates() {
		if open[strings.TrimPrefix(up.Name, proposal.ClosedPrefix)] {
			s.res.Proposals.Closed++
		}
	}
	_, err = s.openUpdates(ctx)
	return err
}

// foreseePush counts what would be pushed, if it may.
func (s *syncer) foreseePush(ctx context.Context) error {
	ups, err := s.outgoing(ctx)
	if err != nil {
		return err
	}
	if err := s.refuseForeign(ctx, ups); err != nil {
		return err
	}
	for _, u := range ups {
		switch {
		case u.Name == "refs/heads/"+s.res.Branch:
			if s.res.Out, err = s.count(ctx, u.Old, u.New); err != nil {
				return err
			}
		case !strings.HasPrefix(u.Name, "refs/heads/"):
			s.res.VerdictsOut = true
		case !u.New.IsZero():
			s.res.Proposals.Out++
		}
	}
	return nil
}
