package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Bring moves HEAD from one commit to another that is made already, and index and work
// tree with it. Edits that are not saved and lines that are held back from git are carried
// over; files that are the same in both commits are not touched. source is where they come
// from, as a person calls it: see Came. Errors:
// *gitops.MovedError and *gitops.WorkTreeChangedError (look again), *ConflictError,
// *RefusedError; nothing moved then.
func Bring(ctx context.Context, ws *memory.Workspace, from, to gitops.ID, source, reflog string) (came Brought, err error) {
	b := &bringer{ws: ws, from: from, to: to}
	changes, err := b.plan(ctx, nil)
	if err != nil {
		return came, err
	}
	a := gitops.Advance{From: from, To: to, Reflog: reflog, Seen: b.st.Seen, Changes: changes}
	w, err := Writer(ctx, ws)
	if err != nil {
		return came, err
	}
	if len(changes) > 0 && !from.IsZero() {
		recordArrival(ctx, ws, source, from, to)
	}
	all := Brought{Files: len(a.Changes), Contradictions: b.marks}
	res, err := w.Advance(ctx, a)
	var changed *gitops.WorkTreeChangedError
	if !res.Commit.IsZero() && errors.As(err, &changed) {
		err = b.again(ctx, a.Changes)
	}
	if res.Commit.IsZero() {
		return came, err
	}
	return all, err
}

// Foresee says what Bring would do, and fails where it would; nothing moves. saved are files,
// from the top level, that stand in the work tree as in the first commit.
func Foresee(ctx context.Context, ws *memory.Workspace, from, to gitops.ID, saved map[string]bool) (Brought, error) {
	b := &bringer{ws: ws, from: from, to: to}
	changes, err := b.plan(ctx, saved)
	return Brought{Files: len(changes), Contradictions: b.marks}, err
}

// plan works out what each file gets.
func (b *bringer) plan(ctx context.Context, saved map[string]bool) (changes []gitops.AdvanceChange, err error) {
	if err := b.look(ctx); err != nil {
		return nil, err
	}
	for path := range saved {
		delete(b.dirty, path)
	}
	for _, c := range b.diff {
		ch, err := b.change(ctx, c)
		if err != nil {
			return nil, err
		}
		changes = append(changes, ch)
	}
	return changes, nil
}

// Brought is what changed here.
type Brought struct {
	Files          int
	Contradictions int // that were not here before, in files that merge by entry
}

type bringer struct {
	ws        *memory.Workspace
	from, to  gitops.ID
	diff      []gitops.TreeChange
	st        *gitops.Status
	dirty     map[string]gitops.StatusEntry
	converted map[string]bool
	marks     int
}

// look reads what changes and how it stands in index and work tree.
func (b *bringer) look(ctx context.Context) (err error) {
	if b.diff, err = b.ws.Repo.DiffTrees(ctx, b.from, b.to); err != nil {
		return fmt.Errorf("read what came: %w", err)
	}
	paths := make([]string, 0, len(b.diff))
	for _, c := range b.diff {
		rel, inside := strings.CutPrefix(c.Path, b.ws.Prefix)
		if c.New.IsZero() && inside && slices.Contains(b.ws.Host.Expected, rel) {
			return &RefusedError{Problem: fmt.Sprintf("what came would remove '%s', which the host needs", rel), Advice: []string{"git log --diff-filter=D -- " + shellQuote(c.Path)}}
		}
		var no *gitops.EscapeError
		if !c.New.IsZero() && errors.As(gitops.CheckPath(c.Path), &no) {
			return &RefusedError{
				Problem: fmt.Sprintf("what came has a file '%s', which no work tree may have: %s", c.Path, no.Reason),
				Advice:  []string{"nothing was taken; to see who put it there: git log --stat HEAD.." + b.to.Short()},
			}
		}
		paths = append(paths, c.Path)
	}
	if b.st, err = b.ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: paths, Untracked: true}); err != nil {
		return err
	}
	b.dirty = map[string]gitops.StatusEntry{}
	for _, e := range b.st.Entries {
		b.dirty[e.Path] = e
		if e.Unmerged() || e.Partial() {
			return &RefusedError{Problem: fmt.Sprintf("'%s' is partly staged, and changed by what came", e.Path), Advice: []string{
				"commit it with git, or unstage it, its text stays: git restore --staged -- " + shellQuote(":/"+e.Path),
			}}
		}
	}
	list, err := b.ws.Repo.Converted(ctx, paths)
	b.converted = map[string]bool{}
	for _, p := range list {
		b.converted[p] = true
	}
	return err
}

func (b *bringer) change(ctx context.Context, c gitops.TreeChange) (ch gitops.AdvanceChange, err error) {
	ch = gitops.AdvanceChange{Path: c.Path, Old: c.Old, New: c.New, IndexID: c.Old.ID}
	if e, ok := b.dirty[c.Path]; ok {
		ch.IndexID = e.IndexID
	}
	if c.Old.Mode == gitops.ModeGitlink || c.New.Mode == gitops.ModeGitlink {
		return ch, nil // a repository of its own
	}
	ch.Place, err = b.place(ctx, c)
	var unsaved *UnsavedError
	if errors.As(err, &unsaved) {
		return ch, &ConflictError{Problem: "cannot take what came: " + err.Error(), Advice: b.aside(c, unsaved)}
	}
	return ch, err
}

