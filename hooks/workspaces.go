package hooks

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Broken is a folder whose .claw/config cannot be read, so that nobody knows what is
// managed there. All of it is looked through for secrets.
type Broken struct {
	Prefix string // from the top level, "" or ending in a slash
	Err    error
}

// Folder names it for a person.
func (b Broken) Folder() string { return cmp.Or(b.Prefix, ".") }

// Places are the workspaces that a commit touches.
type Places struct {
	Workspaces []*memory.Workspace // adopted, an inner one before the one around it
	Broken     []Broken
}

// None reports that nothing is to be looked at.
func (p Places) None() bool { return len(p.Workspaces)+len(p.Broken) == 0 }

// managed reports whether a path, from the top level, is looked at.
func (p Places) managed(path string) bool {
	return slices.ContainsFunc(p.Workspaces, func(ws *memory.Workspace) bool {
		rel, ok := strings.CutPrefix(path, ws.Prefix)
		return ok && ws.Managed(rel)
	}) || slices.ContainsFunc(p.Broken, func(b Broken) bool { return strings.HasPrefix(path, b.Prefix) })
}

// Workspaces returns the adopted workspaces that changes lie in, an inner one before the
// one around it.
func Workspaces(ctx context.Context, repo *gitops.Repo, changes []gitops.TreeChange) ([]*memory.Workspace, error) {
	p, err := PlacesOf(ctx, repo, changes)
	if err == nil && len(p.Broken) > 0 {
		err = p.Broken[0].Err
	}
	if err != nil {
		return nil, err
	}
	return p.Workspaces, nil
}

// PlacesOf returns where changes lie. git runs a hook at the top level, wherever the
// commit was asked for, and one commit may touch several workspaces. A .claw/config that
// is broken in the work tree is an error where the commit changes it.
func PlacesOf(ctx context.Context, repo *gitops.Repo, changes []gitops.TreeChange) (Places, error) {
	seen := map[string]bool{}
	var out Places
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
			switch prefix := strings.TrimPrefix(dir+"/", "./"); {
			case err == nil && ws.Adopted:
				out.Workspaces = append(out.Workspaces, ws)
			case err == nil:
			case ctx.Err() != nil || slices.ContainsFunc(changes, func(c gitops.TreeChange) bool { return c.Path == prefix+".claw/config" }):
				return Places{}, err
			default:
				out.Broken = append(out.Broken, Broken{prefix, err})
			}
		}
	}
	slices.SortFunc(out.Workspaces, func(a, b *memory.Workspace) int { return len(b.Prefix) - len(a.Prefix) })
	return out, nil
}
