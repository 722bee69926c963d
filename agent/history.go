package agent

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// eventGit is the name of a commit that was made with git alone.
const eventGit = "git"

// HistoryOptions selects events. The zero value is all of the workspace's,
// newest first.
type HistoryOptions struct {
	Events    []string // names; `candidate` or `candidate.*` stand for all that begin so
	Actors    []Actor
	Candidate string // Claw-Candidate
	Session   string // Claw-Session
	Since     string // see When
	Until     string
	Paths     []string // relative to the root, files or folders
	Max       int      // 0: no limit
	All       bool     // the whole repository, not only what lies below the root
	Kind      string   // of the session that will read it (SPEC RC-05)
}

// Event is one commit as git claw tells it.
type Event struct {
	Commit  gitops.Commit
	ID      string // Claw-Id, "" for a commit made with git alone
	Name    string // Claw-Event, `git` for a commit made with git alone
	Actor   Actor
	Session string
	Date    time.Time // author date in the workspace's time zone
	Subject string
	Paths   []string // changed against the first parent, relative to the root
	// Withheld counts paths that may not be shown to this kind of session.
	Withheld int
	// UndoneBy is the id of the undo that took this change back, and was not taken
	// back itself; "" for none. Only History tells it.
	UndoneBy string
}

// History yields events, newest first, while git finds them: stopping early ends
// git, so that the first screen of a long history costs no more than itself.
// What was committed with git alone counts as the user's.
func History(ctx context.Context, ws *memory.Workspace, opt HistoryOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		// Trailers hold values on one line.
		opt.Candidate, opt.Session = gitops.OneLine(opt.Candidate), gitops.OneLine(opt.Session)
		log, err := opt.log(ws)
		if err == nil {
			err = opt.check(ctx, ws)
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
		private := newPrivacy(ws, opt.Kind)
		n := 0
		undone := undoneSet{}
		for c, err := range ws.Repo.Log(ctx, log) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			e := EventOf(ws, c)
			undone.pass(&e)
			if !opt.matches(e) || !private.event(&e) {
				continue
			}
			if !yield(e, nil) {
				return
			}
			if n++; n == opt.Max {
				return
			}
		}
	}
}

// undoneSet knows what was taken back, and by which undo. Events pass it newest
// first: an undo before what it undoes, and an undo of that undo before both.
type undoneSet map[string]string

func (u undoneSet) pass(e *Event) {
	if e.UndoneBy = u[e.Commit.ID.String()]; e.UndoneBy == "" && e.ID != "" {
		e.UndoneBy = u[e.ID]
	}
	if of := e.Commit.Trailers.Get("Claw-Undoes"); of != "" && e.UndoneBy == "" && e.Name == eventUndo {
		u[of] = e.ID
	}
}

// log leaves to git what git can decide. What it cannot is looked at here: a
// message may quote a trailer without having it.
func (o *HistoryOptions) log(ws *memory.Workspace) (gitops.LogOptions, error) {
	// An undo is not what was asked for, but says what became of it.
	log := gitops.LogOptions{WithPaths: true, Grep: o.grep(), OrGrep: "Claw-Undoes: "}
	now := ws.Now()
	for _, d := range []struct {
		said string
		to   *string
	}{{o.Since, &log.Since}, {o.Until, &log.Until}} {
		if d.said == "" {
			continue
		}
		t, err := When(now, d.said)
		if err != nil {
			return log, err
		}
		*d.to = gitDate(t)
	}
	switch {
	case len(o.Paths) > 0:
		for _, rel := range o.Paths {
			if rel == "" || rel == "." {
				log.Paths = ws.PrefixPaths()
				break
			}
			log.Paths = append(log.Paths, ws.Prefix+rel)
		}
	case !o.All:
		log.Paths = ws.PrefixPaths()
	}
	if log.Grep == "" && len(o.Events) == 0 && len(o.Actors) == 0 && !newPrivacy(ws, o.Kind).on {
		log.Max = o.Max
	}
	return log, nil
}

// grep is a trailer that every wanted commit has, so that git need not format
// and compare all others.
func (o *HistoryOptions) grep() string {
	switch {
	case o.Candidate != "":
		return "Claw-Candidate: " + o.Candidate
	case o.Session != "":
		return "Claw-Session: " + o.Session
	case len(o.Events) == 1 && o.Events[0] != eventGit && o.Events[0] != "*":
		return "Claw-Event: " + strings.TrimSuffix(o.Events[0], "*")
	case len(o.Actors) == 1 && o.Actors[0] != User:
		return "Claw-Actor: " + string(o.Actors[0])
	}
	return ""
}

func (o *HistoryOptions) matches(e Event) bool {
	return (len(o.Events) == 0 || slices.ContainsFunc(o.Events, e.named)) &&
		(len(o.Actors) == 0 || slices.Contains(o.Actors, e.Actor)) &&
		(o.Candidate == "" || slices.Contains(e.Commit.Trailers.All("Claw-Candidate"), o.Candidate)) &&
		(o.Session == "" || e.Session == o.Session)
}

// named reports whether the event's name is the wanted one or one of its kind.
func (e *Event) named(want string) bool {
	if want == "*" {
		return true
	}
	want = strings.TrimSuffix(strings.TrimSuffix(want, "*"), ".")
	return e.Name == want || strings.HasPrefix(e.Name, want+".")
}

// EventOf reads a commit's trailers.
func EventOf(ws *memory.Workspace, c gitops.Commit) Event {
	e := Event{
		Commit: c, Name: c.Trailers.Get("Claw-Event"), ID: c.Trailers.Get("Claw-Id"),
		Actor: Actor(c.Trailers.Get("Claw-Actor")), Session: c.Trailers.Get("Claw-Session"),
		Date: c.Author.When.In(ws.Now().Location()), Subject: c.Subject,
	}
	switch {
	case e.Name == "":
		e.Name, e.Actor = eventGit, User
	case e.Actor == "":
		e.Actor = Unknown
	}
	for _, p := range c.Paths {
		if rel, ok := strings.CutPrefix(p, ws.Prefix); ok {
			e.Paths = append(e.Paths, rel)
		}
	}
	return e
}
