package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"context"
)

// argChunk bounds the paths named on one command line.
const argChunk = 400

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
	var sets []string
	var removed strings.Builder
	for _, e := range entries {
		if e.entry.IsZero() {
			removed.WriteString(e.path + "\x00")
		} else {
			sets = append(sets, "--cacheinfo", e.entry.Mode.String()+","+e.entry.ID.String()+","+e.path)
		}
	}
	for len(sets) > 2*argChunk {
		if err := c.updateIndex(stage, sets[:2*argChunk], "", false); err != nil {
			return err
		}
		sets = sets[2*argChunk:]
	}
	return c.updateIndex(stage, sets, removed.String(), len(c.placeRecords()) == 0)
}

// updateIndex changes entries of a prepared index. refresh takes over the stat
// data of files that hold what the index says, so that git need not read them
// again.
func (c *commitRun) updateIndex(stage string, sets []string, removed string, refresh bool) error {
	args := append([]string{"update-index", "-q", "--add", "--replace"}, sets...)
	if refresh {
		args = append(args, "--refresh")
	}
	cmd := Cmd{Env: []string{"GIT_INDEX_FILE=" + stage}, keep: c.queue}
	if removed != "" {
		args = append(args, "--force-remove", "-z", "--stdin")
		cmd.Stdin = strings.NewReader(removed)
	}
	cmd.Args = args
	if _, err := c.repo.run(c.ctx, cmd); err != nil {
		return fmt.Errorf("prepare index: %w", err)
	}
	return nil
}

// refreshIndex takes over stat data after files were placed.
func (r *Repo) refreshIndex(ctx context.Context, stage string) error {
	_, err := r.run(ctx, Cmd{Args: []string{"update-index", "-q", "--refresh"}, Env: []string{"GIT_INDEX_FILE=" + stage}})
	var ge *GitError
	if errors.As(err, &ge) && ge.Code == 1 && strings.TrimSpace(ge.Stderr) == "" {
		return nil // some file differs from the index, which is not our concern
	}
	return err
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
	if err := os.WriteFile(to, b, 0o600); err != nil {
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
	seen := map[string]ID{}
	if _, err := os.Lstat(stage); err == nil {
		paths := make([]string, 0, len(c.tx.Changes))
		for _, ch := range c.tx.Changes {
			paths = append(paths, ch.Path)
		}
		for len(paths) > 0 {
			n := min(len(paths), argChunk)
			if err := c.readStages(stage, paths[:n], seen); err != nil {
				return err
			}
			paths = paths[n:]
		}
	}
	for _, ch := range c.tx.Changes {
		if seen[ch.Path] != ch.IndexID {
			return &MovedError{Subject: ch.Path}
		}
	}
	return nil
}

func (c *commitRun) readStages(stage string, paths []string, seen map[string]ID) error {
	args := append([]string{"ls-files", "-s", "-z", "--"}, paths...)
	out, err := c.repo.run(c.ctx, Cmd{Args: args, Env: []string{"GIT_INDEX_FILE=" + stage}})
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	for rec := range bytes.SplitSeq(out, []byte{0}) {
		meta, path, ok := strings.Cut(string(rec), "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			continue
		}
		if f[2] != "0" {
			return &ProgressError{What: "unmerged paths", Paths: []string{path}, How: []string{"run 'git status' and resolve the conflict"}}
		}
		if seen[path], err = ParseID(f[1]); err != nil {
			return err
		}
	}
	return nil
}

// refuseSparse refuses paths that a sparse checkout leaves out.
func (c *commitRun) refuseSparse() error {
	for _, ch := range c.tx.Changes {
		out, err := c.repo.run(c.ctx, Cmd{Args: []string{"ls-files", "-t", "-z", "--", ch.Path}})
		if err != nil {
			return fmt.Errorf("read index: %w", err)
		}
		if strings.HasPrefix(string(out), "S ") {
			return &SparseError{Path: ch.Path}
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
