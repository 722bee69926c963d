package agent

import "fmt"

// RefusedError: the answer is no, for a reason of policy.
type RefusedError struct {
	Problem string
	Advice  []string
}

func (e *RefusedError) Error() string { return e.Problem }

// ExitCode: the answer is no.
func (e *RefusedError) ExitCode() int { return 1 }

// Hints tells what to do instead.
func (e *RefusedError) Hints() []string { return e.Advice }

// ConflictError: a person must decide; nothing was written.
type ConflictError struct {
	Problem string
	Advice  []string
}

func (e *ConflictError) Error() string { return e.Problem }

// ExitCode: somebody must decide.
func (e *ConflictError) ExitCode() int { return 3 }

// Hints tells what to look at.
func (e *ConflictError) Hints() []string { return e.Advice }

// unmanaged refuses a path that git claw does not manage (SPEC WS-31).
func unmanaged(path, why string, hints ...string) error {
	return &RefusedError{Problem: fmt.Sprintf("'%s' is not managed: %s", path, why), Advice: hints}
}
