package agent

import (
	"iter"
	"time"
)

// Group is what happened in one session, or what one actor did on one day
// outside of any.
type Group struct {
	Session  string // "" when the events name none
	Actor    Actor  // of the newest event
	From, To time.Time
	Events   []Event // newest first
}

// groupWindow is how many events are looked at before a group is handed out:
// within it a session is one group however it is interleaved with others.
const groupWindow = 1000

// GroupBySession gathers events, which come newest first, into groups. The group
// with the newest event comes first. Events without a session are a group as long
// as nothing else comes between them and actor and calendar day are the same, so
// that groups stand in the order of time. Groups are handed out while events arrive, so that a
// pager has something to show at once; a session that spans more than 1,000
// events comes in parts. An error comes after what was gathered before it.
func GroupBySession(events iter.Seq2[Event, error]) iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		g := grouper{open: map[groupKey]*Group{}}
		for e, err := range events {
			if err != nil {
				for _, done := range g.order {
					if !yield(*done, nil) {
						return
					}
				}
				yield(Group{}, err)
				return
			}
			g.add(e)
			for g.held > groupWindow {
				if !yield(g.first(), nil) {
					return
				}
			}
		}
		for len(g.order) > 0 {
			if !yield(g.first(), nil) {
				return
			}
		}
	}
}

type groupKey struct {
	session string
	actor   Actor
	day     string
}

func keyOf(e *Event) groupKey {
	if e.Session != "" {
		return groupKey{session: e.Session}
	}
	return groupKey{actor: e.Actor, day: e.Date.Format(time.DateOnly)}
}

// grouper holds the groups that are not handed out yet.
type grouper struct {
	open  map[groupKey]*Group
	order []*Group
	held  int
}

func (g *grouper) add(e Event) {
	k := keyOf(&e)
	group := g.open[k]
	if k.session == "" && group != nil && group != g.order[len(g.order)-1] {
		group = nil
	}
	if group == nil {
		group = &Group{Session: e.Session, Actor: e.Actor, From: e.Date, To: e.Date}
		g.open[k] = group
		g.order = append(g.order, group)
	}
	group.Events = append(group.Events, e)
	if e.Date.Before(group.From) {
		group.From = e.Date
	}
	if e.Date.After(group.To) {
		group.To = e.Date
	}
	g.held++
}

// first takes the oldest open group out.
func (g *grouper) first() Group {
	group := g.order[0]
	g.order = g.order[1:]
	g.held -= len(group.Events)
	if k := keyOf(&group.Events[0]); g.open[k] == group { // else a later one has the key
		delete(g.open, k)
	}
	return *group
}
