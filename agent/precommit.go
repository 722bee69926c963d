package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/health"
)

// CommitCheck says how a commit that git is about to make is examined.
type CommitCheck struct {
	Hostname    string // of this machine
	SecretsOnly bool
}

// CommitVerdict is what speaks against a commit.
type CommitVerdict struct {
	Secrets  []hooks.StagedFinding
	Findings []StagedFinding // failures and warnings
	Broken   []hooks.Broken  // where only secrets were looked for
	// Unchecked says why health could not be examined. No commit is stopped for it.
	Unchecked error
}

// StagedFinding is a finding of a check with its path from the top level, where
// git runs hooks.
type StagedFinding struct {
	health.Finding
	Path string
}

// CheckCommit examines what the index would commit: secrets first, then the checks
// of health in every adopted workspace that it touches (SPEC GN-22).
func CheckCommit(ctx context.Context, repo *gitops.Repo, how CommitCheck) (*CommitVerdict, error) {
	changes, err := repo.Staged(ctx)
	if err != nil || len(changes) == 0 {
		return &CommitVerdict{}, err
	}
	in, err := hooks.PlacesOf(ctx, repo, changes)
	if err != nil || in.None() {
		return &CommitVerdict{}, err
	}
	merged, err := repo.MergeHeads()
	if err != nil {
		return nil, err
	}
	v := &CommitVerdict{Broken: in.Broken}
	if v.Secrets, err = hooks.StagedSecrets(ctx, repo, changes, in, merged); err != nil || how.SecretsOnly {
		return v, err
	}
	others, err := acceptedBefore(repo, merged)
	if err != nil {
		return nil, err
	}
	told := map[string]bool{}
	for _, ws := range in.Workspaces {
		rep, err := health.ExamineStaged(ctx, ws, changes, others, health.Options{Hostname: how.Hostname, Alive: gitops.ProcessAlive})
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			v.Unchecked = err
			continue
		}
		for _, f := range rep.Findings {
			sf := StagedFinding{Finding: f}
			if f.Path != "" {
				sf.Path = ws.Prefix + f.Path
			}
			// A workspace around another one may tell the same.
			key := fmt.Sprintf("%s %d %s %s", f.ID, f.Line, sf.Path, f.Message)
			if !told[key] && !v.isSecret(sf) {
				v.Findings = append(v.Findings, sf)
			}
			told[key] = true
		}
	}
	return v, nil
}

// isSecret reports whether a finding is told as a secret already.
func (v *CommitVerdict) isSecret(f StagedFinding) bool {
	switch f.ID {
	case "GIT-008", "EPI-006", "SNAP-001":
		return slices.ContainsFunc(v.Secrets, func(s hooks.StagedFinding) bool { return s.Path == f.Path && s.Line == f.Line })
	}
	return false
}
