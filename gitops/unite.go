package gitops

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Unite merges what a commit changed in a file with what the work tree has instead of
// what was replaced: somebody edited it in the moment in which the commit was made, or
// after its writer was killed. base is the file before the commit (empty: there was none),
// theirs behind it. ok is false where there is no rule for the file. path is from the top
// level.
type Unite func(path string, base, theirs, work []byte) (merged []byte, ok bool)

// maxUnited bounds what is merged, in bytes, and maxUnitedTries how often a file is
// merged again that is edited meanwhile.
const (
	maxUnited      = 64 << 20
	maxUnitedTries = 20
)

// unite merges what a commit changed into files that could not be put into place because
// somebody edited them, and returns those for which that was not possible: left as they
// are, the next commit of them would take back what this one changed.
func (r *Repo) unite(ctx context.Context, before, after string, left []string) (still []string) {
	if len(left) == 0 {
		return nil
	}
	conv, err := r.Converted(ctx, left)
	if err != nil {
		return left
	}
	converted := make(map[string]bool, len(conv))
	for _, p := range conv {
		converted[p] = true
	}
	for _, path := range left {
		if converted[path] || !r.uniteFile(ctx, before, after, path) {
			still = append(still, path)
		}
	}
	return still
}

func (r *Repo) uniteFile(ctx context.Context, before, after, path string) bool {
	base, ok := r.fileIn(ctx, before, path)
	if !ok {
		return false
	}
	theirs, ok := r.fileIn(ctx, after, path)
	if !ok || theirs == nil {
		return false // it was removed, and the edit of it stays
	}
	for range maxUnitedTries {
		work, mode, err := r.ReadWork(path, maxUnited)
		if err != nil || !mode.IsFile() {
			return false
		}
		merged, ok := r.United(ctx, path, base, theirs, work)
		if !ok {
			return false
		}
		err = r.PlaceWork(path, Place{Base: work, Existed: true, Content: merged})
		var changed *WorkTreeChangedError
		if !errors.As(err, &changed) {
			return err == nil
		}
	}
	return false
}

func withCRLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

// United merges what changed from base to theirs into work by the rules of Unite, else as
// text; ok is false where that leaves conflicts. path is from the top level.
func (r *Repo) United(ctx context.Context, path string, base, theirs, work []byte) (merged []byte, ok bool) {
	if bytes.Contains(work, []byte("\r\n")) && !bytes.Contains(theirs, []byte("\r\n")) {
		base, theirs = withCRLF(base), withCRLF(theirs) // as git checks it out
	}
	if bytes.Equal(work, theirs) {
		return work, true
	}
	if r.Unite != nil {
		if merged, ok := r.Unite(path, base, theirs, work); ok {
			return merged, true
		}
	}
	return r.mergeFile(ctx, base, theirs, work)
}

// fileIn is a regular file of a commit; nil where it has none. ok is false for anything
// that is not merged.
func (r *Repo) fileIn(ctx context.Context, commit, path string) (text []byte, ok bool) {
	id, err := ParseID(commit)
	if err != nil || id.IsZero() {
		return nil, err == nil || commit == ""
	}
	tree, err := r.objects.TreeOf(ctx, id)
	if err != nil {
		return nil, false
	}
	e, there, err := r.objects.Lookup(ctx, tree, path)
	if err != nil || there && !e.Mode.IsFile() {
		return nil, false
	}
	if !there {
		return nil, true
	}
	text, err = r.objects.BlobWithin(ctx, e.ID, maxUnited)
	if text == nil {
		text = []byte{}
	}
	return text, err == nil
}

// mergeFile merges as text; ok is false where that leaves conflicts.
func (r *Repo) mergeFile(ctx context.Context, base, theirs, work []byte) (merged []byte, ok bool) {
	merged, clean, err := r.MergeText(ctx, base, work, theirs)
	return merged, err == nil && clean
}

// MergeText merges as git merges text. clean is false where conflict markers are left.
func (r *Repo) MergeText(ctx context.Context, base, work, theirs []byte) (merged []byte, clean bool, err error) {
	if err := r.makeClawDir(ctx, r.ClawDir()); err != nil {
		return nil, false, err
	}
	dir, err := os.MkdirTemp(r.ClawDir(), "stage.unite.*")
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	args := []string{"merge-file", "-p", "--"}
	for _, f := range []struct {
		name string
		text []byte
	}{{"work", work}, {"base", base}, {"theirs", theirs}} {
		name := filepath.Join(dir, f.name)
		if err := os.WriteFile(name, f.text, 0o600); err != nil {
			return nil, false, err
		}
		args = append(args, name)
	}
	out, err := r.run(ctx, Cmd{Args: args})
	var ge *GitError
	if errors.As(err, &ge) && ge.Code > 0 && ge.Code < 128 { // the number of conflicts
		return out, false, nil
	}
	return out, err == nil, err
}
