package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// UndoOptions says what to take back.
type UndoOptions struct {
	Target string // a Claw-Id or a revision
	DryRun bool
	// Propose takes what an agent may not do by itself: change a rule file or a skill.
	Propose Proposer
}

// UndoResult is what an undo did, or would do on a dry run.
type UndoResult struct {
	Saved
	Undoes  string // Claw-Id, or the commit where it has none
	Files   []FileDiff
	Skipped []Skipped
	// Merge: the target has several parents; all that it brought goes.
	Merge bool
	// Detached: the commit is on no branch; see SwitchCommand.
	Detached bool
	// Proposal is the id of the proposal that it became; nothing else happened then.
	Proposal string
}

// SwitchCommand is the command that puts a commit which is on no branch on one of
// its own; "" when it is on a branch.
func (r *UndoResult) SwitchCommand() string {
	if !r.Detached || r.Commit.IsZero() {
		return ""
	}
	return switchCommand(r.Commit)
}

// Undo takes one change back with a new commit; later changes are kept (SPEC
// GN-09). Changes that overlap with later ones are a *ConflictError, and then
// nothing is written.
func Undo(ctx context.Context, ws *memory.Workspace, caller Caller, opt UndoOptions) (*UndoResult, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	target, err := FindEvent(ctx, ws, opt.Target)
	if err != nil {
		return nil, err
	}
	caller = caller.Clean()
	var last error
	for range maxRaces {
		if by, err := undoneBy(ctx, ws, target.Commit); err != nil || by != "" {
			if err != nil {
				return nil, err
			}
			return nil, &RefusedError{
				Problem: fmt.Sprintf("'%s' was taken back already", opt.Target),
				Advice:  []string{"to bring it back: git claw undo " + by},
			}
		}
		u := &undoer{ws: ws, caller: caller, target: target.Commit, dry: opt.DryRun, propose: opt.Propose}
		res, err := u.run(ctx)
		if again, aerr := u.again(ctx, res, err); aerr != nil || !again {
			if aerr != nil {
				err = aerr
			}
			return res, err
		}
		last = err
	}
	return nil, last
}

// again reports whether an attempt failed because somebody else was at work: HEAD,
// index and files do not change in one moment, and a look in between sees
// conflicts that are none.
func (u *undoer) again(ctx context.Context, res *UndoResult, err error) (bool, error) {
	var moved *gitops.MovedError
	var changed *gitops.WorkTreeChangedError
	var conflict *ConflictError
	switch {
	case err == nil || res != nil:
		return false, nil
	case errors.As(err, &moved), errors.As(err, &changed):
		return true, nil
	case !errors.As(err, &conflict) && !errors.Is(err, gitops.ErrNothing):
		return false, nil
	}
	busy := len(u.ws.Repo.Locks()) > 0
	if busy {
		t := time.NewTimer(lockPause)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-t.C:
		}
	}
	st, serr := u.ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: []string{}})
	if serr != nil {
		return false, serr
	}
	return busy || st.Head != u.head || st.Seen != u.seen, nil
}

// lockPause is how long a conflict waits for somebody who is committing.
const lockPause = 20 * time.Millisecond

// undoer is one attempt.
type undoer struct {
	ws      *memory.Workspace
	caller  Caller
	target  gitops.Commit
	dry     bool
	propose Proposer

	head    gitops.Head
	seen    gitops.IndexStamp
	index   map[string]gitops.ID // what the index holds at paths that are dirty
	res     UndoResult
	changes []gitops.Change
}

