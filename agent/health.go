package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

// HealthOptions say what `health` looks at.
type HealthOptions struct {
	Only     []string // ids of checks; none: all
	Staged   bool     // what the next commit changes, and nothing else
	Hostname string   // of this machine
}

// Health examines a workspace. It changes nothing; what a full examination of an
// adopted one found is kept for the dashboard, and since when edits wait for the next.
func Health(ctx context.Context, ws *memory.Workspace, opt HealthOptions) (*health.Report, error) {
	if err := knownChecks(opt.Only); err != nil {
		return nil, err
	}
	o := health.Options{Only: opt.Only, Hostname: opt.Hostname, Alive: gitops.ProcessAlive}
	switch {
	case ws.Repo.Bare:
		head, err := ws.Repo.Head(ctx)
		if err != nil {
			return nil, err
		}
		snap, err := health.At(ctx, ws, head.Commit)
		if err != nil {
			return nil, err
		}
		return health.Examine(ctx, ws, snap, o)
	case opt.Staged:
		return stagedHealth(ctx, ws, o)
	}
	seen := readUnsaved(ws)
	o.UnsavedSince = seen.since
	rep, err := health.ExamineWork(ctx, ws, o)
	if err == nil && ws.Adopted && (len(opt.Only) == 0 || slices.Contains(opt.Only, "GIT-002")) {
		seen.remember(ws, rep.Unsaved)
	}
	if err == nil && len(opt.Only) == 0 && ws.Adopted {
		head, err := ws.Repo.Head(ctx)
		if err != nil {
			return nil, err
		}
		recordHealth(ws, head.Commit, rep)
	}
	return rep, err
}

func stagedHealth(ctx context.Context, ws *memory.Workspace, o health.Options) (*health.Report, error) {
	changes, err := ws.Repo.Staged(ctx)
	if err != nil {
		return nil, err
	}
	merged, err := ws.Repo.MergeHeads()
	if err != nil {
		return nil, err
	}
	others, err := acceptedBefore(ws.Repo, merged)
	if err != nil {
		return nil, err
	}
	return health.ExamineStaged(ctx, ws, changes, others, o)
}

// acceptedBefore lists the commits whose findings are not those of the commit being
// made: the ones that are merged, and the one that is picked, which was a commit
// before.
func acceptedBefore(repo *gitops.Repo, merged []gitops.ID) ([]gitops.ID, error) {
	picked, err := repo.PickedHead()
	if err != nil || picked.IsZero() {
		return merged, err
	}
	return append(slices.Clip(merged), picked), nil
}

// knownChecks refuses ids that no check has.
func knownChecks(ids []string) error {
	for _, id := range ids {
		if _, ok := health.CheckOf(id); !ok {
			return unknownCheck(id)
		}
	}
	return nil
}

// unknownCheck names the ids of the same family, or the families.
func unknownCheck(id string) error {
	family, _, _ := strings.Cut(strings.ToUpper(id), "-")
	var near, all []string
	for _, c := range health.Checks() {
		name, _, _ := strings.Cut(c.ID, "-")
		if name == family {
			near = append(near, c.ID)
		}
		if len(all) == 0 || all[len(all)-1] != name {
			all = append(all, name)
		}
	}
	hint := "checks begin with " + strings.Join(all, ", ")
	if len(near) > 0 {
		hint = "checks are " + strings.Join(near, ", ")
	}
	return &UsageError{Problem: fmt.Sprintf("unknown check '%s'", id), Hint: hint}
}

// ExplainCheck tells about one check, and what it is in a workspace where there is
// one.
func ExplainCheck(ws *memory.Workspace, id string) (health.Explanation, error) {
	c, ok := health.CheckOf(id)
	if !ok {
		return health.Explanation{}, unknownCheck(id)
	}
	return health.Explain(ws, c), nil
}

// UnknownDisabled lists what claw.health.disable names and is no check.
func UnknownDisabled(ws *memory.Workspace) []string {
	var out []string
	for _, value := range ws.Settings.All("health.disable") {
		for _, id := range strings.Fields(value) {
			if _, ok := health.CheckOf(id); !ok && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// InnerWorkspaces lists the folders below the root, relative to it, that are adopted
// workspaces as far as git tracks them.
func InnerWorkspaces(ctx context.Context, ws *memory.Workspace) ([]string, error) {
	files, err := ws.Repo.ListFiles(ctx, ws.PrefixPaths()...)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range files {
		rel, ok := strings.CutPrefix(p, ws.Prefix)
		if dir, config := strings.CutSuffix(rel, "/.claw/config"); ok && config {
			out = append(out, dir)
		}
	}
	return out, nil
}
