package proposal

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/skills"
)

// forbidden says why a proposal is quarantined, or "" (SPEC GN-05, EV-01, EV-08).
func (p *Proposal) forbidden(ctx context.Context) string {
	if p.merges {
		return "its commit merges others, which nobody is shown"
	}
	if len(p.Changes) == 0 {
		return "it changes nothing"
	}
	for _, c := range p.Changes {
		if why := p.forbids(c); why != "" {
			return why
		}
	}
	if p.Kind == Evolve {
		return p.illegal(ctx)
	}
	return ""
}

// beneath says why a branch is quarantined for the commits that it stands on: those that are
// not on this branch come with it when git merges it, and nobody is shown them.
func (p *Proposal) beneath(ctx context.Context) (string, error) {
	head, err := p.ws.Repo.Head(ctx)
	if err != nil || head.Commit.IsZero() {
		return "", err
	}
	bases, err := p.ws.Repo.MergeBases(ctx, head.Commit, p.Base)
	if err != nil || len(bases) == 1 && bases[0] == p.Base {
		return "", err
	}
	if len(bases) == 0 {
		return "it has no commit in common with this branch", nil
	}
	diff, err := p.ws.Repo.DiffTrees(ctx, bases[0], p.Base)
	if err != nil {
		return "", fmt.Errorf("read proposal '%s': %w", p.ID, err)
	}
	for _, d := range diff {
		rel, inside := strings.CutPrefix(d.Path, p.ws.Prefix)
		if !inside {
			rel = d.Path
		}
		if why := p.forbids(Change{Path: rel, Old: d.Old, New: d.New}); why != "" {
			return "it stands on commits that are not here: " + why, nil
		}
	}
	return "", nil
}

func (p *Proposal) forbids(c Change) string {
	q := func(what string) string { return fmt.Sprintf("'%s' %s", c.Path, what) }
	for _, e := range []gitops.TreeEntry{c.Old, c.New} {
		switch e.Mode {
		case gitops.ModeSymlink:
			return q("is a symbolic link")
		case gitops.ModeGitlink:
			return q("is a repository of its own")
		}
	}
	old, new := c.Old.Mode, c.New.Mode
	switch {
	case old.IsFile() && new.IsFile() && old != new:
		return q("changes its mode")
	case !old.IsFile() && new == gitops.ModeExecutable:
		return q("is new and can be executed")
	case path.Base(c.Path) == ".gitattributes":
		return q("tells git how to treat files")
	case gitops.CheckPath(c.Path) != nil:
		return q("is no path of a work tree")
	case strings.HasPrefix(c.Path, clawDir) && !(p.Kind == Vocab && c.Path == tagsFile):
		return q("is a setting of the workspace")
	case p.ws.WhyUnmanaged(c.Path) != "" || p.ws.NeverRestore(c.Path):
		return q("is not managed")
	case !p.Kind.allows(p.ws, c.Path):
		return q(fmt.Sprintf("is not for a proposal of kind '%s'", p.Kind))
	}
	return ""
}

// illegal looks at what an evolution changes in a skill.
func (p *Proposal) illegal(ctx context.Context) string {
	for _, c := range p.Changes {
		if path.Base(c.Path) != skillFile {
			continue
		}
		if c.Old.IsZero() || c.New.IsZero() {
			return fmt.Sprintf("'%s' is added or deleted", c.Path)
		}
		old, err := p.ws.Repo.Objects().Blob(ctx, c.Old.ID)
		if err != nil {
			return "its changes cannot be read"
		}
		new, err := p.ws.Repo.Objects().Blob(ctx, c.New.ID)
		if err != nil {
			return "its changes cannot be read"
		}
		if bad := skills.Changes(old, new); len(bad) > 0 {
			return fmt.Sprintf("'%s:%d': %s", c.Path, bad[0].Line, bad[0].What)
		}
	}
	return ""
}
