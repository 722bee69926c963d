package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/connect"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
)

// runPreCommit stops a commit that would add a secret, or for which a check of
// health fails.
func runPreCommit(ctx context.Context, env *Env) error {
	repo, err := gitops.Open(ctx, env.Git(), env.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = repo.Close() }()
	// What git claw itself commits it has examined, and it does not wait for more.
	c, err := agent.CheckCommit(ctx, repo, agent.CommitCheck{Hostname: env.Hostname(), SecretsOnly: env.Getenv(gitops.SavingVariable) != ""})
	if err != nil {
		return err
	}
	for _, b := range c.Broken {
		env.Warn(fmt.Sprintf("in '%s' only secrets were looked for: %s", term.Escape(b.Folder()), oneLine(b.Err)), "mend '.claw/config' there; 'git restore .claw/config' brings back what is committed")
	}
	for i, f := range c.Secrets {
		if i == maxTold {
			env.Warn(fmt.Sprintf("%d more secrets are not shown", len(c.Secrets)-maxTold))
			break
		}
		if f.Line == 0 {
			env.Warn(fmt.Sprintf("%s: secret in its name: %s", term.Escape(f.Path), f.Kind))
			continue
		}
		env.Warn(fmt.Sprintf("%s:%d: secret: %s", term.Escape(f.Path), f.Line, f.Kind))
	}
	if c.Unchecked != nil {
		env.Warn("health was not looked at: " + oneLine(c.Unchecked))
	}
	fails := warnStaged(env, c.Findings)
	switch {
	case len(c.Secrets) > 0:
		return &refusal{msg: "the commit would add what looks like a secret", hints: []string{
			"take the line out, or mark it with 'claw:allow' when it is none", noVerify,
		}}
	case fails > 0:
		return &refusal{msg: "the commit would break what 'git claw health' tests", hints: []string{
			"'git claw health --staged --verbose' tells more", noVerify,
		}}
	}
	return nil
}

const noVerify = "'git commit --no-verify' passes the check by"

// maxTold is how many findings a refused commit, or a save that held lines back, tells
// of.
const maxTold = 20

// warnStaged tells of what failed, each check once for a file, and with -v of what
// only warns. It returns how much failed.
func warnStaged(env *Env, list []agent.StagedFinding) (fails int) {
	said := 0
	for i, f := range list {
		if f.Status == health.Fail {
			fails++
		} else if f.Status != health.Warn || !env.Opt.Verbose {
			continue
		}
		if i > 0 && list[i-1].ID == f.ID && list[i-1].Path == f.Path {
			continue
		}
		if said++; said > maxTold {
			continue
		}
		place := ""
		if f.Path != "" {
			place = term.Escape(f.Path) + ": "
			if f.Line > 0 {
				place = fmt.Sprintf("%s:%d: ", term.Escape(f.Path), f.Line)
			}
		}
		var hints []string
		if f.Fix != "" {
			hints = append(hints, f.Fix)
		}
		env.Warn(fmt.Sprintf("%s%s: %s", place, f.ID, f.Message), hints...)
	}
	if said > maxTold {
		env.Warn(fmt.Sprintf("%d more are not shown", said-maxTold))
	}
	return fails
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
		env.Warn("the commit does not say that an agent made it: " + oneLine(err))
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
