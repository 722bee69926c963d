package syncing

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/contradiction"
)

// mend unites the sides of conflict markers that were committed since the last sync, by a
// machine where git had nobody to merge by entry.
func (s *syncer) mend(ctx context.Context) error {
	var rels []string
	for _, from := range []gitops.ID{s.res.Before, s.refs.theirs} {
		if !s.refs.synced.IsZero() {
			from = s.refs.synced
		}
		if from.IsZero() || from == s.head.Commit {
			continue
		}
		found, err := s.marked(ctx, from)
		if err != nil {
			return err
		}
		rels = append(rels, found...)
	}
	slices.Sort(rels)
	rels = slices.Compact(rels)
	if len(rels) == 0 {
		return nil
	}
	return s.mendFiles(ctx, rels)
}

// marked lists the files, relative to the root, that have conflict markers and did not have
// them, or were not there, in a commit.
func (s *syncer) marked(ctx context.Context, from gitops.ID) ([]string, error) {
	diff, err := s.ws.Repo.DiffTrees(ctx, from, s.head.Commit)
	if err != nil {
		return nil, err
	}
	var rels []string
	for _, c := range diff {
		rel, inside := strings.CutPrefix(c.Path, s.ws.Prefix)
		if !inside || !c.New.Mode.IsFile() || !s.ws.Managed(rel) || !agent.Mends(s.ws, c.Path) {
			continue
		}
		text, err := s.ws.Repo.Objects().BlobWithin(ctx, c.New.ID, s.ws.MaxFileBytes())
		if errors.Is(err, gitops.ErrTooLarge) {
			continue // it is merged as text
		}
		if err != nil {
			return nil, err
		}
		if _, _, ok := agent.MendFile(s.ws, c.Path, text); ok {
			rels = append(rels, rel)
		}
	}
	return rels, nil
}

func (s *syncer) mendFiles(ctx context.Context, rels []string) error {
	plan := agent.Planned{Event: agent.EventSyncMerge, Area: "sync", Summary: "unite what conflict markers kept apart"}
	var overruled []agent.Overruled
	marks := map[string]int{}
	err := s.rewrite(ctx, rels, plan, func(f agent.File, p *agent.Planned) ([]byte, bool) {
		next, values, ok := agent.MendFile(s.ws, s.ws.Prefix+f.Path, f.Text)
		_, named := agent.OverruledMessage(values)
		p.Trailers = append(p.Trailers, named...)
		overruled = append(overruled, values...)
		marks[f.Path] = max(0, len(contradiction.Find(next))-len(contradiction.Find(f.Text)))
		return next, ok
	})
	if err == nil {
		for _, n := range marks {
			s.res.Contradictions += n
		}
		s.res.Overruled = append(s.res.Overruled, overruled...)
		s.res.Mended = append(s.res.Mended, rels...)
	}
	return err
}

// setUp has git itself merge by entry, where it does not yet: before commits of others are
// here that somebody could merge with git.
func (s *syncer) setUp(ctx context.Context) {
	if s.opt.Binary == "" || s.setUpDone || s.opt.DryRun {
		return
	}
	s.setUpDone = true
	// What cannot be set up is told by doctor; this merge does not need it.
	if changed, err := agent.SetUpMerge(ctx, s.ws, s.opt.Binary); err == nil {
		s.res.Setup = changed
	}
}
