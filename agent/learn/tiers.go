package learn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/prefs"
)

// newShelf has the limits of the workspace.
func (s *snapshot) newShelf(read reader) *shelf {
	return &shelf{read: read, limit: int(s.ws.Settings.Int("si.hotMaxLines")), uses: s.uses}
}

// due reports whether an entry was not used for longer than so many days (SPEC SI-33). One
// that a person wrote without a date, or that is pinned, never is.
func (h *shelf) due(e prefs.Entry, now time.Time, days int) bool {
	last := h.lastUse(e)
	return e.ID != "" && !fixed(e) && daily.IsDay(last) && daily.Age(last, now) > days
}

// demote moves what nobody used from one tier to the next, as one commit (SPEC SI-32,
// SI-33). from is HOT or WARM.
func (s *snapshot) demote(ctx context.Context, caller agent.Caller, from prefs.Tier, save *agent.SaveResult) (int, error) {
	now, days, to := s.ws.Now(), int(s.ws.Settings.Int("si.warmDays")), prefs.TierWarm
	if from == prefs.TierWarm {
		days, to = int(s.ws.Settings.Int("si.coldDays")), prefs.TierCold
	}
	sh := s.newShelf(nil)
	var sources []string
	for _, f := range s.tiers {
		if f.tier == from && slices.ContainsFunc(f.entries, func(e prefs.Entry) bool { return sh.due(e, now, days) }) {
			sources = append(sources, f.name)
		}
	}
	if len(sources) == 0 {
		return 0, nil
	}
	plan := agent.Planned{Event: agent.EventDemote, Area: area, Summary: "move what is unused to " + tierValue(to), Trailers: gitops.Trailers{
		{Key: "Claw-Tier-From", Value: tierValue(from)}, {Key: "Claw-Tier-To", Value: tierValue(to)}, {Key: "Claw-Reason", Value: "unused"},
	}}
	done, err := s.rearrange(ctx, caller, plan, func(read reader) (*shelf, error) {
		sh := s.newShelf(read)
		for _, name := range sources {
			text, err := sh.text(name)
			if err != nil {
				return nil, err
			}
			gone := slices.DeleteFunc(prefs.ParseTier(text), func(e prefs.Entry) bool { return !sh.due(e, now, days) })
			for _, e := range gone {
				target := prefs.ColdPath(now)
				if to == prefs.TierWarm {
					target = warmOf(e)
				}
				if err := sh.put(target, e); err != nil {
					return nil, err
				}
			}
			sh.count += len(gone)
			if len(gone) == 0 {
				continue
			}
			if err := sh.take(name, gone...); err != nil {
				return nil, err
			}
		}
		return sh, nil
	}, save)
	if err != nil {
		return 0, err
	}
	return done.count, s.reload()
}

// compact takes exact doubles out of files of confirmed preferences that are larger than
// they may be (SPEC SI-41, SI-61).
func (s *snapshot) compact(ctx context.Context, caller agent.Caller, save *agent.SaveResult) (int, error) {
	var large []string
	for _, f := range s.tiers {
		limit := s.ws.Settings.Int("si.warmMaxLines")
		if f.tier == prefs.TierHot {
			limit = s.ws.Settings.Int("si.hotMaxLines")
		}
		if f.tier != prefs.TierCold && limit > 0 && int64(len(doc.SplitLines(f.text))) > limit && len(doubles(f.entries)) > 0 {
			large = append(large, f.name)
		}
	}
	if len(large) == 0 {
		return 0, nil
	}
	plan := agent.Planned{Event: agent.EventHeartbeat, Area: area, Summary: "take out exact doubles", Trailers: gitops.Trailers{{Key: "Claw-Reason", Value: "doubles"}, {Key: "Claw-Rule", Value: "SI-41"}}}
	done, err := s.rearrange(ctx, caller, plan, func(read reader) (*shelf, error) {
		sh := s.newShelf(read)
		for _, name := range large {
			text, err := sh.text(name)
			if err != nil {
				return nil, err
			}
			if gone := doubles(prefs.ParseTier(text)); len(gone) > 0 {
				sh.count += len(gone)
				if err := sh.take(name, gone...); err != nil {
					return nil, err
				}
			}
		}
		return sh, nil
	}, save)
	if err != nil {
		return 0, err
	}
	return done.count, s.reload()
}

// doubles lists entries that say what another one of the file says, which stays: one that
// is pinned or has an id before one that is and has not, else the first. Entries of
// different ids, and those with something below them, are no doubles.
func doubles(all []prefs.Entry) []prefs.Entry {
	best := map[string]int{}
	var out []prefs.Entry
	weight := func(e prefs.Entry) int {
		n := 0
		if e.ID != "" {
			n = 1
		}
		if fixed(e) {
			n += 2
		}
		return n
	}
	for i, e := range all {
		if e.EndLine != e.Line {
			continue
		}
		key := doc.Normalise(e.Text)
		j, ok := best[key]
		switch {
		case !ok:
			best[key] = i
		case e.ID != "" && all[j].ID != "" && e.ID != all[j].ID:
		case e.ID == "" && fixed(e) && all[j].ID != "" && !fixed(all[j]):
			// Which of them a person meant to last is not for us to say.
		case weight(e) > weight(all[j]):
			out = append(out, all[j])
			best[key] = i
		default:
			out = append(out, e)
		}
	}
	return out
}

// evict makes room in a memory.md that merges or hands made too large.
func (s *snapshot) evict(ctx context.Context, caller agent.Caller, save *agent.SaveResult) (int, error) {
	limit := s.ws.Settings.Int("si.hotMaxLines")
	over := func(f *tierFile) bool {
		return f.tier == prefs.TierHot && limit > 0 && int64(len(doc.SplitLines(f.text))) > limit && slices.ContainsFunc(f.entries, func(e prefs.Entry) bool { return !fixed(e) })
	}
	if !slices.ContainsFunc(s.tiers, over) {
		return 0, nil
	}
	plan := agent.Planned{Event: agent.EventEvict, Area: area, Summary: "move what was used least to warm", Trailers: gitops.Trailers{
		{Key: "Claw-Tier-From", Value: "hot"}, {Key: "Claw-Tier-To", Value: "warm"}, {Key: "Claw-Reason", Value: "limit"},
	}}
	done, err := s.rearrange(ctx, caller, plan, func(read reader) (*shelf, error) {
		sh := s.newShelf(read)
		err := sh.makeRoom("")
		var full *agent.RefusedError
		if errors.As(err, &full) {
			err = nil // what is pinned alone is too much: health tells that
		}
		sh.count = len(sh.moved)
		return sh, err
	}, save)
	if err != nil {
		return 0, err
	}
	return done.count, s.reload()
}

// reload reads the store again after something moved.
func (s *snapshot) reload() error {
	now, err := load(s.ws)
	if err == nil {
		*s = *now
	}
	return err
}
