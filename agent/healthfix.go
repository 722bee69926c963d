package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// MendHealth mends what health found where only one answer is right, each as a
// commit of its own. Unsaved files are saved as nobody's, as at the start of a
// turn, unless a person asks. A file that somebody edits meanwhile is never written over, and none is
// removed that holds a line which no commit has: that is in the result's Skipped.
func MendHealth(ctx context.Context, ws *memory.Workspace, caller Caller, rep *health.Report, dryRun bool) (*SaveResult, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	res := &SaveResult{}
	var unsaved []string
	for _, fix := range rep.Fixes() {
		if fix.Save {
			unsaved = append(unsaved, fix.Path)
			continue
		}
		err := mend(ctx, ws, caller.Clean(), fix, dryRun, res)
		var loss *LossError
		var no *RefusedError
		switch {
		case errors.As(err, &loss):
			res.Skipped = append(res.Skipped, Skipped{Path: loss.Path, Line: loss.Line, Reason: loss.reason(), Held: true})
		case errors.As(err, &no):
			res.Skipped = append(res.Skipped, Skipped{Path: fix.Path, Reason: no.Problem, Held: true})
		case err != nil:
			return res, err
		}
	}
	return res, mendUnsaved(ctx, ws, caller, unsaved, dryRun, res)
}

// mendUnsaved saves files; those that a fix before it took along are clean by now.
func mendUnsaved(ctx context.Context, ws *memory.Workspace, caller Caller, paths []string, dryRun bool, res *SaveResult) error {
	if len(paths) == 0 {
		return nil
	}
	who := Caller{Actor: Unknown, Kind: caller.Kind}
	if caller.Actor == User {
		who = caller // as 'git claw save' by the same person
	}
	for range maxRaces {
		one := &SaveResult{}
		s := newSaver(ws, who, SaveOptions{Paths: paths, DryRun: dryRun}, one)
		s.named = true
		err := s.run(ctx)
		res.Commits = append(res.Commits, one.Commits...)
		res.Detached = res.Detached || one.Detached
		if raced(err) {
			continue
		}
		res.Skipped = append(res.Skipped, one.Skipped...)
		return err
	}
	return &gitops.MovedError{Subject: "HEAD"}
}

// mend makes the commit of one fix, unless what it was based on is gone by now.
func mend(ctx context.Context, ws *memory.Workspace, caller Caller, fix health.Fix, dryRun bool, res *SaveResult) error {
	var last error
	for range maxRaces {
		one := &SaveResult{}
		n := &noter{ws: ws, caller: caller, opt: NoteOptions{DryRun: dryRun}, whole: true, res: one, scan: secret.New()}
		err := n.mend(ctx, fix)
		res.Commits = append(res.Commits, one.Commits...)
		res.Detached = res.Detached || one.Detached
		var moved *gitops.MovedError
		var changed *gitops.WorkTreeChangedError
		if !errors.As(err, &moved) && !errors.As(err, &changed) {
			res.Skipped = append(res.Skipped, one.Skipped...)
			return err
		}
		last = err
	}
	return last
}

func (n *noter) mend(ctx context.Context, fix health.Fix) error {
	if p := n.ws.Repo.Progress(); p != nil {
		return p
	}
	rels := []string{fix.Path}
	if fix.To != "" {
		rels = append(rels, fix.To)
	}
	files, err := n.ready(ctx, rels)
	if err != nil {
		return err
	}
	if err := n.wouldSave(ctx, files); err != nil {
		return err
	}
	if i := slices.IndexFunc(files, func(f *noteFile) bool { return f.ignored != "" }); i >= 0 {
		n.skip(files[i].rel, 0, files[i].ignored, false)
		return nil
	}
	plan := notePlan{unasked: true, event: fix.Event, area: fix.Area, summary: fix.Summary, trailers: gitops.Trailers{
		{Key: "Claw-Rule", Value: fix.Finding.Rule}, {Key: "Claw-Reason", Value: "health --fix " + fix.Finding.ID},
	}}
	switch {
	case fix.To != "" && !files[1].exists && files[0].exists:
		plan.edits = []noteEdit{{file: files[0], remove: true}, {file: files[1], next: files[0].text}}
	case fix.Delete && files[0].exists:
		plan.edits = []noteEdit{{file: files[0], remove: true}}
	case fix.To == "" && !fix.Delete:
		plan.edits = []noteEdit{{file: files[0], next: fix.Content}}
	default:
		return nil // somebody did it, or something else, meanwhile
	}
	return n.write(ctx, plan)
}

// wouldSave tells on a dry run what is saved before the files change.
func (n *noter) wouldSave(ctx context.Context, files []*noteFile) error {
	var dirty []string
	for _, f := range files {
		if f.dirty {
			dirty = append(dirty, f.rel)
		}
	}
	if !n.opt.DryRun || len(dirty) == 0 {
		return nil
	}
	before := &SaveResult{}
	s := newSaver(n.ws, Caller{Actor: Unknown, Kind: n.caller.Kind}, SaveOptions{Paths: dirty, DryRun: true}, before)
	s.named = true
	err := s.run(ctx)
	n.res.Commits = append(n.res.Commits, before.Commits...)
	return err
}
