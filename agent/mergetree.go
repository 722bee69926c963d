package agent

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/contradiction"
	"github.com/git-claw/git-claw/memory/merge"
	"github.com/git-claw/git-claw/memory/prefs"
)

// MergedTree is what a merge by entry made of two commits.
type MergedTree struct {
	Tree gitops.ID
	// Contradictions counts the places of which the merge kept two versions.
	Contradictions int
	// Overruled are values of which the merge took one side's.
	Overruled []Overruled
	// Mended are files, from the top level, in which somebody had committed conflict
	// markers.
	Mended []string
}

// MergeCommits merges two commits by entry. bases are their best common ancestors.
// Nothing in the result depends on which of them is ours. other names theirs.
func MergeCommits(ctx context.Context, ws *memory.Workspace, bases []gitops.ID, ours, theirs gitops.ID, other string) (*MergedTree, error) {
	w, err := Writer(ctx, ws)
	if err != nil {
		return nil, err
	}
	m := &commitMerger{ws: ws, w: w, bases: bases, ours: ours, theirs: theirs, limit: int(ws.Settings.Int("maxFileBytes")), follow: true}
	res, err := m.run(ctx, other)
	if errors.Is(err, errNotFollowed) {
		m.follow = false
		res, err = m.run(ctx, other)
	}
	return res, err
}

// errNotFollowed: an edit has no place where its entry went after all.
var errNotFollowed = errors.New("no other file holds the entry")

// commitMerger is one merge of two commits.
type commitMerger struct {
	ws           *memory.Workspace
	w            gitops.Writer
	bases        []gitops.ID
	ours, theirs gitops.ID
	limit        int
	follow       bool // edits of entries to where these are now

	places  []place
	looked  bool                    // for places
	moved   map[string][]movedEdits // by the file that the entries are gone from
	res     *MergedTree
	changes []gitops.Change // to the tree that came out
	from    map[string]bool // files whose contradictions were counted

	overruled map[string][]merge.Overruled // by file
}

func (m *commitMerger) run(ctx context.Context, other string) (*MergedTree, error) {
	m.res, m.moved, m.changes, m.from = &MergedTree{}, map[string][]movedEdits{}, nil, map[string]bool{}
	m.overruled = map[string][]merge.Overruled{}
	tm, err := m.w.MergeTrees(ctx, m.bases, m.ours, m.theirs, m.content)
	if err != nil {
		return nil, err
	}
	for file, list := range decodeOverruled(tm.Told) {
		if _, ok := m.overruled[file]; !ok {
			m.overruled[file] = list
		}
	}
	if err := m.unmerged(ctx, tm, other); err != nil {
		return nil, err
	}
	m.res.Tree = tm.Tree
	if err := m.settle(ctx); err != nil {
		return nil, err
	}
	if err := m.followMoved(ctx); err != nil {
		return nil, err
	}
	if err := m.bury(ctx); err != nil {
		return nil, err
	}
	m.res.Overruled = sortOverruled(m.overruled)
	return m.res, m.index(ctx)
}

// unmerged decides about what git could not merge; a *MergeConflictError names what is left.
func (m *commitMerger) unmerged(ctx context.Context, tm *gitops.TreeMerge, other string) error {
	left := &MergeConflictError{Other: other, Sub: m.ws.Prefix != ""}
	for _, f := range tm.Conflicts {
		ok := false
		for _, try := range []func() (bool, error){
			func() (bool, error) { return m.atLast(ctx, f) },
			func() (bool, error) { return m.wholeJSON(ctx, f) },
			func() (bool, error) { return m.deleted(ctx, tm.Tree, f) },
		} {
			var err error
			if ok, err = try(); err != nil {
				return err
			}
			if ok {
				break
			}
		}
		if !ok {
			u, err := m.why(ctx, f)
			if err != nil {
				return err
			}
			left.Files = append(left.Files, u)
		}
	}
	if len(left.Files) > 0 {
		return left
	}
	return nil
}

// settle applies what was decided about files that one side deleted.
func (m *commitMerger) settle(ctx context.Context) (err error) {
	if len(m.changes) > 0 {
		m.res.Tree, err = m.w.ChangeTree(ctx, m.res.Tree, m.changes)
		m.changes = nil
	}
	return err
}

