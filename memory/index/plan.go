package index

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
)

// plan works out what each entry should hold: from the commits between the state's
// and HEAD, and from the files of the work tree. It indexes nothing. changed says
// whether anything is to be written down.
func (s *Snapshot) plan(ctx context.Context, head gitops.ID) (changed bool, err error) {
	found := &workTree{}
	if !s.ws.Repo.Bare {
		if found, err = s.walkWork(ctx); err != nil {
			return false, err
		}
	}
	s.folders, s.Closed, s.Large = found.folders, found.closed, found.large
	moved, err := s.commits(ctx, head)
	if err != nil {
		return false, err
	}
	touched := false
	switch {
	case s.ws.Repo.Bare:
		s.asInHead()
	case moved || len(found.changed)+len(found.missing) > 0 || s.unfinished():
		if touched, err = s.workTree(ctx, found); err != nil {
			return false, err
		}
	}
	s.news = moved || touched || found.moved || s.m == nil
	return s.news || s.unfinished(), nil
}

// unfinished reports whether an update left something pending.
func (s *Snapshot) unfinished() bool {
	for e := range s.Entries.special() {
		if e.Blob != e.Want {
			return true
		}
	}
	return false
}

// asInHead: without a work tree HEAD says what there should be.
func (s *Snapshot) asInHead() {
	for _, e := range slices.Collect(s.Entries.special()) {
		if e.Want != e.Head {
			s.Entries.edit(e.Path).Want = e.Head
		}
	}
}

// commits takes over what changed between the state's commit and head.
func (s *Snapshot) commits(ctx context.Context, head gitops.ID) (bool, error) {
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
		for _, e := range slices.Collect(s.Entries.All()) {
			e = s.Entries.edit(e.Path)
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
		e := s.Entries.edit(rel)
		e.Head, e.Commit, e.When = gitops.ID{}, gitops.ID{}, 0
		if c.New.Mode.IsFile() {
			e.Head = c.New.ID
			wanted[c.Path] = true
		}
	}
	for p := range touched {
		rel, ok := strings.CutPrefix(p, prefix)
		if e, there := s.Entries.Get(rel); ok && there && !e.Head.IsZero() {
			wanted[p] = true
		}
	}
	last, err := repo.LastCommits(ctx, head, wanted)
	if err != nil {
		return false, err
	}
	for p, c := range last {
		e := s.Entries.edit(strings.TrimPrefix(p, prefix))
		e.Commit, e.When = c.ID, c.Author.Unix()
	}
	s.Commit = head
	return true, nil
}

// workTree takes over what the files of the work tree hold.
func (s *Snapshot) workTree(ctx context.Context, found *workTree) (touched bool, err error) {
	missing := map[string]bool{}
	for _, p := range found.missing {
		missing[p] = true
	}
	for _, f := range found.changed {
		content, st, err := s.readWork(f.path)
		if err != nil {
			if gone(err) {
				missing[f.path] = true
				s.unsure(f.path)
				continue
			}
			return false, err
		}
		e := s.Entries.edit(f.path)
		want, _ := s.blobOf(e, content)
		touched = touched || want != e.Want || st != e.Stat || s.m == nil || s.racy(f.stat)
		e.Want, e.Stat = want, st
	}
	for e := range s.withoutFile() {
		missing[e] = true
	}
	leftOut, err := s.leftOut(ctx, missing)
	if err != nil {
		return false, err
	}
	for p := range missing {
		e, ok := s.Entries.Get(p)
		if !ok {
			continue
		}
		want := gitops.ID{}
		if leftOut[p] {
			want = e.Head
		}
		if want != e.Want || e.Stat != (stat{}) {
			touched = true
			e = s.Entries.edit(p)
			e.Want, e.Stat = want, stat{}
		}
	}
	return touched, nil
}

// withoutFile are the paths that the work tree did not have before, or that only
// HEAD has by now.
func (s *Snapshot) withoutFile() iter.Seq[string] {
	return func(yield func(string) bool) {
		for p, e := range s.Entries.over {
			if e.Stat == (stat{}) && !yield(p) {
				return
			}
		}
		t := s.Entries.table
		for i := 0; t != nil && i < t.n; i++ {
			if t.stat(i) != (stat{}) {
				continue
			}
			p := t.entry(i).Path
			if _, ok := s.Entries.over[p]; !ok && !yield(p) {
				return
			}
		}
	}
}

// unsure: whether a file can be read may change without its folder telling.
func (s *Snapshot) unsure(rel string) {
	dir := rel[:strings.LastIndexByte(rel, '/')+1]
	if i, ok := slices.BinarySearchFunc(s.folders, dir, func(f folder, p string) int { return strings.Compare(f.path, p) }); ok {
		s.folders[i].stat = stat{}
	}
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
func (s *Snapshot) leftOut(ctx context.Context, missing map[string]bool) (map[string]bool, error) {
	var inHead []string
	for p := range missing {
		if e, ok := s.Entries.Get(p); ok && !e.Head.IsZero() {
			inHead = append(inHead, p)
		}
	}
	if len(inHead) == 0 {
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
	for _, p := range inHead {
		out[p] = !differs[s.ws.Prefix+p]
	}
	return out, nil
}
