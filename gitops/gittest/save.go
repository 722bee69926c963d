package gittest

import (
	"context"
	"errors"
	"slices"

	"github.com/git-claw/git-claw/gitops"
)

// Factory makes the writer under test.
type Factory func(r *gitops.Repo, opt gitops.WriterOptions) gitops.Writer

// Transaction makes the transaction that commits what was edited at the given
// paths (all when none are given), the way `git claw save` does: one status, the
// files as they are, what was seen in HEAD and index. Partly staged paths are
// left out and returned.
func Transaction(ctx context.Context, repo *gitops.Repo, message string, paths ...string) (tx gitops.Tx, partial []string, err error) {
	st, err := repo.PathStatus(ctx, gitops.StatusOptions{Paths: paths, Untracked: true})
	if err != nil {
		return tx, nil, err
	}
	tx = gitops.Tx{Message: message, Seen: st.Seen, Head: st.Head.Commit}
	for _, e := range st.Entries {
		switch {
		case e.Unmerged():
			return tx, nil, &gitops.ProgressError{What: "unmerged paths", Paths: []string{e.Path}}
		case e.Partial() && !e.HeadID.IsZero() || e.Partial() && !e.IndexID.IsZero():
			partial = append(partial, e.Path)
			continue
		}
		ch := gitops.Change{Path: e.Path, HeadID: e.HeadID, IndexID: e.IndexID}
		content, mode, err := repo.ReadWork(e.Path, 0)
		if err != nil {
			return tx, nil, err
		}
		ch.Content, ch.Mode, ch.Delete = content, mode, mode == gitops.ModeAbsent
		if e.WorkMode.IsFile() && mode.IsFile() {
			ch.Mode = e.WorkMode // where the file system has no executable bit git knows better
		}
		tx.Changes = append(tx.Changes, ch)
	}
	return tx, partial, nil
}

// Save commits what was edited at the given paths. Like `git claw save` it looks
// again when somebody else was quicker.
func Save(ctx context.Context, repo *gitops.Repo, w gitops.Writer, message string, paths ...string) (gitops.Result, error) {
	var res gitops.Result
	var err error
	for range 50 {
		var tx gitops.Tx
		if tx, _, err = Transaction(ctx, repo, message, paths...); err != nil {
			return res, err
		}
		if len(tx.Changes) == 0 {
			return res, gitops.ErrNothing
		}
		res, err = w.Commit(ctx, tx)
		var moved *gitops.MovedError
		if !errors.As(err, &moved) {
			return res, err
		}
	}
	return res, err
}

// has reports whether a list holds all of the given values.
func has(list []string, want ...string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(list, w) })
}
