package gitops

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// StatusOptions limits what git looks at.
type StatusOptions struct {
	Paths     []string // literal paths from the top level; nil means all
	Untracked bool     // list untracked files, each by itself
}

// Status is what git says about the work tree, the index and HEAD.
type Status struct {
	Head     Head
	Upstream string // as refs/remotes/… short name, "" without one
	Ahead    int
	Behind   int
	Entries  []StatusEntry
	// Seen is the state of the index file just before git read it; a writer
	// uses it to tell whether the answer still holds.
	Seen IndexStamp
}

// StatusEntry is one path that differs. Index and Work are git's letters: '.'
// unchanged, M A D T, 'U' unmerged, '?' untracked. The path of an untracked
// directory that is a repository of its own ends in a slash.
type StatusEntry struct {
	Path                          string
	Index, Work                   byte
	HeadMode, IndexMode, WorkMode Mode
	HeadID, IndexID               ID
	Submodule                     bool
}

// Untracked reports whether git does not know the path.
func (e StatusEntry) Untracked() bool { return e.Index == '?' }

// Unmerged reports whether a merge left the path in conflict.
func (e StatusEntry) Unmerged() bool { return e.Index == 'U' }

// Partial reports whether the staged content differs from both HEAD and the
// work tree.
func (e StatusEntry) Partial() bool {
	return e.Index != '.' && e.Index != '?' && e.Work != '.' && !e.Unmerged()
}

// IndexStamp identifies one state of the index file.
type IndexStamp struct {
	size  int64
	mtime int64 // nanoseconds
	ino   uint64
	// tail is the end of the file, where git keeps a checksum of all of it. Two
	// states written within one tick of the clock differ in it, unless
	// index.skipHash leaves it zero.
	tail [32]byte
}

// String tells states of the index apart by content, and by file only where git
// leaves out the checksum. Whoever restored the file from a copy has the same
// state.
func (s IndexStamp) String() string {
	if [20]byte(s.tail[12:]) == ([20]byte{}) {
		return fmt.Sprintf("%d %d %d", s.size, s.mtime, s.ino)
	}
	return fmt.Sprintf("%d %x", s.size, s.tail)
}

// indexPath is the index git uses here.
func (r *Repo) indexPath() string {
	if p := r.Git.env.Getenv("GIT_INDEX_FILE"); p != "" {
		return p
	}
	return filepath.Join(r.GitDir, "index")
}

func (r *Repo) indexStamp() IndexStamp {
	f, err := os.Open(r.indexPath())
	if err != nil {
		return IndexStamp{}
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return IndexStamp{}
	}
	s := IndexStamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	_, s.ino, _ = fileKey(fi)
	if n := int64(len(s.tail)); s.size >= n {
		if _, err := f.ReadAt(s.tail[:], s.size-n); err != nil {
			return IndexStamp{}
		}
	}
	return s
}

// settling bounds how long Status waits for somebody who is committing.
const settling = time.Second

// Status asks git. It takes none of git's locks and does not refresh the index
// file. What a dead writer of ours left is finished first, see Recover.
//
// Between the moments at which a commit, ours or git's, moves the ref and the
// index, its paths look partly staged. Then the answer is asked for again, while
// somebody holds index.lock.
func (r *Repo) Status(ctx context.Context, opt StatusOptions) (*Status, error) {
	return r.settled(ctx, func() (*Status, error) { return r.status(ctx, opt) })
}

// settled looks until nobody is in the middle of something.
func (r *Repo) settled(ctx context.Context, look func() (*Status, error)) (*Status, error) {
	if r.Bare {
		return nil, ErrBare
	}
	b := r.newBackoff(settling, "waiting for git to release '"+r.indexPath()+".lock'")
	for {
		r.recoverIfDead(ctx)
		locked := r.indexIsLocked()
		st, err := look()
		if err != nil || !slices.ContainsFunc(st.Entries, StatusEntry.Partial) {
			return st, err
		}
		if !locked && !r.indexIsLocked() && r.indexStamp() == st.Seen {
			return st, nil
		}
		if again, err := b.wait(ctx); err != nil || !again {
			return st, err
		}
	}
}

func (r *Repo) indexIsLocked() bool {
	_, err := os.Lstat(r.indexPath() + ".lock")
	return err == nil
}

