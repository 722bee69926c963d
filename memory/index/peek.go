package index

import (
	"errors"
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

// Peek reads the state of the index of a repository. ok is false where there is
// none. A damaged manifest is a *DamagedError; damage of other files is not seen.
func Peek(r *gitops.Repo) (s State, ok bool, err error) {
	m, err := readManifest(Dir(r))
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

// Of reports whether the index is one of a workspace as it is set up now. One of
// another workspace, or of other settings, is made anew by the next search.
func (s State) Of(ws *memory.Workspace) bool { return s.key == keyOf(ws, ws.SearchRoots()) }
