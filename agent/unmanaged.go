package agent

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// noteCount counts Markdown files outside the managed paths by their folder
// below the root.
type noteCount struct {
	folders map[string]int
	trees   int
	more    bool
	// workspaces are the folders below the root that were adopted, found by the
	// way.
	workspaces []string
}

// maxTrees bounds how many folders of HEAD are read to count notes: in a large
// repository of code the exact number does not matter.
const maxTrees = 400

// tracked counts in HEAD. Managed folders are not read, so that a workspace with
// its notes in place costs one tree, whatever it holds.
func (n *noteCount) tracked(ctx context.Context, ws *memory.Workspace) error {
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return err
	}
	tree, err := ws.Repo.Objects().TreeOf(ctx, head.Commit)
	if err != nil || tree.IsZero() {
		return err
	}
	if ws.Prefix != "" {
		e, ok, err := ws.Repo.Objects().Lookup(ctx, tree, strings.TrimSuffix(ws.Prefix, "/"))
		if err != nil || !ok || e.Mode != gitops.ModeTree {
			return err
		}
		tree = e.ID
	}
	return n.walk(ctx, ws, "", tree)
}

func (n *noteCount) walk(ctx context.Context, ws *memory.Workspace, dir string, tree gitops.ID) error {
	if n.trees++; n.trees > maxTrees {
		n.more = true
		return nil
	}
	entries, err := ws.Repo.Objects().Tree(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		rel := dir + e.Name
		switch {
		case e.Mode == gitops.ModeTree && e.Name == ".claw" && dir != "":
			n.workspaces = append(n.workspaces, strings.TrimSuffix(dir, "/"))
		case e.Mode == gitops.ModeTree:
			if ws.NeverManaged(rel+"/") || ws.Managed(rel+"/") {
				continue
			}
			if err := n.walk(ctx, ws, rel+"/", e.ID); err != nil {
				return err
			}
		case e.Mode.IsFile():
			n.add(ws, ws.Prefix+rel)
		}
	}
	return nil
}

// add counts a path from the top level, when it is a note and not managed. A note
// in the root itself counts under its own name.
func (n *noteCount) add(ws *memory.Workspace, top string) {
	rel, ok := strings.CutPrefix(top, ws.Prefix)
	if !ok || !strings.EqualFold(path.Ext(rel), ".md") || ws.Managed(rel) || ws.NeverManaged(rel) {
		return
	}
	folder, _, deeper := strings.Cut(rel, "/")
	if deeper {
		folder += "/"
	}
	n.folders[folder]++
}

// sum names the folder with the most notes and the command that includes it.
func (n *noteCount) sum(ws *memory.Workspace) Unmanaged {
	u := Unmanaged{More: n.more}
	best := 0
	for _, folder := range slices.Sorted(maps.Keys(n.folders)) {
		c := n.folders[folder]
		u.Notes += c
		if c > best {
			best, u.Folder = c, folder
		}
	}
	if u.Notes > 0 {
		u.Hint = ws.IncludeCommand(u.Folder)
	}
	return u
}