func (r *Repo) status(ctx context.Context, opt StatusOptions) (*Status, error) {
	stamp := r.indexStamp()
	args := []string{
		"--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch",
		"--no-renames", "--ignore-submodules=dirty", "--untracked-files=no",
	}
	if opt.Untracked {
		args[len(args)-1] = "--untracked-files=all"
	}
	filter := pathFilter(nil)
	switch {
	case opt.Paths == nil:
	case len(opt.Paths) == 0:
		args = append(args, "--", ".git") // matches nothing, still tells the branch
	case argBytes(opt.Paths) > maxArgs:
		filter = newPathFilter(opt.Paths) // more than a command line takes
	default:
		args = append(append(args, "--"), opt.Paths...)
	}
	out, err := r.run(ctx, Cmd{Args: args})
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	st, err := parseStatus(out)
	if err != nil {
		return nil, err
	}
	st.Seen = stamp
	st.joinRemoved()
	if filter != nil {
		st.Entries = slices.DeleteFunc(st.Entries, func(e StatusEntry) bool { return !filter.match(e.Path) })
	}
	return st, nil
}

// joinRemoved makes one entry, with 'A' for the work tree, of a file that is there
// while its removal is staged: git tells of it twice, as removed and as untracked,
// and each half taken for itself would be committed. It is partly staged: the
// index differs from HEAD and from the work tree.
func (s *Status) joinRemoved() {
	removed := map[string]int{}
	for i, e := range s.Entries {
		if e.Index == 'D' {
			removed[e.Path] = i
		}
	}
	if len(removed) == 0 {
		return
	}
	for _, e := range s.Entries {
		if i, twice := removed[e.Path]; twice && e.Untracked() {
			s.Entries[i].Work = 'A'
		}
	}
	s.Entries = slices.DeleteFunc(s.Entries, func(e StatusEntry) bool {
		_, twice := removed[e.Path]
		return twice && e.Untracked()
	})
}

// pathFilter does what literal pathspecs do: a path matches itself and what lies
// below it.
type pathFilter map[string]bool

func newPathFilter(paths []string) pathFilter {
	f := make(pathFilter, len(paths))
	for _, p := range paths {
		f[strings.TrimSuffix(p, "/")] = true
	}
	return f
}

func (f pathFilter) match(p string) bool {
	p = strings.TrimSuffix(p, "/")
	for !f[p] {
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return false
		}
		p = p[:i]
	}
	return true
}

// parseStatus reads `git status --porcelain=v2 -z --branch`.
func parseStatus(out []byte) (*Status, error) {
	st := &Status{}
	for rec := range bytes.SplitSeq(out, []byte{0}) {
		if len(rec) == 0 {
			continue
		}
		if err := st.add(string(rec)); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// add reads one record of porcelain v2 (git-status(1), "Porcelain Format
// Version 2").
func (s *Status) add(rec string) error {
	kind, rest, _ := strings.Cut(rec, " ")
	switch kind {
	case "#":
		return s.header(rest)
	case "?":
		s.Entries = append(s.Entries, StatusEntry{Path: rest, Index: '?', Work: '?'})
		return nil
	case "1":
		f := strings.SplitN(rest, " ", 8)
		if len(f) != 8 || len(f[0]) != 2 {
			return fmt.Errorf("read status: unexpected record '%.80s'", rec)
		}
		e := StatusEntry{Path: f[7], Index: f[0][0], Work: f[0][1], Submodule: f[1] != "N..."}
		e.HeadMode, e.IndexMode, e.WorkMode = parseMode(f[2]), parseMode(f[3]), parseMode(f[4])
		var err error
		if e.HeadID, err = ParseID(f[5]); err != nil {
			return err
		}
		if e.IndexID, err = ParseID(f[6]); err != nil {
			return err
		}
		s.Entries = append(s.Entries, e)
		return nil
	case "u":
		f := strings.SplitN(rest, " ", 10)
		if len(f) != 10 {
			return fmt.Errorf("read status: unexpected record '%.80s'", rec)
		}
		s.Entries = append(s.Entries, StatusEntry{Path: f[9], Index: 'U', Work: 'U'})
		return nil
	}
	return nil
}

func (s *Status) header(h string) error {
	key, val, _ := strings.Cut(h, " ")
	var err error
	switch key {
	case "branch.oid":
		if val != "(initial)" {
			s.Head.Commit, err = ParseID(val)
		}
	case "branch.head":
		if val != "(detached)" {
			s.Head.Ref = "refs/heads/" + val
		}
	case "branch.upstream":
		s.Upstream = val
	case "branch.ab":
		_, err = fmt.Sscanf(val, "+%d -%d", &s.Ahead, &s.Behind)
	}
	return err
}

func parseMode(s string) Mode {
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil {
		return ModeAbsent
	}
	return Mode(n)
}
