package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// CheckIdent asks git for the identity it would commit with in dir. Without one
// it fails with *IdentError.
func CheckIdent(ctx context.Context, g *Git, dir string) error {
	for _, v := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		_, err := g.Run(ctx, Cmd{Dir: dir, Args: []string{"var", v}})
		var ge *GitError
		if errors.As(err, &ge) {
			return &IdentError{Detail: ge.Stderr}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckIdent asks git for the identity it would commit with here.
func (r *Repo) CheckIdent(ctx context.Context) error {
	return CheckIdent(ctx, r.Git, r.here(Cmd{}).Dir)
}

// Create makes an empty repository in an existing directory, with the user's
// own defaults.
func Create(ctx context.Context, g *Git, dir string) (*Repo, error) {
	if _, err := g.Run(ctx, Cmd{Dir: dir, Args: []string{"init", "-q"}}); err != nil {
		return nil, fmt.Errorf("make a repository in '%s': %w", dir, err)
	}
	return Open(ctx, g, dir)
}

// Committer is who commits here, as `Name <mail>`.
func (r *Repo) Committer(ctx context.Context) (string, error) {
	out, err := r.run(ctx, Cmd{Args: []string{"var", "GIT_COMMITTER_IDENT"}})
	var ge *GitError
	if errors.As(err, &ge) {
		return "", &IdentError{Detail: ge.Stderr}
	}
	if err != nil {
		return "", err
	}
	name, _, ok := strings.Cut(OneLine(string(out)), "> ") // the time comes after it
	if !ok {
		return "", &IdentError{Detail: string(out)}
	}
	return name + ">", nil
}
