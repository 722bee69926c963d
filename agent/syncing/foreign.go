package syncing

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/memory"
)

// Foreign is a commit that reaches outside of the workspaces of the repository.
type Foreign struct {
	Commit  gitops.ID
	Subject string
	Path    string // the first such path, from the top level
}

// ForeignError: commits that would be pushed reach outside of the workspaces.
type ForeignError struct{ Commits []Foreign }

func (e *ForeignError) Error() string {
	c := e.Commits[0]
	s := fmt.Sprintf("nothing was pushed: commit %s changes '%s', which no workspace manages", c.Commit.Short(), c.Path)
	if n := len(e.Commits) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// ExitCode: the answer is no.
func (e *ForeignError) ExitCode() int { return 1 }

// Hints lists the commits.
func (e *ForeignError) Hints() []string {
	const most = 10
	var out []string
	for i, c := range e.Commits {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(e.Commits)-most))
			break
		}
		out = append(out, c.Commit.Short()+"  "+c.Subject+"  ("+c.Path+")")
	}
	return append(out, "to push them too: git claw sync --with-foreign")
}

// refuseForeign looks at the commits that the remote does not have yet.
func (s *syncer) refuseForeign(ctx context.Context, ups []gitops.Push) error {
	if s.opt.WithForeign {
		return nil
	}
	found, err := s.foreign(ctx, ups)
	if err != nil || len(found) == 0 {
		return err
	}
	s.res.Foreign = found
	return &ForeignError{Commits: found}
}

func (s *syncer) foreign(ctx context.Context, ups []gitops.Push) ([]Foreign, error) {
	var revs []string
	for _, u := range ups {
		if isBranch(u) {
			revs = append(revs, u.New.String())
		}
	}
	if len(revs) == 0 {
		return nil, nil
	}
	if !s.refs.theirs.IsZero() {
		revs = append(revs, "^"+s.refs.theirs.String())
	}
	for _, known := range []map[string]gitops.ID{s.refs.trackedHeads, s.refs.trackedClosed} {
		for _, id := range known {
			revs = append(revs, "^"+id.String())
		}
	}
	a := allowed{ctx: ctx, repo: s.ws.Repo}
	var out []Foreign
	for c, err := range s.ws.Repo.Log(ctx, gitops.LogOptions{Revs: revs, WithPaths: true}) {
		if err != nil {
			return nil, err
		}
		paths := c.Paths
		if len(c.Parents) > 1 {
			if paths, err = ownPaths(ctx, s.ws.Repo, c); err != nil {
				return nil, err
			}
		}
		for _, p := range paths {
			ok, err := a.path(p)
			if err != nil {
				return nil, err
			}
			if !ok {
				out = append(out, Foreign{Commit: c.ID, Subject: c.Subject, Path: p})
				break
			}
		}
	}
	return out, nil
}

// ownPaths are those that a merge has otherwise than all of its parents.
func ownPaths(ctx context.Context, repo *gitops.Repo, c gitops.Commit) ([]string, error) {
	in := map[string]int{}
	var out []string
	for _, parent := range c.Parents {
		diff, err := repo.DiffTrees(ctx, parent, c.ID)
		if err != nil {
			return nil, err
		}
		for _, d := range diff {
			if in[d.Path]++; in[d.Path] == len(c.Parents) {
				out = append(out, d.Path)
			}
		}
	}
	return out, nil
}

// allowed tells which paths may be pushed.
type allowed struct {
	ctx        context.Context
	repo       *gitops.Repo
	workspaces map[string]*memory.Workspace // by prefix
	looked     map[string]bool              // directories
}

// path reports whether an adopted workspace of the repository manages a path.
func (a *allowed) path(p string) (bool, error) {
	if a.workspaces == nil {
		a.workspaces, a.looked = map[string]*memory.Workspace{}, map[string]bool{}
	}
	if dir := path.Dir(p); !a.looked[dir] {
		a.looked[dir] = true
		found, err := hooks.Workspaces(a.ctx, a.repo, []gitops.TreeChange{{Path: p}})
		if err != nil {
			return false, err
		}
		for _, ws := range found {
			a.workspaces[ws.Prefix] = ws
		}
	}
	for prefix, ws := range a.workspaces {
		rel, inside := strings.CutPrefix(p, prefix)
		if inside && (ws.Managed(rel) || rel == ".gitignore" || rel == ".gitattributes") {
			return true, nil
		}
	}
	return false, nil
}
