package learn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/prefs"
)

// TestNothingIsLost: whatever is done in whatever order, each line that was captured is
// somewhere, each entry of memory.md was approved by a person, and memory.md is never
// larger than it may be.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	seeds := 6
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWalk(t, uint64(seed))
			for step := range 70 {
				what := w.step()
				if w.check(); t.Failed() {
					t.Fatalf("step %d: %s\n%s", step, what, w.Git("log", "--oneline", "-5"))
				}
			}
			w.end()
		})
	}
}

// walk is a random walk through the commands. memory.md may have twelve lines.
type walk struct {
	desk
	t        *testing.T
	r        *rand.Rand
	captured map[string]bool // ids
	count    int             // corrections
}

const walkLimit = 12

func newWalk(t *testing.T, seed uint64) *walk {
	t.Helper()
	w := &walk{desk: newDesk(t), t: t, r: rand.New(rand.NewPCG(seed, 7)), captured: map[string]bool{}}
	w.Git("config", "claw.si.hotMaxLines", fmt.Sprint(walkLimit))
	w.Git("config", "claw.si.correctionsMax", "10")
	return w
}

func (w *walk) line() string {
	contexts := []string{"code", "code:go", "project:shop", "ui"}
	return fmt.Sprintf(`[%s] "p%d" -> "q"`, contexts[w.r.IntN(len(contexts))], w.r.IntN(4))
}

// anyID is the id of a candidate or a preference.
func (w *walk) anyID() string {
	list, err := List(context.Background(), w.Workspace(), person, w.r.IntN(4) == 0)
	must(w.t, err)
	if len(list) == 0 {
		return "cand-000000000000"
	}
	return list[w.r.IntN(len(list))].ID
}

// ruleID is the id of a preference.
func (w *walk) ruleID() string {
	s, err := load(w.Workspace())
	must(w.t, err)
	ids := slices.Sorted(maps.Keys(s.byID))
	if len(ids) == 0 {
		return "cand-000000000000"
	}
	return ids[w.r.IntN(len(ids))]
}

// step does one thing. An answer of no is as good as any other.
func (w *walk) step() string {
	ctx, ws := context.Background(), w.Workspace()
	what, err := "", error(nil)
	switch w.r.IntN(17) {
	case 0, 1, 2, 3, 4:
		what = "correct " + w.line()
		var got *Captured
		quote := []string{"", "no", "always so"}[w.r.IntN(3)]
		got, err = w.tryCorrect(bot, strings.TrimPrefix(what, "correct "), quote)
		if err == nil && !got.Known {
			w.captured[got.Candidate.ID] = true
			w.count++
		}
	case 5:
		what = "reflect"
		_, err = Reflect(ctx, ws, bot, Reflection{Context: "task", Lesson: fmt.Sprintf("lesson %d", w.r.IntN(2))})
	case 6, 7:
		what = "ask"
		_, err = Ask(ctx, ws, bot, nil)
	case 8, 9, 10, 11:
		id := w.anyID()
		opt := ConfirmOptions{Always: w.r.IntN(4) == 0}
		if w.r.IntN(4) == 0 {
			opt = ConfirmOptions{OnlyIn: "writing"}
		}
		what = fmt.Sprintf("confirm %s %+v", id, opt)
		_, err = Confirm(ctx, ws, person, id, opt)
	case 12:
		opt := RejectOptions{Reason: "so"}
		if w.r.IntN(2) == 0 {
			opt.Instead = fmt.Sprintf("r%d", w.r.IntN(3))
		}
		id := w.anyID()
		what = fmt.Sprintf("reject %s %+v", id, opt)
		var got *Decided
		if got, err = Reject(ctx, ws, person, id, opt); err == nil && got.Instead != nil {
			w.captured[got.Instead.ID] = true
		}
	case 13:
		id := w.anyID()
		what = "defer " + id
		_, err = Defer(ctx, ws, person, id)
	case 14:
		id, pin := w.ruleID(), w.r.IntN(2) > 0
		what = fmt.Sprintf("pin %s %v", id, pin)
		_, err = Pin(ctx, ws, person, id, pin)
	case 15:
		what = "tick"
		_, err = Tick(ctx, ws, agent.Caller{Actor: agent.Cron})
	default:
		what = "time"
		w.Later(time.Duration(w.r.IntN(36*24)-24) * time.Hour)
	}
	w.Later(time.Duration(w.r.IntN(10)) * time.Hour)
	var no interface{ ExitCode() int }
	if err != nil && !(errors.As(err, &no) && slices.Contains([]int{1, 128, 129}, no.ExitCode())) {
		w.t.Errorf("%s: %v", what, err)
	}
	return fmt.Sprintf("%s: %v", what, err)
}

// check holds the store against what was done to it.
func (w *walk) check() {
	s, err := load(w.Workspace())
	must(w.t, err)
	for id := range w.captured {
		if s.pending[id] == nil && s.byID[id].file == nil && s.rejected[id].ID == "" && s.reversed[id].ID == "" {
			w.t.Errorf("'%s' is lost", id)
		}
	}
	seen := map[string]string{}
	for _, f := range s.tiers {
		if lines := len(doc.SplitLines(f.text)); f.tier == prefs.TierHot && lines > walkLimit {
			w.t.Errorf("memory.md has %d lines", lines)
		}
		for _, e := range f.entries {
			if seen[e.ID] != "" {
				w.t.Errorf("'%s' is in '%s' and '%s'", e.ID, seen[e.ID], f.name)
			}
			seen[e.ID] = f.name
			if ok, err := approved(context.Background(), s.store, e.ID); err != nil || !ok {
				w.t.Errorf("'%s' in '%s' was approved by nobody: %v", e.ID, f.name, err)
			}
			if f.tier == prefs.TierHot && e.Pin != (e.Section == prefs.Confirmed) {
				w.t.Errorf("'%s', pin %v, is in the section '%s'", e.ID, e.Pin, e.Section)
			}
		}
	}
	for _, c := range s.pending {
		if c.err != nil {
			w.t.Errorf("%s: %v", c.name, c.err)
		}
	}
	now, _, err := s.read(prefs.Corrections)
	must(w.t, err)
	old, _, err := s.read(prefs.OldCorrections)
	must(w.t, err)
	if a, b := len(prefs.ParseCorrections(now)), len(prefs.ParseCorrections(old)); a+b != w.count || a > 10 {
		w.t.Errorf("%d corrections and %d in the archive, of %d", a, b, w.count)
	}
}

// end lets the periodic work be done, twice, and looks at what health says.
func (w *walk) end() {
	w.tick()
	if got := w.tick(); len(got.Actions) > 0 {
		w.t.Errorf("a second tick: %v", got.Actions)
	}
	w.check()
	rep, err := agent.Health(context.Background(), w.Workspace(), agent.HealthOptions{})
	must(w.t, err)
	for _, f := range rep.Findings {
		if strings.HasPrefix(f.ID, "PRF-") && f.ID != "PRF-013" && f.Severity != health.Info {
			w.t.Errorf("%s %s:%d %s", f.ID, f.Path, f.Line, f.Message)
		}
	}
	w.Check()
}
