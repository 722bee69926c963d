package agent

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

// UnsavedError: a file of the work tree has edits that a change cannot be carried
// over to.
type UnsavedError struct {
	Path string // relative to the root
	// Same: they are in the entries that change.
	Same bool
}

func (e *UnsavedError) Error() string {
	if e.Same {
		return fmt.Sprintf("'%s' has unsaved edits at the same place", e.Path)
	}
	return fmt.Sprintf("'%s' has unsaved edits", e.Path)
}

// Advice tells what to do first.
func (e *UnsavedError) Advice() []string {
	if e.Same {
		return []string{"git claw diff -- " + shellQuote(e.Path)}
	}
	return []string{"git claw save " + shellQuote(e.Path)}
}

// CarryOver says what the work tree gets when a file goes from now, which is cur in
// HEAD, to want (nil: it is removed): the same, carried over to edits that are not saved
// and to lines that are held back from git. A file that somebody removed, without
// saving that, stays away: then there is no place. path is from the top level. Errors:
// *UnsavedError.
func CarryOver(ws *memory.Workspace, path string, cur gitops.TreeEntry, now, want []byte) (*gitops.Place, error) {
	gone := want == nil
	work, mode, err := ws.Repo.ReadWork(path, 0)
	if err != nil {
		return nil, err
	}
	absent := cur.IsZero()
	if mode == gitops.ModeAbsent && !absent {
		return nil, nil
	}
	pl := &gitops.Place{Base: work, Existed: mode != gitops.ModeAbsent, Content: want, Delete: gone}
	if bytes.Contains(work, []byte("\r\n")) && !bytes.Contains(now, []byte("\r\n")) {
		// git converts line ends on checkout: work in the form the file has.
		now, want = crlf(now), crlf(want)
		pl.Content = want
	}
	if !pl.Existed || !absent && bytes.Equal(work, now) && mode.IsFile() == cur.Mode.IsFile() {
		return pl, nil
	}
	rel := strings.TrimPrefix(path, ws.Prefix)
	if absent || !isText(rel, work) || (mode == gitops.ModeSymlink) != (cur.Mode == gitops.ModeSymlink) {
		return nil, &UnsavedError{Path: rel}
	}
	carried, conflicts := doc.Apply3(now, work, want)
	if lines, ok := mergeLines(now, work, want); ok && len(conflicts) == 0 {
		carried = lines
	}
	if len(conflicts) > 0 || !exactly(now, want, work, carried) {
		return nil, &UnsavedError{Path: rel, Same: true}
	}
	pl.Content = endLine(carried, work)
	pl.Delete = gone && len(bytes.TrimSpace(carried)) == 0
	return pl, nil
}
