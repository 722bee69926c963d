package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Proposer makes a proposal of an edit that an agent made in place, or of one that an
// agent may not make, and returns its id. Package proposal has one.
type Proposer func(ctx context.Context, ws *memory.Workspace, caller Caller, e InPlace) (id string, err error)

// InPlace is such an edit.
type InPlace struct {
	Event, Area, Summary string // "" for those of the kind of proposal
	Base                 gitops.ID
	Files                []InPlaceFile
	Trailers             gitops.Trailers
}

// InPlaceFile is a file as it is to be.
type InPlaceFile struct {
	Path   string // relative to the root
	Text   []byte
	Delete bool
}

// Proposed is an edit that waits for a person.
type Proposed struct {
	ID    string // of the proposal
	Paths []string
}

// proposeStrict takes out of a group what has to wait for a person (SPEC GN-14): edits
// of tracked rule files, settings and skills by an agent or a job, where claw.l1.strict holds. The
// files are as in HEAD then.
func (s *saver) proposeStrict(ctx context.Context, g editGroup) (editGroup, error) {
	if s.opt.Propose == nil || s.opt.DryRun || s.caller.Actor == User || s.caller.Actor == Unknown || g.event != eventL1Edit && g.event != eventSkillEdit ||
		!s.ws.Settings.Bool("l1.strict") {
		return g, nil
	}
	// What git converts is not what it stores, and could neither be proposed nor put back.
	tops := make([]string, len(g.edits))
	for i, ed := range g.edits {
		tops[i] = ed.change.Path
	}
	converted, err := s.ws.Repo.Converted(ctx, tops)
	if err != nil {
		return g, err
	}
	waits := func(e edit) bool {
		return !e.added && e.kind != memory.KindBootstrap && !slices.Contains(converted, e.change.Path)
	}
	e := InPlace{Base: s.status.Head.Commit}
	var taken []edit
	for _, ed := range g.edits {
		if !waits(ed) {
			continue
		}
		if s.holds(ed.rel) {
			// Its file has lines that are in no commit: it cannot be put back.
			continue
		}
		taken = append(taken, ed)
		e.Files = append(e.Files, InPlaceFile{Path: ed.rel, Text: ed.change.Content, Delete: ed.change.Delete})
	}
	g.edits = slices.DeleteFunc(g.edits, waits)
	if len(taken) == 0 {
		return g, nil
	}
	subject, _ := s.message(editGroup{area: g.area, edits: taken})
	_, e.Summary, _ = strings.Cut(subject, "): ")
	id, err := s.opt.Propose(ctx, s.ws, s.caller, e)
	if err != nil {
		return g, err
	}
	p := Proposed{ID: id}
	for _, ed := range taken {
		p.Paths = append(p.Paths, ed.rel)
		if err := s.putBack(ctx, ed); err != nil {
			return g, err
		}
	}
	s.res.Proposed = append(s.res.Proposed, p)
	return g, nil
}

// holds reports whether lines of a file are held back.
func (s *saver) holds(rel string) bool {
	return slices.ContainsFunc(s.res.Skipped, func(k Skipped) bool { return k.Path == rel && k.Held })
}

// putBack gives a file the content of HEAD, unless somebody edits it in this moment.
func (s *saver) putBack(ctx context.Context, ed edit) error {
	if ed.change.IndexID != ed.change.HeadID {
		if err := s.ws.Repo.Unstage(ctx, ed.change.Path); err != nil {
			return err
		}
	}
	base := ed.change.Content
	if ed.change.Place != nil {
		base = ed.change.Place.Base
	}
	return s.ws.Repo.PlaceWork(ed.change.Path, gitops.Place{Base: base, Existed: !ed.change.Delete, Content: ed.old})
}
