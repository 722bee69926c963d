package learn

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
	"github.com/git-claw/git-claw/memory/stamp"
)

// Decided is what became of a candidate that a person decided about.
type Decided struct {
	Save      *agent.SaveResult
	Candidate *Candidate
	Instead   *Candidate // the one that takes its place
	Evicted   []string   // ids that had to leave memory.md
}

// approvedBy are the trailers of a person's decision.
func approvedBy(by proposal.Approval) gitops.Trailers {
	return gitops.Trailers{{Key: "Claw-Approved-By", Value: by.By}, {Key: "Claw-Approved-Via", Value: by.Via}}
}

// RejectOptions says why something is no rule.
type RejectOptions struct {
	Reason  string
	Instead string // what is preferred, as a candidate of its own
}

// Reject takes a candidate out, or a preference that was confirmed, as a person decided.
// The first leaves a line in archive/rejected.md, the second in archive/reversed.md.
func Reject(ctx context.Context, ws *memory.Workspace, caller agent.Caller, id string, opt RejectOptions) (*Decided, error) {
	s, by, id, err := deciding(ctx, ws, caller, id)
	if err != nil {
		return nil, err
	}
	out := &Decided{Save: &agent.SaveResult{}}
	var next *prefs.Line
	if opt.Reason != "" {
		if err := prefs.CheckWords("reason", opt.Reason); err != nil {
			return nil, err
		}
	}
	if opt.Instead != "" {
		if next, err = s.instead(id, opt.Instead); err != nil {
			return nil, err
		}
	}
	if p, ok := s.byID[id]; ok {
		return out, s.reverse(ctx, caller, by, p, opt.Reason, next, out)
	}
	w, err := s.decidable(id)
	if err != nil {
		return nil, err
	}
	open, err := proposalsOf(ctx, ws)
	if err != nil {
		return nil, err
	}
	tr := gitops.Trailers{{Key: "Claw-Reason", Value: opt.Reason}}
	if err := s.reject(ctx, caller, w, opt.Reason, tr, next, out.Save); err != nil {
		return out, err
	}
	out.Candidate = s.rejectedView(s.rejected[id])
	for _, p := range open[id] {
		if err := proposal.Reject(ctx, ws, caller, p, by, opt.Reason); err != nil {
			return out, err
		}
	}
	return out, s.shown(next, out)
}

// deciding reads the store for a person who decides.
func deciding(ctx context.Context, ws *memory.Workspace, caller agent.Caller, id string) (*snapshot, proposal.Approval, string, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, proposal.Approval{}, "", err
	}
	by, err := proposal.Approve(ctx, ws, caller)
	if err != nil {
		return nil, by, "", err
	}
	s, err := load(ws)
	if err != nil {
		return nil, by, "", err
	}
	id, err = s.resolve(id)
	return s, by, id, err
}

// instead is the line that takes the place of another one.
func (s *snapshot) instead(id, preference string) (*prefs.Line, error) {
	var l prefs.Line
	if w := s.pending[id]; w != nil {
		l = w.cand.Line
	} else if p, ok := s.byID[id]; ok {
		l, _ = p.entry.Preference()
	}
	if l == (prefs.Line{}) {
		return nil, &agent.RefusedError{
			Problem: fmt.Sprintf("'%s' is no line with a context, which another one could take over", id),
			Advice:  []string{`git claw learn correction '[<context>] "<pattern>" -> "<preference>"'`},
		}
	}
	l.Preference = preference
	if err := l.Check(); err != nil {
		return nil, err
	}
	if l.ID() == id {
		return nil, &agent.UsageError{Problem: "what is wanted instead is the same"}
	}
	if p, ok := s.byID[l.ID()]; ok {
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("what is wanted instead is confirmed already: '%s', line %d", s.rel(p.file.name), p.entry.Line)}
	}
	return &l, nil
}

func (s *snapshot) shown(next *prefs.Line, out *Decided) error {
	if next == nil {
		return nil
	}
	if err := s.loadPending(pendingName(next.ID())); err != nil {
		return err
	}
	if w := s.pending[next.ID()]; w != nil {
		out.Instead = s.view(w)
	}
	return nil
}

