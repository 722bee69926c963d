package health

import (
	"context"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/buffer"
)

// sessionFamily tells whether somebody is at work, beside whom maintenance waits.
func sessionFamily() Family {
	return Family{
		Name: "session",
		Checks: []Check{{
			ID: "SES-001", Severity: Info, Profiles: on(memory.OpenClawMemory), Rule: "OM-61", Live: true,
			Meaning: "no session is active, beside which maintenance would run",
			Fix:     "run maintenance later",
		}},
		Look: Once(judgeSession),
	}
}

func judgeSession(ctx context.Context, r *Run, out *Out) error {
	text, _, err := r.Text(ctx, buffer.Path)
	if err != nil {
		return err
	}
	b := buffer.Parse(text)
	lock, locked, err := r.Text(ctx, buffer.LockPath)
	if err != nil {
		return err
	}
	stale := r.WS.Settings.Duration("buffer.staleAfter")
	by := buffer.Liveness{
		Now: r.Now, Host: r.Hostname, Alive: r.Alive, ForeignTTL: r.WS.Settings.Duration("lock.foreignTTL"),
		LastActive: b.LastActive, StaleAfter: stale,
	}
	switch {
	case locked && buffer.ParseLock(lock).Live(by):
		out.Add(Finding{ID: "SES-001", Path: buffer.LockPath, Message: "somebody is rotating the buffer", Expected: "nobody", Actual: "a live lock"})
	case !b.LastActive.IsZero() && r.Now.Sub(b.LastActive) < stale:
		out.Add(Finding{
			ID: "SES-001", Path: buffer.Path, Message: "a session was active at " + b.LastActive.In(r.Now.Location()).Format("2006-01-02 15:04"),
			Expected: "none for " + stale.String(), Actual: "active",
		})
	}
	return nil
}
