package health

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// objectSnapshot is a tree of git, with changes laid over it. Nothing is read
// before it is asked for: the cost of a look at what a commit changes does not
// depend on what else is there.
type objectSnapshot struct {
	ws   *memory.Workspace
	tree gitops.ID // of the root; zero: there is none
	over map[string]gitops.TreeEntry

	once  sync.Once
	files []File
	err   error
}

// At is the snapshot of a commit; the zero ID is the empty tree.
func At(ctx context.Context, ws *memory.Workspace, commit gitops.ID) (Snapshot, error) {
	return newObjects(ctx, ws, commit, nil)
}

// newObjects gives a commit with changes laid over it. A removed path has a zero
// entry.
func newObjects(ctx context.Context, ws *memory.Workspace, commit gitops.ID, over map[string]gitops.TreeEntry) (*objectSnapshot, error) {
	tree, err := ws.Repo.Objects().TreeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	if ws.Prefix != "" && !tree.IsZero() {
		e, ok, err := ws.Repo.Objects().Lookup(ctx, tree, strings.TrimSuffix(ws.Prefix, "/"))
		if err != nil {
			return nil, err
		}
		if tree = e.ID; !ok || e.Mode != gitops.ModeTree {
			tree = gitops.ID{}
		}
	}
	return &objectSnapshot{ws: ws, tree: tree, over: over}, nil
}

func (s *objectSnapshot) Files(ctx context.Context) ([]File, error) {
	s.once.Do(func() { s.files, s.err = s.list(ctx, nil) })
	return s.files, s.err
}

// list lists the files, of folders only those that enter says; nil: of all. Paths
// that were laid over the tree are there in any case.
func (s *objectSnapshot) list(ctx context.Context, enter func(dir string) bool) ([]File, error) {
	found, err := treeFiles(ctx, s.ws, s.tree, enter)
	if err != nil {
		return nil, err
	}
	for rel, e := range s.over {
		if delete(found, rel); !e.IsZero() && s.ws.Managed(rel) {
			found[rel] = e
		}
	}
	out := make([]File, 0, len(found))
	for rel, e := range found {
		out = append(out, file(s.ws, rel, e))
	}
	sortFiles(out)
	return out, nil
}

func sortFiles(files []File) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// treeFiles lists the managed files of a tree, which is that of the root, in the
// folders that enter says; nil: in all.
func treeFiles(ctx context.Context, ws *memory.Workspace, tree gitops.ID, enter func(dir string) bool) (map[string]gitops.TreeEntry, error) {
	found := map[string]gitops.TreeEntry{}
	if tree.IsZero() {
		return found, nil
	}
	objects := ws.Repo.Objects()
	var walk func(dir string, tree gitops.ID) error
	walk = func(dir string, tree gitops.ID) error {
		entries, err := objects.Tree(ctx, tree)
		if err != nil {
			return fmt.Errorf("read folder '%s': %w", dir, err)
		}
		for _, e := range entries {
			rel := dir + e.Name
			switch {
			case e.Mode == gitops.ModeTree && enter != nil && !enter(rel+"/"):
			case e.Mode == gitops.ModeTree && mayHold(ws, rel):
				if err := walk(rel+"/", e.ID); err != nil {
					return err
				}
			case e.Mode != gitops.ModeTree && ws.Managed(rel):
				found[rel] = e
			}
		}
		return ctx.Err()
	}
	return found, walk("", tree)
}

// mayHold reports whether a folder is managed, or a managed one lies below it. Of
// the folder's own name only what is never managed counts: that it looks like a
// temporary file says nothing of the files in it.
func mayHold(ws *memory.Workspace, dir string) bool {
	return ws.Managed(dir+"/x") || !ws.NeverManaged(dir+"/") && len(ws.ManagedBelow(dir)) > 0
}

func (s *objectSnapshot) Lookup(ctx context.Context, rel string) (File, bool, error) {
	if e, ok := s.over[rel]; ok {
		return file(s.ws, rel, e), !e.IsZero(), nil
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if e, ok := s.over[dir]; ok && !e.IsZero() {
			return File{}, false, nil // a file is in the place of a folder above
		}
	}
	if s.tree.IsZero() {
		return File{}, false, nil
	}
	e, ok, err := s.ws.Repo.Objects().Lookup(ctx, s.tree, rel)
	if err != nil || !ok || e.Mode == gitops.ModeTree {
		return File{}, false, err
	}
	return file(s.ws, rel, e), true, nil
}

func (s *objectSnapshot) Read(ctx context.Context, f File) ([]byte, error) {
	b, err := s.ws.Repo.Objects().BlobWithin(ctx, f.ID, s.ws.MaxFileBytes())
	if err != nil {
		return nil, fmt.Errorf("read '%s' in git: %w", f.Path, err)
	}
	return b, nil
}

// With has a file read that is not held.
func (s *objectSnapshot) With(ctx context.Context, f File, read func(io.Reader) error) error {
	return s.ws.Repo.Objects().ReadBlob(ctx, f.ID, read)
}
