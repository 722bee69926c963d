package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/memory/doc"
)

// noteFile is a file as a note finds it.
type noteFile struct {
	rel    string
	exists bool
	mode   gitops.Mode // in the work tree
	text   []byte      // in the work tree
	// old is what a commit builds on: the text in HEAD, nil when it is not there.
	// For a file without unsaved edits it is the work tree's form of it.
	old             []byte
	headID, indexID gitops.ID
	dirty           bool   // it has edits that can be saved
	ignored         string // why git ignores it, "" when it does not
}

// maxSaves bounds how often edits are saved before a note: an editor that writes
// all the time must not keep it waiting for ever.
const maxSaves = 5

// ready returns the named files with nothing unsaved in them but lines that are
// held back from git: other edits are committed first.
func (n *noter) ready(ctx context.Context, rels []string) ([]*noteFile, error) {
	for range maxSaves {
		files, dirty, err := n.look(ctx, rels)
		if err != nil || len(dirty) == 0 || n.opt.DryRun {
			return files, err
		}
		saved, err := SaveDirty(ctx, n.ws, n.caller, dirty)
		if saved != nil {
			n.res.Commits = append(n.res.Commits, saved.Commits...)
		}
		if err != nil {
			return nil, err
		}
		if len(saved.Commits) == 0 && len(saved.Skipped) > 0 && !strings.HasPrefix(saved.Skipped[0].Reason, "partly staged") {
			s := saved.Skipped[0]
			return nil, &RefusedError{Problem: fmt.Sprintf("cannot write to '%s': %s", s.Path, s.Reason)}
		}
	}
	return nil, &gitops.WorkTreeChangedError{Path: rels[0]}
}

// look reads the files and names those with unsaved edits.
func (n *noter) look(ctx context.Context, rels []string) (files []*noteFile, dirty []string, err error) {
	tops := make([]string, len(rels))
	for i, rel := range rels {
		if why := n.ws.WhyUnmanaged(rel); why != "" {
			return nil, nil, unmanaged(rel, why, n.ws.HowToManage(rel)...)
		}
		tops[i] = n.ws.Prefix + rel
	}
	repo := n.ws.Repo
	if n.status, err = repo.PathStatus(ctx, gitops.StatusOptions{Paths: tops, Untracked: true}); err != nil {
		return nil, nil, err
	}
	n.res.Detached = n.status.Head.Ref == ""
	if n.tree, err = repo.Objects().TreeOf(ctx, n.status.Head.Commit); err != nil {
		return nil, nil, fmt.Errorf("read HEAD: %w", err)
	}
	for i, rel := range rels {
		f := &noteFile{rel: rel}
		if f.text, f.mode, err = repo.ReadWork(tops[i], n.ws.MaxFileBytes()); errors.Is(err, gitops.ErrTooLarge) {
			return nil, nil, &RefusedError{Problem: fmt.Sprintf("'%s' is larger than claw.maxFileBytes", rel)}
		}
		if err != nil {
			return nil, nil, err
		}
		if f.mode == gitops.ModeSymlink {
			return nil, nil, &RefusedError{Problem: fmt.Sprintf("'%s' is a symbolic link", rel)}
		}
		f.exists = f.mode != gitops.ModeAbsent
		e := slices.IndexFunc(n.status.Entries, func(e gitops.StatusEntry) bool { return e.Path == tops[i] })
		if e < 0 {
			err = n.clean(ctx, f)
		} else {
			f.dirty, err = n.changed(ctx, f, n.status.Entries[e])
		}
		if err != nil {
			return nil, nil, err
		}
		if files = append(files, f); f.dirty {
			dirty = append(dirty, rel)
		}
	}
	return files, dirty, nil
}

// clean completes a file that git has nothing to say about: it is as in HEAD, or
// it is absent, or ignored.
func (n *noter) clean(ctx context.Context, f *noteFile) error {
	e, ok, err := n.ws.Repo.Objects().Lookup(ctx, n.tree, n.ws.Prefix+f.rel)
	if err != nil {
		return err
	}
	if ok {
		f.headID, f.indexID, f.old = e.ID, e.ID, f.text
		return n.checkClean(ctx, f)
	}
	rules, err := n.ws.Repo.CheckIgnore(ctx, []string{n.ws.Prefix + f.rel})
	if err != nil {
		return err
	}
	if r, ok := rules[n.ws.Prefix+f.rel]; ok {
		f.ignored = fmt.Sprintf("git ignores it by '%s' in '%s'", r.Pattern, r.Source)
	}
	return nil
}

