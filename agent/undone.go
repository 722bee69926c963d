package agent

import (
	"context"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// undoneBy names the undo that took a change back and was not taken back itself;
// "" when there is none.
func undoneBy(ctx context.Context, ws *memory.Workspace, target gitops.Commit) (string, error) {
	names := []string{target.ID.String()}
	if id := target.Trailers.Get("Claw-Id"); id != "" {
		names = append(names, id)
	}
	undone := map[string]bool{}
	log := gitops.LogOptions{Revs: []string{target.ID.String() + "..HEAD"}, Grep: "Claw-Undoes: "}
	for c, err := range ws.Repo.Log(ctx, log) { // newest first: an undo of an undo comes before it
		if err != nil {
			return "", err
		}
		id, of := c.Trailers.Get("Claw-Id"), c.Trailers.Get("Claw-Undoes")
		switch {
		case of == "" || undone[id] || undone[c.ID.String()]:
			continue
		}
		if empty, err := changesNothing(ctx, ws, c); err != nil || empty {
			if err != nil {
				return "", err
			}
			continue // anybody can write such a trailer
		}
		switch {
		case slices.Contains(names, of):
			return id, nil
		default:
			undone[of] = true
		}
	}
	return "", nil
}

// changesNothing reports whether a commit has the tree of its first parent.
func changesNothing(ctx context.Context, ws *memory.Workspace, c gitops.Commit) (bool, error) {
	if len(c.Parents) == 0 {
		return false, nil
	}
	tree, err := ws.Repo.Objects().TreeOf(ctx, c.Parents[0])
	return tree == c.Tree, err
}

// LastAgentChange finds the newest change of the agent that was not taken back,
// which `undo` without argument offers. It returns nil when there is none among
// the last 1,000 commits.
func LastAgentChange(ctx context.Context, ws *memory.Workspace) (*Event, error) {
	for e, err := range History(ctx, ws, HistoryOptions{Max: 1000}) {
		if err != nil {
			return nil, err
		}
		if e.Actor == Agent && e.ID != "" && e.Name != eventUndo && e.UndoneBy == "" {
			return &e, nil
		}
	}
	return nil, nil
}
