package health

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// workSnapshot is the work tree: what HEAD has and what git's status says about
// it, so that git's own rules decide what is ignored.
type workSnapshot struct {
	ws    *memory.Workspace
	files []File // by path
}

// Unlisted is the work tree without a list of its files, for checks that ask for
// files by name. It costs nothing.
func Unlisted(ws *memory.Workspace) Snapshot { return &workSnapshot{ws: ws} }

// workOf is the snapshot of the work tree by git's status of the managed paths.
func workOf(ctx context.Context, ws *memory.Workspace, st *gitops.Status) (*workSnapshot, error) {
	head, err := newObjects(ctx, ws, st.Head.Commit, nil)
	if err != nil {
		return nil, err
	}
	found, err := treeFiles(ctx, ws, head.tree, nil)
	if err != nil {
		return nil, err
	}
	untracked := map[string]bool{}
	for _, e := range st.Entries {
		rel, ok := strings.CutPrefix(e.Path, ws.Prefix)
		switch {
		case !ok || !ws.Managed(rel) || strings.HasSuffix(rel, "/"):
		case e.Work == 'D':
			delete(found, rel)
		case e.Index == 'D': // it may still lie there
			untracked[rel] = true
		default:
			untracked[rel] = e.Untracked()
			found[rel] = gitops.TreeEntry{Mode: e.IndexMode} // its blob is in no tree yet
		}
	}
	s := &workSnapshot{ws: ws, files: make([]File, 0, len(found))}
	for rel, e := range found {
		if e.Mode == gitops.ModeGitlink {
			continue
		}
		if f, ok := s.look(rel); ok {
			f.ID, f.Tracked = e.ID, !untracked[rel]
			s.files = append(s.files, f)
		}
	}
	sortFiles(s.files)
	return s, nil
}

func (s *workSnapshot) abs(rel string) string {
	return filepath.Join(s.ws.Root, filepath.FromSlash(rel))
}

// look reads the stat data of a path; false where there is no file.
func (s *workSnapshot) look(rel string) (File, bool) {
	fi, err := os.Lstat(s.abs(rel))
	if err != nil {
		return File{}, false
	}
	f := File{Path: rel, Kind: s.ws.Kind(rel), Size: fi.Size()}
	switch m := fi.Mode(); {
	case m&fs.ModeSymlink != 0:
		f.Mode = gitops.ModeSymlink
	case m.IsRegular() && m&0o111 != 0:
		f.Mode = gitops.ModeExecutable
	case m.IsRegular():
		f.Mode = gitops.ModeFile
	default:
		return File{}, false
	}
	return f, true
}

func (s *workSnapshot) Files(context.Context) ([]File, error) { return s.files, nil }

func (s *workSnapshot) Lookup(_ context.Context, rel string) (File, bool, error) {
	i, ok := slices.BinarySearchFunc(s.files, rel, func(f File, rel string) int { return strings.Compare(f.Path, rel) })
	if ok {
		return s.files[i], true, nil
	}
	if gitops.CheckPath(rel) != nil {
		return File{}, false, nil
	}
	// A link above would lead out of the work tree.
	for i := range len(rel) {
		if rel[i] != '/' {
			continue
		}
		if fi, err := os.Lstat(s.abs(rel[:i])); err != nil || !fi.IsDir() {
			return File{}, false, nil //nolint:nilerr // there is no such folder
		}
	}
	f, ok := s.look(rel)
	return f, ok, nil
}

func (s *workSnapshot) Read(_ context.Context, f File) ([]byte, error) {
	b, mode, err := s.ws.Repo.ReadWork(s.ws.Prefix+f.Path, s.ws.MaxFileBytes())
	var escape *gitops.EscapeError
	if errors.As(err, &escape) || err == nil && mode == gitops.ModeAbsent {
		return nil, fs.ErrNotExist // it went away, or a folder above became a link
	}
	return b, err
}

// With has a file read that is not held.
func (s *workSnapshot) With(_ context.Context, f File, read func(io.Reader) error) error {
	return s.ws.Repo.ReadWorkWith(s.ws.Prefix+f.Path, read)
}
