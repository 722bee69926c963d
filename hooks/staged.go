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

// StagedSecrets scans what the index would commit, and nothing else: managed paths
// of adopted workspaces, lines that neither HEAD nor a commit that is merged has.
// It only reads, through git, because git runs it inside a commit. changes are
// those of the index, in the workspaces of Workspaces, merged what MERGE_HEAD names.
func StagedSecrets(ctx context.Context, repo *gitops.Repo, changes []gitops.TreeChange, in []*memory.Workspace, merged []gitops.ID) ([]StagedFinding, error) {
	if len(in) == 0 {
		return nil, nil
	}
	scan := secret.New()
	var out []StagedFinding
	for _, c := range changes {
		if !holdsText(c.New.Mode) || !managed(in, c.Path) {
			continue
		}
		text, err := repo.Objects().BlobWithin(ctx, c.New.ID, maxScan)
		if errors.Is(err, gitops.ErrNoObject) || errors.Is(err, gitops.ErrTooLarge) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found := scan.Scan(text)
		if len(found) > 0 && holdsText(c.Old.Mode) {
			if found, err = notOn(ctx, repo, c.Old.ID, found, text); err != nil {
				return nil, err
			}
		}
		for _, commit := range merged {
			if found, err = notIn(ctx, repo, commit, c.Path, found, text); err != nil {
				return nil, err
			}
		}
		for _, f := range found {
			out = append(out, StagedFinding{Path: c.Path, Finding: f})
		}
	}
	return out, nil
}

// notIn leaves the findings that a commit does not have at the same path.
func notIn(ctx context.Context, repo *gitops.Repo, commit gitops.ID, path string, found []secret.Finding, text []byte) ([]secret.Finding, error) {
	if len(found) == 0 {
		return nil, nil
	}
	tree, err := repo.Objects().TreeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	e, ok, err := repo.Objects().Lookup(ctx, tree, path)
	if err != nil || !ok || !holdsText(e.Mode) {
		return found, err
	}
	return notOn(ctx, repo, e.ID, found, text)
}

// notOn leaves the findings on lines that a blob does not have.
func notOn(ctx context.Context, repo *gitops.Repo, blob gitops.ID, found []secret.Finding, text []byte) ([]secret.Finding, error) {
	old, err := repo.Objects().BlobWithin(ctx, blob, maxScan)
	if errors.Is(err, gitops.ErrTooLarge) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	return addedTo(found, old, text), nil
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
