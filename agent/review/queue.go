package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/learn"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
)

// Kind says what waits.
type Kind string

// The kinds, in the order of the queue.
const (
	Contradiction Kind = "contradiction" // two versions of one entry
	Proposal      Kind = "proposal"
	Edit          Kind = "edit"      // a rule file or skill, edited in place
	Candidate     Kind = "candidate" // a preference that came up often enough
)

// Answer is what a person may say.
type Answer string

// The answers.
const (
	Accept Answer = "accept" // also: keep an edit, confirm a candidate
	Reject Answer = "reject" // also: take an edit back
	Defer  Answer = "defer"
	Split  Answer = "split" // some entries of a proposal
	Change Answer = "edit"  // accept it as a person words it
	Pin    Answer = "always"
	First  Answer = "first" // of a contradiction; see Nth for more than two versions
	Second Answer = "second"
	Both   Answer = "both" // all of them
)

// nth are the answers that choose one version of a contradiction.
var nth = []Answer{First, Second, "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"}

// Nth is the answer that chooses a version, from 0.
func Nth(n int) (Answer, bool) {
	if n < 0 || n >= len(nth) {
		return "", false
	}
	return nth[n], true
}

// Item is one thing that waits.
type Item struct {
	Kind    Kind
	ID      string // of the proposal, the event or commit, the contradiction, the candidate
	Title   string
	Created time.Time // zero: nobody knows
	Answers []Answer

	Proposal      *proposal.Proposal // of a candidate too, where it has one
	Edit          *agent.Event
	Contradiction *Conflict
	Candidate     *learn.Candidate
}

// Queue is what waits.
type Queue struct {
	Items []*Item
	// Deferred counts what a person put off.
	Deferred int
	// Ignored counts branches below claw/ that are no proposals.
	Ignored int
	// Broken are candidates that cannot be read, and why.
	Broken []string
}

// Read gathers the queue. It writes nothing.
func Read(ctx context.Context, ws *memory.Workspace, caller agent.Caller) (*Queue, error) {
	return read(ctx, ws, caller, true, true)
}

func read(ctx context.Context, ws *memory.Workspace, caller agent.Caller, all, shared bool) (*Queue, error) {
	var (
		wg         sync.WaitGroup
		list       *proposal.Listing
		edits      []agent.Event
		conflicts  []*Conflict
		values     []*Conflict
		candidates []*learn.Candidate
		errs       [5]error
	)
	wg.Go(func() { list, errs[0] = proposal.List(ctx, ws, all) })
	wg.Go(func() { edits, errs[1] = Edits(ctx, ws) })
	if all {
		wg.Go(func() { conflicts, errs[2] = Conflicts(ctx, ws) })
	}
	if shared {
		wg.Go(func() { values, errs[3] = Values(ctx, ws) })
	}
	wg.Go(func() {
		// A broken store of preferences is for health to tell; the rest can be reviewed.
		candidates, _ = learn.List(ctx, ws, caller, false)
	})
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	q := &Queue{Ignored: list.Ignored}
	for _, c := range conflicts {
		q.add(&Item{
			Kind: Contradiction, ID: c.ID, Contradiction: c, Title: fmt.Sprintf("%d versions in '%s'", max(len(c.Versions), 2), c.Path),
			Answers: c.answers(),
		})
	}
	for _, c := range values {
		q.add(&Item{
			Kind: Contradiction, ID: c.ID, Contradiction: c, Title: fmt.Sprintf("2 values of '%s' in '%s'", c.Value.Title(), c.Path),
			Created: c.Value.Merge.Author.When, Answers: c.answers(),
		})
	}
	open := q.proposals(list.Proposals)
	for i := range edits {
		e := &edits[i]
		q.add(&Item{Kind: Edit, ID: nameOf(e), Edit: e, Title: e.Subject, Created: e.Date, Answers: []Answer{Accept, Reject}})
	}
	for _, c := range candidates {
		p := open[c.ID]
		if c.Problem != "" {
			q.Broken = append(q.Broken, c.Path+": "+c.Problem)
			continue
		}
		if !c.Eligible && p == nil || c.Status == "deferred" {
			continue
		}
		q.add(&Item{
			Kind: Candidate, ID: c.ID, Candidate: c, Proposal: p, Title: c.Line.String(), Created: c.LastSeen,
			Answers: []Answer{Accept, Pin, Reject, Defer},
		})
	}
	return q, nil
}

