package gitops

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// RemoteError: the other repository could not be reached, or did not do what it was
// asked to.
type RemoteError struct {
	Remote string
	Stderr string // of git, without passwords
	Asked  bool   // git could ask at a terminal
	Push   bool   // it was pushed to
	// Silent is how long it gave no sign of life, when that ended it.
	Silent time.Duration
}

func (e *RemoteError) Error() string {
	switch {
	case e.Silent > 0:
		return fmt.Sprintf("'%s' gave no sign of life for %s", e.Remote, short(e.Silent))
	case e.fullDisk():
		return fmt.Sprintf("cannot take what '%s' has: %s", e.Remote, e.reason())
	}
	if e.Push {
		return fmt.Sprintf("cannot push to '%s': %s", e.Remote, e.reason())
	}
	return fmt.Sprintf("cannot reach '%s': %s", e.Remote, e.reason())
}

// fullDisk reports whether there is no room, here and not there.
func (e *RemoteError) fullDisk() bool {
	for line := range strings.Lines(e.Stderr) {
		if !strings.HasPrefix(line, "remote: ") && (strings.Contains(line, "No space left on device") || strings.Contains(line, "Disk quota exceeded")) {
			return true
		}
	}
	return false
}

// short writes a time without the zeros at its end.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if rest := strings.TrimSuffix(s, zero); rest != s && strings.HasSuffix(rest, map[string]string{"0s": "m", "0m": "h"}[zero]) {
			s = rest
		}
	}
	return s
}

// reason is the line of git's answer that says most.
func (e *RemoteError) reason() string {
	const unknown = "git gives no reason"
	best := unknown
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			if best != unknown && strings.HasPrefix(rest, "Could not read from remote") {
				return best // ssh has said why
			}
			return rest
		}
		if line != "" && !strings.HasPrefix(line, "hint:") {
			best = strings.TrimPrefix(line, "error: ")
		}
	}
	return best
}

// ExitCode is git's for what could not be done.
func (e *RemoteError) ExitCode() int { return 128 }

// Hints names what to try.
func (e *RemoteError) Hints() []string {
	switch {
	case e.Silent > 0:
		return []string{
			"nothing is lost, and the same command works later; to see what git says: git ls-remote " + e.Remote,
			"to wait longer: git config claw.syncTimeout " + short(4*e.Silent),
		}
	case e.fullDisk():
		return []string{"nothing is lost; make room, and run the same command again"}
	}
	out := []string{"nothing is lost, and the same command works later; to see what git says: git ls-remote " + e.Remote}
	if !e.Asked && (strings.Contains(e.Stderr, "terminal prompts disabled") || strings.Contains(e.Stderr, "Permission denied") ||
		strings.Contains(e.Stderr, "Authentication failed") || strings.Contains(e.Stderr, "could not read Username")) {
		out = append([]string{"without a terminal nobody can be asked: let git remember with 'git config credential.helper', or load the key with 'ssh-add'"}, out...)
	}
	return out
}

// userinfo is the part of an address that may hold a password.
var userinfo = regexp.MustCompile(`://[^/@\s]+@`)

// WithoutPassword takes out of a text what an address in it says before the host.
func WithoutPassword(s string) string { return userinfo.ReplaceAllString(s, "://") }

func (m *Remote) fail(err error) error {
	var silent *SilentError
	if errors.As(err, &silent) {
		return &RemoteError{Remote: m.Name, Asked: m.Ask, Silent: silent.For}
	}
	var ge *GitError
	if !errors.As(err, &ge) {
		return err
	}
	return &RemoteError{Remote: m.Name, Stderr: WithoutPassword(ge.Stderr), Asked: m.Ask}
}
