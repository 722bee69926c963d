package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// idDay returns the day of a Claw-Id, or of the beginning of one with at least
// one digit behind the day; false for anything else.
func idDay(s string) (string, bool) {
	day, hex, ok := strings.Cut(s, "-")
	ok = ok && len(day) == 8 && hex != "" && len(hex) <= 16 &&
		strings.Trim(day, "0123456789") == "" && strings.Trim(hex, "0123456789abcdef") == ""
	return day, ok
}

// AmbiguousError: an id names several commits.
type AmbiguousError struct {
	ID      string
	Commits []gitops.ID
	IDs     []string // the full Claw-Id of each
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("id '%s' is ambiguous: %d commits have it", e.ID, len(e.Commits))
}

// ExitCode is git's for a name that cannot be resolved.
func (e *AmbiguousError) ExitCode() int { return 128 }

// Hints lists the commits.
func (e *AmbiguousError) Hints() []string {
	var out []string
	for i, c := range e.Commits {
		if i == 10 {
			break
		}
		out = append(out, fmt.Sprintf("git claw show %s  (%s)", c.Short(), e.IDs[i]))
	}
	return out
}

// FindEvent finds the commit that a Claw-Id (or an unambiguous beginning of one,
// the date and at least one digit) or any revision names. An id is looked for on
// the current branch first, then on all branches and proposals. Errors:
// *AmbiguousError, *gitops.RevError.
func FindEvent(ctx context.Context, ws *memory.Workspace, name string) (Event, error) {
	if day, ok := idDay(name); ok {
		e, err := findByID(ctx, ws, name, day)
		var none *gitops.RevError
		if !errors.As(err, &none) {
			return e, err
		}
	}
	c, err := ws.Repo.Show(ctx, name)
	if err != nil {
		return Event{}, err
	}
	return EventOf(ws, c), nil
}

// findByID looks on HEAD back to the id's day, then in all of HEAD's history,
// then everywhere. The day is a short cut only: a commit may be dated otherwise.
func findByID(ctx context.Context, ws *memory.Workspace, id, day string) (Event, error) {
	log := gitops.LogOptions{Grep: "Claw-Id: " + id, WithPaths: true}
	if t, err := time.Parse("20060102", day); err == nil {
		log.Since = gitDate(t.AddDate(0, 0, -2))
		if e, err := theOne(ctx, ws, log, id); err != nil || e.ID != "" {
			return e, err
		}
		log.Since = ""
	}
	if e, err := theOne(ctx, ws, log, id); err != nil || e.ID != "" {
		return e, err
	}
	refs, err := ws.Repo.Refs(ctx, "refs/heads", "refs/remotes", "refs/claw/open", "refs/claw/closed")
	if err != nil {
		return Event{}, err
	}
	seen := map[gitops.ID]bool{}
	for _, r := range refs {
		if !seen[r.ID] && len(log.Revs) < maxRevs {
			seen[r.ID] = true
			log.Revs = append(log.Revs, r.ID.String())
		}
	}
	if len(log.Revs) > 0 {
		if e, err := theOne(ctx, ws, log, id); err != nil || e.ID != "" {
			return e, err
		}
	}
	return Event{}, &gitops.RevError{Rev: id}
}

// maxRevs bounds the command line.
const maxRevs = 500

// theOne returns the only commit whose id is, or begins with, the given one; an
// empty event when there is none. git finds the text anywhere in a message; what
// counts is what its trailer parser read.
func theOne(ctx context.Context, ws *memory.Workspace, log gitops.LogOptions, id string) (Event, error) {
	var exact, begins []Event
	for c, err := range ws.Repo.Log(ctx, log) {
		if err != nil {
			return Event{}, err
		}
		e := EventOf(ws, c)
		switch {
		case e.Name == eventGit: // an id without an event is a quotation
		case e.ID == id:
			exact = append(exact, e)
		case strings.HasPrefix(e.ID, id):
			begins = append(begins, e)
		}
	}
	found := exact
	if len(found) == 0 {
		found = begins
	}
	switch len(found) {
	case 0:
		return Event{}, nil
	case 1:
		return found[0], nil
	}
	amb := &AmbiguousError{ID: id}
	for _, e := range found {
		amb.Commits = append(amb.Commits, e.Commit.ID)
		amb.IDs = append(amb.IDs, e.ID)
	}
	return Event{}, amb
}
