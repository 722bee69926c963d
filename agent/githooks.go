package agent

import (
	"context"

	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/memory"
)

// HookTarget is where the git hooks of a workspace's repository live. binary is
// the absolute path of git-claw that they record, "" to only look.
func HookTarget(ctx context.Context, ws *memory.Workspace, binary string) (githook.Target, error) {
	dir, err := ws.Repo.HooksDir(ctx)
	if err != nil {
		return githook.Target{}, err
	}
	return githook.Target{Dir: dir, GitDir: ws.Repo.CommonDir, WorkTree: ws.Repo.TopLevel, Binary: binary}, nil
}

// InstallHooks installs our git hooks beside those that are there.
func InstallHooks(ctx context.Context, ws *memory.Workspace, binary string) ([]githook.Result, error) {
	t, err := HookTarget(ctx, ws, binary)
	if err != nil {
		return nil, err
	}
	return t.Install()
}

// RemoveHooks takes our git hooks out again, byte for byte.
func RemoveHooks(ctx context.Context, ws *memory.Workspace) ([]githook.Result, error) {
	t, err := HookTarget(ctx, ws, "")
	if err != nil {
		return nil, err
	}
	return t.Uninstall()
}

// HookStatus looks at the git hooks without changing them.
func HookStatus(ctx context.Context, ws *memory.Workspace, binary string) ([]githook.Status, error) {
	t, err := HookTarget(ctx, ws, binary)
	if err != nil {
		return nil, err
	}
	return t.Status()
}

// inPlace reports whether a hook does its work.
func inPlace(s githook.Status) bool {
	return s.State == githook.Current || s.State == githook.ByHand
}
