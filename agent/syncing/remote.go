package syncing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/verdict"
)

// chooseRemote finds out with whom to sync. What the user's own pushes send elsewhere is
// not pushed to where it is fetched from.
func (s *syncer) chooseRemote(ctx context.Context) error {
	cfg, err := s.ws.Repo.Config(ctx)
	if err != nil {
		return err
	}
	c, err := agent.ChooseRemote(cfg, s.head.Branch())
	if err != nil {
		return err
	}
	if c.PushTo != "" && !s.opt.NoPush {
		key := "branch." + s.head.Branch()
		return &agent.RefusedError{
			Problem: fmt.Sprintf("branch '%s' follows '%s' and is pushed to '%s'; a sync has one repository for both", s.head.Branch(), c.Remote, c.PushTo),
			Advice: []string{
				fmt.Sprintf("to sync with '%s': git config %s %s", c.PushTo, quote(key+".remote"), quote(c.PushTo)),
				fmt.Sprintf("to sync with '%s': git config %s %s", c.Remote, quote(key+".pushRemote"), quote(c.Remote)),
				"only to take what '" + c.Remote + "' has: git claw sync --no-push",
			},
		}
	}
	s.follows = c.Follows
	s.res.Branch, s.res.Remote = c.Branch, c.Remote
	s.remote = s.ws.Repo.Remote(c.Remote, s.opt.Ask)
	s.remote.Silence = s.ws.Settings.Duration("syncTimeout")
	return nil
}

