package agent

import (
	"bytes"
	"context"
	"errors"
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
	if cur.Mode == gitops.ModeTree {
		cur = gitops.TreeEntry{} // no file there; keepsFolders looks at what is in it
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
	gone := want == nil
	if cur.IsZero() && gone {
		return nil
	}
	if err := u.refuseSecret(d.Path, now, want, gone); err != nil {
		return err
	}
	ch := gitops.Change{Path: d.Path, Content: want, Delete: gone, Mode: cur.Mode, HeadID: cur.ID, IndexID: cur.ID}
	if id, dirty := u.index[d.Path]; dirty {
		ch.IndexID = id
	}
	if cur.ID == d.New.ID && !d.Old.IsZero() {
		ch.Mode = d.Old.Mode
	}
	if ch.Place, err = CarryOver(u.ws, d.Path, cur, now, want); err != nil {
		var unsaved *UnsavedError
		if errors.As(err, &unsaved) {
			return u.unsaved(unsaved)
		}
		return err
	}
	u.show(d.Path, cur, now, ch)
	u.changes = append(u.changes, ch)
	return nil
}

// keepsFolders refuses to put a file where a folder is that holds more than what
// this undo removes.
func (u *undoer) keepsFolders(ctx context.Context, head gitops.ID) error {
	gone := map[string]bool{}
	for _, c := range u.changes {
		gone[c.Path] = c.Delete
	}
	for _, c := range u.changes {
		e, ok, err := u.ws.Repo.Objects().Lookup(ctx, head, c.Path)
		if err != nil {
			return err
		}
		if !ok || e.Mode != gitops.ModeTree || c.Delete {
			continue
		}
		files, err := u.ws.Repo.ListFiles(ctx, c.Path)
		if err != nil {
			return err
		}
		for _, f := range files {
			if !gone[f] {
				return u.overlap(strings.TrimPrefix(f, u.ws.Prefix), 0)
			}
		}
	}
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

// show keeps what the undo does to a file, for a person to look at.
func (u *undoer) show(path string, cur gitops.TreeEntry, now []byte, ch gitops.Change) {
	p := filePair{path: strings.TrimPrefix(path, u.ws.Prefix), old: source{mode: cur.Mode, id: cur.ID, text: now}}
	if !ch.Delete {
		p.new = source{mode: ch.Mode, work: true, text: ch.Content}
	}
	if d, ok := p.diff(); ok {
		u.res.Files = append(u.res.Files, d)
	}
}

// merge applies after→before to what is there now; nil means that the file goes.
// Of a file that the change created and later ones added to, the title stays with
// what was added.
func (u *undoer) merge(d gitops.TreeChange, cur gitops.TreeEntry, before, after, now []byte) ([]byte, error) {
	if cur.ID == d.New.ID {
		return before, nil
	}
	rel := strings.TrimPrefix(d.Path, u.ws.Prefix)
	if cur.IsZero() || d.New.IsZero() || !isText(rel, now) || cur.Mode == gitops.ModeSymlink {
		return nil, u.overlap(rel, 0)
	}
	if d.Old.IsZero() {
		before = title(after)
	}
	out, conflicts := doc.Apply3(after, now, before)
	if len(conflicts) > 0 {
		return nil, u.overlap(rel, entryLine(conflicts[0].Ours))
	}
	if lines, ok := mergeLines(after, now, before); ok {
		out = lines // what the entries say too, with the blank lines as they were
	}
	if !exactly(after, before, now, out) {
		return nil, u.overlap(rel, 0)
	}
	if d.Old.IsZero() && bytes.Equal(bytes.TrimSpace(out), bytes.TrimSpace(before)) {
		return nil, nil
	}
	return endLine(out, now), nil
}

// title is the heading that a text begins with, if it does.
func title(text []byte) []byte {
	d := doc.Parse(text)
	if len(d.Entries) == 0 || d.Entries[0].Kind != doc.Heading {
		return []byte{}
	}
	return text[:d.Entries[0].End]
}

// endLine gives a text the last line end that the text it was made from had, so
// that what is appended next does not run into its last line.
func endLine(text, like []byte) []byte {
	if len(text) == 0 || text[len(text)-1] == '\n' || len(like) == 0 || like[len(like)-1] != '\n' {
		return text
	}
	return append(bytes.Clone(text), doc.EOL(like)...)
}

// exactly reports whether turning now into out is the change from after to before
// and nothing else: as many of each line went and came. A merge that cannot tell
// entries apart may do less or more, and a false "taken back" is worse than a
// refusal.
func exactly(after, before, now, out []byte) bool {
	n := map[string]int{}
	count := func(text []byte, by int) {
		for _, line := range doc.SplitLines(text) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				n[string(line)] += by
			}
		}
	}
	count(after, -1)
	count(before, 1)
	count(now, 1)
	count(out, -1)
	for _, v := range n {
		if v != 0 {
			return false
		}
	}
	return true
}

func (u *undoer) unsaved(e *UnsavedError) error {
	return &ConflictError{Problem: fmt.Sprintf("cannot undo '%s': %v", u.name(), e), Advice: e.Advice()}
}

func (u *undoer) overlap(rel string, line int) error {
	where := rel
	if line > 0 {
		where = fmt.Sprintf("%s:%d", rel, line)
	}
	return &ConflictError{
		Problem: fmt.Sprintf("cannot undo '%s': a later change touches the same entry at '%s'", u.name(), where),
		Advice:  []string{"git claw show " + u.name(), "git claw log -- " + shellQuote(rel)},
	}
}

func crlf(b []byte) []byte { return bytes.ReplaceAll(b, []byte{'\n'}, []byte("\r\n")) }

func entryLine(e *doc.Entry) int {
	if e == nil {
		return 0
	}
	return e.Line
}
