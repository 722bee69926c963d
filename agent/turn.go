package agent

import (
	"context"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/payload"
	"github.com/git-claw/git-claw/memory"
)

// Turn does what a host's event asks for (SPEC WS-23): what is dirty when a turn
// or session starts, or a session ends, is nobody's; what is dirty when a turn
// ends is the agent's. A nil result means that the event asks for nothing, or that the folder was
// never adopted; hooks of a user's settings fire in every project.
func Turn(ctx context.Context, git *gitops.Git, ev payload.Event, propose Proposer) (*SaveResult, error) {
	var caller Caller
	switch ev.Kind {
	case payload.TurnStart, payload.SessionStart, payload.SessionEnd:
		// No session: of two at once the other one may have written it. What is
		// dirty when a session ends came after its last turn, or the turn was cut
		// short; it may be the person's.
		caller = Caller{Actor: Unknown}
	case payload.TurnEnd, payload.Compact:
		caller = Caller{Actor: Agent, Session: ev.Session}
	default:
		return nil, nil
	}
	dir := ev.Cwd
	if dir == "" {
		dir = git.Env().Dir
	}
	ws, err := memory.Open(ctx, git, dir, "")
	if err != nil || !ws.Adopted {
		// Not ours: stay silent, whatever is wrong with it.
		return nil, nil //nolint:nilerr // see above
	}
	defer func() { _ = ws.Repo.Close() }()
	return Save(ctx, ws, caller, SaveOptions{Propose: propose})
}
