package gitops

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's ids
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PathStatus is Status without what it says of the upstream. Where nothing makes
// its own look at index, HEAD and files uncertain, it asks no git.
func (r *Repo) PathStatus(ctx context.Context, opt StatusOptions) (*Status, error) {
	return r.settled(ctx, func() (*Status, error) {
		st, err := r.lookAt(ctx, opt)
		if errors.Is(err, errUncertain) {
			return r.status(ctx, opt)
		}
		return st, err
	})
}

// errUncertain: git knows better.
var errUncertain = errors.New("git has to be asked")

// pathLook is one look at the paths of a scope. Whatever it meets that git treats
// in a way of its own ends it with errUncertain.
type pathLook struct {
	r     *Repo
	ctx   context.Context
	cfg   *Config
	opt   StatusOptions
	scope *pathScope
	rules statRules

	index   *indexFile
	entries []lookEntry // of the index, in scope and in its order
	head    []lookSide  // of the entries
	work    []lookSide
	removed []StatusEntry
	others  []string // untracked and not ignored
	root    *os.Root
	// attributes are files of that name that the index has.
	attributes []string
}

// lookEntry is a file that the index has. Ids are kept short: there may be many.
type lookEntry struct {
	path  string
	id    [sha1.Size]byte
	stat  fileStat
	mode  Mode
	valid bool // promised not to change
}

// lookSide is an entry's file in HEAD, or in the work tree, where only the mode and
// whether it changed are known. mode is ModeAbsent where there is none.
type lookSide struct {
	mode    Mode
	id      [sha1.Size]byte
	changed bool
}

// lookAt is status without git.
func (r *Repo) lookAt(ctx context.Context, opt StatusOptions) (*Status, error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	l := &pathLook{r: r, ctx: ctx, cfg: cfg, opt: opt}
	if l.scope, err = newPathScope(opt.Paths); err != nil {
		return nil, err
	}
	if !r.looksPlain(cfg) || cfg.Bool("core.precomposeunicode", false) && !l.scope.isASCII() {
		return nil, errUncertain
	}
	if l.root, err = r.openRoot(); err != nil {
		return nil, err
	}
	defer func() { _ = l.root.Close() }()
	st := &Status{}
	if st.Seen, err = l.readIndex(); err != nil {
		return nil, err
	}
	if st.Head, err = r.Head(ctx); err != nil {
		return nil, err
	}
	l.head, l.work = make([]lookSide, len(l.entries)), make([]lookSide, len(l.entries))
	// Two halves that touch nothing of each other.
	half := make(chan error, 1)
	go func() { half <- l.compareWork() }()
	others := l.newOthers()
	err = errors.Join(l.compareHead(st.Head.Commit), others.find(), <-half)
	if err == nil {
		l.others, err = others.sift()
	}
	if err != nil {
		return nil, err
	}
	l.report(st)
	return st, nil
}

// looksPlain looks for what changes the meaning of index and work tree.
func (r *Repo) looksPlain(cfg *Config) bool {
	env := r.Git.env
	switch {
	case !fullStat, r.Bare, r.InHook, r.ObjectFormat != "sha1":
		return false
	case env.Getenv("GIT_INDEX_FILE") != "", env.Getenv("GIT_REPLACE_REF_BASE") != "":
		return false
	case cfg.Bool("core.sparsecheckout", false), !cfg.Bool("core.symlinks", true), monitored(cfg):
		return false
	}
	return !r.hasReplacements()
}

// monitored reports whether a monitor of the file system tells git what changed.
func monitored(cfg *Config) bool {
	v, ok := cfg.Get("core.fsmonitor")
	return ok && v != "" && v != "false"
}

// hasReplacements reports whether git shows other objects than ids name.
func (r *Repo) hasReplacements() bool {
	if _, err := os.Lstat(filepath.Join(r.CommonDir, "refs", "replace")); err == nil {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	return err == nil && strings.Contains(string(packed), " refs/replace/")
}

// report puts the answer together in the order of git's.
func (l *pathLook) report(st *Status) {
	for i := range l.entries {
		e, head, work := &l.entries[i], &l.head[i], &l.work[i]
		s := StatusEntry{
			Path: e.path, Index: '.', Work: '.', HeadMode: head.mode, IndexMode: e.mode, WorkMode: work.mode,
			IndexID: idFromBytes(e.id[:]),
		}
		switch {
		case head.mode == ModeAbsent:
			s.Index = 'A'
		case head.mode != e.mode || head.id != e.id:
			s.Index = 'M'
		}
		if head.mode != ModeAbsent {
			s.HeadID = idFromBytes(head.id[:])
		}
		switch {
		case work.mode == ModeAbsent:
			s.Work = 'D'
		case work.changed:
			s.Work = 'M'
		}
		if s.Index != '.' || s.Work != '.' {
			st.Entries = append(st.Entries, s)
		}
	}
	st.Entries = append(st.Entries, l.removed...)
	slices.SortStableFunc(st.Entries, func(a, b StatusEntry) int { return strings.Compare(a.Path, b.Path) })
	for _, p := range l.others {
		st.Entries = append(st.Entries, StatusEntry{Path: p, Index: '?', Work: '?'})
	}
	st.joinRemoved()
}

// pathScope says which paths matter, as literal pathspecs do: a path, and what is
// below it.
type pathScope struct {
	all   bool
	paths []string // in their order, none below another
	exact []string // those not yet passed by match
	below prefixes
}

func newPathScope(paths []string) (*pathScope, error) {
	s := &pathScope{all: paths == nil}
	sorted := slices.Clone(paths)
	slices.Sort(sorted)
	seen := map[string]bool{}
	for _, p := range slices.Compact(sorted) {
		if p == "." {
			s.all = true
			continue
		}
		if CheckPath(p) != nil {
			return nil, errUncertain // git says what it thinks of it
		}
		seen[p] = true
		s.paths = append(s.paths, p)
	}
	s.paths = slices.DeleteFunc(s.paths, func(p string) bool {
		for dir := parentDir(p); dir != ""; dir = parentDir(dir) {
			if seen[dir] {
				return true
			}
		}
		return s.all
	})
	if s.all {
		s.below = prefixes{""}
		return s, nil
	}
	s.exact = s.paths
	for _, p := range s.paths {
		s.below = append(s.below, p+"/")
	}
	slices.Sort(s.below)
	return s, nil
}

func (s *pathScope) isASCII() bool {
	return !slices.ContainsFunc(s.paths, func(p string) bool { return !isASCII(p) })
}

func isASCII(p string) bool {
	return strings.IndexFunc(p, func(r rune) bool { return r >= 0x80 }) < 0
}

// match reports whether a path of the index matters. The paths asked for come in
// their order.
func (s *pathScope) match(path []byte) bool {
	for len(s.exact) > 0 && s.exact[0] < string(path) {
		s.exact = s.exact[1:]
	}
	if len(s.exact) > 0 && s.exact[0] == string(path) {
		return true
	}
	_, ok := s.below.find(path)
	return ok
}

// isBelow reports whether a path of the scope lies below dir.
func (s *pathScope) isBelow(dir []byte) bool {
	return slices.ContainsFunc(s.paths, func(p string) bool {
		return len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == string(dir)
	})
}
