package agent

import (
	"context"
	"fmt"

	"github.com/git-claw/git-claw/memory"
)

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

// notManaged is the answer to a path that is not managed; one that does not exist
// is no such file, whatever would be said of it if it did. verb is as in noFile.
func notManaged(ctx context.Context, ws *memory.Workspace, rel, why, verb string) error {
	exists, err := ws.Exists(rel)
	if err != nil {
		return err
	}
	if !exists {
		tracked, err := ws.Repo.ListFiles(ctx, ws.Prefix+rel)
		if err != nil {
			return err
		}
		if len(tracked) == 0 {
			return noFile(ctx, ws, rel, verb)
		}
	}
	return unmanaged(rel, why, ws.HowToManage(rel)...)
}

// noFile says that a path does not exist. Where it is a revision, verb is the
// command that takes one; "" for none.
func noFile(ctx context.Context, ws *memory.Workspace, rel, verb string) error {
	e := &NoFileError{Path: rel}
	if verb == "" {
		return e
	}
	if _, err := FindEvent(ctx, ws, rel); err == nil {
		e.Advice = []string{fmt.Sprintf("did you mean 'git claw %s %s'?", verb, rel)}
	}
	return e
}

// refuseIgnored says of a file without a commit that git ignores it; nil when it
// does not.
func refuseIgnored(ctx context.Context, ws *memory.Workspace, rel string) error {
	rules, err := ws.Repo.CheckIgnore(ctx, []string{ws.Prefix + rel})
	if err != nil {
		return err
	}
	r, ok := rules[ws.Prefix+rel]
	if !ok {
		return nil
	}
	return &RefusedError{Problem: fmt.Sprintf("'%s' has no history: git ignores it by '%s' in '%s'", rel, r.Pattern, r.Source)}
}
