package agent

import (
	"fmt"
	"slices"

	"github.com/git-claw/git-claw/memory"
)

// privacy is the filter of SPEC RC-05 on everything that shows content: sessions
// other than the private main one see nothing of MEMORY.md, USER.md and the
// preferences. All read commands ask it, and only it.
type privacy struct {
	ws   *memory.Workspace
	kind string
	on   bool
}

// newPrivacy makes the filter for a kind of session. Only main, and no kind at
// all, see everything: an unknown kind is not trusted.
func newPrivacy(ws *memory.Workspace, kind string) privacy {
	return privacy{ws: ws, kind: kind, on: kind != "" && kind != "main"}
}

// Hides returns what tells whether the content of a path, relative to the root, must
// not be shown in a kind of session.
func Hides(ws *memory.Workspace, kind string) func(rel string) bool {
	return newPrivacy(ws, kind).hides
}

// hides reports whether the content of a path (relative to the root) must not be
// shown.
func (p privacy) hides(rel string) bool {
	return p.on && rel != "" && p.ws.Private(rel)
}

// refuse is the answer to a question about a hidden path.
func (p privacy) refuse(what string) error {
	return &RefusedError{
		Problem: fmt.Sprintf("'%s' is private: it is not shown in a session of kind '%s'", what, p.kind),
		Advice:  []string{"ask again in the private main session"},
	}
}

// withheldSubject stands for a subject that may tell what a private file says.
const withheldSubject = "(not shown: it also changes private files)"

// event takes out of an event what may not be shown. It returns false when
// nothing is left: the event changes private files only.
func (p privacy) event(e *Event) bool {
	if !p.on {
		return true
	}
	all := len(e.Paths)
	e.Paths = slices.DeleteFunc(e.Paths, p.hides)
	if len(e.Paths) == all {
		return true
	}
	// Message and trailers (evidence, reason) of this commit may quote them.
	e.Subject, e.Commit.Subject = withheldSubject, withheldSubject
	e.Commit.Body, e.Commit.Trailers = "", nil
	e.Withheld = all - len(e.Paths)
	return len(e.Paths) > 0
}
