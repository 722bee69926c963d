package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Unmerged lists the paths that a merge under way left to a person, with what the index
// has of each side.
func (r *Repo) Unmerged(ctx context.Context) ([]FileMerge, error) {
	out, err := r.run(ctx, Cmd{Args: []string{"ls-files", "-u", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list unmerged paths: %w", err)
	}
	list, err := parseStages(string(out))
	if err != nil {
		return nil, fmt.Errorf("list unmerged paths: %w", err)
	}
	files := make([]FileMerge, 0, len(list))
	for _, c := range list {
		files = append(files, FileMerge{Path: c.path, Base: c.stages[1], Ours: c.stages[2], Theirs: c.stages[3]})
	}
	return files, nil
}

// HadConflicts reports whether conflicts of the merge under way were resolved: git keeps
// them in the index until it is committed.
func (r *Repo) HadConflicts(ctx context.Context) (bool, error) {
	out, err := r.run(ctx, Cmd{Args: []string{"ls-files", "--resolve-undo", "-z"}})
	if err != nil {
		return false, fmt.Errorf("list resolved paths: %w", err)
	}
	return len(out) > 0, nil
}

// FinishMerge stages files of the work tree that were unmerged and ends the merge under
// way, with git's own message. The hooks of a commit run.
func (r *Repo) FinishMerge(ctx context.Context, paths []string, trailers Trailers) error {
	if len(paths) > 0 {
		if _, err := r.run(ctx, Cmd{Args: append([]string{"add", "--all", "--"}, paths...)}); err != nil {
			return finishError(fmt.Errorf("stage what was merged: %w", err))
		}
	}
	args := []string{"-c", "trailer.separators=:", "commit", "--quiet", "--no-edit"}
	for _, t := range trailers {
		args = append(args, "--trailer", cleanKey(t.Key)+": "+OneLine(t.Value))
	}
	_, err := r.run(ctx, Cmd{Args: args})
	var ge *GitError
	if ident := identError(err); ident != nil {
		return ident
	}
	if err = finishError(err); errors.As(err, &ge) {
		return &HookError{Name: "commit", Output: strings.TrimSpace(ge.Stderr)}
	}
	return err
}

// finishError tells apart a lock that is held: the same command works later.
func finishError(err error) error {
	var ge *GitError
	if errors.As(err, &ge) && strings.Contains(ge.Stderr, "Unable to create") && strings.Contains(ge.Stderr, "File exists") {
		return describeLock(lockPath(ge.Stderr, "HEAD"))
	}
	return err
}