// quote makes a word safe to paste.
func quote(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+,:@%", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// follow gives a branch that has no upstream the one that it was synced with, as 'git push
// -u' does, so that git itself compares and pulls. What cannot be set is no reason to fail.
func (s *syncer) follow(ctx context.Context) {
	if s.follows || s.opt.NoPush || s.refs.theirs.IsZero() {
		return
	}
	key := "branch." + s.head.Branch()
	if s.ws.Repo.SetLocalConfig(ctx, key+".remote", s.remote.Name) == nil && s.ws.Repo.SetLocalConfig(ctx, key+".merge", "refs/heads/"+s.res.Branch) == nil {
		s.res.Follows = s.remote.Name + "/" + s.res.Branch
	}
}

// tracking is where what the remote has is remembered.
func (s *syncer) tracking(kind string) string {
	if kind == "heads" {
		return "refs/remotes/" + s.remote.Name + "/"
	}
	return "refs/claw/remotes/" + s.remote.Name + "/" + kind + "/"
}

// synced is the ref of the commit that both had at the end of the last sync.
func (s *syncer) synced() string { return "refs/claw/synced/" + s.remote.Name + "/" + s.res.Branch }

// fetch brings what is ours at the remote here.
func (s *syncer) fetch(ctx context.Context) error {
	claw := []string{
		"+refs/heads/claw/*:" + s.tracking("heads") + "claw/*",
		"+" + proposal.ClosedPrefix + "*:" + s.tracking("closed") + "*",
		"+" + verdict.Ref + "*:" + s.tracking("notes") + "claw*",
	}
	branch := "+refs/heads/" + s.res.Branch + ":" + s.tracking("heads") + s.res.Branch
	err := s.remote.Fetch(ctx, append([]string{branch}, claw...)...)
	var no *gitops.NoRefError
	if s.noBranch = errors.As(err, &no); s.noBranch { // it was never pushed
		err = s.remote.Fetch(ctx, claw...)
	}
	return err
}

// refs are those of this clone, and what the remote has of them.
type refs struct {
	theirs gitops.ID // the branch at the remote
	synced gitops.ID

	heads, trackedHeads   map[string]gitops.ID // full names of branches below claw/
	open                  map[string]gitops.ID // by id
	closed, trackedClosed map[string]gitops.ID // by id
	notes, trackedNotes   gitops.ID
}

func (s *syncer) readRefs(ctx context.Context) error {
	r := &refs{
		heads: map[string]gitops.ID{}, trackedHeads: map[string]gitops.ID{}, open: map[string]gitops.ID{},
		closed: map[string]gitops.ID{}, trackedClosed: map[string]gitops.ID{},
	}
	heads, closed, notes := s.tracking("heads"), s.tracking("closed"), s.tracking("notes")
	list, err := s.ws.Repo.Refs(
		ctx, strings.TrimSuffix(proposal.BranchPrefix, "/"), heads+s.res.Branch, heads+"claw", strings.TrimSuffix(proposal.OpenPrefix, "/"),
		strings.TrimSuffix(proposal.ClosedPrefix, "/"), strings.TrimSuffix(closed, "/"), verdict.Ref, notes+"claw", s.synced(),
	)
	if err != nil {
		return err
	}
	for _, ref := range list {
		switch ref.Name {
		case heads + s.res.Branch:
			if !s.noBranch { // else it is what another remote of that name had
				r.theirs = ref.ID
			}
			continue
		case verdict.Ref:
			r.notes = ref.ID
			continue
		case notes + "claw":
			r.trackedNotes = ref.ID
			continue
		case s.synced():
			r.synced = ref.ID
			continue
		}
		for _, to := range []struct {
			prefix, put string
			into        map[string]gitops.ID
		}{
			{proposal.BranchPrefix, proposal.BranchPrefix, r.heads},
			{heads + "claw/", proposal.BranchPrefix, r.trackedHeads},
			{proposal.OpenPrefix, "", r.open},
			{proposal.ClosedPrefix, "", r.closed},
			{closed, "", r.trackedClosed},
		} {
			if rest, ok := strings.CutPrefix(ref.Name, to.prefix); ok {
				to.into[to.put+rest] = ref.ID
			}
		}
	}
	s.refs = r
	return nil
}

// push moves what the remote lacks.
func (s *syncer) push(ctx context.Context) error {
	ups, err := s.outgoing(ctx)
	if err != nil {
		return err
	}
	if len(ups) == 0 {
		return s.remember(ctx)
	}
	if err := s.refuseForeign(ctx, ups); err != nil {
		return err
	}
	refused, said, err := s.remote.Push(ctx, ups)
	if err != nil {
		return err
	}
	denied := map[string]bool{}
	race := false
	for _, r := range refused {
		denied[r.Ref] = true
		race = race || r.Race
	}
	s.res.Pushed = s.res.Pushed || len(refused) < len(ups)
	if err := s.pushed(ctx, ups, denied); err != nil {
		return err
	}
	switch {
	case race:
		return errRace
	case len(refused) > 0:
		first := max(0, slices.IndexFunc(refused, func(r gitops.Refused) bool { return r.Ref == "refs/heads/"+s.res.Branch }))
		return s.deniedError(refused[first], said)
	}
	return s.remember(ctx)
}

// outgoing is what the remote lacks.
func (s *syncer) outgoing(ctx context.Context) ([]gitops.Push, error) {
	var ups []gitops.Push
	if s.head.Commit != s.refs.theirs && !s.head.Commit.IsZero() {
		ups = append(ups, gitops.Push{Name: "refs/heads/" + s.res.Branch, Old: s.refs.theirs, New: s.head.Commit})
	}
	more, err := s.outgoingProposals(ctx)
	if err != nil {
		return nil, err
	}
	ups = append(ups, more...)
	notes, err := s.outgoingVerdicts(ctx)
	return append(ups, notes...), err
}

// pushed remembers what the remote has now.
func (s *syncer) pushed(ctx context.Context, ups []gitops.Push, denied map[string]bool) error {
	var moves []gitops.RefUpdate
	for _, u := range ups {
		if denied[u.Name] {
			continue
		}
		up := gitops.RefUpdate{New: u.New}
		switch {
		case u.Name == verdict.Ref:
			s.res.VerdictsOut = true
			up.Name, up.Old = s.tracking("notes")+"claw", s.refs.trackedNotes
			s.refs.trackedNotes = u.New
		case strings.HasPrefix(u.Name, proposal.ClosedPrefix):
			s.res.VerdictsOut = true
			id := strings.TrimPrefix(u.Name, proposal.ClosedPrefix)
			up.Name, up.Old = s.tracking("closed")+id, s.refs.trackedClosed[id]
		default:
			if u.Name == "refs/heads/"+s.res.Branch {
				if n, err := s.count(ctx, u.Old, u.New); err != nil {
					return err
				} else if s.refs.theirs = u.New; n > 0 {
					s.res.Out += n
				}
			} else if !u.New.IsZero() {
				s.res.Proposals.Out++
			}
			// git has moved this one, where the remote is configured as usual.
			name := s.tracking("heads") + strings.TrimPrefix(u.Name, "refs/heads/")
			have, err := s.ws.Repo.Refs(ctx, name)
			if err != nil {
				return err
			}
			up.Name = name
			if len(have) == 1 && have[0].Name == name {
				up.Old = have[0].ID
			}
		}
		if up.Old != up.New {
			moves = append(moves, up)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	return s.w.UpdateRefs(ctx, moves, "claw: pushed")
}

// count is how many commits lead from one to another.
func (s *syncer) count(ctx context.Context, from, to gitops.ID) (int, error) {
	revs := []string{to.String()}
	if !from.IsZero() {
		revs = append(revs, "^"+from.String())
	}
	return s.ws.Repo.Count(ctx, revs...)
}

// remember writes down that both have the same commit.
func (s *syncer) remember(ctx context.Context) error {
	if s.refs.theirs.IsZero() || s.refs.theirs == s.refs.synced {
		return nil
	}
	up := gitops.RefUpdate{Name: s.synced(), Old: s.refs.synced, New: s.refs.theirs}
	err := s.w.UpdateRefs(ctx, []gitops.RefUpdate{up}, "claw: synced")
	var moved *gitops.MovedError
	if errors.As(err, &moved) {
		return nil // another worktree did the same
	}
	return err
}

// deniedError says why the remote did not take a ref, and what to do.
func (s *syncer) deniedError(r gitops.Refused, said []string) error {
	e := &agent.RefusedError{Problem: fmt.Sprintf("'%s' does not take '%s': %s", s.remote.Name, strings.TrimPrefix(r.Ref, "refs/heads/"), r.Reason)}
	const most = 5
	for i, line := range said {
		if i == most {
			break
		}
		e.Advice = append(e.Advice, s.remote.Name+" said: "+line)
	}
	if r.Ref != "refs/heads/"+s.res.Branch {
		e.Advice = append(e.Advice, "what came in is merged here, and what it takes was pushed; to see what it has: git ls-remote "+s.remote.Name)
		return e
	}
	if strings.Contains(r.Reason, "currently checked out") {
		e.Advice = append(e.Advice, "use a bare repository, or there: git config receive.denyCurrentBranch updateInstead")
		return e
	}
	e.Advice = append(e.Advice,
		"what came in is merged here, and your commits are kept; when the branch is protected, push to another one and ask for a merge there:",
		fmt.Sprintf("git push %s HEAD:refs/heads/%s-%s", s.remote.Name, s.res.Branch, "memory"))
	return e
}
