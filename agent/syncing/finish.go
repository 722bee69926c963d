package syncing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/secret"
)

// finishMerge ends a merge that somebody began with a git that could not merge memory, so
// that it has markers now, or one side. Where anything but memory is unmerged it is left
// to a person, and nothing is touched.
func (s *syncer) finishMerge(ctx context.Context, p *gitops.ProgressError) error {
	heads, err := s.ws.Repo.MergeHeads()
	if err != nil || len(heads) != 1 || s.opt.DryRun {
		return p
	}
	left, err := s.ws.Repo.Unmerged(ctx)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		// Without any conflict somebody wants to look at it before it is a commit.
		if had, err := s.ws.Repo.HadConflicts(ctx); err != nil || !had {
			return errors.Join(err, p)
		}
	}
	type mended struct {
		path string
		pl   gitops.Place
	}
	var files []mended
	var overruled []agent.Overruled
	paths := make([]string, 0, len(left))
	for _, f := range left {
		pl, values, ok, err := s.mendUnmerged(ctx, f)
		if err != nil {
			return err
		}
		if !ok {
			p.Paths = []string{f.Path}
			return p
		}
		files = append(files, mended{f.Path, pl})
		overruled = append(overruled, values...)
		paths = append(paths, f.Path)
	}
	staged, err := s.ws.Repo.Staged(ctx)
	if err != nil {
		return err
	}
	for _, c := range staged {
		pl, values, ok, err := s.mendStaged(ctx, c)
		if err != nil {
			return err
		}
		if ok {
			files = append(files, mended{c.Path, pl})
			overruled = append(overruled, values...)
			paths = append(paths, c.Path)
		}
	}
	for _, f := range files {
		if err := s.ws.Repo.PlaceWork(f.path, f.pl); err != nil {
			return err
		}
	}
	_, named := agent.OverruledMessage(overruled)
	if err := s.ws.Repo.FinishMerge(ctx, paths, named); err != nil {
		return err
	}
	s.res.Overruled = append(s.res.Overruled, overruled...)
	s.res.Mended = append(s.res.Mended, paths...)
	s.res.Finished = true
	return nil
}

// mendStaged works out a file that somebody staged with its markers: git takes it for merged,
// and our own hook does not let such a commit pass. One that was edited since is left alone.
func (s *syncer) mendStaged(ctx context.Context, c gitops.TreeChange) (pl gitops.Place, overruled []agent.Overruled, ok bool, err error) {
	if !c.New.Mode.IsFile() || !agent.Mends(s.ws, c.Path) {
		return pl, nil, false, nil
	}
	staged, err := s.ws.Repo.Objects().Blob(ctx, c.New.ID)
	if err != nil {
		return pl, nil, false, err
	}
	merged, overruled, ok := agent.MendFile(s.ws, c.Path, staged)
	if !ok {
		return pl, nil, false, nil
	}
	text, _, err := s.ws.Repo.ReadWork(c.Path, s.ws.MaxFileBytes())
	if err != nil || !bytes.Equal(text, staged) {
		return pl, nil, false, err
	}
	return gitops.Place{Base: text, Existed: true, Content: merged}, overruled, true, nil
}

// mendUnmerged works out one file.
func (s *syncer) mendUnmerged(ctx context.Context, f gitops.FileMerge) (pl gitops.Place, overruled []agent.Overruled, ok bool, err error) {
	text, mode, err := s.ws.Repo.ReadWork(f.Path, s.ws.MaxFileBytes())
	if err != nil || mode == gitops.ModeSymlink {
		return pl, nil, false, err
	}
	var sides [3][]byte
	for i, e := range []gitops.TreeEntry{f.Base, f.Ours, f.Theirs} {
		if e.IsZero() {
			continue
		}
		if !e.Mode.IsFile() {
			return pl, nil, false, nil
		}
		if sides[i], err = s.ws.Repo.Objects().Blob(ctx, e.ID); err != nil {
			return pl, nil, false, err
		}
	}
	merged, overruled, ok := agent.MendUnmerged(ctx, s.ws, f.Path, sides[0], sides[1], sides[2], text)
	if !ok {
		return pl, nil, false, nil
	}
	// Both sides are in git; what was typed meanwhile is not.
	if found := hooks.AddedSecrets(secret.New(), slices.Concat(sides[1], sides[2]), merged); len(found) > 0 {
		return pl, nil, false, &agent.RefusedError{
			Problem: fmt.Sprintf("the merge under way has a secret in '%s' at line %d (%s)", f.Path, found[0].Line, found[0].Kind),
			Advice:  []string{"take the line out, or mark it with 'claw:allow' when it is none"},
		}
	}
	gone := len(bytes.TrimSpace(merged)) == 0 && (f.Ours.IsZero() || f.Theirs.IsZero())
	return gitops.Place{Base: text, Existed: mode != gitops.ModeAbsent, Content: merged, Delete: gone}, overruled, true, nil
}
