package syncing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/tombstone"
)

// take merges what the remote's branch has.
func (s *syncer) take(ctx context.Context) error {
	var last error
	for range maxTries {
		err := s.takeOnce(ctx)
		var moved *gitops.MovedError
		var changed *gitops.WorkTreeChangedError
		var inTheWay *agent.ConflictError
		again := errors.As(err, &moved) || errors.As(err, &changed)
		if !again && !errors.As(err, &inTheWay) {
			return err
		}
		// Somebody saved, or wrote, meanwhile: what was in the way may be a commit now.
		last = err
		before := s.head.Commit
		if err := s.save(ctx); err != nil {
			return err
		}
		if !again && s.head.Commit == before {
			return last
		}
	}
	return last
}

func (s *syncer) takeOnce(ctx context.Context) error {
	ours, theirs := s.head.Commit, s.refs.theirs
	if theirs.IsZero() || ours == theirs {
		return nil
	}
	s.setUp(ctx)
	if ours.IsZero() {
		return s.bring(ctx, theirs, theirs, "fast-forward")
	}
	bases, err := s.ws.Repo.MergeBases(ctx, ours, theirs)
	if err != nil {
		return err
	}
	if err := s.refuseRewritten(ctx, bases); err != nil {
		return err
	}
	if err := s.refusePurged(ctx, ours, theirs); err != nil {
		return err
	}
	if len(bases) == 1 && bases[0] == theirs {
		return nil // only we went on
	}
	if len(bases) == 0 {
		return &agent.ConflictError{
			Problem: fmt.Sprintf("'%s/%s' and this branch have no commit in common", s.remote.Name, s.res.Branch),
			Advice: []string{
				"in a shallow clone: git fetch --unshallow " + s.remote.Name,
				"to make one of two memories: git merge --allow-unrelated-histories " + s.remote.Name + "/" + s.res.Branch,
			},
		}
	}
	if len(bases) == 1 && bases[0] == ours {
		return s.bring(ctx, theirs, theirs, "fast-forward")
	}
	return s.merge(ctx, bases, ours, theirs)
}

// merge makes the merge commit and brings HEAD to it.
func (s *syncer) merge(ctx context.Context, bases []gitops.ID, ours, theirs gitops.ID) error {
	other := s.remote.Name + "/" + s.res.Branch
	m, err := agent.MergeCommits(ctx, s.ws, bases, ours, theirs, other)
	if err != nil {
		return err
	}
	id, err := agent.NewID(s.ws.Repo.Git.Env())
	if err != nil {
		return err
	}
	tr := agent.Trailers(s.ws, s.caller, agent.EventSyncMerge, id)
	if m.Contradictions > 0 {
		tr = append(tr, gitops.Trailer{Key: "Claw-Count", Value: strconv.Itoa(m.Contradictions)})
	}
	body, named := agent.OverruledMessage(m.Overruled)
	msg := gitops.FormatMessage(fmt.Sprintf("claw(sync): merge '%s'", other), body, append(tr, named...))
	res, err := s.w.Build(ctx, gitops.Build{Tree: m.Tree, Parents: []gitops.ID{ours, theirs}, Message: msg, Unsigned: s.opt.DryRun})
	if err != nil {
		return err
	}
	if err := s.bring(ctx, res.Commit, theirs, "merge"); err != nil {
		return err
	}
	s.res.Merged = true
	s.res.Mended = append(s.res.Mended, m.Mended...)
	s.res.Overruled = append(s.res.Overruled, m.Overruled...)
	return nil
}

// bring moves HEAD to a commit, and counts what came.
func (s *syncer) bring(ctx context.Context, to, theirs gitops.ID, how string) error {
	from := s.head.Commit
	n := 0
	var err error
	if from.IsZero() {
		n, err = s.ws.Repo.Count(ctx, theirs.String())
	} else {
		n, err = s.count(ctx, from, theirs)
	}
	if err != nil {
		return err
	}
	came, err := s.move(ctx, from, to, how)
	if err != nil {
		return err
	}
	s.res.In += n
	s.res.Files += came.Files
	s.res.Contradictions += came.Contradictions
	s.head.Commit, s.res.After = to, to
	return nil
}

func (s *syncer) move(ctx context.Context, from, to gitops.ID, how string) (agent.Brought, error) {
	if !s.opt.DryRun {
		other := s.remote.Name + "/" + s.res.Branch
		return agent.Bring(ctx, s.ws, from, to, other, fmt.Sprintf("claw sync: %s %s", how, other))
	}
	saved := map[string]bool{}
	for _, c := range s.res.Save.Commits {
		for _, rel := range c.Paths {
			saved[s.ws.Prefix+rel] = true
		}
	}
	return agent.Foresee(ctx, s.ws, from, to, saved)
}

