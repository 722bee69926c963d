package proposal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// verdictsOf reads the note of a commit from the tree of the notes.
func verdictsOf(ctx context.Context, ws *memory.Workspace, notes, commit gitops.ID) ([]verdict.Verdict, error) {
	text, err := noteOf(ctx, ws, notes, commit)
	return verdict.Parse(text), err
}

func noteOf(ctx context.Context, ws *memory.Workspace, notes, commit gitops.ID) ([]byte, error) {
	if notes.IsZero() {
		return nil, nil
	}
	_, e, ok, err := ws.Repo.Objects().Note(ctx, notes, commit)
	if err != nil || !ok {
		return nil, err
	}
	b, err := ws.Repo.Objects().Blob(ctx, e.ID)
	if err != nil {
		return nil, fmt.Errorf("read verdicts: %w", err)
	}
	return b, nil
}

// ReadVerdicts returns what tells the verdict on a commit that counts.
func ReadVerdicts(ctx context.Context, ws *memory.Workspace) (func(commit gitops.ID) (verdict.Verdict, bool), error) {
	read, err := AllVerdicts(ctx, ws)
	if err != nil {
		return nil, err
	}
	return func(commit gitops.ID) (verdict.Verdict, bool) { return verdict.Latest(read(commit)) }, nil
}

// AllVerdicts returns what tells all verdicts on a commit.
func AllVerdicts(ctx context.Context, ws *memory.Workspace) (func(commit gitops.ID) []verdict.Verdict, error) {
	refs, err := ws.Repo.Refs(ctx, verdict.Ref)
	if err != nil {
		return nil, err
	}
	tree, err := ws.Repo.Objects().TreeOf(ctx, refOf(refs))
	if err != nil {
		return nil, fmt.Errorf("read verdicts: %w", err)
	}
	return func(commit gitops.ID) []verdict.Verdict {
		list, err := verdictsOf(ctx, ws, tree, commit)
		if err != nil {
			return nil // a note that cannot be read says nothing
		}
		return list
	}, nil
}

// until reads the day, or time, to which something was deferred; zero where it has none.
func until(v verdict.Verdict) time.Time {
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.ParseInLocation(form, v.Until, v.At.Location()); err == nil {
			return t
		}
	}
	return time.Time{}
}

// notesCommit makes the commit of refs/notes/claw that has a line more for a commit, and
// beside it the lines of other commits in their notes (a refreshed tip takes its lines
// along).
func notesCommit(ctx context.Context, ws *memory.Workspace, w gitops.Writer, of gitops.ID, line []byte, from ...gitops.ID) (gitops.RefUpdate, error) {
	up := gitops.RefUpdate{Name: verdict.Ref}
	refs, err := ws.Repo.Refs(ctx, verdict.Ref)
	if err != nil {
		return up, err
	}
	b := gitops.Build{Message: "Notes added by 'git claw'\n", Unsigned: true}
	var tree gitops.ID
	if len(refs) > 0 {
		up.Old = refs[0].ID
		b.Base, b.Parents = up.Old, []gitops.ID{up.Old}
		if tree, err = ws.Repo.Objects().TreeOf(ctx, up.Old); err != nil {
			return up, fmt.Errorf("read verdicts: %w", err)
		}
	}
	path, _, _, err := ws.Repo.Objects().Note(ctx, tree, of)
	if err != nil {
		return up, fmt.Errorf("read verdicts: %w", err)
	}
	var text []byte
	for _, c := range append(from, of) {
		lines, err := noteOf(ctx, ws, tree, c)
		if err != nil {
			return up, err
		}
		text = union(text, lines)
	}
	b.Changes = []gitops.Change{{Path: path, Content: union(text, line), Mode: gitops.ModeFile}}
	res, err := w.Build(ctx, b)
	if errors.Is(err, gitops.ErrNothing) {
		up.New = up.Old
		return up, nil
	}
	up.New = res.Commit
	return up, err
}

// union adds lines that are not there yet.
func union(text, more []byte) []byte {
	out := bytes.Clone(text)
	for line := range bytes.Lines(more) {
		line = append(bytes.TrimRight(line, "\r\n"), '\n')
		if len(line) > 1 && !bytes.Contains(append([]byte{'\n'}, out...), append([]byte{'\n'}, line...)) {
			if n := len(out); n > 0 && out[n-1] != '\n' {
				out = append(out, '\n')
			}
			out = append(out, line...)
		}
	}
	return out
}

// line writes a verdict as JSON. Words that hold a secret are left out: the note goes to
// every machine.
func line(ws *memory.Workspace, caller agent.Caller, ap Approval, v verdict.Verdict) []byte {
	v.V, v.At, v.By, v.Actor, v.Via = 1, ws.Now(), ap.By, string(caller.Actor), ap.Via
	v.Reason = gitops.OneLine(v.Reason)
	if len(secret.New().Scan([]byte(v.Reason))) > 0 {
		v.Reason = ""
	}
	b, err := json.Marshal(v)
	if err != nil { // there is nothing in it that cannot be written
		panic(err)
	}
	return append(b, '\n')
}

// maxRaces bounds how often something is tried again because somebody else was quicker.
const maxRaces = 50

// refs moves refs together with a verdict of a commit, until nobody is quicker. An
// update of another ref that lost its race is an error.
func moveWith(ctx context.Context, ws *memory.Workspace, of gitops.ID, line []byte, from []gitops.ID, ups []gitops.RefUpdate, reason string) error {
	w, err := agent.Writer(ctx, ws)
	if err != nil {
		return err
	}
	var last error
	for range maxRaces {
		note, err := notesCommit(ctx, ws, w, of, line, from...)
		if err != nil {
			return err
		}
		all := ups
		if note.Old != note.New {
			all = append([]gitops.RefUpdate{note}, ups...)
		}
		if len(all) == 0 {
			return nil
		}
		last = w.UpdateRefs(ctx, all, reason)
		var moved *gitops.MovedError
		if !errors.As(last, &moved) {
			return last
		}
		if now, err := ws.Repo.Refs(ctx, verdict.Ref); err != nil || refOf(now) == note.Old {
			return errors.Join(last, err) // another ref moved
		}
	}
	return last
}

func refOf(refs []gitops.Ref) gitops.ID {
	if len(refs) == 0 {
		return gitops.ID{}
	}
	return refs[0].ID
}

// Judge writes a person's verdict on a commit: a rule edit made in place that is kept,
// a merge that was made with git.
func Judge(ctx context.Context, ws *memory.Workspace, caller agent.Caller, ap Approval, commit gitops.ID, v verdict.Verdict) error {
	if v.Verdict == verdict.Accept {
		if err := unsigned(ws, commit.Short()); err != nil {
			return err
		}
	}
	return moveWith(ctx, ws, commit, line(ws, caller, ap, v), nil, nil, "claw: "+v.Verdict)
}
