package gitops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// inlineSets bounds how many entries are named on the command line, which saves
// a process; more go by stdin.
const inlineSets = 64

// prepareIndex makes the index that belongs to the commit under the name stage:
// the present index with only the transaction's paths changed, so that what the
// user staged elsewhere stays staged.
func (c *commitRun) prepareIndex(stage string, entries []entryChange) error {
	r := c.repo
	// A hard link keeps the modification time, which git needs to tell which
	// entries are racily clean; a copy with a newer time would hide edits.
	err := os.Link(r.indexPath(), stage)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = copyIndex(r.indexPath(), stage)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("prepare index: %w", err)
	}
	if err := c.checkIndex(stage); err != nil {
		return err
	}
	if len(c.hooks) > 0 {
		if entries, err = c.spareStaged(stage, entries); err != nil {
			return err
		}
	}
	var sets, paths []string
	var removed, info strings.Builder
	for _, e := range entries {
		if e.entry.IsZero() {
			removed.WriteString(e.path + "\x00")
			fmt.Fprintf(&info, "0 %s\t%s\x00", hexOf(ID{size: uint8(r.idSize())}), e.path)
			continue
		}
		sets = append(sets, "--cacheinfo", e.entry.Mode.String()+","+e.entry.ID.String()+","+e.path)
		paths = append(paths, e.path)
		fmt.Fprintf(&info, "%s %s\t%s\x00", e.entry.Mode, e.entry.ID, e.path)
	}
	if len(paths) > inlineSets || argBytes(paths) > maxArgs {
		if err := c.updateIndex(stage, info.String(), "-z", "--index-info"); err != nil {
			return err
		}
		return c.updateIndex(stage, "", "--refresh")
	}
	args := []string{"--add"}
	if replaces(entries) {
		args = append(args, "--replace")
	}
	args = append(append(args, sets...), "--refresh")
	if removed.Len() > 0 {
		args = append(args, "--force-remove", "-z", "--stdin")
	}
	return c.updateIndex(stage, removed.String(), args...)
}

// replaces reports whether a file takes the place of a directory that the
// transaction removes, or the other way round. Only then may git drop entries
// that are in the way.
func replaces(entries []entryChange) bool {
	gone, set := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		if e.entry.IsZero() {
			gone[e.path] = true
		} else {
			set[e.path] = true
		}
	}
	under := func(p string, dirs map[string]bool) bool {
		for i := strings.LastIndexByte(p, '/'); i >= 0; i = strings.LastIndexByte(p, '/') {
			if p = p[:i]; dirs[p] {
				return true
			}
		}
		return false
	}
	for _, e := range entries {
		if e.entry.IsZero() && under(e.path, set) || !e.entry.IsZero() && under(e.path, gone) {
			return true
		}
	}
	return false
}

// updateIndex changes a prepared index. --refresh takes over the stat data of
// files that hold what the index says, so that git need not read them again; git
// refuses it while paths are unmerged.
func (c *commitRun) updateIndex(stage, stdin string, args ...string) error {
	run := func() error {
		_, err := c.repo.run(c.ctx, Cmd{
			Args:  withFlags(c.flags, append([]string{"update-index", "-q"}, args...)...),
			Stdin: strings.NewReader(stdin), Env: indexEnv(stage), hold: c.queue,
		})
		return err
	}
	err := run()
	if err != nil && c.writing != nil {
		// The objects are being written meanwhile, and git looks at some of them: it
		// calls one corrupt that appears between two looks. The index is untouched.
		if werr := c.written(); werr != nil {
			return werr
		}
		err = run()
	}
	var ge *GitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ge) && strings.Contains(ge.Stderr, "appears as both a file and as a directory"):
		_, rest, _ := strings.Cut(ge.Stderr, "'")
		p, _, _ := strings.Cut(rest, "'")
		return &ClashError{Path: p, Other: p + "/"}
	case errors.As(err, &ge) && ge.Code == 1 && strings.TrimSpace(ge.Stderr) == "":
		if p := c.repo.unmerged(c.ctx); p != nil {
			return p
		}
	}
	return fmt.Errorf("prepare index: %w", err)
}

// indexEnv makes git work on another index, and tells hooks who does.
func indexEnv(index string) []string {
	return []string{"GIT_INDEX_FILE=" + index, SavingVariable + "=1"}
}

// unmerged names the paths that a merge left in conflict, nil when there are
// none.
func (r *Repo) unmerged(ctx context.Context) *ProgressError {
	out, err := r.run(ctx, Cmd{Args: []string{"ls-files", "-u", "-z"}})
	if err != nil || len(out) == 0 {
		return nil
	}
	p := unmergedError()
	for _, rec := range splitNul(out) {
		if _, path, ok := strings.Cut(rec, "\t"); ok && !slices.Contains(p.Paths, path) {
			p.Paths = append(p.Paths, path)
		}
	}
	return p
}

