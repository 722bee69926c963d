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
	"github.com/git-claw/git-claw/memory"
)

// InPlace is an agent.Proposer: it makes a proposal of what an agent edited in place.
// Settings become a quarantined one, which a person applies by hand.
func InPlace(ctx context.Context, ws *memory.Workspace, caller agent.Caller, e agent.InPlace) (string, error) {
	d := Draft{Kind: L1, Event: e.Event, Area: e.Area, Summary: e.Summary, Base: e.Base, Trailers: e.Trailers}
	if slices.ContainsFunc(e.Files, func(f agent.InPlaceFile) bool { return ws.Kind(f.Path) == memory.KindSkill }) {
		d.Kind = Skill
	}
	d.apart = slices.ContainsFunc(e.Files, func(f agent.InPlaceFile) bool { return ws.Kind(f.Path) == memory.KindClaw })
	for _, f := range e.Files {
		d.Edits = append(d.Edits, Edit{Path: f.Path, Content: f.Text, Delete: f.Delete})
	}
	p, err := Propose(ctx, ws, caller, d)
	if err != nil {
		return "", err
	}
	return p.ID, nil
}

// FromFiles makes a proposal of unsaved edits, and gives the files back what HEAD has.
// What is partly or wholly staged, converted by git, or holds a secret is refused with
// nothing done. Of the draft, Edits and Base are filled in.
func FromFiles(ctx context.Context, ws *memory.Workspace, caller agent.Caller, d Draft, rels []string) (*Proposal, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	tops := make([]string, len(rels))
	for i, rel := range rels {
		if why := ws.WhyUnmanaged(rel); why != "" {
			return nil, &agent.RefusedError{Problem: fmt.Sprintf("'%s' is not managed: %s", rel, why), Advice: ws.HowToManage(rel)}
		}
		tops[i] = ws.Prefix + rel
	}
	if converted, err := ws.Repo.Converted(ctx, tops); err != nil || len(converted) > 0 {
		if err == nil {
			err = &agent.RefusedError{Problem: fmt.Sprintf("git converts '%s': propose it as a patch", converted[0]), Advice: []string{"git diff | git claw proposal new " + string(d.Kind) + " --patch -"}}
		}
		return nil, err
	}
	st, err := ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: tops, Untracked: true})
	if err != nil {
		return nil, err
	}
	d.Base = st.Head.Commit
	var places []gitops.Place
	for _, e := range st.Entries {
		pl, err := d.take(ctx, ws, e)
		if err != nil {
			return nil, err
		}
		places = append(places, pl)
	}
	p, err := Propose(ctx, ws, caller, d)
	if errors.Is(err, gitops.ErrNothing) {
		return nil, &agent.RefusedError{Problem: "there are no edits to propose", Advice: []string{"git claw diff"}}
	}
	if err != nil {
		return nil, err
	}
	for i, pl := range places {
		if err := ws.Repo.PlaceWork(st.Entries[i].Path, pl); err != nil {
			return p, err
		}
	}
	return p, nil
}

// take adds an edited file to the draft, and returns what its place gets instead.
func (d *Draft) take(ctx context.Context, ws *memory.Workspace, e gitops.StatusEntry) (gitops.Place, error) {
	rel := strings.TrimPrefix(e.Path, ws.Prefix)
	refuse := func(why string, advice ...string) (gitops.Place, error) {
		return gitops.Place{}, &agent.RefusedError{Problem: fmt.Sprintf("cannot propose '%s': %s", rel, why), Advice: advice}
	}
	if e.Unmerged() {
		return gitops.Place{}, &gitops.ProgressError{What: "merge", Paths: []string{e.Path}, How: []string{"run 'git status' and resolve the conflict"}}
	}
	if e.IndexID != e.HeadID {
		return refuse("it is staged", "git restore --staged -- "+rel)
	}
	old, known, err := readAt(ctx, ws, d.Base, rel)
	if err != nil {
		return gitops.Place{}, err
	}
	text, mode, err := ws.Repo.ReadWork(e.Path, ws.MaxFileBytes())
	switch {
	case errors.Is(err, gitops.ErrTooLarge):
		return refuse("it is larger than claw.maxFileBytes")
	case err != nil:
		return gitops.Place{}, err
	case mode == gitops.ModeSymlink || strings.HasSuffix(rel, "/"):
		return refuse("it is no file")
	}
	if found := hooks.AddedSecrets(secret.New(), old, text); len(found) > 0 {
		return refuse(fmt.Sprintf("line %d holds a secret (%s)", found[0].Line, found[0].Kind), "take the line out, or mark it with 'claw:allow' when it is none")
	}
	d.Edits = append(d.Edits, Edit{Path: rel, Content: text, Delete: mode == gitops.ModeAbsent})
	return gitops.Place{Base: text, Existed: mode != gitops.ModeAbsent, Content: old, Delete: !known}, nil
}

// FromPatch makes a proposal of a patch as git diff writes it, against HEAD. Errors:
// *gitops.PatchError.
func FromPatch(ctx context.Context, ws *memory.Workspace, caller agent.Caller, d Draft, patch []byte) (*Proposal, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := ws.Repo.Objects().TreeOf(ctx, head.Commit)
	if err != nil {
		return nil, fmt.Errorf("read HEAD: %w", err)
	}
	files, err := ws.Repo.ApplyPatch(ctx, head.Commit, patch)
	if err != nil {
		return nil, err
	}
	d.Base = head.Commit
	for _, f := range files {
		rel, ok := strings.CutPrefix(f.Path, ws.Prefix)
		if !ok {
			return nil, &agent.OutsideError{Path: f.Path}
		}
		old, known, err := ws.Repo.Objects().Lookup(ctx, tree, f.Path)
		if err != nil {
			return nil, fmt.Errorf("read HEAD: %w", err)
		}
		if f.Mode.IsFile() && (known && f.Mode != old.Mode || !known && f.Mode != gitops.ModeFile) {
			return nil, &agent.RefusedError{Problem: fmt.Sprintf("cannot propose '%s': its mode changes", rel)}
		}
		d.Edits = append(d.Edits, Edit{Path: rel, Content: f.Content, Delete: f.Mode == gitops.ModeAbsent})
	}
	p, err := Propose(ctx, ws, caller, d)
	if errors.Is(err, gitops.ErrNothing) {
		return nil, &agent.RefusedError{Problem: "the patch changes nothing"}
	}
	return p, err
}