func (m *commitMerger) kind(path string) merge.Kind { return driverKind(m.ws.Repo.TopLevel, path) }

// content merges a file that both sides changed.
func (m *commitMerger) content(ctx context.Context, f gitops.FileMerge) ([]byte, error) {
	kind := m.kind(f.Path)
	if kind == merge.Text {
		return nil, gitops.ErrMergeText
	}
	limit := m.limit
	if kind == merge.Lines || kind == merge.JSONLines || kind == merge.Records {
		limit *= largest
	}
	return m.versions(ctx, f, kind, limit)
}

// largest is how many times the limit of a file's size may be exceeded where a merge is the only way:
// logs, which grow and are merged fast, and what git could not merge as text.
const largest = 16

// versions merges the versions of a file by a rule, up to a size.
func (m *commitMerger) versions(ctx context.Context, f gitops.FileMerge, kind merge.Kind, limit int) ([]byte, error) {
	var texts [3][]byte
	for i, e := range []gitops.TreeEntry{f.Base, f.Ours, f.Theirs} {
		var err error
		if texts[i], err = m.within(ctx, e, int64(limit)); errors.Is(err, gitops.ErrTooLarge) {
			return nil, gitops.ErrMergeLines
		}
		if err != nil {
			return nil, err
		}
	}
	return m.three(ctx, f.Path, kind, texts)
}

func (m *commitMerger) blob(ctx context.Context, e gitops.TreeEntry) ([]byte, error) {
	return m.within(ctx, e, 0)
}

// within reads a blob of at most limit bytes; of a larger one it holds nothing.
func (m *commitMerger) within(ctx context.Context, e gitops.TreeEntry, limit int64) ([]byte, error) {
	if e.IsZero() {
		return nil, nil
	}
	b, err := m.ws.Repo.Objects().BlobWithin(ctx, e.ID, limit)
	if err != nil {
		return nil, fmt.Errorf("read what is merged: %w", err)
	}
	return b, nil
}

// three merges three versions: base, ours, theirs.
func (m *commitMerger) three(ctx context.Context, file string, kind merge.Kind, texts [3][]byte) (_ []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("merge '%s': %v", file, p)
		}
	}()
	texts, overruled, mended := mendAll(kind, texts)
	if mended {
		m.res.Mended = append(m.res.Mended, file)
	}
	in := merge.Input{Kind: kind, Base: texts[0], Ours: texts[1], Theirs: texts[2], Newer: m.newer(ctx, file)}
	places := map[string]movedEdits{} // by the entry
	var lookErr error
	if m.follow && hasEntries(kind) {
		in.Archived = func(entry []byte) bool {
			to, ok, err := m.movedTo(ctx, file, entry, texts)
			places[string(entry)], lookErr = to, errors.Join(lookErr, err)
			return ok && err == nil
		}
	}
	res, err := merge.Three(in)
	if errors.Is(err, merge.ErrText) {
		return nil, gitops.ErrMergeLines
	}
	if err := errors.Join(err, lookErr); err != nil {
		return nil, err
	}
	m.moved[file] = nil
	for _, e := range res.Moved {
		to := places[string(e.Old)]
		to.edits = []merge.Edit{e}
		m.moved[file] = append(m.moved[file], to)
	}
	m.overruled[file] = append(overruled, res.Overruled...)
	if !m.from[file] {
		m.from[file] = true
		m.res.Contradictions += newMarks(res.Content, texts[1], texts[2])
	}
	return res.Content, nil
}

// hasEntries reports whether files of a kind are Markdown, merged entry by entry.
func hasEntries(kind merge.Kind) bool {
	return kind == merge.Markdown || kind == merge.Daily || kind == merge.Lessons || kind == merge.Candidate
}

// newMarks counts the contradictions that neither side had.
func newMarks(text []byte, sides ...[]byte) int {
	known := map[string]bool{}
	for _, s := range sides {
		for _, c := range contradiction.Find(s) {
			known[c.ID] = true
		}
	}
	n := 0
	for _, c := range contradiction.Find(text) {
		if !known[c.ID] {
			n++
		}
	}
	return n
}

