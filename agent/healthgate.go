package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/memory"
)

// RefuseUnhealthy looks at the workspace before long-term memory is to change: a check
// that fails on a path that would be written stops it (SPEC OM-78).
func RefuseUnhealthy(ctx context.Context, ws *memory.Workspace, paths []string) error {
	rep, err := health.ExamineWork(ctx, ws, health.Options{Alive: gitops.ProcessAlive})
	if err != nil {
		return err
	}
	for _, f := range rep.Findings {
		if f.Status != health.Fail || !slices.Contains(paths, f.Path) {
			continue
		}
		at := f.Path
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		return &RefusedError{
			Problem: fmt.Sprintf("health fails for '%s': %s %s", at, f.ID, f.Message),
			Advice:  []string{"git claw health --verbose --only " + f.ID},
		}
	}
	return nil
}
