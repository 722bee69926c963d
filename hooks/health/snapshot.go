package health

import (
	"context"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// File is a managed file of a snapshot. Links and nested repositories are listed
// with their mode and are not read.
type File struct {
	Path    string // relative to the root
	Kind    memory.Kind
	Mode    gitops.Mode
	Size    int64     // bytes; -1 where it is known only after reading
	ID      gitops.ID // the blob in HEAD or the index, zero where it is not known
	Tracked bool
}

// Snapshot is one state of the managed files of a workspace.
type Snapshot interface {
	// Files lists them by path. The slice is not to be changed.
	Files(ctx context.Context) ([]File, error)
	// Lookup finds a file by its path. In the work tree it finds one that git
	// ignores or that is not managed, too.
	Lookup(ctx context.Context, rel string) (File, bool, error)
	// Read returns the content of a file; for a link its target. Beyond
	// claw.maxFileBytes it fails with gitops.ErrTooLarge.
	Read(ctx context.Context, f File) ([]byte, error)
}

// Change is a path that a commit is about to change. Old or New is zero where the
// file is added or removed.
type Change struct {
	Path     string // relative to the root
	Old, New gitops.TreeEntry
}

// file gives a tree entry as a file of a snapshot.
func file(ws *memory.Workspace, rel string, e gitops.TreeEntry) File {
	return File{Path: rel, Kind: ws.Kind(rel), Mode: e.Mode, Size: -1, ID: e.ID, Tracked: true}
}