// place says what the work tree gets.
func (b *bringer) place(ctx context.Context, c gitops.TreeChange) (*gitops.Place, error) {
	now, err := b.blob(ctx, c.Old)
	var want []byte
	if err == nil {
		want, err = b.blob(ctx, c.New)
	}
	switch {
	case errors.Is(err, gitops.ErrTooLarge) && b.converted[c.Path]:
		return b.placeConverted(ctx, c)
	case errors.Is(err, gitops.ErrTooLarge):
		return b.placeLarge(ctx, c)
	case err != nil:
		return nil, err
	}
	if MergesByEntry(b.ws, c.Path) {
		b.marks += newMarks(want, now)
	}
	if b.converted[c.Path] {
		return b.placeConverted(ctx, c)
	}
	if c.Old.IsZero() {
		// Somebody has the very file already.
		work, mode, err := b.ws.Repo.ReadWork(c.Path, 0)
		if err != nil {
			return nil, err
		}
		if mode.IsFile() && c.New.Mode.IsFile() && bytes.Equal(work, want) {
			return &gitops.Place{Base: work, Existed: true, Content: want}, nil
		}
	}
	return carryHeld(b, c.Path, c.Old, now, want)
}

// placeConverted is for a file that git changes by a filter when it checks it out. Edits
// are not carried over.
func (b *bringer) placeConverted(ctx context.Context, c gitops.TreeChange) (*gitops.Place, error) {
	work, mode, err := b.ws.Repo.ReadWork(c.Path, 0)
	if err != nil {
		return nil, err
	}
	if _, edited := b.dirty[c.Path]; edited || mode != gitops.ModeAbsent && c.Old.IsZero() {
		return nil, &UnsavedError{Path: strings.TrimPrefix(c.Path, b.ws.Prefix)}
	}
	pl := &gitops.Place{Base: work, Existed: mode != gitops.ModeAbsent, Delete: c.New.IsZero()}
	if !pl.Delete {
		pl.Content, err = b.ws.Repo.Checkout(ctx, b.to, c.Path)
	}
	return pl, err
}

// placeLarge is for files that are too large to be memory (claw.maxFileBytes): they are
// compared and written a piece at a time, and edits are not carried over.
func (b *bringer) placeLarge(ctx context.Context, c gitops.TreeChange) (*gitops.Place, error) {
	work, err := b.ws.Repo.SumWork(c.Path)
	if err != nil {
		return nil, err
	}
	pl := &gitops.Place{BaseSum: work.Sum, Existed: work.Mode != gitops.ModeAbsent, Delete: c.New.IsZero()}
	switch {
	case !pl.Existed && !c.Old.IsZero():
		return nil, nil // somebody removed it
	case pl.Existed && work.ID != c.Old.ID && (work.ID != c.New.ID || !c.Old.IsZero()),
		pl.Existed && !c.Old.IsZero() && work.Mode.IsFile() != c.Old.Mode.IsFile():
		return nil, &UnsavedError{Path: strings.TrimPrefix(c.Path, b.ws.Prefix)}
	case pl.Delete:
	case c.New.Mode.IsFile():
		pl.Blob = c.New.ID
	default:
		pl.Content, err = b.ws.Repo.Objects().Blob(ctx, c.New.ID)
	}
	return pl, err
}

func (b *bringer) blob(ctx context.Context, e gitops.TreeEntry) ([]byte, error) {
	if e.IsZero() || e.Mode == gitops.ModeGitlink {
		return nil, nil
	}
	t, err := b.ws.Repo.Objects().BlobWithin(ctx, e.ID, b.ws.MaxFileBytes())
	if err == nil && t == nil {
		t = []byte{}
	}
	return t, err
}

// again carries what came over to files that were edited in the moment in which the others
// were written: left as they are, the next save would take back what came.
func (b *bringer) again(ctx context.Context, changes []gitops.AdvanceChange) error {
	var first error
	for _, ch := range changes {
		if ch.Place == nil || b.converted[ch.Path] {
			continue
		}
		for range 20 {
			if is, err := b.isPlaced(ch); err != nil || is {
				break
			}
			err := b.carry(ctx, ch)
			var changed *gitops.WorkTreeChangedError
			if errors.As(err, &changed) {
				continue
			}
			if err != nil && first == nil {
				first = err
			}
			break
		}
	}
	return first
}

// isPlaced reports whether a file is as it should be, or somebody removed it.
func (b *bringer) isPlaced(ch gitops.AdvanceChange) (bool, error) {
	if !ch.Place.Blob.IsZero() {
		work, err := b.ws.Repo.SumWork(ch.Path)
		return work.Mode == gitops.ModeAbsent || work.ID == ch.Place.Blob, err
	}
	work, mode, err := b.ws.Repo.ReadWork(ch.Path, 0)
	return mode == gitops.ModeAbsent || !ch.Place.Delete && bytes.Equal(work, ch.Place.Content), err
}

func (b *bringer) carry(ctx context.Context, ch gitops.AdvanceChange) error {
	pl, err := b.place(ctx, gitops.TreeChange{Path: ch.Path, Old: ch.Old, New: ch.New})
	var unsaved *UnsavedError
	if errors.As(err, &unsaved) {
		return &ConflictError{
			Problem: fmt.Sprintf("'%s' was edited while what came was written, and does not have it", ch.Path),
			Advice:  []string{"git diff HEAD -- " + shellQuote(ch.Path)},
		}
	}
	if err != nil || pl == nil {
		return err
	}
	return b.ws.Repo.PlaceWork(ch.Path, *pl)
}
