package hooks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// StagedFinding is a secret that the commit being made would add.
type StagedFinding struct {
	Path string // from the top level, where git runs hooks
	secret.Finding
}

// maxScan is the size up to which staged content is scanned, in bytes. Larger
// managed files do not exist (claw.maxFileBytes).
const maxScan = 64 << 20

// CheckStaged scans what the index would commit, and nothing else: managed paths
// of adopted workspaces, lines that HEAD does not have. It only reads, through
// git, because git runs it inside a commit.
func CheckStaged(ctx context.Context, repo *gitops.Repo) ([]StagedFinding, error) {
	changes, err := repo.Staged(ctx)
	if err != nil {
		return nil, err
	}
	found, err := Workspaces(ctx, repo, changes)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	scan := secret.New()
	var out []StagedFinding
	for _, c := range changes {
		if !holdsText(c.New.Mode) || !managed(found, c.Path) {
			continue
		}
		text, err := repo.Objects().Blob(ctx, c.New.ID)
		if errors.Is(err, gitops.ErrNoObject) || len(text) > maxScan {
			continue
		}
		if err != nil {
			return nil, err
		}
		var old []byte
		if holdsText(c.Old.Mode) {
			if old, err = repo.Objects().Blob(ctx, c.Old.ID); err != nil {
				return nil, err
			}
		}
		for _, f := range AddedSecrets(scan, old, text) {
			out = append(out, StagedFinding{Path: c.Path, Finding: f})
		}
	}
	return out, nil
}

// holdsText reports an entry whose blob is text: a file, or a link, which holds the
// path that it leads to.
func holdsText(m gitops.Mode) bool { return m.IsFile() || m == gitops.ModeSymlink }

func managed(in []*memory.Workspace, path string) bool {
	return slices.ContainsFunc(in, func(ws *memory.Workspace) bool {
		rel, ok := strings.CutPrefix(path, ws.Prefix)
		return ok && ws.Managed(rel)
	})
}
