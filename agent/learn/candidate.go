package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
)

// Statuses that a view has.
const (
	pending   = "pending"
	deferred  = "deferred"
	confirmed = "confirmed"
)

// Candidate is a learned preference as it stands, whether it waits or was decided.
type Candidate struct {
	ID, Status, Kind, Source string
	Line                     prefs.Line
	FirstSeen, LastSeen      time.Time
	DeferUntil, LastAsked    time.Time
	Asks, Ignored, Count     int
	Occurrences              []prefs.Occurrence
	Explicit                 bool // the user ordered it in so many words
	Eligible                 bool // it can be asked about
	Waits                    bool // it was asked, and nobody answered
	Path                     string
	At                       int // line of Path, 0 for all of it
	// Of one that was decided.
	Tier   prefs.Tier
	Pin    bool
	Day    string // on which it was confirmed, or rejected
	Reason string // of a rejection
	// Problem says why the file cannot be read; all else may be wrong then.
	Problem string
}

// view derives how a file in pending/ stands.
func (s *snapshot) view(w *waiting) *Candidate {
	c := w.cand
	v := &Candidate{
		ID: strings.TrimSuffix(strings.TrimPrefix(w.name, prefs.Pending), ".md"), Status: c.Status, Kind: c.Kind, Source: c.Source, Line: c.Line,
		FirstSeen: c.FirstSeen, LastSeen: c.LastSeen, DeferUntil: c.DeferUntil, LastAsked: c.LastAsked, Asks: c.Asks, Ignored: c.Ignored,
		Count: len(c.Occurrences), Occurrences: c.Occurrences, Explicit: c.Explicit(), Waits: c.Waits(), Path: s.rel(w.name),
	}
	if w.err != nil {
		v.Problem = w.err.Error()
		return v
	}
	if c.Status == deferred && !c.DeferUntil.After(s.ws.Now()) {
		v.Status = pending
	}
	v.Eligible = v.Status == pending && s.mayAsk(v.ID, c)
	return v
}

// mayAsk reports whether a candidate came up often enough to be asked about (SPEC SI-21,
// SI-25).
func (s *snapshot) mayAsk(id string, c *prefs.Candidate) bool {
	count, days := int(s.ws.Settings.Int("si.askCount")), int(s.ws.Settings.Int("si.windowDays"))
	if _, confirmed := s.byID[id]; confirmed {
		return false
	}
	if r, ok := s.rejected[id]; ok && c.Since(r.Day, s.ws.Now().Location()) < count {
		return false
	}
	return c.Explicit() || c.Often(count, days)
}

func confirmedView(p placed, s store) *Candidate {
	v := &Candidate{
		ID: p.entry.ID, Status: confirmed, Path: s.rel(p.file.name), At: p.entry.Line,
		Tier: p.file.tier, Pin: p.entry.Pin, Day: p.entry.Since,
	}
	if l, ok := p.entry.Preference(); ok {
		v.Line = l
	} else {
		v.Line.Preference = p.entry.Text
	}
	return v
}

// List lists the candidates that wait, the most often asked for first; all adds those
// that were confirmed or rejected.
func List(_ context.Context, ws *memory.Workspace, caller agent.Caller, all bool) ([]*Candidate, error) {
	if err := mayRead(caller); err != nil {
		return nil, err
	}
	s, err := load(ws)
	if err != nil {
		return nil, err
	}
	var out []*Candidate
	for _, w := range s.waits() {
		out = append(out, s.view(w))
	}
	slices.SortStableFunc(out, func(a, b *Candidate) int {
		return cmp.Or(-compareBool(a.Eligible, b.Eligible), -cmp.Compare(a.Count, b.Count), a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.ID, b.ID))
	})
	if all {
		out = append(out, s.decided()...)
	}
	return out, nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// decided lists what is confirmed, in the order of the files, and what was rejected.
func (s *snapshot) decided() []*Candidate {
	var out []*Candidate
	for _, f := range s.tiers {
		for _, e := range f.entries {
			if e.ID != "" {
				out = append(out, confirmedView(placed{f, e}, s.store))
			}
		}
	}
	var gone []*Candidate
	for id, e := range s.reversed {
		if s.pending[id] == nil && s.byID[id].file == nil && s.rejected[id].ID == "" {
			gone = append(gone, s.reversedView(e))
		}
	}
	for id, r := range s.rejected {
		if s.pending[id] == nil && s.byID[id].file == nil {
			gone = append(gone, s.rejectedView(r))
		}
	}
	slices.SortFunc(gone, func(a, b *Candidate) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID)) })
	return append(out, gone...)
}

func (s *snapshot) rejectedView(r prefs.Rejection) *Candidate {
	return &Candidate{ID: r.ID, Status: "rejected", Path: s.rel(prefs.Rejected), At: r.Line, Day: r.Day, Reason: r.Reason}
}

func (s *snapshot) reversedView(e prefs.Entry) *Candidate {
	v := confirmedView(placed{&tierFile{name: prefs.Reversed}, e}, s.store)
	v.Status, v.Pin, v.Day = "reversed", false, e.Section
	return v
}

// mayRead keeps preferences out of sessions that others read (SPEC RC-05).
func mayRead(caller agent.Caller) error {
	if caller.Kind == "" || caller.Kind == "main" {
		return nil
	}
	return &agent.RefusedError{
		Problem: fmt.Sprintf("preferences are private: they are not shown in a session of kind '%s'", caller.Kind),
		Advice:  []string{"ask again in the private main session"},
	}
}

// NotFoundError: there is no such candidate.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no candidate '%s'", e.ID) }

// ExitCode is git's for a name that cannot be resolved.
func (e *NotFoundError) ExitCode() int { return 128 }

// Hints names the list.
func (e *NotFoundError) Hints() []string { return []string{"git claw candidate list --all"} }

// Find looks for a candidate by its id or by a beginning of it, with or without `cand-`,
// that no other one has.
func Find(_ context.Context, ws *memory.Workspace, caller agent.Caller, id string) (*Candidate, error) {
	if err := mayRead(caller); err != nil {
		return nil, err
	}
	s, err := load(ws)
	if err != nil {
		return nil, err
	}
	id, err = s.resolve(id)
	if err != nil {
		return nil, err
	}
	if w := s.pending[id]; w != nil {
		return s.view(w), nil
	}
	if p, ok := s.byID[id]; ok {
		return confirmedView(p, s.store), nil
	}
	if r, ok := s.rejected[id]; ok {
		return s.rejectedView(r), nil
	}
	return s.reversedView(s.reversed[id]), nil
}

// resolve completes the beginning of an id.
func (s *snapshot) resolve(id string) (string, error) {
	all := map[string]bool{}
	for k := range s.pending {
		all[k] = true
	}
	for k := range s.byID {
		all[k] = true
	}
	for k := range s.rejected {
		all[k] = true
	}
	for k := range s.reversed {
		all[k] = true
	}
	if all[id] {
		return id, nil
	}
	const short = 4 // digits that may stand for an id
	part := strings.TrimPrefix(id, "cand-")
	var found []string
	for k := range all {
		if len(part) >= short && strings.HasPrefix(strings.TrimPrefix(k, "cand-"), part) {
			found = append(found, k)
		}
	}
	slices.Sort(found)
	switch len(found) {
	case 0:
		return "", &NotFoundError{id}
	case 1:
		return found[0], nil
	}
	return "", &agent.UsageError{Problem: fmt.Sprintf("'%s' is both '%s' and '%s'", id, found[0], found[1]), Hint: "git claw candidate show " + found[0]}
}