// replacement is the edit that makes the candidate which takes another one's place.
func (s *snapshot) replacement(f agent.File, l prefs.Line) (agent.FileEdit, error) {
	seen := prefs.Occurrence{At: clock(s.ws)}
	if !f.Exists {
		return agent.FileEdit{Path: f.Path, Next: prefs.NewCandidate(l, Kinds[0], "correction", seen)}, nil
	}
	if err := prefs.ParseCandidate(f.Text).Sound(l.ID()); err != nil {
		return agent.FileEdit{}, s.unsound(s.name(f.Path), err)
	}
	return agent.FileEdit{Path: f.Path, Next: prefs.AddOccurrence(f.Text, seen)}, nil
}

// reject removes the file of a candidate and leaves a line in archive/rejected.md.
func (s *snapshot) reject(ctx context.Context, caller agent.Caller, w *waiting, reason string, extra gitops.Trailers, next *prefs.Line, save *agent.SaveResult) error {
	id := w.cand.ID
	r := prefs.Rejection{ID: id, Day: s.ws.Now().Format(time.DateOnly), Reason: reason}
	rw := agent.Rewrite{Paths: []string{s.rel(w.name), s.rel(prefs.Rejected)}, Whole: true}
	if next != nil {
		rw.Paths = append(rw.Paths, s.rel(pendingName(next.ID())))
		extra = append(extra, gitops.Trailer{Key: "Claw-Supersedes", Value: id})
	}
	rw.Plan = func(files []agent.File) (agent.Planned, error) {
		c := prefs.ParseCandidate(files[0].Text)
		if err := c.Sound(id); err != nil {
			return agent.Planned{}, s.unsound(w.name, err)
		}
		tr := append(gitops.Trailers{
			{Key: "Claw-Candidate", Value: id},
			{Key: "Claw-Count", Value: strconv.Itoa(len(c.Occurrences))},
			{Key: "Claw-Tier-From", Value: "pending"},
			{Key: "Claw-Tier-To", Value: "none"},
		}, extra...)
		p := agent.Planned{Event: agent.EventReject, Area: area, Summary: "reject " + id, Trailers: tr, Edits: []agent.FileEdit{
			{Path: files[0].Path, Remove: true}, {Path: files[1].Path, Next: prefs.AddRejected(files[1].Text, r)},
		}}
		if next != nil {
			ed, err := s.replacement(files[2], *next)
			if err != nil {
				return p, err
			}
			p.Edits = append(p.Edits, ed)
		}
		return vet(files, p)
	}
	res, err := agent.Commit(ctx, s.ws, caller, rw)
	addSaved(save, res)
	if err != nil {
		return err
	}
	delete(s.pending, id)
	s.rejected[id] = r
	return nil
}

// reverse takes a confirmed preference out of its tier.
func (s *snapshot) reverse(ctx context.Context, caller agent.Caller, by proposal.Approval, p placed, reason string, next *prefs.Line, out *Decided) error {
	id, day := p.entry.ID, s.ws.Now().Format(time.DateOnly)
	rw := agent.Rewrite{Paths: []string{s.rel(p.file.name), s.rel(prefs.Reversed)}, Whole: true}
	if next != nil {
		rw.Paths = append(rw.Paths, s.rel(pendingName(next.ID())))
	}
	rw.Plan = func(files []agent.File) (agent.Planned, error) {
		e, ok := entryOf(files[0].Text, id)
		if !ok {
			return agent.Planned{}, &NotFoundError{id}
		}
		tr := append(gitops.Trailers{
			{Key: "Claw-Candidate", Value: id},
			{Key: "Claw-Reason", Value: reason},
			{Key: "Claw-Tier-From", Value: tierValue(p.file.tier)},
			{Key: "Claw-Tier-To", Value: "archive"},
		}, approvedBy(by)...)
		plan := agent.Planned{Event: agent.EventReverse, Area: area, Summary: "reverse " + id, Edits: []agent.FileEdit{
			{Path: files[0].Path, Next: prefs.Remove(files[0].Text, e)}, {Path: files[1].Path, Next: prefs.AddReversed(files[1].Text, e, day)},
		}}
		if next != nil {
			ed, err := s.replacement(files[2], *next)
			if err != nil {
				return plan, err
			}
			plan.Edits = append(plan.Edits, ed)
			tr = append(tr, gitops.Trailer{Key: "Claw-Supersedes", Value: id})
		}
		plan.Trailers = tr
		return vet(files, plan)
	}
	res, err := agent.Commit(ctx, s.ws, caller, rw)
	addSaved(out.Save, res)
	if err != nil {
		return err
	}
	out.Candidate = confirmedView(p, s.store)
	out.Candidate.Status, out.Candidate.Path, out.Candidate.At = "reversed", s.rel(prefs.Reversed), 0
	return s.shown(next, out)
}

