package buffer

import (
	"encoding/json"
	"time"

	"github.com/git-claw/git-claw/memory/stamp"
)

// Lock is who rotates the buffer (SPEC OM-33).
type Lock struct {
	PID     int
	Host    string
	Started time.Time
	Cmd     string
	// Foreign: the file is not of the form that git claw writes.
	Foreign bool
}

// ParseLock reads a lock file.
func ParseLock(text []byte) Lock {
	var j struct {
		PID     int    `json:"pid"`
		Host    string `json:"host"`
		Started string `json:"started"`
		Cmd     string `json:"cmd"`
	}
	err := json.Unmarshal(text, &j)
	l := Lock{PID: j.PID, Host: j.Host, Cmd: j.Cmd}
	var ok bool
	l.Started, ok = stamp.Parse(j.Started)
	l.Foreign = err != nil || !ok || l.PID <= 0 || l.Host == ""
	return l
}

// Liveness is what decides whether a lock is live.
type Liveness struct {
	Now        time.Time
	Host       string             // this machine
	Alive      func(pid int) bool // whether a process of this machine exists
	ForeignTTL time.Duration      // how long a lock of another machine counts (claw.lock.foreignTTL)
	LastActive time.Time          // of the buffer; zero: not known
	StaleAfter time.Duration      // claw.buffer.staleAfter
}

// Live reports whether whoever took the lock is still there: on this machine its process exists, on
// another one the lock is young. Of a lock in another form the activity of the buffer tells.
func (l Lock) Live(by Liveness) bool {
	switch {
	case l.Foreign:
		return !by.LastActive.IsZero() && by.Now.Sub(by.LastActive) < by.StaleAfter
	case l.Host == by.Host:
		return by.Alive(l.PID)
	}
	return by.Now.Sub(l.Started) < by.ForeignTTL
}
