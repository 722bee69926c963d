package proposal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory/frontmatter"
	"github.com/git-claw/git-claw/skills"
)

// raiseVersions numbers evolved skills (SPEC EV-05).
func (a *accepter) raiseVersions(files []fitted) {
	for i, f := range files {
		if !strings.HasSuffix(f.path, "/"+skillFile) || f.want == nil {
			continue
		}
		old := frontmatter.Parse(f.now).Text("version")
		next, ok := skills.NextVersion(old)
		if !ok || frontmatter.Parse(f.want).Text("version") != old {
			continue
		}
		if text, ok := frontmatter.Set(f.want, "version", next); ok {
			files[i].want, a.res.Version = text, old+" → "+next
		}
	}
}

// change turns a file into a change of the commit; one without a path changes nothing.
func (a *accepter) change(f fitted) (gitops.Change, error) {
	if f.want == nil && f.cur.IsZero() {
		return gitops.Change{}, nil
	}
	if f.want != nil && !f.cur.IsZero() && string(f.want) == string(f.now) {
		return gitops.Change{}, nil
	}
	if found := hooks.AddedSecrets(secret.New(), f.now, f.want); f.want != nil && len(found) > 0 {
		return gitops.Change{}, &agent.RefusedError{
			Problem: fmt.Sprintf("cannot accept '%s': it would add a secret at '%s:%d' (%s)", a.p.ID, f.path, found[0].Line, found[0].Kind),
			Advice:  []string{"git claw proposal reject " + a.p.ID},
		}
	}
	top := a.ws.Prefix + f.path
	ch := gitops.Change{Path: top, Content: f.want, Delete: f.want == nil, HeadID: f.cur.ID, IndexID: f.cur.ID}
	if id, dirty := a.index[top]; dirty {
		ch.IndexID = id
	}
	var err error
	ch.Place, err = agent.CarryOver(a.ws, top, f.cur, f.now, f.want)
	var unsaved *agent.UnsavedError
	if errors.As(err, &unsaved) {
		return ch, &agent.ConflictError{Problem: fmt.Sprintf("cannot accept '%s': %v", a.p.ID, err), Advice: unsaved.Advice()}
	}
	return ch, err
}

// guard refuses a result without files that the host expects (SPEC GN-11).
func (a *accepter) guard(changes []gitops.Change) error {
	for _, c := range changes {
		if c.Delete && slices.Contains(a.ws.Host.Expected, strings.TrimPrefix(c.Path, a.ws.Prefix)) {
			return &agent.RefusedError{Problem: fmt.Sprintf("cannot accept '%s': it would remove '%s', which the host needs", a.p.ID, c.Path)}
		}
	}
	return nil
}

// refuseConverted: what git stores of a file with a filter is not what the file holds.
func (a *accepter) refuseConverted(ctx context.Context, changes []gitops.Change) error {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	converted, err := a.ws.Repo.Converted(ctx, paths)
	if err != nil || len(converted) == 0 {
		return err
	}
	return &agent.RefusedError{
		Problem: fmt.Sprintf("cannot accept '%s': git converts '%s'", a.p.ID, converted[0]),
		Advice:  []string{"git merge --no-ff " + a.p.Branch, "git claw review"},
	}
}
