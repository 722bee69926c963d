package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/frontmatter"
	"github.com/git-claw/git-claw/memory/prefs"
	"github.com/git-claw/git-claw/memory/stamp"
)

// Asked is what can be put to the user.
type Asked struct {
	Save      *agent.SaveResult
	Questions []*Candidate
	// Dropped were asked about too often without an answer, and are rejected now.
	Dropped []*Candidate
	// More is how many others can be asked about.
	More int
}

// Ask prepares questions about candidates: those named, or the ones that came up often
// enough, a few at once. Each is counted in a commit of its own, and gets a proposal that
// a person may accept. An earlier question that nobody answered counts as ignored, unless
// it is of the same day: then it is the same question. See snapshot.unanswered.
func Ask(ctx context.Context, ws *memory.Workspace, caller agent.Caller, ids []string) (*Asked, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	if err := mayRead(caller); err != nil {
		return nil, err
	}
	s, err := load(ws)
	if err != nil {
		return nil, err
	}
	out := &Asked{Save: &agent.SaveResult{}}
	list, err := s.choose(ids)
	if err != nil || len(list) == 0 {
		return out, err
	}
	if batch := int(ws.Settings.Int("si.askBatch")); len(ids) == 0 && batch > 0 && len(list) > batch {
		out.More = len(list) - batch
		list = list[:batch]
	}
	open, err := proposalsOf(ctx, ws)
	if err != nil {
		return out, err
	}
	for _, w := range list {
		if err := s.ask(ctx, caller, w, open, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// choose lists what is asked about: what was asked least often first, then what came
// first.
func (s *snapshot) choose(ids []string) ([]*waiting, error) {
	var out []*waiting
	for _, id := range ids {
		id, err := s.resolve(id)
		if err != nil {
			return nil, err
		}
		w, err := s.decidable(id)
		if err != nil {
			return nil, err
		}
		if !s.view(w).Eligible {
			return nil, &agent.RefusedError{
				Problem: fmt.Sprintf("'%s' did not come up often enough to be asked about", id),
				Advice:  []string{"a person may decide it now: git claw candidate confirm " + id},
			}
		}
		out = append(out, w)
	}
	if len(ids) > 0 {
		return out, nil
	}
	for _, w := range s.waits() {
		if s.view(w).Eligible {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b *waiting) int {
		return cmp.Or(cmp.Compare(a.cand.Asks, b.cand.Asks), a.cand.FirstSeen.Compare(b.cand.FirstSeen))
	})
	return out, nil
}

// decidable returns the file of a candidate that waits.
func (s *snapshot) decidable(id string) (*waiting, error) {
	w := s.pending[id]
	switch {
	case w == nil && s.byID[id].file != nil:
		p := s.byID[id]
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("'%s' is confirmed already: '%s', line %d", id, s.rel(p.file.name), p.entry.Line)}
	case w == nil && s.rejected[id].ID == "":
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("'%s' was reversed on %s", id, s.reversed[id].Section)}
	case w == nil:
		return nil, &agent.RefusedError{Problem: fmt.Sprintf("'%s' was rejected on %s", id, s.rejected[id].Day)}
	case w.err != nil:
		return nil, s.unsound(w.name, w.err)
	}
	return w, nil
}

func (s *snapshot) ask(ctx context.Context, caller agent.Caller, w *waiting, open map[string][]*proposal.Proposal, out *Asked) error {
	now := s.ws.Now()
	id := w.cand.ID
	again := w.cand.Waits() && w.cand.Asked().In(now.Location()).Format(time.DateOnly) == now.Format(time.DateOnly)
	unanswered, err := s.unanswered(ctx, caller, w)
	if err != nil {
		return err
	}
	if unanswered && !again {
		dropped, err := s.ignore(ctx, caller, w, out.Save)
		if err != nil {
			return err
		}
		if dropped {
			out.Dropped = append(out.Dropped, s.rejectedView(s.rejected[id]))
			return closeAll(ctx, s.ws, caller, open[id], "nobody answered")
		}
	}
	if !again {
		err := s.edit(ctx, caller, w, agent.EventAsk, "ask about ", nil, func(c *prefs.Candidate) [][2]string {
			return [][2]string{{"asks", strconv.Itoa(c.Asks + 1)}, {"last_asked", stamp.Format(clock(s.ws))}}
		}, out.Save)
		if err != nil {
			return err
		}
	}
	apart, err := s.apart(ctx)
	if err != nil {
		return err
	}
	if len(open[id]) == 0 && !apart {
		if _, err := propose(ctx, s, caller, w, place{}); err != nil && !errors.Is(err, gitops.ErrNothing) {
			return err
		}
	}
	out.Questions = append(out.Questions, s.view(w))
	return nil
}

// clockSlack is how far after the newest commit of the branch an agent may count a
// question as ignored: the time that it gives makes no weeks pass.
const clockSlack = 30 * 24 * time.Hour

// unanswered reports whether a question waits that may be counted as ignored. The last
// time, which rejects the candidate, is for a job or a person to count: an agent, which
// may never have put the question, must not end it. Others it counts while the workspace
// is in use.
func (s *snapshot) unanswered(ctx context.Context, caller agent.Caller, w *waiting) (bool, error) {
	now := s.ws.Now()
	if !w.cand.Waits() || w.cand.Asked().After(now) {
		return false, nil
	}
	if mayReject(caller) {
		return true, nil
	}
	if most := int(s.ws.Settings.Int("si.maxIgnores")); most > 0 && w.cand.Ignored+1 >= most {
		return false, nil
	}
	head, err := s.ws.Repo.Head(ctx)
	if err != nil || head.Commit.IsZero() {
		return err == nil, err
	}
	c, err := s.ws.Repo.Objects().Commit(ctx, head.Commit)
	if err != nil {
		return false, fmt.Errorf("read HEAD: %w", err)
	}
	return now.Sub(c.Committer.When) <= clockSlack, nil
}

// mayReject reports whether somebody else than an agent is at work: a job, or a person.
func mayReject(caller agent.Caller) bool {
	return !caller.Host && (caller.Actor == agent.Cron || caller.Actor == agent.User)
}

// ignore counts a question that nobody answered. After too many of them the candidate is
// rejected (SPEC SI-23).
func (s *snapshot) ignore(ctx context.Context, caller agent.Caller, w *waiting, save *agent.SaveResult) (dropped bool, err error) {
	most := int(s.ws.Settings.Int("si.maxIgnores"))
	if n := w.cand.Ignored + 1; most > 0 && n >= most {
		reason := fmt.Sprintf("ignored %d times", n)
		return true, s.reject(ctx, caller, w, reason, gitops.Trailers{{Key: "Claw-Ignored", Value: strconv.Itoa(n)}, {Key: "Claw-Reason", Value: "auto-ignored"}}, nil, save)
	}
	return false, s.edit(ctx, caller, w, agent.EventIgnore, "nobody answered about ", nil, func(c *prefs.Candidate) [][2]string {
		return [][2]string{{"ignored", strconv.Itoa(c.Ignored + 1)}, {"answered", strconv.Itoa(c.Asks)}}
	}, save)
}

// edit changes fields of a candidate's file, as one commit, and takes what became of it
// into w.
func (s *snapshot) edit(ctx context.Context, caller agent.Caller, w *waiting, event, verb string, extra gitops.Trailers, fields func(*prefs.Candidate) [][2]string, save *agent.SaveResult) error {
	id := w.cand.ID
	var next []byte
	res, err := agent.Commit(ctx, s.ws, caller, agent.Rewrite{
		Paths: []string{s.rel(w.name)}, Whole: true,
		Plan: func(files []agent.File) (agent.Planned, error) {
			c := prefs.ParseCandidate(files[0].Text)
			if err := c.Sound(id); err != nil {
				return agent.Planned{}, s.unsound(w.name, err)
			}
			next = files[0].Text
			for _, f := range fields(c) {
				next, _ = frontmatter.Set(next, f[0], f[1])
			}
			after := prefs.ParseCandidate(next)
			tr := append(gitops.Trailers{
				{Key: "Claw-Candidate", Value: id}, {Key: "Claw-Count", Value: strconv.Itoa(len(after.Occurrences))}, {Key: "Claw-Ignored", Value: strconv.Itoa(after.Ignored)},
			}, extra...)
			return vet(files, agent.Planned{Event: event, Area: area, Summary: verb + id, Trailers: tr, Edits: []agent.FileEdit{{Path: files[0].Path, Next: next}}})
		},
	})
	addSaved(save, res)
	if err != nil {
		return err
	}
	w.text, w.cand = next, prefs.ParseCandidate(next)
	return nil
}

// proposalsOf lists the open proposals of candidates by the id of these.
func proposalsOf(ctx context.Context, ws *memory.Workspace) (map[string][]*proposal.Proposal, error) {
	list, err := proposal.List(ctx, ws, false)
	if err != nil {
		return nil, err
	}
	out := map[string][]*proposal.Proposal{}
	for _, p := range list.Proposals {
		if id := p.Trailers.Get("Claw-Candidate"); p.Kind == proposal.Candidate && id != "" {
			out[id] = append(out[id], p)
		}
	}
	return out, nil
}

// closeAll closes proposals of a candidate that was decided.
func closeAll(ctx context.Context, ws *memory.Workspace, caller agent.Caller, list []*proposal.Proposal, reason string) error {
	for _, p := range list {
		if p.State == proposal.Merged {
			continue // git merged it, which a person has to look at
		}
		if err := proposal.Supersede(ctx, ws, caller, p, reason); err != nil {
			return err
		}
	}
	return nil
}