// fewFiles is up to how many tracked files contradictions are counted by reading them.
const fewFiles = 3000

// Count counts the queue, for somebody who only wants to know whether there is one. In a
// large repository contradictions are not counted: health does that.
func Count(ctx context.Context, ws *memory.Workspace, caller agent.Caller) (agent.Waiting, error) {
	var w agent.Waiting
	cfg, err := ws.Repo.Config(ctx)
	if err != nil {
		return w, err
	}
	// Without another machine nobody merges; and a walk through the queue looks anyway.
	shared := slices.ContainsFunc(cfg.Names(), func(n string) bool { return strings.HasPrefix(n, "remote.") })
	q, err := read(ctx, ws, caller, shared && ws.Repo.TrackedCount() <= fewFiles, shared)
	if err != nil {
		return w, err
	}
	for _, i := range q.Items {
		switch i.Kind {
		case Contradiction:
			w.Contradictions++
		case Proposal:
			w.Proposals++
		case Edit:
			w.Edits++
		case Candidate:
			w.Candidates++
		}
	}
	return w, nil
}

func (q *Queue) add(i *Item) { q.Items = append(q.Items, i) }

// proposals adds those that wait; those of candidates are returned by the id of these.
func (q *Queue) proposals(list []*proposal.Proposal) map[string]*proposal.Proposal {
	open := map[string]*proposal.Proposal{}
	for _, p := range list {
		if id := p.Trailers.Get("Claw-Candidate"); p.Kind == proposal.Candidate && id != "" && (p.State == proposal.Open || p.State == proposal.Stale) {
			open[id] = p
			continue
		}
		i := &Item{Kind: Proposal, ID: p.ID, Proposal: p, Title: p.Title, Created: p.Created}
		if p.State.Decided() && p.Disputed.Verdict == "" {
			continue
		}
		switch p.State {
		case proposal.Accepted: // and rejected by somebody else
			i.Answers = []Answer{Accept, Reject}
		case proposal.Deferred:
			q.Deferred++
			continue
		case proposal.Withdrawn:
			continue
		case proposal.Quarantined:
			i.Answers = []Answer{Reject, Defer}
		case proposal.Merged:
			i.Answers = []Answer{Accept, Reject}
		default:
			i.Answers = []Answer{Accept, Reject, Defer, Change}
			if !p.Kind.Whole() {
				i.Answers = append(i.Answers, Split)
			}
		}
		q.add(i)
	}
	return open
}

