package hooks

import (
	"context"
	"errors"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// StagedFinding is a secret that the commit being made would add.
type StagedFinding struct {
	Path string // relative to the workspace root
	secret.Finding
}

// maxScan is the size up to which staged content is scanned, in bytes. Larger
// managed files do not exist (claw.maxFileBytes).
const maxScan = 64 << 20

// CheckStaged scans what the index would commit, and nothing else: managed paths
// of this workspace, lines that HEAD does not have. It only reads, through git,
// because git runs it inside a commit.
func CheckStaged(ctx context.Context, ws *memory.Workspace) ([]StagedFinding, error) {
	changes, err := ws.Repo.Staged(ctx)
	if err != nil {
		return nil, err
	}
	scan := secret.New()
	var out []StagedFinding
	for _, c := range changes {
		rel, ok := strings.CutPrefix(c.Path, ws.Prefix)
		if !ok || !ws.Managed(rel) || !c.New.Mode.IsFile() {
			continue
		}
		text, err := ws.Repo.Objects().Blob(ctx, c.New.ID)
		if errors.Is(err, gitops.ErrNoObject) || len(text) > maxScan {
			continue
		}
		if err != nil {
			return nil, err
		}
		var old []byte
		if c.Old.Mode.IsFile() {
			if old, err = ws.Repo.Objects().Blob(ctx, c.Old.ID); err != nil {
				return nil, err
			}
		}
		for _, f := range AddedSecrets(scan, old, text) {
			out = append(out, StagedFinding{Path: rel, Finding: f})
		}
	}
	return out, nil
}
