package agent

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory/doc"
)

// takeBack computes one path without the target's change.
func (u *undoer) takeBack(ctx context.Context, head gitops.ID, d gitops.TreeChange) error {
	cur, _, err := u.ws.Repo.Objects().Lookup(ctx, head, d.Path)
	if err != nil {
		return err
	}
	if cur.ID == d.Old.ID && cur.Mode == d.Old.Mode {
		return nil // taken back already
	}
	before, err := u.content(ctx, d.Old)
	if err != nil {
		return err
	}
	after, err := u.content(ctx, d.New)
	if err != nil {
		return err
	}
	now, err := u.content(ctx, cur)
	if err != nil {
		return err
	}
	want, err := u.merge(d, cur, before, after, now)
	if err != nil {
		return err
	}
	gone := want == nil || d.Old.IsZero() && len(bytes.TrimSpace(want)) == 0
	if cur.IsZero() && gone {
		return nil
	}
	if err := u.refuseSecret(d.Path, now, want, gone); err != nil {
		return err
	}
	ch := gitops.Change{Path: d.Path, Content: want, Delete: gone, Mode: cur.Mode, HeadID: cur.ID, IndexID: cur.ID}
	if cur.ID == d.New.ID && !d.Old.IsZero() {
		ch.Mode = d.Old.Mode
	}
	if ch.Place, err = u.placeFor(d.Path, now, cur.IsZero(), want, gone); err != nil {
		return err
	}
	u.changes = append(u.changes, ch)
	return nil
}

// refuseSecret: a secret that somebody took out of a file does not come back into
// git, not even from git.
func (u *undoer) refuseSecret(path string, now, want []byte, gone bool) error {
	if gone {
		return nil
	}
	found := hooks.AddedSecrets(secret.New(), now, want)
	if len(found) == 0 {
		return nil
	}
	rel := strings.TrimPrefix(path, u.ws.Prefix)
	return &RefusedError{
		Problem: fmt.Sprintf("cannot undo '%s': it would bring a secret back at '%s:%d' (%s)", u.name(), rel, found[0].Line, found[0].Kind),
		Advice:  []string{"git claw show " + u.name()},
	}
}

func (u *undoer) content(ctx context.Context, e gitops.TreeEntry) ([]byte, error) {
	if e.IsZero() {
		return nil, nil
	}
	b, err := u.ws.Repo.Objects().Blob(ctx, e.ID)
	if b == nil && err == nil {
		b = []byte{}
	}
	return b, err
}

// merge applies after→before to what is there now.
func (u *undoer) merge(d gitops.TreeChange, cur gitops.TreeEntry, before, after, now []byte) ([]byte, error) {
	if cur.ID == d.New.ID {
		return before, nil
	}
	rel := strings.TrimPrefix(d.Path, u.ws.Prefix)
	if cur.IsZero() || d.New.IsZero() || !isText(rel, now) || cur.Mode == gitops.ModeSymlink {
		return nil, u.overlap(rel, 0)
	}
	out, conflicts := doc.Apply3(after, now, before)
	if len(conflicts) > 0 {
		return nil, u.overlap(rel, entryLine(conflicts[0].Ours))
	}
	return out, nil
}

func (u *undoer) overlap(rel string, line int) error {
	where := rel
	if line > 0 {
		where = fmt.Sprintf("%s:%d", rel, line)
	}
	return &ConflictError{
		Problem: fmt.Sprintf("cannot undo '%s': a later change touches the same entry at '%s'", u.name(), where),
		Advice:  []string{"git claw show " + u.name(), "git claw log -- " + rel},
	}
}

// placeFor says what the work tree gets: the same, carried over to lines that
// are held back from git.
func (u *undoer) placeFor(path string, now []byte, absent bool, want []byte, gone bool) (*gitops.Place, error) {
	work, mode, err := u.ws.Repo.ReadWork(path, 0)
	if err != nil {
		return nil, err
	}
	pl := &gitops.Place{Base: work, Existed: mode != gitops.ModeAbsent, Content: want, Delete: gone}
	if bytes.Contains(work, []byte("\r\n")) && !bytes.Contains(now, []byte("\r\n")) {
		// git converts line ends on checkout: work in the form the file has.
		now, want = crlf(now), crlf(want)
		pl.Content = want
	}
	if !pl.Existed || !absent && bytes.Equal(work, now) {
		return pl, nil
	}
	rel := strings.TrimPrefix(path, u.ws.Prefix)
	if absent || !isText(rel, work) {
		return nil, &gitops.WorkTreeChangedError{Path: rel}
	}
	carried, conflicts := doc.Apply3(now, work, want)
	if len(conflicts) > 0 {
		return nil, &ConflictError{Problem: fmt.Sprintf("cannot undo '%s': '%s' has lines that are held back from git at the same place", u.name(), rel)}
	}
	pl.Content = carried
	pl.Delete = gone && len(bytes.TrimSpace(carried)) == 0
	return pl, nil
}

func crlf(b []byte) []byte { return bytes.ReplaceAll(b, []byte{'\n'}, []byte("\r\n")) }

func entryLine(e *doc.Entry) int {
	if e == nil {
		return 0
	}
	return e.Line
}
