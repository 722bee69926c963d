package agent

import (
	"context"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/memory/index"
)

// GitEvent is what git tells a hook that runs after the fact (githooks(5)).
type GitEvent struct {
	Hook string
	Args []string
}

// moves reports whether an event can have moved HEAD. An amended commit has told
// by post-commit, and a checkout of files leaves HEAD where it is.
func (e GitEvent) moves() bool {
	switch e.Hook {
	case githook.PostRewrite:
		return len(e.Args) == 0 || e.Args[0] != "amend"
	case githook.PostCheckout:
		return len(e.Args) < 3 || e.Args[2] != "0"
	}
	return true
}

// FollowIndex starts `git claw index update` for each adopted workspace of the
// repository that has an index, and does not wait for it. Between the steps of a
// rebase it does nothing: its end is told by post-rewrite, or found by the next
// search.
func FollowIndex(ctx context.Context, git *gitops.Git, event GitEvent, binary string) error {
	if !event.moves() {
		return nil
	}
	repo, err := gitops.Open(ctx, git, git.Env().Dir)
	if err != nil {
		return err
	}
	defer func() { _ = repo.Close() }()
	if repo.Bare || event.Hook != githook.PostRewrite && rebasing(repo) {
		return nil
	}
	for _, state := range index.States(repo) {
		found, err := hooks.Workspaces(ctx, repo, []gitops.TreeChange{{Path: state.Prefix + ".claw/config"}})
		if err != nil {
			return err
		}
		for _, ws := range found {
			if ws.Prefix != state.Prefix || !state.Of(ws) || index.Awaited(ws) {
				continue
			}
			if err := repo.StartDetached(ws.Root, binary, "index", "update", "--quiet"); err != nil {
				return err
			}
		}
	}
	return nil
}

func rebasing(repo *gitops.Repo) bool {
	p := repo.Progress()
	return p != nil && (p.What == "rebase" || p.What == "patch series")
}
