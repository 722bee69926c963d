package gitops

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNotRepository: the directory is in no git repository.
var ErrNotRepository = errors.New("not in a git repository")

// ErrBare: the operation needs a work tree.
var ErrBare = errors.New("this is a bare repository, without a work tree")

// ErrInHook: git runs us inside a hook, where committing would corrupt the
// commit that is being made.
var ErrInHook = errors.New("cannot write from inside a git hook")

// ErrNothing: the transaction would give the tree that HEAD already has.
var ErrNothing = errors.New("nothing to commit")

// GitError is a failed call of the git binary. Stderr is git's own text, which
// may quote paths and refs but never file content.
type GitError struct {
	Args   []string
	Code   int
	Stderr string
}

func (e *GitError) Error() string {
	msg := strings.TrimSpace(e.Stderr)
	msg = strings.TrimPrefix(msg, "fatal: ")
	msg = strings.TrimPrefix(msg, "error: ")
	if msg == "" {
		msg = fmt.Sprintf("exit status %d", e.Code)
	}
	return fmt.Sprintf("git %s: %s", verbOf(e.Args), msg)
}

// RevError: a revision names no commit.
type RevError struct{ Rev string }

func (e *RevError) Error() string { return fmt.Sprintf("no commit '%s'", e.Rev) }

// Hints tells how to find a revision.
func (e *RevError) Hints() []string { return []string{"run 'git claw log' to see what there is"} }

// DubiousError: git refuses the repository because another user owns it.
type DubiousError struct{ Path string }

func (e *DubiousError) Error() string {
	return fmt.Sprintf("repository '%s' is owned by someone else", e.Path)
}

// Hints repeats git's own way out.
func (e *DubiousError) Hints() []string {
	return []string{fmt.Sprintf("if you trust it, run 'git config --global --add safe.directory %s'", e.Path)}
}

// TooOldError: the git binary is older than what git claw needs.
type TooOldError struct{ Have, Need string }

func (e *TooOldError) Error() string {
	return fmt.Sprintf("git %s is too old, git claw needs %s or newer", e.Have, e.Need)
}

// ProgressError: a merge, rebase or the like is in progress, or paths are
// unmerged; committing now would end or corrupt it.
type ProgressError struct {
	What  string // "merge", "rebase", "cherry-pick", "revert", "bisect", "unmerged paths"
	Paths []string
	How   []string
}

func (e *ProgressError) Error() string {
	if len(e.Paths) > 0 {
		return fmt.Sprintf("cannot save: '%s' is unmerged", e.Paths[0])
	}
	return fmt.Sprintf("cannot save while a %s is in progress", e.What)
}

// Hints tells how to end what is in progress.
func (e *ProgressError) Hints() []string { return e.How }

// LockedError: a lock was not free within the time allowed. The same command
// may work later.
type LockedError struct {
	Path  string
	Owner string        // what is known of the holder, may be empty
	Age   time.Duration // age of the lock file, 0 when unknown
	Stale bool          // the lock is old and no git process holds it open, as far as can be told
}

func (e *LockedError) Error() string {
	s := fmt.Sprintf("cannot lock '%s': another process holds it", e.Path)
	if e.Owner != "" {
		s += " (" + e.Owner + ")"
	}
	return s
}

// Hints never tells to break a lock blindly.
func (e *LockedError) Hints() []string {
	if e.Stale {
		return []string{
			fmt.Sprintf("the lock is %s old; if no git process is running here, it was left by one that died", e.Age.Round(time.Second)),
			fmt.Sprintf("remove it with: rm '%s'", e.Path),
		}
	}
	return []string{"wait for the other process and run the same command again"}
}

// MovedError: what the caller looked at has changed since (the ref, or a path
// in HEAD or in the index). Nothing was written; look again and retry.
type MovedError struct{ Subject string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("'%s' changed while it was being saved", e.Subject)
}

// Hints: the same command may work later.
func (e *MovedError) Hints() []string { return []string{"run the same command again"} }

// HookError: a hook of the user or of the project said no. Nothing was
// committed, the work tree is as it was.
type HookError struct {
	Name   string
	Output string
}

func (e *HookError) Error() string {
	if e.Name == prePush {
		return "hook 'pre-push' refused the push"
	}
	return fmt.Sprintf("hook '%s' refused the commit; the edit is still in the work tree", e.Name)
}

// prePush is the hook that git asks before it pushes.
const prePush = "pre-push"

// Hints shows the last lines of the hook.
func (e *HookError) Hints() []string {
	var out []string
	lines := strings.Split(strings.TrimSpace(e.Output), "\n")
	if len(lines) > 5 {
		lines = lines[len(lines)-5:]
	}
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, e.Name+" said: "+l)
		}
	}
	if e.Name == prePush {
		return append(out, "what came in is here, and your commits are kept; mend what the hook complains about, and run the same command again")
	}
	return append(out, "mend what the hook complains about and save again, or run 'git config claw.runHooks never'")
}

// IdentError: git has no name and mail address to commit with.
type IdentError struct{ Detail string }

func (e *IdentError) Error() string { return "git does not know who you are" }

// Hints gives the two commands that mend it.
func (e *IdentError) Hints() []string {
	return []string{
		"git config --global user.name \"Your Name\"",
		"git config --global user.email you@example.com",
	}
}

// WorkTreeChangedError: a work-tree file is no longer what the caller based its
// write on. It was left alone.
type WorkTreeChangedError struct{ Path string }

func (e *WorkTreeChangedError) Error() string {
	return fmt.Sprintf("'%s' was edited meanwhile; it was left as it is", e.Path)
}

// Hints tells the way on.
func (e *WorkTreeChangedError) Hints() []string {
	return []string{"run 'git claw save', then the same command again"}
}

// EscapeError: a path leaves the work tree, or a component of it is a symbolic
// link.
type EscapeError struct {
	Path   string
	Reason string
}

func (e *EscapeError) Error() string { return fmt.Sprintf("refuse path '%s': %s", e.Path, e.Reason) }
