package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/gitops"
)

// The exit codes, the same for every command (help/exit-status.md).
const (
	exitDone        = 0   // done, also nothing to do and no hits
	exitNo          = 1   // the answer is no: a check failed, a refusal
	exitConflict    = 3   // someone must decide
	exitBusy        = 4   // locked or moved, the same command may work later
	exitFatal       = 128 // could not be done
	exitUsage       = 129 // wrong usage
	exitInterrupted = 130 // by a signal
)

// errInterrupted is the cause of a context that a signal cancelled.
var errInterrupted = errors.New("interrupted")

// An error below cmd chooses its exit code and its hints by these interfaces;
// what implements neither and stands in no table is fatal.
type (
	exitCoder interface{ ExitCode() int }
	hinter    interface{ Hints() []string }
)

// usageError is a command line that cannot be understood.
type usageError struct {
	msg   string
	hints []string
}

func (e *usageError) Error() string   { return e.msg }
func (e *usageError) ExitCode() int   { return exitUsage }
func (e *usageError) Hints() []string { return e.hints }

func usagef(format string, args ...any) *usageError {
	return &usageError{msg: fmt.Sprintf(format, args...)}
}

func (e *usageError) hint(format string, args ...any) *usageError {
	e.hints = append(e.hints, fmt.Sprintf(format, args...))
	return e
}

// refusal is an answer of no that needs words; a bare exitStatus needs none.
type refusal struct {
	msg   string
	hints []string
}

func (e *refusal) Error() string   { return e.msg }
func (e *refusal) ExitCode() int   { return exitNo }
func (e *refusal) Hints() []string { return e.hints }

// exitStatus ends the command with a code and no message, because the output
// has said all.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
func (e exitStatus) ExitCode() int { return int(e) }

// codeOf gives the exit code of one error, without what it wraps. ok is false
// when this error does not decide. walk unwraps, so the comparisons here are
// meant as they stand.
func codeOf(err error) (code int, ok bool) {
	switch err {
	case errInterrupted, context.Canceled: //nolint:errorlint // walk unwraps
		return exitInterrupted, true
	case gitops.ErrNothing:
		return exitDone, true
	case gitops.ErrInHook:
		return exitNo, true
	}
	switch e := err.(type) { //nolint:errorlint // walk unwraps
	case *gitops.LockedError, *gitops.MovedError, *gitops.WorkTreeChangedError, *connect.ChangedError:
		return exitBusy, true
	case *gitops.ProgressError:
		return exitConflict, true
	case *gitops.HookError, *gitops.EscapeError, *connect.ForeignError, *connect.LinkError:
		return exitNo, true
	case interface{ Exited() bool }:
		// *exec.ExitError has an ExitCode as well, but it is another program's.
		return 0, false
	case exitCoder:
		return e.ExitCode(), true
	}
	return 0, false
}

// exitCode decides by the outermost error that has a code; of joined errors by
// the first that has one.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	code := exitFatal
	walk(err, func(e error) bool {
		c, ok := codeOf(e)
		if ok {
			code = c
		}
		return !ok
	})
	return code
}

// hintsOf collects the hints of an error and of all it wraps, each once.
func hintsOf(err error) []string {
	var hints []string
	seen := map[string]bool{}
	walk(err, func(e error) bool {
		var told []string
		if h, ok := e.(hinter); ok {
			told = h.Hints()
		} else if e == gitops.ErrNotRepository { //nolint:errorlint // walk unwraps
			told = []string{"to make this folder a workspace: git claw init", "to name one elsewhere: git claw -w <dir>"}
		}
		for _, hint := range told {
			if !seen[hint] {
				seen[hint] = true
				hints = append(hints, hint)
			}
		}
		return true
	})
	return hints
}

// walk visits an error and what it wraps, outermost first, until visit returns
// false.
func walk(err error, visit func(error) bool) bool {
	if err == nil {
		return true
	}
	if !visit(err) {
		return false
	}
	switch e := err.(type) { //nolint:errorlint // this is the unwrapping
	case interface{ Unwrap() error }:
		return walk(e.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if !walk(inner, visit) {
				return false
			}
		}
	}
	return true
}

// report prints an error and returns the exit code. It is the only place that
// prints one.
func report(env *Env, err error) int {
	code := exitCode(err)
	var silent exitStatus
	if err == nil || errors.As(err, &silent) || code == exitDone {
		return code
	}
	hints := hintsOf(err)
	if env.Opt.JSON {
		reportJSON(env.Err, code, err, hints)
		return code
	}
	if code == exitInterrupted {
		return code // the person knows
	}
	printLines(env.Err, "error: ", err.Error())
	env.hints(hints)
	return code
}

func reportJSON(w io.Writer, code int, err error, hints []string) {
	if hints == nil {
		hints = []string{}
	}
	// A failure to write to standard error leaves nobody to tell.
	_ = writeJSON(w, "claw.error/1", struct {
		Code    int      `json:"code"`
		Message string   `json:"message"`
		Hints   []string `json:"hints"`
	}{code, err.Error(), hints})
}