func unmergedError(paths ...string) *ProgressError {
	return &ProgressError{What: "unmerged paths", Paths: paths, How: []string{"run 'git status' and resolve the conflict"}}
}

// refreshIndex takes over stat data of all files.
func (r *Repo) refreshIndex(ctx context.Context, stage string) error {
	_, err := r.run(ctx, Cmd{Args: []string{"update-index", "-q", "--refresh"}, Env: indexEnv(stage)})
	return err
}

// refreshOneByOne is how many files are named to git. It compares each with all of the
// index; of more it looks at all files instead.
const refreshOneByOne = 64

// refreshPaths takes over stat data of some files.
func (r *Repo) refreshPaths(ctx context.Context, stage string, paths []string) error {
	if len(paths) > refreshOneByOne {
		return r.refreshIndex(ctx, stage)
	}
	for chunk := range argChunks(paths) {
		args := append([]string{"add", "--refresh", "--"}, chunk...)
		if _, err := r.run(ctx, Cmd{Args: args, Env: indexEnv(stage)}); err != nil {
			return err
		}
	}
	return nil
}

func copyIndex(from, to string) error {
	fi, err := os.Stat(from)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, b, fi.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, fi.ModTime(), fi.ModTime())
}

// checkIndex makes sure that the index holds for the transaction's paths what
// the caller saw. When the file is unchanged since, nothing needs to be read.
func (c *commitRun) checkIndex(stage string) error {
	if c.tx.Seen != (IndexStamp{}) && c.tx.Seen == c.repo.indexStamp() {
		return nil
	}
	paths := make([]string, 0, len(c.tx.Changes))
	for _, ch := range c.tx.Changes {
		paths = append(paths, ch.Path)
	}
	seen, err := c.readStages(stage, paths)
	if err != nil {
		return err
	}
	intent := c.repo.BlobID(nil)
	for _, ch := range c.tx.Changes {
		id := seen[ch.Path]
		if id == intent && ch.IndexID.IsZero() {
			continue // `git add --intent-to-add`, which git status calls absent
		}
		if id != ch.IndexID {
			return &MovedError{Subject: ch.Path}
		}
	}
	return nil
}

// readStages returns what a prepared index holds at the given paths.
func (c *commitRun) readStages(stage string, paths []string) (map[string]ID, error) {
	seen := map[string]ID{}
	if _, err := os.Lstat(stage); err != nil {
		return seen, nil
	}
	for chunk := range argChunks(paths) {
		args := append([]string{"ls-files", "-s", "-z", "--"}, chunk...)
		out, err := c.repo.run(c.ctx, Cmd{Args: args, Env: indexEnv(stage)})
		if err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		for _, rec := range splitNul(out) {
			meta, path, ok := strings.Cut(rec, "\t")
			f := strings.Fields(meta)
			if !ok || len(f) != 3 {
				continue
			}
			if f[2] != "0" {
				return nil, unmergedError(path)
			}
			if seen[path], err = ParseID(f[1]); err != nil {
				return nil, err
			}
		}
	}
	return seen, nil
}

// spareStaged drops the entries that a hook added and for which the user has
// staged something else: they are in the commit, and what is staged stays.
func (c *commitRun) spareStaged(stage string, entries []entryChange) ([]entryChange, error) {
	asked := map[string]bool{}
	for _, ch := range c.tx.Changes {
		asked[ch.Path] = true
	}
	var extra []string
	for _, e := range entries {
		if !asked[e.path] {
			extra = append(extra, e.path)
		}
	}
	if len(extra) == 0 {
		return entries, nil
	}
	seen, err := c.readStages(stage, extra)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entryChange) bool {
		return !asked[e.path] && seen[e.path] != c.bases[e.path].ID
	}), nil
}

// refuseSparse refuses paths that a sparse checkout leaves out.
func (c *commitRun) refuseSparse() error {
	paths := make([]string, 0, len(c.tx.Changes))
	for _, ch := range c.tx.Changes {
		paths = append(paths, ch.Path)
	}
	for chunk := range argChunks(paths) {
		out, err := c.repo.run(c.ctx, Cmd{Args: append([]string{"ls-files", "-t", "-z", "--"}, chunk...)})
		if err != nil {
			return fmt.Errorf("read index: %w", err)
		}
		for _, rec := range splitNul(out) {
			if p, ok := strings.CutPrefix(rec, "S "); ok && slices.Contains(chunk, p) {
				return &SparseError{Path: p}
			}
		}
	}
	return nil
}

// SparseError: the path is outside the sparse checkout.
type SparseError struct{ Path string }

func (e *SparseError) Error() string {
	return fmt.Sprintf("'%s' is outside the sparse checkout", e.Path)
}

// Hints gives git's command that brings the path back.
func (e *SparseError) Hints() []string {
	return []string{fmt.Sprintf("git sparse-checkout add '%s'", e.Path)}
}
