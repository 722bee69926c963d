package learn

import (
	"context"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/prefs"
)

// apart reports whether git ignores the store, as in a repository that a team shares
// (`init --team`). No word of it may get into a commit then, so that there are no
// proposals either; files alone hold it.
func (s *snapshot) apart(ctx context.Context) (bool, error) {
	hot := s.ws.Prefix + s.rel(prefs.Hot)
	rules, err := s.ws.Repo.CheckIgnore(ctx, []string{hot})
	_, ignored := rules[hot]
	return ignored, err
}

// confirmApart makes a candidate a rule without a merge. Whatever of the store git has
// after all is in a commit that says who decided.
func (s *snapshot) confirmApart(ctx context.Context, caller agent.Caller, w *waiting, to place, opt proposal.AcceptOptions, out *Confirmed) error {
	plan := agent.Planned{Event: agent.EventConfirm, Area: area, Summary: "confirm " + w.cand.ID, Trailers: s.evidence(w)}
	if opt.Quote {
		plan.Trailers = append(plan.Trailers, gitops.Trailer{Key: "Claw-Reason", Value: "explicit"})
	} else {
		plan.Trailers = append(plan.Trailers, approvedBy(opt.Approval)...)
	}
	e := prefs.Entry{ID: w.cand.ID, Text: w.cand.Line.String(), Pin: to.pin, Since: s.ws.Now().Format(time.DateOnly)}
	sh, err := s.rearrange(ctx, caller, plan, func(read reader) (*shelf, error) {
		sh := s.newShelf(read)
		if err := sh.put(to.file(), e); err != nil {
			return nil, err
		}
		if err := sh.drop(w.name); err != nil {
			return nil, err
		}
		if to.warm != "" {
			return sh, nil
		}
		return sh, sh.makeRoom(e.ID)
	}, out.Save)
	if err != nil {
		return err
	}
	out.Accepted = &proposal.AcceptedAs{Approval: opt.Approval}
	out.Candidate, out.Evicted = s.ruleView(w, to), sh.moved
	return nil
}
