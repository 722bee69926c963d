package gitops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CommitTime is a commit with the time its author gave it.
type CommitTime struct {
	ID     ID
	Author time.Time
}

const (
	// maxSteps is how many commits LastCommits looks at by itself before it starts
	// git. Whoever catches up is mostly a few commits behind.
	maxSteps = 16
	// maxLogPaths is up to how many paths git is told what is looked for. It compares
	// each of them with each name in a tree: with eight, a log of 2,000 commits took
	// twice the time of one of everything.
	maxLogPaths = 4
)

// LastCommits finds for each path the last commit reachable from rev that changed
// it: its content or its mode, or that it is there. A merge counts for a path that
// differs from all its parents. Renames are not followed. In a shallow clone the
// commits at its border changed everything. Paths that no commit has are absent.
func (r *Repo) LastCommits(ctx context.Context, rev ID, paths map[string]bool) (map[string]CommitTime, error) {
	s := lastSearch{repo: r, found: make(map[string]CommitTime, len(paths)), left: map[string]bool{}}
	for p, want := range paths {
		if want {
			s.left[p] = true
		}
	}
	if rev.IsZero() || len(s.left) == 0 {
		return s.found, nil
	}
	rev, err := s.walk(ctx, rev)
	if err != nil {
		return nil, err
	}
	if len(s.left) > 0 && !rev.IsZero() {
		if err := s.ask(ctx, rev); err != nil {
			return nil, fmt.Errorf("find last commits: %w", err)
		}
	}
	return s.found, nil
}

type lastSearch struct {
	repo  *Repo
	found map[string]CommitTime
	left  map[string]bool // not found yet
}

// take records a commit for a path that is looked for.
func (s *lastSearch) take(path string, c CommitTime) {
	if s.left[path] {
		delete(s.left, path)
		s.found[path] = c
	}
}

// walk follows rev as long as each commit has one parent, and returns where it
// stopped; the zero ID when it saw the end of history. What it cannot read, git
// may be able to.
func (s *lastSearch) walk(ctx context.Context, rev ID) (ID, error) {
	if s.repo.grafted() {
		return rev, nil
	}
	for range maxSteps {
		c, err := s.repo.objects.Commit(ctx, rev)
		if err != nil || len(c.Parents) > 1 {
			return rev, ctx.Err()
		}
		var parent ID
		if len(c.Parents) == 1 {
			parent = c.Parents[0]
		}
		changes, err := s.repo.DiffTrees(ctx, parent, c.ID)
		if err != nil {
			return rev, ctx.Err()
		}
		for _, ch := range changes {
			s.take(ch.Path, CommitTime{ID: c.ID, Author: c.Author.When})
		}
		if rev = parent; len(s.left) == 0 || rev.IsZero() {
			return rev, nil
		}
	}
	return rev, nil
}

// grafted reports whether git shows other parents than commits name: a shallow
// clone, grafts, or replacements.
func (r *Repo) grafted() bool {
	if r.RefFormat != "files" || r.Git.env.Getenv("GIT_SHALLOW_FILE") != "" || r.Git.env.Getenv("GIT_GRAFT_FILE") != "" ||
		r.Git.env.Getenv("GIT_REPLACE_REF_BASE") != "" {
		return true
	}
	for _, name := range []string{"shallow", "info/grafts", "refs/replace"} {
		if _, err := os.Lstat(filepath.Join(r.CommonDir, filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	packed, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	return err == nil && strings.Contains(string(packed), " refs/replace/")
}

// lastArgs makes git print a slash, the commit's id and its author date, then the
// paths; no path begins with a slash. Merges list what differs from all parents.
func (s *lastSearch) lastArgs(revs string) []string {
	args := []string{
		"log", "-z", "--format=/%H %ad", "--date=raw", "--name-only", "-c", "--root", "--no-renames",
		"--full-history", "--no-show-signature", "--no-notes", "--no-ext-diff", "--no-textconv", "--no-color", "--no-follow",
		"--ignore-submodules=none", "--end-of-options", revs, "--",
	}
	paths := slices.Sorted(maps.Keys(s.left))
	if len(paths) > maxLogPaths || argBytes(paths) > maxArgs {
		return args
	}
	return append(args, paths...)
}

// ask reads git's log until everything is found.
func (s *lastSearch) ask(ctx context.Context, rev ID) error {
	out, stop, err := s.repo.Git.stream(ctx, s.repo.here(Cmd{Args: s.lastArgs(rev.String())}))
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(out, 64<<10)
	var c CommitTime
	first := false // the next path is the first one of its commit
	for len(s.left) > 0 {
		rec, err := in.ReadString(0)
		if errors.Is(err, io.EOF) {
			return stop(false)
		}
		if err == nil {
			c, first, err = s.record(rec[:len(rec)-1], c, first)
		}
		if err != nil {
			_ = stop(true)
			return err
		}
	}
	return stop(true)
}

// record takes a header or a path. Between a header and its first path git puts a
// newline, which belongs to neither; a path may begin with one as well.
func (s *lastSearch) record(rec string, c CommitTime, first bool) (CommitTime, bool, error) {
	if rec == "" {
		return c, first, nil
	}
	if rec[0] == '/' {
		hex, date, _ := strings.Cut(rec[1:], " ")
		id, err := ParseID(hex)
		return CommitTime{ID: id, Author: parseWhen(date)}, true, err
	}
	if first {
		rec = strings.TrimPrefix(rec, "\n")
	}
	s.take(rec, c)
	return c, false, nil
}

// TouchedPaths lists the paths that a commit changed which only one of a and b has
// in its history. Whatever commit changed another path last, it is the same for
// both. It is more than what differs between them: a change and its revert touch a
// path and leave it as it was.
func (r *Repo) TouchedPaths(ctx context.Context, a, b ID) (map[string]bool, error) {
	touched := map[string]bool{}
	if c, err := r.objects.Commit(ctx, b); err == nil && len(c.Parents) == 1 && c.Parents[0] == a && !r.grafted() {
		changes, err := r.DiffTrees(ctx, a, b)
		for _, ch := range changes {
			touched[ch.Path] = true
		}
		return touched, err
	}
	s := lastSearch{repo: r}
	out, stop, err := r.Git.stream(ctx, r.here(Cmd{Args: s.lastArgs(a.String() + "..." + b.String())}))
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(out, 64<<10)
	first := false
	for {
		rec, err := in.ReadString(0)
		if errors.Is(err, io.EOF) {
			return touched, stop(false)
		}
		if err != nil {
			_ = stop(true)
			return nil, err
		}
		switch rec = rec[:len(rec)-1]; {
		case rec == "":
		case rec[0] == '/':
			first = true
		default:
			if first {
				rec = strings.TrimPrefix(rec, "\n")
			}
			touched[rec], first = true, false
		}
	}
}
