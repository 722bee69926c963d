package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Git is the runner of git for this process.
func (e *Env) Git() *gitops.Git {
	return gitops.NewGit(gitops.Env{
		Environ: e.Environ, Dir: e.Dir, Now: e.Now, Rand: e.Rand, Log: e.Log(),
		Wait: func(what string) {
			if e.ErrTTY || e.Opt.Verbose {
				e.Confirm("%s", term.Escape(what))
			}
		},
	})
}

// Workspace finds the workspace of the current directory, or the one of -w.
// done ends git processes that were started for it.
func (e *Env) Workspace(ctx context.Context) (ws *memory.Workspace, done func(), err error) {
	return e.openWorkspace(ctx, e.Git())
}

// WorkspaceToSave is Workspace for a command that looks at the files and commits.
func (e *Env) WorkspaceToSave(ctx context.Context) (ws *memory.Workspace, done func(), err error) {
	return e.openWorkspace(ctx, e.Git().Ahead())
}

func (e *Env) openWorkspace(ctx context.Context, git *gitops.Git) (ws *memory.Workspace, done func(), err error) {
	ws, err = memory.Open(ctx, git, e.Dir, e.Opt.Workspace)
	if err != nil {
		return nil, func() {}, err
	}
	return ws, func() { _ = ws.Repo.Close() }, nil
}

// AtTerminal reports whether somebody typed this command: any stream on a
// terminal says so, for the others may be in a pipe or in a file.
func (e *Env) AtTerminal() bool { return e.InTTY || e.OutTTY || e.ErrTTY }

// Person reports whether somebody sits at the terminal and can be asked.
func (e *Env) Person() bool { return e.InTTY && e.ErrTTY }

// Caller is who runs this command.
func (e *Env) Caller() (agent.Caller, error) {
	markers := connect.HostMarkers(e.Environ)
	actor, err := agent.Who(e.Opt.Actor, e.AtTerminal(), markers)
	return agent.Caller{
		Actor: actor, Session: e.Opt.Session, Kind: e.Opt.SessionKind, TTY: e.Person(),
		Approver: e.Getenv("GIT_CLAW_APPROVER"), Host: len(markers) > 0,
	}, err
}

// config is git's configuration for colours and pager; none where it cannot be
// read, which the command itself will report.
func config(ctx context.Context, ws *memory.Workspace) *gitops.Config {
	cfg, err := ws.Repo.Config(ctx)
	if err != nil {
		return nil
	}
	return cfg
}

// relPaths turns paths of the command line into paths below the root of the
// workspace, with slashes.
func (e *Env) relPaths(ws *memory.Workspace, args []string) ([]string, error) {
	out := make([]string, 0, len(args))
	for _, arg := range args {
		rel, err := e.relPath(ws, arg)
		if err != nil {
			return nil, err
		}
		out = append(out, rel)
	}
	return out, nil
}

func (e *Env) relPath(ws *memory.Workspace, arg string) (string, error) {
	if arg == "" {
		return "", usagef("the empty string is no path")
	}
	path := e.Abs(arg)
	rel, ok := below(ws.Root, path)
	if !ok {
		// The shell may know the folder by the name of a link; git resolves it.
		// The last part is kept: a link is saved as a link.
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err == nil {
			rel, ok = below(ws.Root, filepath.Join(dir, filepath.Base(path)))
		}
	}
	if !ok {
		return "", &agent.OutsideError{Path: arg}
	}
	return rel, nil
}

func below(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