// newer tells which side committed the path last, for a value that cannot be united.
func (m *commitMerger) newer(ctx context.Context, file string) func() int {
	return func() int {
		when := func(rev gitops.ID) int64 {
			for c, err := range m.ws.Repo.Log(ctx, gitops.LogOptions{Revs: []string{rev.String()}, Paths: []string{file}, Max: 1}) {
				if err == nil {
					return c.Committer.When.Unix()
				}
			}
			return 0
		}
		ours, theirs := when(m.ours), when(m.theirs)
		switch {
		case ours == 0 || theirs == 0 || ours == theirs:
			return 0
		case ours > theirs:
			return -1
		}
		return 1
	}
}

// atLast merges by entry what does not merge as text: instructions of skills, see secondKind, and what is
// too large to be merged so at first.
func (m *commitMerger) atLast(ctx context.Context, f gitops.FileMerge) (ok bool, err error) {
	kind := entryKind(m.ws.Repo.TopLevel, f.Path)
	if kind == merge.Text || f.Ours.Mode != f.Theirs.Mode || !f.Ours.Mode.IsFile() {
		return false, nil
	}
	content, err := m.versions(ctx, f, kind, m.limit*largest)
	if errors.Is(err, gitops.ErrMergeText) {
		return false, nil
	}
	m.changes = append(m.changes, gitops.Change{Path: f.Path, Content: content, Mode: f.Ours.Mode})
	return err == nil, err
}

// deleted decides about a file that one side deleted and the other changed: its edits are
// kept as contradictions. ok is false where a person has to.
func (m *commitMerger) deleted(ctx context.Context, tree gitops.ID, f gitops.FileMerge) (ok bool, err error) {
	kept, side := f.Ours, 1
	if kept.IsZero() {
		kept, side = f.Theirs, 2
	}
	other := f.Theirs
	if side == 2 {
		other = f.Ours
	}
	kind := m.kind(f.Path)
	if f.Clash || !other.IsZero() || f.Base.IsZero() || !kept.Mode.IsFile() || !f.Base.Mode.IsFile() || kind == merge.Text {
		return false, nil
	}
	var texts [3][]byte
	if texts[0], err = m.blob(ctx, f.Base); err != nil {
		return false, err
	}
	if texts[side], err = m.blob(ctx, kept); err != nil {
		return false, err
	}
	if kind == merge.Candidate {
		return true, m.decidedCandidate(ctx, tree, f.Path, texts[0], texts[side])
	}
	if kind == merge.Derived {
		m.changes = append(m.changes, gitops.Change{Path: f.Path, Delete: true})
		return true, nil
	}
	content, err := []byte(nil), error(gitops.ErrMergeText)
	if m.limit <= 0 || len(texts[0]) <= m.limit && len(texts[side]) <= m.limit {
		content, err = m.three(ctx, f.Path, kind, texts)
	}
	if errors.Is(err, gitops.ErrMergeText) {
		content, err = texts[side], nil // nothing smaller than the file can be kept
	}
	if err != nil {
		return false, err
	}
	gone := len(strings.TrimSpace(string(content))) == 0
	m.changes = append(m.changes, gitops.Change{Path: f.Path, Content: content, Mode: kept.Mode, Delete: gone})
	return true, nil
}

// at reads a file of a tree; nil where it is not there.
func (m *commitMerger) at(ctx context.Context, tree gitops.ID, file string) ([]byte, error) {
	e, ok, err := m.ws.Repo.Objects().Lookup(ctx, tree, file)
	if err != nil || !ok || !e.Mode.IsFile() {
		return nil, err
	}
	return m.blob(ctx, e)
}

// change changes a file of the tree that came out.
func (m *commitMerger) change(ctx context.Context, file string, content []byte) (err error) {
	m.res.Tree, err = m.w.ChangeTree(ctx, m.res.Tree, []gitops.Change{{Path: file, Content: content}})
	return err
}

// storeOf returns the folder of learned preferences that a path lies in, with a slash at
// its end; "" for none.
func (m *commitMerger) storeOf(file string) string {
	store := ""
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if m.kind(dir+"/"+prefs.Pending+"cand-x.md") == merge.Candidate {
			store = dir + "/" // the folders in it look like one, too
		}
	}
	return store
}
