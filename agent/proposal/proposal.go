package proposal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// State is where a proposal stands.
type State string

// States of proposals that wait.
const (
	Open        State = "open"
	Stale       State = "stale"       // a file it changes is not as it was when it was made
	Deferred    State = "deferred"    // until a day
	Quarantined State = "quarantined" // it changes what its kind may not; it cannot be accepted
	Withdrawn   State = "withdrawn"   // its branch was deleted; Refresh brings it back
	Merged      State = "merged"      // with git alone; a person has to confirm that
)

// States of proposals that are over.
const (
	Accepted   State = "accepted"
	Rejected   State = "rejected"
	Split      State = "split"      // some entries were merged, the rest is a proposal of its own
	Elsewhere  State = "elsewhere"  // what it says is on the branch, not by merging it
	Superseded State = "superseded" // another one took its place
	Over       State = "closed"     // by somebody whose words are not here
)

// Decided reports whether nobody has to decide any more.
func (s State) Decided() bool {
	switch s {
	case Accepted, Rejected, Split, Elsewhere, Superseded, Over:
		return true
	}
	return false
}

// Proposal is a change that waits, or waited, for a person.
type Proposal struct {
	ID        string
	Kind      Kind
	Branch    string // claw/<kind>/<id>
	Tip, Base gitops.ID
	Title     string // the subject without `claw(<area>): `
	Area      string
	Reason    string // Claw-Reason
	Body      string
	Created   time.Time
	Actor     agent.Actor
	Session   string
	Trailers  gitops.Trailers
	State     State
	Why       string    // of stale and quarantined
	Until     time.Time // of deferred
	Edited    bool      // others committed to its branch after it was made
	// Disputed is a later rejection of what is on the branch, by somebody on another
	// machine; zero: there is none.
	Disputed verdict.Verdict
	Changes  []Change
	Verdicts []verdict.Verdict

	ws       *memory.Workspace
	head     gitops.ID // refs/heads/claw/..., zero: it is gone
	open     gitops.ID // refs/claw/open/...
	closed   gitops.ID // refs/claw/closed/...
	worked   bool      // the changes were looked at
	merges   bool      // its commit has several parents
	headTree gitops.ID // the tree of HEAD that State was worked out against
}

// Closed reports whether it was closed, and not only decided.
func (p *Proposal) Closed() bool { return !p.closed.IsZero() && p.head.IsZero() && p.open.IsZero() }

// Change is a path that a proposal changes.
type Change struct {
	Path     string // relative to the root; from the top level where it is outside
	Old, New gitops.TreeEntry
}

// Paths are the paths it changes.
func (p *Proposal) Paths() []string {
	out := make([]string, len(p.Changes))
	for i, c := range p.Changes {
		out[i] = c.Path
	}
	return out
}

// NotFoundError: there is no such proposal.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("no proposal '%s'", e.ID) }

// ExitCode is git's for a name that cannot be resolved.
func (e *NotFoundError) ExitCode() int { return 128 }

// Hints names the list.
func (e *NotFoundError) Hints() []string { return []string{"git claw proposal list --all"} }

// take fills in what its commit says.
func (p *Proposal) take(c gitops.Commit) {
	p.Created, p.Trailers, p.Body = c.Author.When, c.Trailers, agent.BodyOf(c)
	p.Title = c.Subject
	if rest, ok := strings.CutPrefix(c.Subject, "claw("); ok {
		if area, title, found := strings.Cut(rest, "): "); found {
			p.Area, p.Title = area, title
		}
	}
	if p.Area == "" {
		p.Area = areas[p.Kind]
	}
	p.Reason, p.Session = c.Trailers.Get("Claw-Reason"), c.Trailers.Get("Claw-Session")
	p.Actor = agent.Actor(c.Trailers.Get("Claw-Actor"))
	if p.Actor == "" {
		p.Actor = agent.User // a commit with git alone
	}
}

// changes compares base and tip.
func (p *Proposal) changes(ctx context.Context) error {
	if p.worked {
		return nil
	}
	diff, err := p.ws.Repo.DiffTrees(ctx, p.Base, p.Tip)
	if err != nil {
		return fmt.Errorf("read proposal '%s': %w", p.ID, err)
	}
	p.Changes = make([]Change, len(diff))
	for i, d := range diff {
		rel, ok := strings.CutPrefix(d.Path, p.ws.Prefix)
		if !ok {
			rel = d.Path
		}
		p.Changes[i] = Change{Path: rel, Old: d.Old, New: d.New}
	}
	p.worked = true
	return nil
}
