package agent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

const (
	// steadyPause and steadyTries bound how long a status that looks partly
	// staged is looked at again: two seconds while somebody holds the index.
	steadyPause = 20 * time.Millisecond
	steadyTries = 100
)

// steadyStatus is Repo.Status that does not take the middle of a commit for a
// partly staged file. A commit, git's as well as ours, moves the ref first and
// then replaces the index: in between the index differs from HEAD and from the
// work tree. What is really staged stays so when nobody holds the index.
func steadyStatus(ctx context.Context, repo *gitops.Repo, opt gitops.StatusOptions) (*gitops.Status, error) {
	var last *gitops.Status
	for range steadyTries {
		st, err := repo.Status(ctx, opt)
		if err == nil {
			joinRemoved(st)
		}
		if err != nil || !slices.ContainsFunc(st.Entries, gitops.StatusEntry.Partial) {
			return st, err
		}
		if last != nil && last.Head == st.Head && slices.Equal(last.Entries, st.Entries) && !indexLocked(repo) {
			return st, nil
		}
		last = st
		t := time.NewTimer(steadyPause)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil, context.Cause(ctx)
		case <-t.C:
		}
	}
	return last, nil
}

// joinRemoved makes one entry of a file that is in the work tree but whose removal
// is staged: git tells of it twice, as removed and as untracked, and each half
// taken for itself would be committed. What is staged differs from HEAD and from
// the work tree, so that it is partly staged.
func joinRemoved(st *gitops.Status) {
	removed := map[string]int{}
	for i, e := range st.Entries {
		if e.Index == 'D' {
			removed[e.Path] = i
		}
	}
	if len(removed) == 0 {
		return
	}
	for _, e := range st.Entries {
		if i, twice := removed[e.Path]; twice && e.Untracked() {
			st.Entries[i].Work = 'A'
		}
	}
	st.Entries = slices.DeleteFunc(st.Entries, func(e gitops.StatusEntry) bool {
		_, twice := removed[e.Path]
		return twice && e.Untracked()
	})
}

// indexLocked reports whether some process is about to replace the index.
func indexLocked(repo *gitops.Repo) bool {
	_, err := os.Lstat(filepath.Join(repo.GitDir, "index.lock"))
	return err == nil
}
