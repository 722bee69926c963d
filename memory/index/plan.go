package index

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// plan works out what each entry should hold: from the commits between the state's
// and HEAD, and from the files of the work tree. It indexes nothing. changed says
// whether anything is to be written down.
func (s *Snapshot) plan(ctx context.Context, head gitops.ID) (changed bool, err error) {
	var files []onDisk
	if !s.ws.Repo.Bare {
		if files, err = s.walkWork(ctx); err != nil {
			return false, err
		}
		if head == s.Commit && s.m != nil && s.same(files) {
			return false, nil
		}
	}
	byPath := make(map[string]*Entry, len(s.Entries))
	for i := range s.Entries {
		byPath[s.Entries[i].Path] = &s.Entries[i]
	}
	moved, err := s.commits(ctx, head, byPath)
	if err != nil {
		return false, err
	}
	touched, err := s.workTree(ctx, files, byPath)
	if err != nil {
		return false, err
	}
	s.news = moved || touched || s.m == nil
	if !s.news && !s.unfinished() {
		return false, nil
	}
	s.collect(byPath)
	return true, nil
}

// unfinished reports whether an update before this one left something pending.
func (s *Snapshot) unfinished() bool {
	return slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Blob != e.Want })
}

// same reports whether the files of the work tree are, by their stat data, those
// of the entries, and all entries are indexed: the usual case, in which no map is
// made.
func (s *Snapshot) same(files []onDisk) bool {
	i := 0
	for e := range s.Entries {
		e := &s.Entries[e]
		switch {
		case e.Blob != e.Want:
			return false
		case e.Stat == (stat{}):
			if i < len(files) && files[i].path == e.Path {
				return false
			}
		case i == len(files) || files[i].path != e.Path || files[i].stat != e.Stat || s.racy(e.Stat):
			return false
		default:
			i++
		}
	}
	return i == len(files)
}

// commits takes over what changed between the state's commit and head.
func (s *Snapshot) commits(ctx context.Context, head gitops.ID, byPath map[string]*Entry) (bool, error) {
	if head == s.Commit && s.m != nil {
		return false, nil
	}
	repo, prefix := s.ws.Repo, s.ws.Prefix
	changes, err := repo.DiffTrees(ctx, s.Commit, head)
	var touched map[string]bool
	if err == nil && !s.Commit.IsZero() && !head.IsZero() {
		touched, err = repo.TouchedPaths(ctx, s.Commit, head)
	}
	if err != nil {
		// The old commit was pruned: everything is compared anew.
		for _, e := range byPath {
			e.Head, e.Commit, e.When = gitops.ID{}, gitops.ID{}, 0
		}
		touched = nil
		if changes, err = repo.DiffTrees(ctx, gitops.ID{}, head); err != nil {
			return false, err
		}
	}
	wanted := map[string]bool{}
	for _, c := range changes {
		rel, ok := strings.CutPrefix(c.Path, prefix)
		if !ok || !s.ws.Searched(rel, s.roots) {
			continue
		}
		e := byPath[rel]
		if e == nil {
			e = &Entry{Path: rel}
			byPath[rel] = e
		}
		e.Head, e.Commit, e.When = gitops.ID{}, gitops.ID{}, 0
		if c.New.Mode.IsFile() {
			e.Head = c.New.ID
			wanted[c.Path] = true
		}
	}
	for p := range touched {
		rel, ok := strings.CutPrefix(p, prefix)
		if e := byPath[rel]; ok && e != nil && !e.Head.IsZero() {
			wanted[p] = true
		}
	}
	last, err := repo.LastCommits(ctx, head, wanted)
	if err != nil {
		return false, err
	}
	for p, c := range last {
		e := byPath[strings.TrimPrefix(p, prefix)]
		e.Commit, e.When = c.ID, c.Author.Unix()
	}
	s.Commit = head
	return true, nil
}

// workTree takes over what the files of the work tree hold.
func (s *Snapshot) workTree(ctx context.Context, files []onDisk, byPath map[string]*Entry) (touched bool, err error) {
	if s.ws.Repo.Bare {
		for _, e := range byPath {
			e.Want = e.Head
		}
		return false, nil
	}
	there := make(map[string]bool, len(files))
	for _, f := range files {
		there[f.path] = true
		e := byPath[f.path]
		if e == nil {
			e = &Entry{Path: f.path}
			byPath[f.path] = e
		}
		if e.Stat == f.stat && !s.racy(f.stat) {
			continue
		}
		content, st, err := s.readWork(f.path)
		if err != nil {
			if gone(err) {
				there[f.path] = false
				continue
			}
			return false, err
		}
		want, _ := s.blobOf(e, content)
		touched = touched || want != e.Want || st != e.Stat || s.m == nil
		e.Want, e.Stat = want, st
		touched = touched || s.racy(f.stat)
	}
	var missing []*Entry
	for rel, e := range byPath {
		if !there[rel] {
			missing = append(missing, e)
		}
	}
	leftOut, err := s.leftOut(ctx, missing)
	if err != nil {
		return false, err
	}
	for _, e := range missing {
		want := gitops.ID{}
		if leftOut[e.Path] {
			want = e.Head
		}
		touched = touched || want != e.Want || e.Stat != (stat{})
		e.Want, e.Stat = want, stat{}
	}
	return touched, nil
}

// racy reports whether a file may have changed after it was looked at without its
// stat data telling: it was written in the tick of the clock in which the state was
// taken, or later.
func (s *Snapshot) racy(st stat) bool {
	return s.m == nil || st.Mtime >= s.m.Clock || st.Ctime >= s.m.Clock
}

// blobOf is the id of content, and what is indexed of it: as it is, or as HEAD has
// it, where git would call it the same but for its line ends. What is found has
// byte ranges, which have to fit the blob that it names.
func (s *Snapshot) blobOf(e *Entry, content []byte) (gitops.ID, []byte) {
	id := s.ws.Repo.BlobID(content)
	if id == e.Head || e.Head.IsZero() || !bytes.Contains(content, []byte("\r\n")) {
		return id, content
	}
	plain := bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	if s.ws.Repo.BlobID(plain) == e.Head {
		return e.Head, plain
	}
	return id, content
}

// leftOut says which files of HEAD are missing because a sparse checkout leaves them
// out: those of which git says nothing. The others were removed.
func (s *Snapshot) leftOut(ctx context.Context, missing []*Entry) (map[string]bool, error) {
	if !slices.ContainsFunc(missing, func(e *Entry) bool { return !e.Head.IsZero() }) {
		return nil, nil
	}
	cfg, err := s.ws.Repo.Config(ctx)
	if err != nil || !cfg.Bool("core.sparsecheckout", false) {
		return nil, err
	}
	var opt gitops.StatusOptions
	for _, r := range s.roots {
		opt.Paths = append(opt.Paths, strings.TrimSuffix(s.ws.Prefix+r, "/"))
	}
	if slices.Contains(opt.Paths, "") {
		opt.Paths = nil
	}
	st, err := s.ws.Repo.Status(ctx, opt)
	if err != nil {
		return nil, err
	}
	differs := map[string]bool{}
	for _, e := range st.Entries {
		differs[e.Path] = true
	}
	out := map[string]bool{}
	for _, e := range missing {
		out[e.Path] = !e.Head.IsZero() && !differs[s.ws.Prefix+e.Path]
	}
	return out, nil
}
