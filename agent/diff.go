package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// DiffOptions says what to compare. The zero value compares HEAD with the work
// tree: the unsaved edits of managed files.
type DiffOptions struct {
	Since string   // a Claw-Id, revision or date (see When); HEAD when empty
	To    string   // a Claw-Id or revision; the work tree when empty
	L1    bool     // rule files only; Since defaults to the last checkpoint, else the adoption
	Paths []string // relative to the root, files or folders
	Kind  string   // of the session that will read it (SPEC RC-05)
}

// DiffResult is a comparison. Files are computed while they are read.
type DiffResult struct {
	Base  gitops.ID // the old state; zero: before the first commit
	Since string    // why it is that: `HEAD`, `checkpoint`, `adoption`, or what was said
	Files iter.Seq2[FileDiff, error]
	// Withheld counts files that may not be shown to this kind of session.
	Withheld int
}

// Diff compares two states of the managed files, by entry.
func Diff(ctx context.Context, ws *memory.Workspace, opt DiffOptions) (*DiffResult, error) {
	d := &differ{ws: ws, opt: opt, private: newPrivacy(ws, opt.Kind), pairs: map[string]*filePair{}}
	if err := d.checkPaths(ctx); err != nil {
		return nil, err
	}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	if err := d.findBase(ctx, head.Commit); err != nil {
		return nil, err
	}
	if opt.To != "" {
		to, err := FindEvent(ctx, ws, opt.To)
		if err != nil {
			return nil, err
		}
		if err := d.trees(ctx, d.res.Base, to.Commit.ID); err != nil {
			return nil, err
		}
	} else {
		if err := d.trees(ctx, d.res.Base, head.Commit); err != nil {
			return nil, err
		}
		if err := d.workTree(ctx); err != nil {
			return nil, err
		}
	}
	if err := d.checkFound(ctx); err != nil {
		return nil, err
	}
	sorted := slices.SortedFunc(maps.Values(d.pairs), func(a, b *filePair) int { return cmp.Compare(a.path, b.path) })
	if sorted, err = findRenames(ctx, ws, sorted); err != nil {
		return nil, err
	}
	d.res.Files = diffs(ctx, ws, sorted)
	return &d.res, nil
}

// diffs reads and compares pairs one after the other, so that a large comparison
// never is in memory as a whole.
func diffs(ctx context.Context, ws *memory.Workspace, pairs []*filePair) iter.Seq2[FileDiff, error] {
	return func(yield func(FileDiff, error) bool) {
		for _, p := range pairs {
			cur := *p
			if err := cur.read(ctx, ws); err != nil {
				yield(FileDiff{}, err)
				return
			}
			if f, differs := cur.diff(); differs && !yield(f, nil) {
				return
			}
		}
	}
}

// differ gathers what differs.
type differ struct {
	ws      *memory.Workspace
	opt     DiffOptions
	private privacy
	pairs   map[string]*filePair // by path relative to the root
	hidden  map[string]bool
	res     DiffResult
}

// checkPaths refuses named paths that cannot be compared or may not be shown.
func (d *differ) checkPaths(ctx context.Context) error {
	for i, rel := range d.opt.Paths {
		if rel == "" || rel == "." {
			d.opt.Paths = nil
			return nil
		}
		rel = strings.TrimSuffix(rel, "/")
		d.opt.Paths = slices.Clone(d.opt.Paths)
		d.opt.Paths[i] = rel
		if err := checkInside(rel); err != nil {
			return err
		}
		if d.private.hides(rel) {
			return d.private.refuse(rel)
		}
		if len(d.ws.ManagedBelow(rel)) > 0 {
			continue
		}
		if why := d.ws.WhyUnmanaged(rel); why != "" {
			return notManaged(ctx, d.ws, rel, why, "diff --since")
		}
	}
	return nil
}

// wanted reports whether a path takes part, and counts what is hidden.
func (d *differ) wanted(top string) (rel string, ok bool) {
	rel, ok = strings.CutPrefix(top, d.ws.Prefix)
	if !ok || !d.ws.Managed(rel) || d.ws.NeverRestore(rel) {
		return rel, false
	}
	if d.opt.L1 {
		if k := d.ws.Kind(rel); k != memory.KindL1 && k != memory.KindBootstrap {
			return rel, false
		}
	}
	if len(d.opt.Paths) > 0 && !slices.ContainsFunc(d.opt.Paths, func(p string) bool {
		return rel == p || strings.HasPrefix(rel, p+"/")
	}) {
		return rel, false
	}
	if d.private.hides(rel) {
		if d.hidden == nil {
			d.hidden = map[string]bool{}
		}
		d.hidden[rel] = true
		d.res.Withheld = len(d.hidden)
		return rel, false
	}
	return rel, true
}

