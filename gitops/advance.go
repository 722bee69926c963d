package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Advance brings HEAD to a commit that is made already, such as one that was fetched or
// a merge, and the index and the work tree with it.
type Advance struct {
	From, To ID // what HEAD is, zero on a branch without commits, and what it becomes
	// Changes are all paths that differ between the two.
	Changes []AdvanceChange
	Reflog  string
	// Seen is the index that the IndexID fields were read from.
	Seen IndexStamp
}

// AdvanceChange is what becomes of one path.
type AdvanceChange struct {
	Path     string
	Old, New TreeEntry // in the two commits, zero: absent
	IndexID  ID
	Place    *Place // nil: the work tree is left untouched
}

// Advance moves HEAD. Nothing is moved to a third commit: *MovedError says that HEAD was
// not From any more, or that a path was staged meanwhile. Other errors are those of
// Commit. git's post-merge hooks run afterwards.
func (w *gitWriter) Advance(ctx context.Context, a Advance) (Result, error) {
	quiet := *w
	quiet.opt.RunHooks = RunHooksNever // those are for commits
	tx := Tx{Reflog: a.Reflog, Seen: a.Seen, Head: a.From}
	for _, c := range a.Changes {
		tx.Changes = append(tx.Changes, Change{
			Path: c.Path, Delete: c.New.IsZero(), Mode: c.New.Mode, HeadID: c.Old.ID, IndexID: c.IndexID, Place: c.Place,
		})
	}
	res, err := quiet.commit(ctx, tx, func(c *commitRun) attempt {
		return func() (Result, bool, error) { return c.advance(a) }
	})
	if !res.Commit.IsZero() && w.opt.RunHooks != RunHooksNever {
		w.postMerge(ctx)
	}
	return res, err
}

func (c *commitRun) advance(a Advance) (res Result, again bool, err error) {
	r := c.repo
	head, err := r.Head(c.ctx)
	if err != nil {
		return res, false, err
	}
	if head.Commit != a.From {
		return res, false, &MovedError{Subject: "HEAD"}
	}
	c.bases = map[string]TreeEntry{}
	entries := make([]entryChange, 0, len(a.Changes))
	for _, ch := range a.Changes {
		c.bases[ch.Path] = ch.Old
		entries = append(entries, entryChange{path: ch.Path, entry: ch.New})
	}
	if res.Tree, err = r.objects.TreeOf(c.ctx, a.To); err != nil {
		return res, false, err
	}
	ref, done, again, err := c.publish(head, a.To, entries)
	if !done {
		if again {
			err = &MovedError{Subject: "HEAD"}
		}
		return Result{}, false, err
	}
	res.Commit, res.Ref = a.To, ref
	return res, false, errors.Join(err, c.makeGitlinks(a.Changes))
}

// makeGitlinks makes the empty folders of repositories that came in, as git does: where
// there is none, git takes the repository for removed.
func (c *commitRun) makeGitlinks(changes []AdvanceChange) error {
	var root *os.Root
	for _, ch := range changes {
		if ch.New.Mode != ModeGitlink || ch.Old.Mode == ModeGitlink {
			continue
		}
		if root == nil {
			var err error
			if root, err = c.repo.openRoot(); err != nil {
				return err
			}
			defer func() { _ = root.Close() }()
		}
		file, err := checkParents(root, ch.Path)
		if err == nil && file == "" {
			err = root.MkdirAll(ch.Path, 0o777)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make '%s': %w", ch.Path, err)
		}
	}
	return nil
}

// postMerge runs what git runs after a merge; it can refuse nothing.
func (w *gitWriter) postMerge(ctx context.Context) {
	_, err := w.repo.run(ctx, Cmd{Args: []string{"hook", "run", "--ignore-missing", "post-merge", "--", "0"}})
	var ge *GitError
	if log := w.repo.Git.env.Log; log != nil && errors.As(err, &ge) {
		log.Debug("post-merge", "code", ge.Code)
	}
}

// Checkout returns what git writes into a work tree for a file of a commit, with filters
// and line ends.
func (r *Repo) Checkout(ctx context.Context, commit ID, path string) ([]byte, error) {
	return r.run(ctx, Cmd{Args: []string{"cat-file", "--filters", commit.String() + ":" + path}})
}

// MergeBases are the best common ancestors of two commits; none where they have none.
func (r *Repo) MergeBases(ctx context.Context, a, b ID) ([]ID, error) {
	out, err := r.run(ctx, Cmd{Args: []string{"merge-base", "--all", a.String(), b.String()}})
	var ge *GitError
	if errors.As(err, &ge) && ge.Code == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []ID
	for _, line := range strings.Fields(string(out)) {
		id, err := ParseID(line)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Count is how many commits `git rev-list` finds.
func (r *Repo) Count(ctx context.Context, revs ...string) (int, error) {
	out, err := r.run(ctx, Cmd{Args: append([]string{"rev-list", "--count", "--end-of-options"}, revs...)})
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, fmt.Errorf("count commits: %w", err)
	}
	return n, nil
}

// Compare counts the commits that a commit has and a ref has not, and the other way round.
// ok is false where there is no such ref, or it is broken, which others tell.
func (r *Repo) Compare(ctx context.Context, commit ID, ref string) (ahead, behind int, ok bool, err error) {
	refs, err := r.Refs(ctx, ref)
	if err != nil || len(refs) != 1 || refs[0].Name != ref {
		return 0, 0, false, err
	}
	if refs[0].ID == commit {
		return 0, 0, true, nil
	}
	out, err := r.run(ctx, Cmd{Args: []string{"rev-list", "--left-right", "--count", "--end-of-options", commit.String() + "..." + refs[0].ID.String()}})
	var ge *GitError
	if errors.As(err, &ge) {
		return 0, 0, false, nil
	}
	if err == nil {
		_, err = fmt.Sscan(string(out), &ahead, &behind)
	}
	if err != nil {
		return 0, 0, false, fmt.Errorf("compare with '%s': %w", ref, err)
	}
	return ahead, behind, true, nil
}

// Beyond tells which of some commits are not in the history of another one, at once for
// any number of them.
func (r *Repo) Beyond(ctx context.Context, from ID, ids []ID) (map[ID]bool, error) {
	var in strings.Builder
	for _, id := range ids {
		in.WriteString(id.String() + "\n")
	}
	if !from.IsZero() {
		in.WriteString("^" + from.String() + "\n")
	}
	asked := make(map[ID]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	beyond := map[ID]bool{}
	if len(ids) == 0 {
		return beyond, nil
	}
	out, err := r.run(ctx, Cmd{Args: []string{"rev-list", "--stdin"}, Stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		if id, err := ParseID(line); err == nil && asked[id] {
			beyond[id] = true
		}
	}
	return beyond, nil
}
