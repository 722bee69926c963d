package gitops

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// StartDetached starts a program in a directory of the work tree and does not wait
// for it: it outlives this process and its terminal, and has no streams. A hook may
// ask for it. The program finds this repository, and none of what git told the hook
// alone, such as an index that only a commit in progress uses.
func (r *Repo) StartDetached(dir, program string, args ...string) error {
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Dir = dir
	for _, kv := range r.Git.env.Environ {
		switch name, _, _ := strings.Cut(kv, "="); {
		case sameVariable(name, "GIT_INDEX_FILE"), sameVariable(name, SavingVariable),
			sameVariable(name, "GIT_DIR"), sameVariable(name, "GIT_WORK_TREE"):
		default:
			cmd.Env = append(cmd.Env, kv)
		}
	}
	if r.Git.env.Getenv("GIT_DIR") != "" {
		// Said with --git-dir, or by git for a linked worktree. The work tree alone
		// would be taken for the directory.
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.TopLevel)
	}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start '%s': %w", program, err)
	}
	return cmd.Process.Release()
}
