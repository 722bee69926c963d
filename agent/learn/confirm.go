package learn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/prefs"
)

// ConfirmOptions says where a confirmed preference goes: into memory.md, else
type ConfirmOptions struct {
	OnlyIn string // into the WARM file of this context
	Always bool   // pinned: it never leaves memory.md by itself
}

// Confirmed is a preference that became a rule.
type Confirmed struct {
	Candidate *Candidate
	Save      *agent.SaveResult    // what was saved before
	Accepted  *proposal.AcceptedAs // without a merge where git ignores the store
	Evicted   []string             // ids that had to leave memory.md
}

// place is where a confirmed preference goes.
type place struct {
	warm string // file, "" for memory.md
	pin  bool
}

func (o ConfirmOptions) place() (place, error) {
	switch {
	case o.OnlyIn == "":
		return place{pin: o.Always}, nil
	case o.Always:
		return place{}, &agent.UsageError{Problem: "--only-in and --always exclude each other"}
	case !prefs.IsContext(o.OnlyIn):
		return place{}, &agent.UsageError{Problem: fmt.Sprintf("'%s' is no context", o.OnlyIn), Hint: "write it as 'writing' or 'project:shop'"}
	}
	return place{warm: prefs.WarmPath(o.OnlyIn)}, nil
}

// tier is the value of a trailer.
func (p place) tier() string {
	if p.warm != "" {
		return "warm"
	}
	return "hot"
}

func (p place) file() string {
	if p.warm != "" {
		return p.warm
	}
	return prefs.Hot
}

// Confirm makes a candidate a rule, as a person decided: it accepts the proposal that is
// open, or makes one and accepts it. Whoever is no person gets a *agent.RefusedError.
func Confirm(ctx context.Context, ws *memory.Workspace, caller agent.Caller, id string, opt ConfirmOptions) (*Confirmed, error) {
	to, err := opt.place()
	if err != nil {
		return nil, err
	}
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	by, err := proposal.Approve(ctx, ws, caller)
	if err != nil {
		return nil, err
	}
	return confirm(ctx, ws, caller, id, to, proposal.AcceptOptions{Approval: by})
}

// confirm accepts the proposal of a candidate. What the merge does is worked out from
// HEAD, again when somebody was quicker: counters that changed since the proposal was
// made, or what stands in the tiers, are no obstacle.
func confirm(ctx context.Context, ws *memory.Workspace, caller agent.Caller, id string, to place, opt proposal.AcceptOptions) (*Confirmed, error) {
	out := &Confirmed{Save: &agent.SaveResult{}}
	s, err := load(ws)
	if err != nil {
		return nil, err
	}
	if id, err = s.resolve(id); err != nil {
		return nil, err
	}
	w, err := s.undecided(id)
	if err != nil {
		return nil, err
	}
	open, err := proposalsOf(ctx, ws)
	if err != nil {
		return nil, err
	}
	if apart, err := s.apart(ctx); apart || err != nil {
		if err == nil {
			err = s.confirmApart(ctx, caller, w, to, opt, out)
		}
		if err == nil {
			err = closeAll(ctx, ws, caller, open[id], "decided, in files that git ignores")
		}
		return out, err
	}
	// Edits are worked out against HEAD; what is not saved yet must be in it.
	names := []string{s.rel(w.name), s.rel(to.file())}
	if out.Save, err = agent.SaveDirty(ctx, ws, caller, names); err != nil {
		return out, err
	}
	p, rest := pick(open[id])
	if p == nil {
		if p, err = propose(ctx, s, caller, w, to); err != nil {
			return out, err
		}
	}
	opt.Plan = func(ctx context.Context, _ gitops.ID) (proposal.Planned, error) {
		if s, err = load(ws); err != nil {
			return proposal.Planned{}, err
		}
		if w, err = s.undecided(id); err != nil {
			return proposal.Planned{}, err
		}
		plan, evicted, err := s.confirmPlan(ctx, w, to)
		out.Evicted = evicted
		return plan, err
	}
	if out.Accepted, err = proposal.Accept(ctx, ws, caller, p, opt); err != nil {
		return out, err
	}
	out.Candidate = s.ruleView(w, to)
	return out, closeAll(ctx, ws, caller, rest, "decided with "+p.ID)
}

// ruleView is how a candidate stands that has just become a rule.
func (s *snapshot) ruleView(w *waiting, to place) *Candidate {
	v := s.view(w)
	v.Status, v.Eligible, v.Path, v.Pin = confirmed, false, s.rel(to.file()), to.pin
	return v
}

// undecided returns the file of a candidate that waits and is no rule yet.
func (s *snapshot) undecided(id string) (*waiting, error) {
	w, err := s.decidable(id)
	if p, ok := s.byID[id]; ok && err == nil {
		return nil, &agent.RefusedError{
			Problem: fmt.Sprintf("'%s' is confirmed already: '%s', line %d", id, s.rel(p.file.name), p.entry.Line),
		}
	}
	return w, err
}

// confirmPlan is what the merge does.
func (s *snapshot) confirmPlan(ctx context.Context, w *waiting, to place) (proposal.Planned, []string, error) {
	edits, evicted, err := s.confirmEdits(ctx, w, to)
	if err != nil {
		return proposal.Planned{}, nil, err
	}
	where := "prefs-hot"
	if to.warm != "" {
		where = strings.TrimSuffix(to.warm, ".md")
	}
	p := proposal.Planned{Event: agent.EventConfirm, Area: area, Summary: fmt.Sprintf("confirm %s into %s", w.cand.ID, where), Edits: edits}
	p.Trailers = append(s.evidence(w), gitops.Trailer{Key: "Claw-Tier-From", Value: "pending"}, gitops.Trailer{Key: "Claw-Tier-To", Value: to.tier()})
	if len(evicted) > 0 {
		p.Trailers = append(p.Trailers, gitops.Trailer{Key: "Claw-Moved", Value: strings.Join(evicted, " ") + " (hot → warm)"})
	}
	p.Trailers = append(p.Trailers, gitops.Trailer{Key: "Claw-Rule", Value: "SI-22"})
	return p, evicted, nil
}

