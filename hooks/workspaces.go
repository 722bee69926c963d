package hooks

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Workspaces returns the adopted workspaces that changes lie in, an inner one
// before the one around it. git runs a hook at the top level, wherever the commit
// was asked for, and one commit may touch several.
func Workspaces(ctx context.Context, repo *gitops.Repo, changes []gitops.TreeChange) ([]*memory.Workspace, error) {
	seen := map[string]bool{}
	var out []*memory.Workspace
	for _, c := range changes {
		for dir := path.Dir(c.Path); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			root := filepath.Join(repo.TopLevel, filepath.FromSlash(dir))
			if _, err := os.Lstat(filepath.Join(root, ".claw", "config")); err != nil {
				continue
			}
			if real, err := filepath.EvalSymlinks(root); err != nil || real != root {
				continue // a link is in the place of the folder
			}
			ws, err := memory.At(ctx, repo, root)
			if err != nil {
				return nil, err
			}
			if ws.Adopted {
				out = append(out, ws)
			}
		}
	}
	slices.SortFunc(out, func(a, b *memory.Workspace) int { return len(b.Prefix) - len(a.Prefix) })
	return out, nil
}
