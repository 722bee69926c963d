package review

import (
	"context"
	"fmt"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/contradiction"
)

// Writers tells which commit each version of a contradiction is from, in their order; nil
// where no commit has it. It runs two git processes.
func Writers(ctx context.Context, ws *memory.Workspace, c *Conflict) ([]*agent.Event, error) {
	if c.Value != nil {
		return valueWriters(ctx, ws, c)
	}
	out := make([]*agent.Event, len(c.Versions))
	head, err := ws.Repo.Head(ctx)
	if err != nil || head.Commit.IsZero() {
		return out, err
	}
	lines, err := committedLines(ctx, ws, head.Commit, c)
	if err != nil || len(lines) != len(out) {
		return out, err
	}
	spans := make([][2]int, len(lines))
	for i, n := range lines {
		spans[i] = [2]int{n, n}
	}
	from, err := ws.Repo.BlameLines(ctx, head.Commit, ws.Prefix+c.Path, spans...)
	if err != nil {
		return out, err
	}
	var revs []string
	for _, n := range lines {
		if id := from[n].ID; !id.IsZero() {
			revs = append(revs, id.String())
		}
	}
	if len(revs) == 0 {
		return out, nil
	}
	for commit, err := range ws.Repo.Log(ctx, gitops.LogOptions{Revs: revs, NoWalk: true}) {
		if err != nil {
			return out, err
		}
		e := agent.EventOf(ws, commit)
		for i, n := range lines {
			if from[n].ID == commit.ID {
				out[i] = &e
			}
		}
	}
	return out, nil
}

// committedLines are the lines of the versions in a commit; none when it does not have
// this contradiction.
func committedLines(ctx context.Context, ws *memory.Workspace, commit gitops.ID, c *Conflict) ([]int, error) {
	objects := ws.Repo.Objects()
	tree, err := objects.TreeOf(ctx, commit)
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", c.Path, err)
	}
	e, ok, err := objects.Lookup(ctx, tree, ws.Prefix+c.Path)
	if err != nil || !ok || !e.Mode.IsFile() {
		return nil, err
	}
	text, err := objects.Blob(ctx, e.ID)
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", c.Path, err)
	}
	for _, m := range contradiction.Find(text) {
		if m.ID == c.ID {
			return contradiction.Lines(text, m), nil
		}
	}
	return nil, nil
}
