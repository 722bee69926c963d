package index

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// State is what the manifest of an index says, without the index being opened.
type State struct {
	Commit gitops.ID
	Prefix string // of the workspace in its repository, "" or ending in a slash
	key    string
}

// Peek reads the state of the index of a workspace. ok is false where there is none.
// A damaged manifest is a *DamagedError; damage of other files is not seen.
func Peek(ws *memory.Workspace) (s State, ok bool, err error) { return peek(Dir(ws)) }

func peek(dir string) (s State, ok bool, err error) {
	m, _, err := readManifest(dir)
	if errors.Is(err, errNoIndex) {
		return State{}, false, nil
	}
	if err != nil {
		return State{}, false, err
	}
	parts := strings.Split(m.Key, keySep)
	if len(parts) <= keyPrefix {
		return State{}, false, nil
	}
	return State{Commit: m.Commit, Prefix: parts[keyPrefix], key: m.Key}, true, nil
}

// States lists the indexes of a repository that can be read.
func States(r *gitops.Repo) []State {
	root := dirOf(r, "")
	dirs := []string{root}
	list, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range list {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(root, e.Name()))
		}
	}
	var out []State
	for _, dir := range dirs {
		if s, ok, err := peek(dir); ok && err == nil {
			out = append(out, s)
		}
	}
	return out
}

// Of reports whether the index is one of a workspace as it is set up now. One of
// other settings is made anew by the next search.
func (s State) Of(ws *memory.Workspace) bool { return s.key == keyOf(ws, ws.SearchRoots()) }
