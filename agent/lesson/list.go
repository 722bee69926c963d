package lesson

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/lessons"
)

// Listed is a lesson as `promote` lists it.
type Listed struct {
	ID, Path string
	Line     int // from 1
	Text     string
	Key      string
	Status   lessons.Status
	Tasks    int // in how many it came up
	Count    int
	First    time.Time
	Last     time.Time
	Often    bool   // three times within seven days (SPEC LR-12)
	Slow     bool   // it comes back slowly (SPEC LR-14)
	Proposal string // the one in which it waits, "" for none
}

// List lists the lessons that came up often, or slowly but again and again; with all
// every lesson that was not promoted. What came up most comes first. Unsaved lessons are
// in it.
func List(ctx context.Context, ws *memory.Workspace, all bool) ([]Listed, error) {
	found, err := allOf(func(rel string) ([]byte, bool, error) {
		text, mode, err := ws.Repo.ReadWork(ws.Prefix+rel, ws.MaxFileBytes())
		return text, mode.IsFile(), err
	})
	if err != nil {
		return nil, err
	}
	open, err := openOf(ctx, ws)
	if err != nil {
		return nil, err
	}
	var out []Listed
	for _, l := range found {
		n := Listed{
			ID: l.ID, Path: l.path, Line: l.Line, Text: l.Text, Key: l.Key, Status: l.Status, Tasks: l.TaskCount(), Count: l.Count(),
			First: slices.MinFunc(l.Seen, time.Time.Compare), Last: l.Last(),
			Often: often(ws, l.Entry), Slow: slowly(ws, l.Entry), Proposal: open[l.path+"#"+l.ID],
		}
		if n.Often || n.Slow || all && !l.IsPromoted() {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b Listed) int {
		return cmp.Or(-cmp.Compare(rank(a), rank(b)), -cmp.Compare(a.Count, b.Count), -a.Last.Compare(b.Last))
	})
	return out, nil
}

// rank orders what came up often before what comes back slowly.
func rank(l Listed) int {
	switch {
	case l.Often:
		return 2
	case l.Slow:
		return 1
	}
	return 0
}

// slowly reports whether a lesson comes back slowly (SPEC LR-14).
func slowly(ws *memory.Workspace, e *lessons.Entry) bool {
	s := ws.Settings
	return !e.IsPromoted() && e.Status != lessons.WontFix && e.TaskCount() >= int(s.Int("promote.slowTasks")) &&
		lessons.Within(e.Seen, int(s.Int("promote.slowCount")), int(s.Int("promote.slowDays")))
}
