package syncing

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
)

// takeProposals brings verdicts, closed tips and open proposals of other machines here.
func (s *syncer) takeProposals(ctx context.Context) error {
	came, err := s.takeVerdicts(ctx)
	if err != nil {
		return err
	}
	s.res.Verdicts = s.res.Verdicts || came
	ups := s.closedUpdates()
	came = came || len(ups) > 0
	open, err := s.openUpdates(ctx)
	if err != nil {
		return err
	}
	if ups = append(ups, open...); len(ups) > 0 {
		if err := s.w.UpdateRefs(ctx, ups, "claw: sync"); err != nil {
			var moved *gitops.MovedError
			if errors.As(err, &moved) {
				return errRace // somebody here did; all is looked at again
			}
			return err
		}
	}
	if !came && s.res.In == 0 && len(open) == 0 {
		return nil
	}
	settled, err := proposal.Settle(ctx, s.ws, s.caller)
	if err != nil {
		return err
	}
	s.res.Proposals.Closed += len(settled)
	return s.readRefs(ctx)
}

// closedUpdates keep the tips of proposals that were closed elsewhere.
func (s *syncer) closedUpdates() []gitops.RefUpdate {
	var ups []gitops.RefUpdate
	for _, id := range slices.Sorted(maps.Keys(s.refs.trackedClosed)) {
		if _, here := s.refs.closed[id]; here || !proposal.IsID(id) {
			continue
		}
		tip := s.refs.trackedClosed[id]
		s.refs.closed[id] = tip
		ups = append(ups, gitops.RefUpdate{Name: proposal.ClosedPrefix + id, New: tip})
	}
	return ups
}

// openUpdates make branches here of those proposals at the remote that are in order.
func (s *syncer) openUpdates(ctx context.Context) ([]gitops.RefUpdate, error) {
	s.res.Proposals.Ignored, s.res.Proposals.Diverged, s.res.Proposals.Quarantined = 0, 0, 0
	s.res.Proposals.Strangers = nil
	var names []string
	var ids []gitops.ID
	for _, name := range slices.Sorted(maps.Keys(s.refs.trackedHeads)) {
		tip := s.refs.trackedHeads[name]
		id, ok := proposal.IDOf(name)
		if !ok {
			s.stranger(&s.res.Proposals.Ignored, name, "ignored", "")
			continue
		}
		if _, over := s.refs.closed[id]; over || s.refs.heads[name] == tip || s.refs.heads[name].IsZero() && s.refs.open[id] == tip {
			continue // done, known, or its branch was deleted here
		}
		names, ids = append(names, name), append(ids, tip)
	}
	if len(names) == 0 {
		return nil, nil
	}
	branches, err := proposal.ReadBranches(ctx, s.ws, ids)
	if err != nil {
		return nil, err
	}
	var ups []gitops.RefUpdate
	for i, name := range names {
		more, err := s.openUpdate(ctx, branches, name, ids[i])
		if err != nil {
			return nil, err
		}
		ups = append(ups, more...)
	}
	slices.SortFunc(s.res.Proposals.Strangers, func(a, b Stranger) int { return strings.Compare(a.Branch, b.Branch) })
	return ups, nil
}

func (s *syncer) stranger(count *int, ref, what, why string) {
	*count++
	s.res.Proposals.Strangers = append(s.res.Proposals.Strangers, Stranger{Branch: strings.TrimPrefix(ref, "refs/heads/"), What: what, Why: why})
}

func (s *syncer) openUpdate(ctx context.Context, branches *proposal.Branches, name string, tip gitops.ID) ([]gitops.RefUpdate, error) {
	f, ok, err := branches.Look(ctx, s.ws, name, tip)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		s.stranger(&s.res.Proposals.Ignored, name, "ignored", "")
		return nil, nil
	case f.Elsewhere:
		return nil, nil
	}
	branch, open, _ := f.Refs()
	have := s.refs.heads[branch]
	if !have.IsZero() {
		ahead, err := s.ws.Repo.IsAncestor(ctx, tip.String(), have.String())
		if err != nil || ahead {
			return nil, err
		}
		behind, err := s.ws.Repo.IsAncestor(ctx, have.String(), tip.String())
		if err != nil {
			return nil, err
		}
		if !behind {
			s.stranger(&s.res.Proposals.Diverged, name, "diverged", "")
			return nil, nil
		}
	}
	var ups []gitops.RefUpdate
	if f.Forbidden != "" {
		// Its tip is kept, so that it can be listed and rejected; no branch of it is there
		// to be merged by mistake.
		s.stranger(&s.res.Proposals.Quarantined, name, "quarantined", f.Forbidden)
		if !have.IsZero() {
			return nil, nil
		}
	} else {
		s.res.Proposals.In++
		ups = append(ups, gitops.RefUpdate{Name: branch, Old: have, New: tip})
		s.refs.heads[branch] = tip
	}
	if old := s.refs.open[f.ID]; old != tip {
		ups = append(ups, gitops.RefUpdate{Name: open, Old: old, New: tip})
		s.refs.open[f.ID] = tip
	}
	return ups, nil
}

// outgoingProposals are the branches, closed tips and removals that the remote lacks.
func (s *syncer) outgoingProposals(ctx context.Context) ([]gitops.Push, error) {
	var ups []gitops.Push
	for _, name := range slices.Sorted(maps.Keys(s.refs.heads)) {
		tip, there := s.refs.heads[name], s.refs.trackedHeads[name]
		id, ok := proposal.IDOf(name)
		if _, over := s.refs.closed[id]; !ok || over || tip == there {
			continue
		}
		if !there.IsZero() {
			if ahead, err := s.ws.Repo.IsAncestor(ctx, there.String(), tip.String()); err != nil {
				return nil, err
			} else if !ahead {
				continue
			}
		}
		ups = append(ups, gitops.Push{Name: name, Old: there, New: tip})
	}
	for _, id := range slices.Sorted(maps.Keys(s.refs.closed)) {
		if _, there := s.refs.trackedClosed[id]; !there && proposal.IsID(id) {
			ups = append(ups, gitops.Push{Name: proposal.ClosedPrefix + id, New: s.refs.closed[id]})
		}
	}
	gone, err := s.closedBranches(ctx)
	return append(ups, gone...), err
}

// closedBranches are branches at the remote whose proposal is closed.
func (s *syncer) closedBranches(ctx context.Context) ([]gitops.Push, error) {
	var ups []gitops.Push
	for _, name := range slices.Sorted(maps.Keys(s.refs.trackedHeads)) {
		id, ok := proposal.IDOf(name)
		shut, over := s.refs.closed[id]
		if !ok || !over {
			continue
		}
		tip := s.refs.trackedHeads[name]
		within := tip == shut
		if !within {
			var err error
			if within, err = s.ws.Repo.IsAncestor(ctx, tip.String(), shut.String()); err != nil {
				return nil, err
			}
		}
		if within {
			ups = append(ups, gitops.Push{Name: name, Old: tip})
		}
	}
	return ups, nil
}

// isBranch reports whether a push moves a branch forward, which brings its history along.
func isBranch(u gitops.Push) bool {
	return !u.New.IsZero() && (strings.HasPrefix(u.Name, "refs/heads/") || strings.HasPrefix(u.Name, proposal.ClosedPrefix))
}