func (u *undoer) run(ctx context.Context) (*UndoResult, error) {
	diff, err := u.changed(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.look(ctx, diff); err != nil {
		return nil, err
	}
	if err := u.refuseConverted(ctx, diff); err != nil {
		return nil, err
	}
	tree, err := u.ws.Repo.Objects().TreeOf(ctx, u.head.Commit)
	if err != nil {
		return nil, err
	}
	for _, d := range diff {
		if err := u.takeBack(ctx, tree, d); err != nil {
			return nil, err
		}
	}
	if len(u.changes) == 0 {
		return nil, gitops.ErrNothing
	}
	if err := u.guard(ctx, tree); err != nil {
		return nil, err
	}
	if err := u.keepsFolders(ctx, tree); err != nil {
		return nil, err
	}
	return u.commit(ctx)
}

// refuseConverted: what git stores of a file with a filter or an encoding of its
// own is not what the file holds, and only git can turn one into the other.
func (u *undoer) refuseConverted(ctx context.Context, diff []gitops.TreeChange) error {
	paths := make([]string, len(diff))
	for i, d := range diff {
		paths[i] = d.Path
	}
	converted, err := u.ws.Repo.Converted(ctx, paths)
	if err != nil || len(converted) == 0 {
		return err
	}
	return &RefusedError{
		Problem: fmt.Sprintf("cannot undo '%s': git converts '%s' by an attribute", u.name(), strings.TrimPrefix(converted[0], u.ws.Prefix)),
		Advice:  []string{"git revert " + u.target.ID.Short()},
	}
}

// changed lists the target's changes to this workspace's files.
func (u *undoer) changed(ctx context.Context) ([]gitops.TreeChange, error) {
	if len(u.target.Parents) == 0 {
		return nil, &RefusedError{
			Problem: fmt.Sprintf("cannot undo '%s': it is the first commit, the workspace would be empty", u.target.ID.Short()),
		}
	}
	ok, err := u.ws.Repo.IsAncestor(ctx, u.target.ID.String(), "HEAD")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &RefusedError{Problem: fmt.Sprintf("'%s' is not part of this branch", u.target.ID.Short())}
	}
	diff, err := u.ws.Repo.DiffTrees(ctx, u.target.Parents[0], u.target.ID)
	if err != nil {
		return nil, err
	}
	var out []gitops.TreeChange
	for _, d := range diff {
		rel, ok := strings.CutPrefix(d.Path, u.ws.Prefix)
		switch {
		case !ok:
			continue
		case u.ws.NeverRestore(rel):
			u.skip(rel, "state of the host is never restored")
		case !u.ws.Managed(rel) && u.target.Trailers.Get("Claw-Id") == "":
			u.skip(rel, "not managed; take it back with git")
		case d.Old.Mode == gitops.ModeGitlink || d.New.Mode == gitops.ModeGitlink:
			u.skip(rel, "a repository of its own")
		default:
			out = append(out, d)
		}
	}
	return out, u.refuseAgent(out)
}

func (u *undoer) skip(rel, why string) {
	u.res.Skipped = append(u.res.Skipped, Skipped{Path: rel, Reason: why})
}

// refuseAgent: what a person reviewed is not taken back by an agent (SPEC
// GN-09). It may propose that, of rule files and skills.
func (u *undoer) refuseAgent(diff []gitops.TreeChange) error {
	if u.caller.Actor == User {
		return nil
	}
	for _, d := range diff {
		rel := strings.TrimPrefix(d.Path, u.ws.Prefix)
		switch u.ws.Kind(rel) {
		case memory.KindL1, memory.KindSkill:
			if u.propose != nil {
				continue
			}
		case memory.KindClaw, memory.KindBootstrap:
		default:
			continue
		}
		return &RefusedError{
			Problem: fmt.Sprintf("only a person may undo a change of '%s'", rel),
			Advice:  []string{fmt.Sprintf("ask the user to run 'git claw undo %s' in a terminal", u.name())},
		}
	}
	return nil
}

// name is how the target is called in trailers and messages.
func (u *undoer) name() string {
	if id := u.target.Trailers.Get("Claw-Id"); id != "" {
		return id
	}
	return u.target.ID.String()
}

// look reads the state of the files that are about to change. Unsaved edits stay
// unsaved and are carried over; a partly staged file is refused, for there is no
// telling which of its three texts is meant.
func (u *undoer) look(ctx context.Context, diff []gitops.TreeChange) error {
	u.index = map[string]gitops.ID{}
	if len(diff) == 0 {
		return nil
	}
	paths := make([]string, len(diff))
	for i, d := range diff {
		paths[i] = d.Path
	}
	st, err := u.ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: paths, Untracked: true})
	if err != nil {
		return err
	}
	for _, e := range st.Entries {
		rel := strings.TrimPrefix(e.Path, u.ws.Prefix)
		switch {
		case e.Unmerged():
			return &gitops.ProgressError{What: "merge", Paths: []string{e.Path}, How: []string{"run 'git status' and resolve the conflict"}}
		case e.Partial():
			return &RefusedError{Problem: fmt.Sprintf("'%s' is partly staged", rel), Advice: []string{
				"commit it with git, or unstage it with 'git restore --staged " + shellQuote(rel) + "'",
			}}
		}
		u.index[e.Path] = e.IndexID
	}
	u.seen, u.head = st.Seen, st.Head
	return nil
}

