package hooks

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
)

// StagedFinding is a secret that the commit being made would add; on no line where it
// stands in the name of the file.
type StagedFinding struct {
	Path string // from the top level, where git runs hooks
	secret.Finding
}

// MaxScan is the size in bytes up to which content is looked through for secrets.
// Health tells what is larger.
const MaxScan = 64 << 20

// maxHeld is the size up to which content is held as a whole. What is larger is no
// memory (claw.maxFileBytes), and is read in pieces.
const maxHeld = 4 << 20

// StagedSecrets scans what the index would commit, and nothing else: managed paths
// of adopted workspaces, lines that neither HEAD nor a commit that is merged has.
// It only reads, through git, because git runs it inside a commit. changes are
// those of the index, in the places of PlacesOf, merged what MERGE_HEAD names.
func StagedSecrets(ctx context.Context, repo *gitops.Repo, changes []gitops.TreeChange, in Places, merged []gitops.ID) ([]StagedFinding, error) {
	if in.None() {
		return nil, nil
	}
	s := &stagedSecrets{repo: repo, scan: secret.New()}
	renamed := Renames(slices.DeleteFunc(slices.Clone(changes), func(c gitops.TreeChange) bool { return !in.managed(c.Path) }))
	var out []StagedFinding
	for _, c := range changes {
		if !holdsText(c.New.Mode) || !in.managed(c.Path) {
			continue
		}
		var found []secret.Finding
		if _, moved := renamed[c.Path]; !moved {
			var err error
			if found, err = s.added(ctx, c, merged); err != nil {
				return nil, err
			}
		}
		if _, kind := s.scan.MaskName(c.Path); kind != "" && c.Old.IsZero() {
			out = append(out, StagedFinding{Path: c.Path, Finding: secret.Finding{Kind: kind}})
		}
		for _, f := range found {
			out = append(out, StagedFinding{Path: c.Path, Finding: f})
		}
	}
	return out, nil
}

type stagedSecrets struct {
	repo *gitops.Repo
	scan *secret.Scanner
}

// added finds what a change adds to HEAD and to the commits that are merged.
func (s *stagedSecrets) added(ctx context.Context, c gitops.TreeChange, merged []gitops.ID) ([]secret.Finding, error) {
	text, err := s.repo.Objects().BlobWithin(ctx, c.New.ID, maxHeld)
	var found []secret.Finding
	switch {
	case errors.Is(err, gitops.ErrNoObject):
		return nil, nil
	case errors.Is(err, gitops.ErrTooLarge):
		found, err = BlobSecrets(ctx, s.repo, s.scan, c.New.ID)
	case err == nil:
		found = s.scan.Scan(text)
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if holdsText(c.Old.Mode) {
		if found, err = s.notOn(ctx, c.Old.ID, found, text); err != nil {
			return nil, err
		}
	}
	for _, commit := range merged {
		if found, err = s.notIn(ctx, commit, c.Path, found, text); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// BlobSecrets looks through a blob that is not held; one of more than MaxScan bytes is
// not looked through to its end.
func BlobSecrets(ctx context.Context, repo *gitops.Repo, scan *secret.Scanner, id gitops.ID) (found []secret.Finding, err error) {
	err = repo.Objects().ReadBlob(ctx, id, func(r io.Reader) error {
		found, err = scan.ScanReader(io.LimitReader(r, MaxScan))
		return err
	})
	return found, err
}

// notIn leaves the findings that a commit does not have at the same path.
func (s *stagedSecrets) notIn(ctx context.Context, commit gitops.ID, path string, found []secret.Finding, text []byte) ([]secret.Finding, error) {
	if len(found) == 0 {
		return nil, nil
	}
	tree, err := s.repo.Objects().TreeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	e, ok, err := s.repo.Objects().Lookup(ctx, tree, path)
	if err != nil || !ok || !holdsText(e.Mode) {
		return found, err
	}
	return s.notOn(ctx, e.ID, found, text)
}

// notOn leaves the findings on lines that a blob does not have. Where one of both texts
// is not held, text nil, it leaves as many as the blob has less.
func (s *stagedSecrets) notOn(ctx context.Context, blob gitops.ID, found []secret.Finding, text []byte) ([]secret.Finding, error) {
	old, err := s.repo.Objects().BlobWithin(ctx, blob, maxHeld)
	if err == nil && text != nil {
		return addedTo(s.scan, found, old, text), nil
	}
	var before []secret.Finding
	switch {
	case errors.Is(err, gitops.ErrTooLarge):
		before, err = BlobSecrets(ctx, s.repo, s.scan, blob)
	case err == nil:
		before = s.scan.Scan(old)
	}
	if err != nil {
		return nil, err
	}
	left := map[string]int{}
	for _, f := range before {
		left[f.Kind]++
	}
	return slices.DeleteFunc(found, func(f secret.Finding) bool {
		left[f.Kind]--
		return left[f.Kind] >= 0
	}), nil
}

// holdsText reports an entry whose blob is text: a file, or a link, which holds the
// path that it leads to.
func holdsText(m gitops.Mode) bool { return m.IsFile() || m == gitops.ModeSymlink }
