package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory"
)

// Events of packages above this one (SPEC 10.2).
const (
	EventLog         = "scratch.log"
	EventRepeat      = "scratch.repeat"
	EventPromote     = "promote"
	EventConsolidate = "consolidate"
	EventTrim        = "trim"
	EventCheckpoint  = eventCheckpoint
	EventL1Change    = "l1.change"
	EventDecision    = "decision.add"
	EventVerify      = "warm.verify"
	EventSkill       = "skill.change"
	EventSyncMerge   = "sync.merge"
	EventResolve     = "conflict.resolve"
)

// Events of learned preferences, which package learn records.
const (
	EventCandidate = "candidate.create"
	EventAgain     = "candidate.repeat"
	EventAsk       = "candidate.ask"
	EventIgnore    = "candidate.ignore"
	EventDefer     = "candidate.defer"
	EventReject    = "candidate.reject"
	EventConfirm   = "candidate.confirm"
	EventReflect   = "reflect"
	EventDemote    = "tier.demote"
	EventEvict     = "tier.evict"
	EventPin       = "preference.pin"
	EventReverse   = "preference.reverse"
	EventHeartbeat = "heartbeat"
)

// eventsHere are the names of the events that this version records.
var eventsHere = []string{
	eventInit, eventAdopt, eventWriteback, eventL1Edit, eventSkillEdit, eventBootstrap, eventUndo,
	eventAppend, eventClose, eventMerge, eventCrumb, eventOverflow, eventReference, eventState, eventGit,
	EventLog, EventRepeat, EventPromote, EventConsolidate, EventTrim, EventCheckpoint, EventL1Change, EventDecision, EventVerify, EventSkill, EventSyncMerge, EventResolve,
	EventCandidate, EventAgain, EventAsk, EventIgnore, EventDefer, EventReject, EventConfirm, EventReflect,
	EventDemote, EventEvict, EventPin, EventReverse, EventHeartbeat,
}

// eventsElsewhere are the other names of SPEC 10.2: a history may have them.
var eventsElsewhere = []string{
	"buffer.write", "buffer.rotate", "buffer.recover", "episodic.archive", "snapshot",
	"scratch.archive",
	"tier.promote", "forget", "purge", "evolve.propose", "evolve.apply", "skill.run", "vocab.change", "review.weekly",
}

// check refuses what can have no answer, so that a slip of the pen does not look
// as if nothing had happened: an unknown event, a path that never was.
func (o *HistoryOptions) check(ctx context.Context, ws *memory.Workspace) error {
	for _, want := range o.Events {
		named := func(name string) bool { e := Event{Name: name}; return e.named(want) }
		if want != "*" && !slices.ContainsFunc(eventsHere, named) && !slices.ContainsFunc(eventsElsewhere, named) {
			return &UsageError{
				Problem: fmt.Sprintf("unknown event '%s'", want),
				Hint:    "events are " + strings.Join(eventsHere, ", ") + "; 'episodic' stands for all that begin so",
			}
		}
	}
	for _, rel := range o.Paths {
		if err := checkInside(rel); rel != "" && rel != "." && err != nil {
			return err
		}
		if exists, err := ws.Exists(rel); err != nil || exists {
			if err != nil {
				return err
			}
			continue
		}
		known, err := inHistory(ctx, ws, rel)
		if err != nil {
			return err
		}
		if !known {
			return noFile(ctx, ws, rel, "show")
		}
	}
	return nil
}

// inHistory reports whether a commit of this branch changed a path or something
// below it.
func inHistory(ctx context.Context, ws *memory.Workspace, rel string) (bool, error) {
	one := HistoryOptions{Paths: []string{rel}, Max: 1}
	log, err := one.log(ws)
	if err != nil {
		return false, err
	}
	for _, err := range ws.Repo.Log(ctx, log) {
		return err == nil, err
	}
	return false, nil
}
