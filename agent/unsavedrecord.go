package agent

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

// unsavedRecord remembers since when edits are known to wait for a commit: times of
// files tell nothing. It is derived; without it health counts from now on.
type unsavedRecord struct {
	V     int                    `json:"v"`
	Files map[string]unsavedFile `json:"files"` // by path from the root
}

type unsavedFile struct {
	Head  gitops.ID `json:"head"` // the file in HEAD; another one: it was saved meanwhile
	Since time.Time `json:"since"`
}

// unsavedVersion is the version of the record's form, unsavedMost how many files it
// holds.
const (
	unsavedVersion = 1
	unsavedMost    = 10000
)

func unsavedPath(ws *memory.Workspace) string {
	return filepath.Join(ws.Repo.ClawDir(), strings.Replace(filepath.Base(healthFile(ws)), "health", "unsaved", 1))
}

// readUnsaved reads the record; an empty one where there is none.
func readUnsaved(ws *memory.Workspace) unsavedRecord {
	var r unsavedRecord
	b, err := gitops.ReadSmall(unsavedPath(ws), 8<<20)
	if err != nil || json.Unmarshal(b, &r) != nil || r.V != unsavedVersion {
		return unsavedRecord{V: unsavedVersion}
	}
	return r
}

// since says since when an edit is known; zero: it is new.
func (r unsavedRecord) since(path string, head gitops.ID) time.Time {
	if f, ok := r.Files[path]; ok && f.Head == head {
		return f.Since
	}
	return time.Time{}
}

// remember replaces the record by what health saw. Failing to write it changes
// nothing.
func (r unsavedRecord) remember(ws *memory.Workspace, seen []health.Unsaved) {
	next := unsavedRecord{V: unsavedVersion, Files: map[string]unsavedFile{}}
	for _, u := range seen[:min(len(seen), unsavedMost)] {
		next.Files[u.Path] = unsavedFile{Head: u.Head, Since: u.Since}
	}
	same := func(a, b unsavedFile) bool { return a.Head == b.Head && a.Since.Equal(b.Since) }
	if maps.EqualFunc(r.Files, next.Files, same) {
		return
	}
	b, err := json.Marshal(next)
	if err != nil || os.MkdirAll(filepath.Dir(unsavedPath(ws)), 0o777) != nil {
		return
	}
	_ = gitops.WriteFileAtomic(unsavedPath(ws), b, 0o666)
}