// entryOf finds the entry of an id in a file of a tier.
func entryOf(text []byte, id string) (prefs.Entry, bool) {
	for _, e := range prefs.ParseTier(text) {
		if e.ID == id {
			return e, true
		}
	}
	return prefs.Entry{}, false
}

// tierValue is the value of a trailer.
func tierValue(t prefs.Tier) string {
	switch t {
	case prefs.TierHot:
		return "hot"
	case prefs.TierWarm:
		return "warm"
	case prefs.TierCold:
		return "cold"
	}
	return "none"
}

// Defer puts a candidate off by claw.si.deferDays, as a person decided.
func Defer(ctx context.Context, ws *memory.Workspace, caller agent.Caller, id string) (*Decided, error) {
	s, by, id, err := deciding(ctx, ws, caller, id)
	if err != nil {
		return nil, err
	}
	w, err := s.decidable(id)
	if err != nil {
		return nil, err
	}
	out := &Decided{Save: &agent.SaveResult{}}
	until := ws.Now().AddDate(0, 0, int(ws.Settings.Int("si.deferDays"))).UTC().Truncate(time.Second)
	open, err := proposalsOf(ctx, ws)
	if err != nil {
		return nil, err
	}
	err = s.edit(ctx, caller, w, agent.EventDefer, "defer ", nil, func(c *prefs.Candidate) [][2]string {
		return [][2]string{{"status", deferred}, {"ignored", "0"}, {"answered", strconv.Itoa(c.Asks)}, {"defer_until", stamp.Format(until)}}
	}, out.Save)
	if err != nil {
		return out, err
	}
	out.Candidate = s.view(w)
	for _, p := range open[id] {
		if err := proposal.Defer(ctx, ws, caller, p, by, until, ""); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Pin pins a confirmed preference, or takes the pin off, as a person decided. One that
// is in another tier comes into memory.md to be pinned.
func Pin(ctx context.Context, ws *memory.Workspace, caller agent.Caller, id string, pin bool) (*Decided, error) {
	out := &Decided{Save: &agent.SaveResult{}}
	s, by, id, err := deciding(ctx, ws, caller, id)
	if err != nil {
		return nil, err
	}
	p, ok := s.byID[id]
	if !ok {
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("'%s' is not confirmed", id), Advice: []string{"git claw candidate confirm --always " + id}}
	}
	out.Candidate = confirmedView(p, s.store)
	if p.entry.Pin == pin {
		return out, nil
	}
	work := func(read reader) (*shelf, error) { return s.repin(read, p.file.name, id, pin) }
	tr := append(gitops.Trailers{{Key: "Claw-Candidate", Value: id}}, approvedBy(by)...)
	verb := "unpin "
	if pin {
		verb = "pin "
		if p.file.tier != prefs.TierHot {
			tr = append(tr, gitops.Trailer{Key: "Claw-Tier-From", Value: tierValue(p.file.tier)}, gitops.Trailer{Key: "Claw-Tier-To", Value: "hot"})
		}
	}
	sh, err := s.rearrange(ctx, caller, agent.Planned{Event: agent.EventPin, Area: area, Summary: verb + id, Trailers: tr}, work, out.Save)
	if err != nil {
		return out, err
	}
	out.Candidate.Pin, out.Evicted = pin, sh.moved
	if pin {
		out.Candidate.Tier, out.Candidate.Path = prefs.TierHot, s.rel(prefs.Hot)
	}
	return out, nil
}

// repin works out the files.
func (s *snapshot) repin(read reader, name, id string, pin bool) (*shelf, error) {
	sh := &shelf{read: read, limit: int(s.ws.Settings.Int("si.hotMaxLines")), uses: s.uses}
	text, err := sh.text(name)
	if err != nil {
		return nil, err
	}
	e, ok := entryOf(text, id)
	if !ok {
		return nil, &gitops.MovedError{Subject: s.rel(name)}
	}
	if pin && name != prefs.Hot {
		if err := sh.take(name, e); err != nil {
			return nil, err
		}
		if err := sh.put(prefs.Hot, e); err != nil {
			return nil, err
		}
		name = prefs.Hot
		if text, err = sh.text(name); err != nil {
			return nil, err
		}
		if e, ok = entryOf(text, id); !ok {
			return nil, &gitops.MovedError{Subject: s.rel(name)}
		}
	}
	sh.set(name, prefs.SetPin(text, e, pin))
	if !pin {
		return sh, nil
	}
	return sh, sh.makeRoom(id)
}