// checkClean asks once more about a file that is not byte for byte as in HEAD:
// either git converts it, or it was edited after git looked.
func (n *noter) checkClean(ctx context.Context, f *noteFile) error {
	if f.exists && n.ws.Repo.BlobID(f.text) == f.headID {
		return nil
	}
	st, err := n.ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: []string{n.ws.Prefix + f.rel}})
	if err != nil {
		return err
	}
	f.dirty = len(st.Entries) > 0
	return nil
}

// changed completes a file that differs from HEAD and reports whether it has
// edits that can be saved.
func (n *noter) changed(ctx context.Context, f *noteFile, e gitops.StatusEntry) (bool, error) {
	switch {
	case e.Unmerged():
		return false, &gitops.ProgressError{What: "merge", Paths: []string{e.Path}, How: []string{"run 'git status' and resolve the conflict"}}
	case e.Partial():
		return false, &RefusedError{Problem: fmt.Sprintf("'%s' is partly staged", f.rel), Advice: []string{
			fmt.Sprintf("commit it with git, or unstage it with 'git restore --staged %s'", f.rel),
		}}
	}
	f.headID, f.indexID = e.HeadID, e.IndexID
	if !e.HeadID.IsZero() {
		var err error
		if f.old, err = n.ws.Repo.Objects().Blob(ctx, e.HeadID); err != nil {
			return false, fmt.Errorf("read '%s' in HEAD: %w", f.rel, err)
		}
		if f.old == nil {
			f.old = []byte{}
		}
	}
	switch {
	case !f.exists:
		return !e.HeadID.IsZero() || !e.IndexID.IsZero(), nil
	case e.HeadMode.IsFile() && f.mode != e.HeadMode && n.ws.FileModes():
		return true, nil
	}
	kept := n.withoutSecrets(f.old, f.text)
	if f.old == nil {
		// A heading over nothing but held back lines is what an earlier note left.
		heading := len(kept) < len(f.text) && bytes.HasPrefix(kept, []byte("# ")) && len(doc.Parse(kept).Entries) == 1
		return len(bytes.TrimSpace(kept)) > 0 && !heading, nil
	}
	return !bytes.Equal(lf(kept), lf(f.old)), nil
}

// lf makes texts comparable whose line ends git converts.
func lf(b []byte) []byte {
	if bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
}

// withoutSecrets returns text without the flagged lines that it adds to old.
func (n *noter) withoutSecrets(old, text []byte) []byte {
	kept, _ := hooks.WithoutSecrets(n.scan, old, text)
	return kept
}

// write commits a plan and puts its files into the work tree.
func (n *noter) write(ctx context.Context, p notePlan) error {
	if err := n.lastCopies(p.edits, p.unasked); err != nil {
		return err
	}
	id, err := NewID(n.ws.Repo.Git.Env())
	if err != nil {
		return err
	}
	tx := gitops.Tx{Seen: n.status.Seen, Head: n.status.Head.Commit}
	saved := Saved{ID: id, Event: p.event, Actor: n.caller.Actor, Session: n.caller.Session}
	var apart []noteEdit // what goes into the work tree only
	for _, ed := range p.edits {
		ch, commit, err := n.change(ed)
		if err != nil {
			return err
		}
		if !commit {
			apart = append(apart, ed)
			continue
		}
		tx.Changes = append(tx.Changes, ch)
		saved.Paths = append(saved.Paths, ed.file.rel)
	}
	tx.Message = n.message(p, id)
	saved.Subject, _, _ = cutLine(tx.Message)
	if n.opt.DryRun {
		if len(tx.Changes) > 0 {
			n.res.Commits = append(n.res.Commits, saved)
		}
		return nil
	}
	if len(tx.Changes) > 0 {
		if err := n.commit(ctx, tx, &saved, p); err != nil {
			return err
		}
		n.res.Commits = append(n.res.Commits, saved)
	}
	for _, ed := range apart {
		if err := n.placeApart(ed); err != nil {
			return err
		}
	}
	return nil
}