// refuseRewritten stops where the remote lost what both had: somebody replaced its history,
// and a merge would bring back what was taken out.
func (s *syncer) refuseRewritten(ctx context.Context, bases []gitops.ID) error {
	was, ours, theirs := s.refs.synced, s.head.Commit, s.refs.theirs
	if was.IsZero() || was == theirs || slices.Contains(bases, was) {
		return nil
	}
	here, err := s.ws.Repo.IsAncestor(ctx, was.String(), ours.String())
	if err != nil || !here {
		return err // somebody moved this branch deliberately
	}
	there, err := s.ws.Repo.IsAncestor(ctx, was.String(), theirs.String())
	if err != nil || there {
		return err
	}
	other, merge := s.remote.Name+"/"+s.res.Branch, "git merge "
	if len(bases) == 0 {
		merge += "--allow-unrelated-histories "
	}
	return &agent.ConflictError{
		Problem: fmt.Sprintf("'%s' was rewritten: it does not hold %s any more, which both had", other, was.Short()),
		Advice: []string{
			"to see what it lacks: git log --oneline " + other + "..HEAD",
			"to take its history and keep yours on a branch: git branch before-rewrite && git reset --keep " + other,
			"to put back what it lacks: " + merge + other + " && git push " + s.remote.Name + " HEAD:" + s.res.Branch,
		},
	}
}

// refusePurged stops where one side has a history that was replaced because something in
// it must go (SPEC GN-19).
func (s *syncer) refusePurged(ctx context.Context, ours, theirs gitops.ID) error {
	stones, err := s.tombstones(ctx, theirs)
	if err != nil {
		return err
	}
	mine, err := s.tombstones(ctx, ours)
	if err != nil {
		return err
	}
	other := s.remote.Name + "/" + s.res.Branch
	for _, tip := range append(stones.Purged, mine.Purged...) {
		for side, name := range map[gitops.ID]string{ours: "this branch", theirs: "'" + other + "'"} {
			if ok, err := s.ws.Repo.IsAncestor(ctx, tip, side.String()); err != nil || !ok {
				continue // a commit that is not here is in no history
			}
			return &agent.ConflictError{
				Problem: fmt.Sprintf("%s holds history that was purged (%.10s); it is neither merged nor pushed", name, tip),
				Advice:  []string{"to see what only you have: git log --oneline " + other + "..HEAD"},
			}
		}
	}
	return nil
}

func (s *syncer) tombstones(ctx context.Context, commit gitops.ID) (l tombstone.List, err error) {
	tree, err := s.ws.Repo.Objects().TreeOf(ctx, commit)
	if err != nil {
		return l, err
	}
	e, ok, err := s.ws.Repo.Objects().Lookup(ctx, tree, s.ws.Prefix+tombstone.Path)
	if err != nil || !ok || !e.Mode.IsFile() {
		return l, err
	}
	text, err := s.ws.Repo.Objects().Blob(ctx, e.ID)
	return tombstone.Parse(text), err
}

// bury takes out, in a commit of its own, what was erased elsewhere and stands in files
// that this sync brought or will push: a fast-forward has no merge that could.
func (s *syncer) bury(ctx context.Context) error {
	stones, err := s.tombstones(ctx, s.head.Commit)
	if err != nil || len(stones.Erased) == 0 || s.res.Before.IsZero() {
		return err
	}
	rels := map[string]bool{}
	for _, from := range []gitops.ID{s.res.Before, s.refs.theirs} {
		if from.IsZero() || from == s.head.Commit {
			continue
		}
		diff, err := s.ws.Repo.DiffTrees(ctx, from, s.head.Commit)
		if err != nil {
			return err
		}
		for _, c := range diff {
			rel, inside := strings.CutPrefix(c.Path, s.ws.Prefix)
			if !inside || !c.New.Mode.IsFile() || !s.ws.Managed(rel) || !agent.MergesByEntry(s.ws, c.Path) {
				continue
			}
			text, err := s.ws.Repo.Objects().BlobWithin(ctx, c.New.ID, s.ws.MaxFileBytes())
			if errors.Is(err, gitops.ErrTooLarge) {
				continue // it is merged as text
			}
			if err != nil {
				return err
			}
			if len(agent.Erase(stones, text)) != len(text) {
				rels[rel] = true
			}
		}
	}
	if len(rels) == 0 {
		return nil
	}
	plan := agent.Planned{Event: agent.EventSyncMerge, Area: "sync", Summary: "take out what was erased elsewhere"}
	return s.rewrite(ctx, slices.Sorted(maps.Keys(rels)), plan, func(f agent.File, _ *agent.Planned) ([]byte, bool) {
		next := agent.Erase(stones, f.Text)
		return next, len(next) != len(f.Text)
	})
}

// rewrite changes files of the work tree in a commit of its own.
func (s *syncer) rewrite(ctx context.Context, rels []string, plan agent.Planned, change func(agent.File, *agent.Planned) ([]byte, bool)) error {
	res, err := agent.Commit(ctx, s.ws, s.caller, agent.Rewrite{Paths: rels, Plan: func(files []agent.File) (agent.Planned, error) {
		p := plan
		p.Edits = nil
		for _, f := range files {
			if next, ok := change(f, &p); ok {
				p.Edits = append(p.Edits, agent.FileEdit{Path: f.Path, Next: next})
			}
		}
		return p, nil
	}})
	if res != nil {
		s.res.Save.Commits = append(s.res.Save.Commits, res.Commits...)
	}
	if err != nil {
		return err
	}
	s.head, err = s.ws.Repo.Head(ctx)
	s.res.After = s.head.Commit
	return err
}
