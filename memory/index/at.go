package index

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// At turns a snapshot into that of another commit: the same index with the files
// that differ there indexed in memory. Nothing of the work tree is in it.
func (s *Snapshot) At(ctx context.Context, commit gitops.ID) error {
	for _, e := range slices.Collect(s.Entries.special()) {
		e = s.Entries.edit(e.Path)
		e.Want = e.Head
		if e.Blob != e.Want {
			e.Stat = stat{}
		}
	}
	changes, err := s.ws.Repo.DiffTrees(ctx, s.Commit, commit)
	if err != nil {
		return fmt.Errorf("compare with %s: %w", commit.Short(), err)
	}
	wanted := map[string]bool{}
	for _, c := range changes {
		rel, ok := strings.CutPrefix(c.Path, s.ws.Prefix)
		if !ok || !s.ws.Searched(rel, s.roots) {
			continue
		}
		e := s.Entries.edit(rel)
		e.Head, e.Commit, e.When, e.Stat = gitops.ID{}, gitops.ID{}, 0, stat{}
		if c.New.Mode.IsFile() {
			e.Head = c.New.ID
			wanted[c.Path] = true
		}
		e.Want = e.Head
	}
	last, err := s.ws.Repo.LastCommits(ctx, commit, wanted)
	if err != nil {
		return err
	}
	for p, c := range last {
		e := s.Entries.edit(strings.TrimPrefix(p, s.ws.Prefix))
		e.Commit, e.When = c.ID, c.Author.Unix()
	}
	s.Commit = commit
	return s.update(ctx, Options{}, false, 0)
}
