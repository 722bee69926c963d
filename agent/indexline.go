package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/index"
)

// IndexLine is how far the search index is behind the commits.
type IndexLine struct {
	Commit  gitops.ID // it stands at
	Pending int       // notes that are others, or elsewhere, in HEAD
}

// indexLine looks at the index of a workspace; nil where there is none that the
// next search would use. The index is not opened, and the work tree not walked: for
// 1,000 notes that would cost a dashboard two milliseconds, and an edit that is
// not saved is told already.
func indexLine(ctx context.Context, ws *memory.Workspace) (*IndexLine, error) {
	state, there, err := index.Peek(ws)
	var damaged *index.DamagedError
	if errors.As(err, &damaged) || err == nil && (!there || !state.Of(ws)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	line := &IndexLine{Commit: state.Commit}
	if head.Commit == state.Commit {
		return line, nil
	}
	changes, err := ws.Repo.DiffTrees(ctx, state.Commit, head.Commit)
	if err != nil {
		// The commit is gone: the next search compares everything anew.
		if changes, err = ws.Repo.DiffTrees(ctx, gitops.ID{}, head.Commit); err != nil {
			return nil, err
		}
	}
	roots := ws.SearchRoots()
	for _, c := range changes {
		if rel, ok := strings.CutPrefix(c.Path, ws.Prefix); ok && ws.Searched(rel, roots) {
			line.Pending++
		}
	}
	return line, nil
}
