package gitops

import "context"

// MakeCommonClawDir makes the folder of the state that all worktrees share, open to
// those who share the repository.
func (r *Repo) MakeCommonClawDir(ctx context.Context) error {
	return r.makeClawDir(ctx, r.CommonClawDir())
}