// pick takes the proposal to be accepted, of several the oldest.
func pick(open []*proposal.Proposal) (*proposal.Proposal, []*proposal.Proposal) {
	i := slices.IndexFunc(open, func(p *proposal.Proposal) bool {
		return p.State == proposal.Open || p.State == proposal.Stale || p.State == proposal.Deferred
	})
	if i < 0 {
		return nil, open
	}
	return open[i], slices.Delete(slices.Clone(open), i, i+1)
}

// confirmEdits works out the files against HEAD: the entry in its tier, what had to make
// room for it, and nothing in pending/ any more.
func (s *snapshot) confirmEdits(ctx context.Context, w *waiting, to place) (edits []proposal.Edit, evicted []string, err error) {
	sh := s.headShelf(ctx)
	e := prefs.Entry{ID: w.cand.ID, Text: w.cand.Line.String(), Pin: to.pin, Since: s.ws.Now().Format(time.DateOnly)}
	if err := sh.put(to.file(), e); err != nil {
		return nil, nil, err
	}
	if to.warm == "" {
		if err := sh.makeRoom(e.ID); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sh.texts)) {
		edits = append(edits, proposal.Edit{Path: s.rel(name), Content: sh.texts[name]})
	}
	_, ok, err := proposal.ReadHead(ctx, s.ws, s.rel(w.name))
	if err != nil {
		return nil, nil, err
	}
	if ok {
		edits = append(edits, proposal.Edit{Path: s.rel(w.name), Delete: true})
	}
	return edits, sh.moved, nil
}

// headShelf moves entries as HEAD has them.
func (s *snapshot) headShelf(ctx context.Context) *shelf {
	return &shelf{
		limit: int(s.ws.Settings.Int("si.hotMaxLines")), uses: s.uses,
		read: func(name string) ([]byte, error) {
			text, _, err := proposal.ReadHead(ctx, s.ws, s.rel(name))
			return text, err
		},
	}
}

// maxEvidence bounds how many quotes a trailer block has.
const maxEvidence = 3

// evidence is what speaks for a candidate: how often it came up, and the latest words.
func (s *snapshot) evidence(w *waiting) gitops.Trailers {
	tr := gitops.Trailers{{Key: "Claw-Candidate", Value: w.cand.ID}, {Key: "Claw-Count", Value: strconv.Itoa(len(w.cand.Occurrences))}}
	if w.cand.Often(int(s.ws.Settings.Int("si.askCount")), int(s.ws.Settings.Int("si.windowDays"))) {
		tr = append(tr, gitops.Trailer{Key: "Claw-Window", Value: fmt.Sprintf("%dd", s.ws.Settings.Int("si.windowDays"))})
	}
	var quotes []string
	for _, o := range w.cand.Occurrences {
		if q := prefs.CleanQuote(o.Quote); q != "" && !slices.Contains(quotes, q) {
			quotes = append(quotes, q)
		}
	}
	for _, q := range quotes[max(0, len(quotes)-maxEvidence):] {
		tr = append(tr, gitops.Trailer{Key: "Claw-Evidence", Value: q})
	}
	return tr
}

// propose makes the proposal of a candidate. It says nothing that could pass for an
// approval: the reason that stands for the user's order is given by the merge alone.
func propose(ctx context.Context, s *snapshot, caller agent.Caller, w *waiting, to place) (*proposal.Proposal, error) {
	head, err := s.ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	edits, _, err := s.confirmEdits(ctx, w, to)
	if err != nil {
		return nil, err
	}
	reason := "recurrence"
	if w.cand.Explicit() {
		reason = "the user said so"
	}
	var body strings.Builder
	fmt.Fprintf(&body, "%s\n", w.cand.Line)
	for _, o := range w.cand.Occurrences {
		fmt.Fprintf(&body, "\n%s", strings.TrimPrefix(o.String(), "- "))
	}
	return proposal.Propose(ctx, s.ws, caller, proposal.Draft{
		Kind: proposal.Candidate, Slug: w.cand.Line.Preference, Event: agent.EventConfirm, Area: area, Base: head.Commit, Edits: edits,
		Summary: fmt.Sprintf("make a rule of [%s] %s", w.cand.Line.Context, w.cand.Line.Preference), Body: body.String(),
		Trailers: append(s.evidence(w), gitops.Trailer{Key: "Claw-Tier-From", Value: "pending"}, gitops.Trailer{Key: "Claw-Tier-To", Value: to.tier()}, gitops.Trailer{Key: "Claw-Reason", Value: reason}),
	})
}

// atOnce makes the user's order a rule without another question, where that is switched
// on (SPEC GN-08). In a strict workspace a person confirms each of them.
func (c *capture) atOnce(ctx context.Context, caller agent.Caller, out *Captured) error {
	ws := c.ws
	if !ws.Settings.Bool("approve.quotes") || ws.Settings.String("si.mode") == "strict" || out.Known || !prefs.IsOrder(c.seen.Quote) ||
		out.Candidate == nil || !out.Candidate.Eligible || out.Save.Held() {
		return nil
	}
	done, err := confirm(ctx, ws, caller, c.id, place{}, proposal.AcceptOptions{Quote: true})
	if err != nil {
		return err
	}
	out.Confirmed, out.Candidate = done, done.Candidate
	addSaved(out.Save, done.Save)
	return nil
}
