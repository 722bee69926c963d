package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"testing"

	"github.com/git-claw/git-claw/gitops"
)

// coded is an error of a package that knows its code and hints.
type coded struct{}

func (coded) Error() string   { return "two versions" }
func (coded) ExitCode() int   { return exitConflict }
func (coded) Hints() []string { return []string{"decide"} }

func TestExitCode(t *testing.T) {
	t.Parallel()
	childFailed := exec.Command("git", "no-such-command").Run()
	if childFailed == nil {
		t.Fatal("git no-such-command succeeded")
	}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"none", nil, 0},
		{"unknown", errors.New("x"), 128},
		{"usage", usagef("x"), 129},
		{"wrapped usage", fmt.Errorf("y: %w", usagef("x")), 129},
		{"refusal", &refusal{msg: "x"}, 1},
		{"status", exitStatus(1), 1},
		{"coded", fmt.Errorf("save: %w", coded{}), 3},
		{"outermost decides", fmt.Errorf("%w", &outer{coded{}}), 1},
		{"first of joined", errors.Join(errors.New("x"), coded{}), 3},
		{"locked", fmt.Errorf("save: %w", &gitops.LockedError{Path: "p"}), 4},
		{"unmerged", &gitops.ProgressError{What: "merge"}, 3},
		{"moved", &gitops.MovedError{Subject: "refs/heads/main"}, 4},
		{"edited meanwhile", &gitops.WorkTreeChangedError{Path: "p"}, 4},
		{"hook", &gitops.HookError{Name: "commit-msg"}, 1},
		{"escape", &gitops.EscapeError{Path: "../x"}, 1},
		{"inside a hook", gitops.ErrInHook, 1},
		{"nothing", fmt.Errorf("save: %w", gitops.ErrNothing), 0},
		{"git", &gitops.GitError{Code: 1, Stderr: "x"}, 128},
		{"not a repository", gitops.ErrNotRepository, 128},
		{"another program's code", fmt.Errorf("x: %w", childFailed), 128},
		{"interrupted", fmt.Errorf("x: %w", errInterrupted), 130},
		{"canceled", context.Canceled, 130},
	}
	for _, tt := range tests {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
	}
}

type outer struct{ error }

func (o *outer) Unwrap() error { return o.error }
func (*outer) ExitCode() int   { return exitNo }

func TestReport(t *testing.T) {
	t.Parallel()
	evil := &usageError{msg: "no '\x1b[2Ja\u202eb'\nhint: rm -rf", hints: []string{"one", "two\x07"}}
	tests := []struct {
		name string
		err  error
		opt  Options
		want string
	}{
		{"hints", fmt.Errorf("save: %w", coded{}), Options{}, "error: save: two versions\nhint: decide\n"},
		{"quiet", coded{}, Options{Quiet: true}, "error: two versions\n"},
		{"hostile text", evil, Options{}, "error: no '<U+001B>[2Ja<U+202E>b'\nerror: hint: rm -rf\nhint: one\nhint: two<U+0007>\n"},
		{
			"json", fmt.Errorf("save: %w", coded{}),
			Options{JSON: true, Quiet: true},
			`{"schema":"claw.error/1","code":3,"message":"save: two versions","hints":["decide"]}` + "\n",
		},
		{
			"json without hints", errors.New("x\u202e\x1b<"),
			Options{JSON: true},
			`{"schema":"claw.error/1","code":128,"message":"x\u202e\u001b<","hints":[]}` + "\n",
		},
		{"silent", exitStatus(1), Options{JSON: true}, ""},
		{"interrupted", errInterrupted, Options{}, ""},
		{"nothing", gitops.ErrNothing, Options{}, ""},
	}
	for _, tt := range tests {
		env, s := testEnv(t)
		env.Opt = tt.opt
		if code := report(env, tt.err); code != exitCode(tt.err) {
			t.Errorf("%s: code %d", tt.name, code)
		}
		if got := s.Err.String(); got != tt.want {
			t.Errorf("%s: printed %q, want %q", tt.name, got, tt.want)
		}
		if s.Out.Len() > 0 {
			t.Errorf("%s: %q on standard output", tt.name, s.Out)
		}
	}
}

func TestHintsOnce(t *testing.T) {
	t.Parallel()
	got := hintsOf(errors.Join(coded{}, fmt.Errorf("x: %w", coded{}), usagef("x").hint("other")))
	if want := []string{"decide", "other"}; !reflect.DeepEqual(got, want) {
		t.Errorf("hints %q, want %q", got, want)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	env, s := testEnv(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errInterrupted)
	if code := run(ctx, env, []string{"no-such-command"}); code != exitInterrupted || s.Err.Len() > 0 {
		t.Errorf("exit %d, %q", code, s.Err)
	}
	// A command that waits for standard input does not wait any longer.
	env.In, _ = io.Pipe()
	if code := run(ctx, env, []string{"note", "-"}); code != exitInterrupted || s.Err.Len() > 0 {
		t.Errorf("waiting for input: exit %d, %q", code, s.Err)
	}
	if code := run(ctx, env, []string{"version"}); code != exitDone {
		t.Errorf("a command that was done exits %d", code)
	}
}
