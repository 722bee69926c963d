package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

// The values of claw.recall.gate (SPEC OM-55).
const (
	gateOff = "off"
	gateAll = "all"
)

// integrity are the checks that tell whether notes are about to be lost.
var integrity = []string{"BUF-004", "BUF-005", "BUF-006", rotationCheck}

// rotationCheck looks through history. A search has no time for that, so it takes
// the answer of the last examination, unless the gate depends on it.
const rotationCheck = "BUF-009"

// failing lists the checks that make memory unhealthy, which only the profile
// openclaw_memory knows. Without a buffer there is nothing to look at.
func failing(ctx context.Context, ws *memory.Workspace, hostname string) ([]string, error) {
	gate := ws.Settings.String("recall.gate")
	switch {
	case ws.Repo.Bare:
		return nil, nil
	case gate == gateAll:
		if !ws.Profiles.Has(memory.OpenClawMemory) {
			return nil, nil
		}
		rep, err := health.ExamineWork(ctx, ws, health.Options{Hostname: hostname, Alive: gitops.ProcessAlive})
		return failed(rep), err
	}
	last := LastHealth(ws)
	rotation := last != nil && slices.Contains(last.Failed, rotationCheck)
	if !rotation && !hasBuffer(ws) || !ws.Profiles.Has(memory.OpenClawMemory) {
		return nil, nil
	}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	ask := slices.Clone(integrity)
	if gate == gateOff || last != nil && last.Commit == head.Commit {
		ask = slices.DeleteFunc(ask, func(id string) bool { return id == rotationCheck })
	}
	rep, err := health.Examine(ctx, ws, health.Unlisted(ws), health.Options{Only: ask, Hostname: hostname, Alive: gitops.ProcessAlive})
	if err != nil {
		return nil, err
	}
	out := failed(rep)
	if rotation && !slices.Contains(ask, rotationCheck) {
		out = append(out, rotationCheck)
	}
	return out, nil
}

// failed lists the ids of a report's failures.
func failed(rep *health.Report) []string {
	if rep == nil {
		return nil
	}
	var out []string
	for _, f := range rep.Findings {
		if f.Status == health.Fail && !slices.Contains(out, f.ID) {
			out = append(out, f.ID)
		}
	}
	return out
}

// hasBuffer reports whether there is a buffer, or what an unfinished rotation left.
func hasBuffer(ws *memory.Workspace) bool {
	for _, suffix := range []string{"", ".pending", ".rotating"} {
		if there, err := ws.Exists(memory.BufferPath + suffix); err == nil && there {
			return true
		}
	}
	return false
}

// NotHealthy is what a search says.
const NotHealthy = "memory is not healthy: run 'git claw health --verbose'"

// GateError: memory is not healthy, and claw.recall.gate keeps search from
// answering from it.
type GateError struct{ Failed []string }

func (e *GateError) Error() string {
	return NotHealthy
}

// ExitCode is that of a no.
func (e *GateError) ExitCode() int { return 1 }

// Hints gives the way around.
func (e *GateError) Hints() []string {
	return []string{strings.Join(e.Failed, ", ") + " failed; --force answers all the same"}
}

// checkGate returns what fails, and refuses a read of a tier that the gate guards:
// warm and cold. What is always loaded, the buffer and lessons can be read.
func checkGate(ctx context.Context, ws *memory.Workspace, hostname string, guarded, force bool) ([]string, error) {
	fails, err := failing(ctx, ws, hostname)
	if err != nil {
		return nil, err
	}
	if len(fails) > 0 && guarded && !force && ws.Settings.String("recall.gate") != gateOff {
		return nil, &GateError{Failed: fails}
	}
	return fails, nil
}

// guardedTier reports whether a search in a tier reaches what the gate guards; ""
// stands for all that is searched by default.
func guardedTier(t memory.Tier) bool {
	return t != memory.TierHot && t != memory.TierBuffer && t != memory.TierScratch
}