// trees adds what differs between two commits.
func (d *differ) trees(ctx context.Context, a, b gitops.ID) error {
	changes, err := d.ws.Repo.DiffTrees(ctx, a, b)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if rel, ok := d.wanted(c.Path); ok {
			d.pairs[rel] = pairOf(rel, c)
		}
	}
	return nil
}

func pairOf(rel string, c gitops.TreeChange) *filePair {
	return &filePair{path: rel, old: source{mode: c.Old.Mode, id: c.Old.ID}, new: source{mode: c.New.Mode, id: c.New.ID}}
}

// workTree puts the work tree in the place of HEAD for what is unsaved.
func (d *differ) workTree(ctx context.Context) error {
	st, err := d.ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: d.ws.ManagedPaths(), Untracked: true})
	if err != nil {
		return err
	}
	base, err := d.ws.Repo.Objects().TreeOf(ctx, d.res.Base)
	if err != nil {
		return err
	}
	for _, e := range st.Entries {
		rel, ok := d.wanted(e.Path)
		if !ok || e.Submodule {
			continue
		}
		p := d.pairs[rel]
		if p == nil { // the same in base and HEAD
			p = &filePair{path: rel}
			old, _, err := d.ws.Repo.Objects().Lookup(ctx, base, e.Path)
			if err != nil {
				return err
			}
			p.old = source{mode: old.Mode, id: old.ID}
			d.pairs[rel] = p
		}
		p.new = source{work: true, mode: gitops.ModeFile}
		if letter(e) == 'D' {
			p.new = source{}
		} else if e.WorkMode.IsFile() {
			p.new.mode = e.WorkMode
		}
	}
	return nil
}

// checkFound tells a named path that does not exist from one without changes.
func (d *differ) checkFound(ctx context.Context) error {
	for _, rel := range d.opt.Paths {
		if exists, err := d.ws.Exists(rel); err != nil || exists {
			if err != nil {
				return err
			}
			continue
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(d.pairs)), func(p string) bool { return p == rel || strings.HasPrefix(p, rel+"/") }) {
			continue
		}
		tracked, err := d.ws.Repo.ListFiles(ctx, d.ws.Prefix+rel)
		if err != nil {
			return err
		}
		if len(tracked) == 0 {
			return noFile(ctx, d.ws, rel, "diff --since")
		}
	}
	return nil
}

// findBase decides what to compare with.
func (d *differ) findBase(ctx context.Context, head gitops.ID) error {
	switch {
	case d.opt.Since != "":
		return d.since(ctx, head)
	case d.opt.L1:
		return d.sinceCheckpoint(ctx, head)
	}
	d.res.Base, d.res.Since = head, "HEAD"
	return nil
}

// since takes a revision or an id, and where there is none of that name a date:
// the state of this branch at that moment.
func (d *differ) since(ctx context.Context, head gitops.ID) error {
	d.res.Since = d.opt.Since
	e, err := FindEvent(ctx, d.ws, d.opt.Since)
	if err == nil {
		d.res.Base = e.Commit.ID
		return nil
	}
	var none *gitops.RevError
	if !errors.As(err, &none) {
		return err
	}
	at, werr := When(d.ws.Now(), d.opt.Since)
	if werr != nil {
		return &UsageError{
			Problem: fmt.Sprintf("'%s' is neither a commit nor a date", d.opt.Since),
			Hint:    "write a revision, a Claw-Id, 2026-05-02 or '3 days ago'",
		}
	}
	d.res.Base, err = d.stateAt(ctx, head, at)
	return err
}

func (d *differ) stateAt(ctx context.Context, head gitops.ID, at time.Time) (gitops.ID, error) {
	if head.IsZero() {
		return head, nil
	}
	// git's --until includes the second itself; the day that was named is to be
	// part of what is shown.
	log := gitops.LogOptions{Until: gitDate(at.Add(-time.Second)), Max: 1, FirstParent: true}
	for c, err := range d.ws.Repo.Log(ctx, log) {
		return c.ID, err
	}
	return gitops.ID{}, nil
}

// sinceCheckpoint is the default of --l1 (SPEC TL-24).
func (d *differ) sinceCheckpoint(ctx context.Context, head gitops.ID) error {
	for _, look := range []struct {
		name string
		opt  HistoryOptions
	}{
		{"checkpoint", HistoryOptions{Events: []string{eventCheckpoint}, Max: 1}},
		{"adoption", HistoryOptions{Events: []string{"workspace"}, Paths: []string{".claw"}, Max: 1}},
	} {
		for e, err := range History(ctx, d.ws, look.opt) {
			if err != nil {
				return err
			}
			d.res.Base, d.res.Since = e.Commit.ID, look.name
			return nil
		}
	}
	d.res.Base, d.res.Since = head, "HEAD"
	return nil
}

// eventCheckpoint is the event of a deliberate end-of-session routing.
const eventCheckpoint = "checkpoint"