// change turns an edit into a change. It returns false when nothing of it may be
// committed.
func (n *noter) change(ed noteEdit) (gitops.Change, bool, error) {
	f := ed.file
	ch := gitops.Change{
		Path: n.ws.Prefix + f.rel, Content: ed.next, Delete: ed.remove, HeadID: f.headID, IndexID: f.indexID,
		Place: f.place(ed),
	}
	if f.ignored != "" {
		n.skip(f.rel, 0, f.ignored, false)
		return ch, false, nil
	}
	if ed.remove {
		// Of a new file a dry run did not save what it would have.
		return ch, !f.headID.IsZero() || n.opt.DryRun && f.dirty, nil
	}
	if limit := n.ws.MaxFileBytes(); limit > 0 && int64(len(ed.next)) > limit {
		return ch, false, &RefusedError{Problem: fmt.Sprintf("'%s' would be larger than claw.maxFileBytes", f.rel)}
	}
	// A long file is looked through once, unless something is found.
	if len(n.scan.Scan(ed.next)) > 0 {
		for _, s := range hooks.AddedSecrets(n.scan, f.text, ed.next) {
			n.skip(f.rel, s.Line, "secret: "+s.Kind, true)
		}
		ch.Content = n.withoutSecrets(f.old, ed.next)
	}
	if f.old == nil {
		return ch, !bytes.Equal(bytes.TrimSpace(ch.Content), bytes.TrimSpace(ed.bare)), nil
	}
	return ch, !bytes.Equal(lf(ch.Content), lf(f.old)), nil
}

func (n *noter) skip(rel string, line int, reason string, held bool) {
	n.res.Skipped = append(n.res.Skipped, Skipped{Path: rel, Line: line, Reason: reason, Held: held})
}

func (f *noteFile) place(ed noteEdit) *gitops.Place {
	return &gitops.Place{Base: f.text, Existed: f.exists, Content: ed.next, Delete: ed.remove}
}

// message names what was noted, unless that is a secret.
func (n *noter) message(p notePlan, id string) string {
	tr := Trailers(n.ws, n.caller, p.event, id)
	for _, t := range p.trailers {
		if len(n.scan.Scan([]byte(t.Value))) == 0 {
			tr = append(tr, t)
		}
	}
	summary := p.summary
	// A line beside the flagged one may be a part of it: of a key, of its name.
	if n.res.Held() || len(n.scan.Scan([]byte(summary))) > 0 {
		summary = "add a note"
	}
	return gitops.FormatMessage(fmt.Sprintf("claw(%s): %s", p.area, summary), "", tr)
}

// commit makes the commit. What the user said is not lost when it cannot be
// made because a hook of theirs refuses it: it goes into the work tree.
func (n *noter) commit(ctx context.Context, tx gitops.Tx, saved *Saved, p notePlan) error {
	w, err := Writer(ctx, n.ws)
	if err != nil {
		return err
	}
	r, err := w.Commit(ctx, tx)
	NoteHook(n.ws, err)
	saved.Commit = r.Commit
	var hook *gitops.HookError
	var changed *gitops.WorkTreeChangedError
	switch {
	case errors.As(err, &hook) && n.opt.Merge == "" && !n.whole:
		for _, ed := range p.edits {
			if perr := n.placeApart(ed); perr != nil {
				return errors.Join(err, perr)
			}
		}
		return err
	case errors.As(err, &changed) && !r.Commit.IsZero():
		for _, ed := range p.edits {
			if n.ws.Prefix+ed.file.rel == changed.Path {
				return n.carryOver(ed)
			}
		}
	}
	return err
}

func (n *noter) placeApart(ed noteEdit) error {
	return n.ws.Repo.PlaceWork(n.ws.Prefix+ed.file.rel, *ed.file.place(ed))
}

// carryOver takes a committed note over into a file that was edited in the
// moment between commit and placing; else the next save would take it back.
func (n *noter) carryOver(ed noteEdit) error {
	top := n.ws.Prefix + ed.file.rel
	for range maxRaces {
		now, mode, err := n.ws.Repo.ReadWork(top, 0)
		if err != nil || ed.remove || !mode.IsFile() {
			return err
		}
		merged, _ := doc.Apply3(ed.file.text, now, ed.next)
		err = n.ws.Repo.PlaceWork(top, gitops.Place{Base: now, Existed: true, Content: merged})
		var changed *gitops.WorkTreeChangedError
		if !errors.As(err, &changed) {
			return err
		}
	}
	return &gitops.WorkTreeChangedError{Path: top}
}
