package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
)

// runPreCommit stops a commit that would add a secret.
func runPreCommit(ctx context.Context, env *Env) error {
	repo, err := gitops.Open(ctx, env.Git(), env.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = repo.Close() }()
	found, err := hooks.CheckStaged(ctx, repo)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	for _, f := range found {
		env.Warn(fmt.Sprintf("%s:%d: secret: %s", f.Path, f.Line, f.Kind))
	}
	return &refusal{msg: "the commit would add what looks like a secret", hints: []string{
		"take the line out, or mark it with 'claw:allow' when it is none",
		"'git commit --no-verify' passes the check by",
	}}
}

// runPrepareMsg marks a commit that an agent makes with git itself. It never
// stops one, and a person's costs no more than the start of this program.
func runPrepareMsg(ctx context.Context, env *Env, args []string) error {
	said := agent.Actor(env.Opt.Actor)
	marked := len(connect.HostMarkers(env.Environ)) > 0
	if !marked && (said == "" || said == agent.User) || env.Getenv(gitops.SavingVariable) != "" || len(args) == 0 {
		return nil
	}
	caller := agent.Caller{Actor: agent.Agent, Session: env.Opt.Session, Kind: env.Opt.SessionKind}
	m := agent.CommitMessage{File: env.Abs(args[0]), Edited: env.Getenv("GIT_EDITOR") != ":"}
	// The framework pre-commit tells by variables what git tells by arguments.
	rest := append(args[1:], make([]string, 2)...)
	m.Source, m.From = rest[0], rest[1]
	if m.Source == "" {
		m.Source, m.From = env.Getenv("PRE_COMMIT_COMMIT_MSG_SOURCE"), env.Getenv("PRE_COMMIT_COMMIT_OBJECT_NAME")
	}
	err := agent.MarkCommit(ctx, env.Git(), caller, m)
	if err != nil && !errors.Is(err, gitops.ErrNotRepository) {
		env.Warn("the commit does not say that an agent made it: " + strings.Join(strings.Fields(err.Error()), " "))
	}
	return nil
}

// runAfter has the search index follow what git did, in a process that nobody
// waits for. It neither fails nor says a word: git has done its work, and where the
// index stays behind the next search catches up.
func runAfter(ctx context.Context, env *Env, name string, args []string) error {
	binary, err := env.Executable()
	if err != nil {
		return nil //nolint:nilerr // as below
	}
	_ = agent.FollowIndex(ctx, env.Git(), agent.GitEvent{Hook: name, Args: args}, binary)
	return nil
}