// SaveDirty saves unsaved edits of the named files as nobody's, before a command
// changes them. Paths that do not exist or are clean are fine.
func SaveDirty(ctx context.Context, ws *memory.Workspace, caller Caller, rels []string) (*SaveResult, error) {
	c := Caller{Actor: Unknown, Kind: caller.Kind} // no session: of two at once the other one may have written it
	res := &SaveResult{}
	for range maxRaces {
		s := newSaver(ws, c, SaveOptions{Paths: rels}, res)
		s.named = true
		err := s.run(ctx)
		if !raced(err) {
			return res, err
		}
	}
	return res, &gitops.MovedError{Subject: "HEAD"}
}

// guard refuses a result without files that the host expects and that exist now
// (SPEC GN-11): OpenClaw would not start.
func (u *undoer) guard(ctx context.Context, head gitops.ID) error {
	for _, name := range u.ws.Host.Expected {
		i := slices.IndexFunc(u.changes, func(c gitops.Change) bool { return c.Path == u.ws.Prefix+name && c.Delete })
		if i < 0 {
			continue
		}
		if _, ok, err := u.ws.Repo.Objects().Lookup(ctx, head, u.ws.Prefix+name); err != nil || !ok {
			return err
		}
		return &RefusedError{Problem: fmt.Sprintf("cannot undo '%s': it would remove '%s', which the host needs", u.name(), name)}
	}
	return nil
}

func (u *undoer) commit(ctx context.Context) (*UndoResult, error) {
	id, err := NewID(u.ws.Repo.Git.Env())
	if err != nil {
		return nil, err
	}
	verb, summary := "take back: ", u.target.Subject
	if _, rest, ok := strings.Cut(summary, "): "); ok && strings.HasPrefix(summary, "claw(") {
		summary = rest
	}
	if rest, ok := strings.CutPrefix(summary, verb); ok && u.target.Trailers.Get("Claw-Undoes") != "" {
		verb, summary = "bring back: ", rest
	}
	if len(secret.New().Scan([]byte(summary))) > 0 {
		summary = u.name()
	}
	tr := append(Trailers(u.ws, u.caller, eventUndo, id), gitops.Trailer{Key: "Claw-Undoes", Value: u.name()})
	msg := gitops.FormatMessage("claw(undo): "+verb+summary, "", tr)
	u.res.Undoes = u.name()
	u.res.Merge, u.res.Detached = len(u.target.Parents) > 1, u.head.Ref == ""
	u.res.Saved = Saved{ID: id, Event: eventUndo, Actor: u.caller.Actor, Session: u.caller.Session}
	u.res.Subject, _, _ = cutLine(msg)
	for _, c := range u.changes {
		u.res.Paths = append(u.res.Paths, strings.TrimPrefix(c.Path, u.ws.Prefix))
	}
	if u.dry {
		return &u.res, nil
	}
	if u.forReview() {
		return u.proposed(ctx, verb+summary)
	}
	w, err := Writer(ctx, u.ws)
	if err != nil {
		return nil, err
	}
	r, err := w.Commit(ctx, gitops.Tx{Changes: u.changes, Message: msg, Head: u.head.Commit, Seen: u.seen})
	NoteHook(u.ws, err)
	if r.Commit.IsZero() {
		return nil, err
	}
	u.res.Commit = r.Commit
	return &u.res, err
}

// forReview: what an agent takes back of rule files and skills waits for a person (SPEC
// GN-09).
func (u *undoer) forReview() bool {
	return u.caller.Actor != User && slices.ContainsFunc(u.changes, func(c gitops.Change) bool {
		kind := u.ws.Kind(strings.TrimPrefix(c.Path, u.ws.Prefix))
		return kind == memory.KindL1 || kind == memory.KindSkill
	})
}

func (u *undoer) proposed(ctx context.Context, summary string) (*UndoResult, error) {
	e := InPlace{
		Event: eventUndo, Area: "undo", Summary: summary, Base: u.head.Commit,
		Trailers: gitops.Trailers{{Key: "Claw-Undoes", Value: u.name()}},
	}
	for _, c := range u.changes {
		e.Files = append(e.Files, InPlaceFile{Path: strings.TrimPrefix(c.Path, u.ws.Prefix), Text: c.Content, Delete: c.Delete})
	}
	id, err := u.propose(ctx, u.ws, u.caller, e)
	if err != nil {
		return nil, err
	}
	u.res.Proposal = id
	return &u.res, nil
}
