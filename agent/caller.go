package agent

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// Actor is who acts (SPEC GN-07).
type Actor string

// The actors of SPEC GN-07.
const (
	User       Actor = "user"
	Agent      Actor = "agent"
	Cron       Actor = "cron"
	Checkpoint Actor = "checkpoint"
	Unknown    Actor = "unknown"
)

// ParseActor reads the value of --as or GIT_CLAW_ACTOR.
func ParseActor(s string) (Actor, error) {
	switch a := Actor(s); a {
	case User, Agent, Cron, Checkpoint, Unknown:
		return a, nil
	}
	return "", &UsageError{Problem: fmt.Sprintf("unknown actor '%s'", s), Hint: "actors are user, agent, cron, checkpoint, unknown"}
}

// Caller is who runs a command and on whose behalf.
type Caller struct {
	Actor   Actor
	Session string // the host's id of the session, "" when unknown
	Kind    string // kind of session: main, group, cron, subagent; "" is main
	TTY     bool   // a person sits at a terminal
	// Approver is a person who was named in the environment, `Name <mail>`; "" for
	// none. It counts only where no agent is at work.
	Approver string
	// Host: this process was started by an agent's host.
	Host bool
}

// Who decides the actor: what was said, else agent inside a host's session, else
// user at a terminal, else agent. What a host started is not done by the user, whatever
// it says of itself.
func Who(said string, tty bool, hostMarkers []string) (Actor, error) {
	if said != "" {
		a, err := ParseActor(said)
		if a == User && len(hostMarkers) > 0 {
			a = Agent
		}
		return a, err
	}
	if tty && len(hostMarkers) == 0 {
		return User, nil
	}
	return Agent, nil
}

// Clean makes the session id what its trailer holds, and drops one that holds a
// secret.
func (c Caller) Clean() Caller {
	c.Session = gitops.OneLine(c.Session)
	if c.Session != "" && len(secret.New().Scan([]byte(c.Session))) > 0 {
		c.Session = ""
	}
	return c
}

// NewID draws a Claw-Id, `YYYYMMDD-<8 hex>`.
func NewID(env gitops.Env) (string, error) {
	var b [4]byte
	if _, err := io.ReadFull(env.Rand, b[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	return env.Now().Format("20060102") + "-" + hex.EncodeToString(b[:]), nil
}

// now is the one clock, in the workspace's time zone.
func now(ws *memory.Workspace) time.Time { return ws.Now() }

// Trailers starts the trailers every commit has (SPEC 10.3).
func Trailers(ws *memory.Workspace, c Caller, event, id string) gitops.Trailers {
	return gitops.Trailers{
		{Key: "Claw-Event", Value: event},
		{Key: "Claw-Id", Value: id},
		{Key: "Claw-Actor", Value: string(c.Actor)},
		{Key: "Claw-Workspace", Value: strings.TrimSuffix(ws.Prefix, "/")},
		{Key: "Claw-Session", Value: c.Session},
	}
}

// UsageError: the words of the call are wrong.
type UsageError struct{ Problem, Hint string }

func (e *UsageError) Error() string { return e.Problem }

// ExitCode is git's code for wrong usage.
func (e *UsageError) ExitCode() int { return 129 }

// Hints returns the hint, if there is one.
func (e *UsageError) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}