// Find looks for what waits under an id, or by a part of one, or of a title, that nothing
// else has.
func (q *Queue) Find(name string) *Item {
	for _, field := range []func(*Item) string{
		func(i *Item) string { return i.ID },
		func(i *Item) string { return strings.ToLower(i.Title) },
	} {
		var found []*Item
		for _, i := range q.Items {
			switch text := field(i); {
			case text == name:
				return i
			case name != "" && strings.Contains(text, strings.ToLower(name)):
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			if len(found) > 1 {
				return nil
			}
			return found[0]
		}
	}
	return nil
}

// nameOf is by what an edit can be called.
func nameOf(e *agent.Event) string {
	if e.ID != "" {
		return e.ID
	}
	return e.Commit.ID.Short()
}

// maxEdits bounds how far back edits are looked for.
const maxEdits = 5000

// Edits lists rule files, settings and skills that an agent, or nobody known, edited in
// place, newest last, until a person keeps them or takes them back (SPEC GN-14). So are
// preferences and lessons listed that were made rules on a quoted order alone (GN-08).
func Edits(ctx context.Context, ws *memory.Workspace) ([]agent.Event, error) {
	verdicts, err := kept(ctx, ws)
	if err != nil {
		return nil, err
	}
	logs := []gitops.LogOptions{{Max: maxEdits, Paths: rulePaths(ws), WithPaths: true}}
	if ws.Settings.Bool("approve.quotes") {
		logs = append(logs, gitops.LogOptions{Max: maxEdits, Grep: "Claw-Reason: explicit", WithPaths: true})
	}
	e := edits{ws: ws, kept: verdicts, undone: map[string]bool{}}
	if e.tips, err = proposal.Tips(ctx, ws); err != nil {
		return nil, err
	}
	for _, log := range logs {
		if err := e.look(ctx, log); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(e.found, func(a, b agent.Event) int { return a.Date.Compare(b.Date) })
	return e.found, nil
}

// rulePaths are where a person has to see what changes.
func rulePaths(ws *memory.Workspace) []string {
	var out []string
	for _, p := range ws.ManagedRoots() {
		switch ws.Kind(strings.TrimSuffix(p, "/")) {
		case memory.KindL1, memory.KindClaw, memory.KindSkill:
			out = append(out, ws.Prefix+strings.TrimSuffix(p, "/"))
		}
	}
	for _, p := range ws.Host.SkillRoots {
		out = append(out, ws.Prefix+strings.TrimSuffix(p, "/"))
	}
	return append(out, ws.Prefix+".claw", ws.Prefix+ws.SIRoot()+prefs.Hot)
}

// edits gathers the commits that wait.
type edits struct {
	ws     *memory.Workspace
	kept   func(gitops.ID) bool
	undone map[string]bool
	tips   map[gitops.ID]bool // commits of proposals, which are decided as these
	found  []agent.Event
}

// look reads a log, newest first, back to the adoption: what was there before is not
// looked at.
func (e *edits) look(ctx context.Context, log gitops.LogOptions) error {
	want := strings.TrimSuffix(e.ws.Prefix, "/")
	for c, err := range e.ws.Repo.Log(ctx, log) {
		if err != nil {
			return err
		}
		tr := c.Trailers
		id, event := tr.Get("Claw-Id"), tr.Get("Claw-Event")
		if event == "workspace.init" || event == "workspace.adopt" {
			if tr.Get("Claw-Workspace") == want {
				return nil
			}
			continue
		}
		if e.undone[c.ID.String()] || id != "" && e.undone[id] {
			continue
		}
		if what := tr.Get("Claw-Undoes"); what != "" && event == "undo" {
			e.undone[what] = true
			continue
		}
		if waits(e.ws, c) && !e.tips[c.ID] && !e.kept(c.ID) {
			e.found = append(e.found, agent.EventOf(e.ws, c))
		}
	}
	return nil
}

// waits reports whether a commit is one that a person has to see.
func waits(ws *memory.Workspace, c gitops.Commit) bool {
	tr := c.Trailers
	actor := agent.Actor(tr.Get("Claw-Actor"))
	if actor == "" || actor == agent.User || actor == agent.Checkpoint && tr.Get("Claw-Event") == "trim" {
		return false
	}
	if tr.Get("Claw-Event") == "bootstrap.complete" && slices.Contains(c.Paths, ws.Prefix+"BOOTSTRAP.md") {
		return false // what the first conversation fills in is the person's own answer
	}
	if len(c.Parents) > 1 { // merges are looked at as what they merge
		return tr.Get("Claw-Reason") == "explicit" && tr.Get("Claw-Proposal") != ""
	}
	for _, p := range c.Paths {
		rel, ok := strings.CutPrefix(p, ws.Prefix)
		if !ok {
			continue
		}
		switch ws.Kind(rel) {
		case memory.KindL1, memory.KindSkill, memory.KindClaw:
			return true
		}
		if rel == ws.SIRoot()+prefs.Hot && !preferenceEvent(tr.Get("Claw-Event")) {
			return true
		}
	}
	return false
}

// preferenceEvent recognises what git claw itself does in the store, for which a person
// decided or which only moves entries.
func preferenceEvent(event string) bool {
	return strings.HasPrefix(event, "candidate.") || strings.HasPrefix(event, "preference.") || strings.HasPrefix(event, "tier.") ||
		event == "heartbeat" || event == "forget" || event == "purge"
}

// kept returns what tells whether a person said of a commit that it may stay.
func kept(ctx context.Context, ws *memory.Workspace) (func(gitops.ID) bool, error) {
	read, err := proposal.ReadVerdicts(ctx, ws)
	if err != nil {
		return nil, err
	}
	return func(commit gitops.ID) bool {
		v, ok := read(commit)
		return ok && v.Verdict == "accept"
	}, nil
}
