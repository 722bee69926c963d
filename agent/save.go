package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// SaveOptions says what to save. Without Paths every changed managed path is
// taken.
type SaveOptions struct {
	Paths   []string // relative to the workspace root, already resolved
	Message string   // first line becomes the subject, the rest the body
	Source  string   // Claw-Source: who wrote, when it is known (a host's job)
	DryRun  bool
	// Build makes the commits of a dry run, in the object store alone.
	Build bool
	// Propose takes edits of rule files and skills by an agent where claw.l1.strict
	// holds; nil: they are committed as always.
	Propose Proposer
	// Unseen: whoever calls has not looked at what is saved, not even a user.
	Unseen bool
}

// SaveResult is what became of a save. It is meaningful beside an error: commits
// made before the error stay made.
type SaveResult struct {
	Commits []Saved
	// Proposed are edits that wait for a person now; their files are as in HEAD again.
	Proposed []Proposed
	Skipped  []Skipped
	// Tip is the last commit that a dry run built; no ref names it.
	Tip gitops.ID
	// Detached: the commits are on no branch; see SwitchCommand.
	Detached bool
}

// SwitchCommand is the command that puts commits which are on no branch on one of
// their own; "" when they are on a branch.
func (r *SaveResult) SwitchCommand() string {
	if !r.Detached || len(r.Commits) == 0 {
		return ""
	}
	return switchCommand(r.Commits[len(r.Commits)-1].Commit)
}

// Saved is one commit (or, on a dry run, one that would be made, with a zero
// Commit).
type Saved struct {
	Commit  gitops.ID
	ID      string
	Event   string
	Actor   Actor
	Session string
	Subject string
	Paths   []string // relative to the workspace root
	Came    []Came   // into some of them, while they were being written
}

// Skipped is a path, or a line of it, that stayed out of git.
type Skipped struct {
	Path   string
	Line   int // 1-based; 0 for the whole file
	Reason string
	// Held: something the user should act on, so that the command exits 1. Other
	// skips are only told.
	Held bool
}

// partlyStaged begins the reason of what the user's own staging keeps out.
const partlyStaged = "partly staged"

func (s Skipped) partlyStaged() bool { return strings.HasPrefix(s.Reason, partlyStaged) }

// Held reports whether anything was held back that the user should act on.
func (r *SaveResult) Held() bool {
	return slices.ContainsFunc(r.Skipped, func(s Skipped) bool { return s.Held })
}

// maxRaces bounds how often a save starts over because somebody else was
// quicker.
const maxRaces = 50

// Save commits what was edited in place: one commit for the write-back, and one
// of its own for each rule file, configuration file and skill (SPEC GN-14).
// Nothing to do gives an empty result. See SaveResult for partial success.
func Save(ctx context.Context, ws *memory.Workspace, caller Caller, opt SaveOptions) (*SaveResult, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	res := &SaveResult{}
	for range maxRaces {
		s := newSaver(ws, caller, opt, res)
		err := s.run(ctx)
		if !raced(err) {
			return res, err
		}
	}
	return res, &gitops.MovedError{Subject: "HEAD"}
}

// raced reports whether somebody else was quicker, and a save has to look again.
func raced(err error) bool {
	var moved *gitops.MovedError
	var changed *gitops.WorkTreeChangedError
	return errors.As(err, &moved) || errors.As(err, &changed)
}

// saver is one attempt.
type saver struct {
	ws       *memory.Workspace
	caller   Caller
	opt      SaveOptions
	res      *SaveResult
	scan     *secret.Scanner
	most     int64 // bytes that are read at once
	baseline bool  // everything in one commit, before the workspace is adopted
	named    bool  // Paths were computed by us: absent or unmanaged ones are fine
	status   *gitops.Status

	arrivals          []arrival
	lookedForArrivals bool
}

func newSaver(ws *memory.Workspace, caller Caller, opt SaveOptions, res *SaveResult) *saver {
	return &saver{ws: ws, caller: caller.Clean(), opt: opt, res: res, scan: secret.New(), most: maxBatch}
}

func (s *saver) run(ctx context.Context) error {
	s.res.Skipped = nil
	s.checkWords()
	paths, err := s.pathspecs(ctx)
	if err != nil {
		return err
	}
	if s.status, err = s.ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: paths, Untracked: true}); err != nil {
		return err
	}
	s.res.Detached = s.status.Head.Ref == ""
	if err := s.explainMissing(ctx); err != nil {
		return err
	}
	entries, err := s.mine()
	if err != nil {
		return err
	}
	for len(entries) > 0 {
		n := s.batch(entries)
		if err := s.save(ctx, entries[:n]); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

// save reads entries and commits what may be committed of them.
func (s *saver) save(ctx context.Context, entries []gitops.StatusEntry) error {
	edits, err := s.collect(ctx, entries)
	if err != nil || len(edits) == 0 {
		return err
	}
	if p := s.ws.Repo.Progress(); p != nil {
		return p
	}
	w, err := Writer(ctx, s.ws)
	if err != nil {
		return err
	}
	groups := group(s.ws, edits)
	if s.baseline {
		groups = []editGroup{{event: eventWriteback, area: "workspace", edits: edits}}
	}
	for _, g := range groups {
		if err := s.commit(ctx, w, g); err != nil {
			return err
		}
	}
	return nil
}

// build makes a commit that no ref gets. What git converts is taken as it stands.
func (s *saver) build(ctx context.Context, w gitops.Writer, g editGroup, msg string) error {
	if !s.opt.Build {
		return nil
	}
	if s.res.Tip.IsZero() {
		s.res.Tip = s.status.Head.Commit
	}
	b := gitops.Build{Base: s.res.Tip, Message: msg, Unsigned: true}
	if !b.Base.IsZero() {
		b.Parents = []gitops.ID{b.Base}
	}
	for _, e := range g.edits {
		b.Changes = append(b.Changes, e.change)
	}
	r, err := w.Build(ctx, b)
	if errors.Is(err, gitops.ErrNothing) {
		return nil
	}
	if err == nil {
		s.res.Tip = r.Commit
	}
	return err
}

// pathspecs turns the request into literal paths from the top level.
func (s *saver) pathspecs(ctx context.Context) ([]string, error) {
	if len(s.opt.Paths) == 0 {
		return s.ws.ManagedPaths(), nil
	}
	out := make([]string, 0, len(s.opt.Paths))
	for _, rel := range s.opt.Paths {
		if rel == "" || rel == "." {
			return s.ws.ManagedPaths(), nil
		}
		if s.named {
			out = append(out, s.ws.Prefix+rel)
			continue
		}
		// A folder above managed ones stands for those below it.
		if below := s.ws.ManagedBelow(rel); len(below) > 0 {
			out = append(out, below...)
			continue
		}
		if why := s.ws.WhyUnmanaged(rel); why != "" {
			return nil, notManaged(ctx, s.ws, rel, why, "")
		}
		if s.ws.NeverRestore(rel) {
			return nil, unmanaged(rel, "state of the host is never committed")
		}
		if link := s.linkAbove(rel); link != "" {
			return nil, unmanaged(rel, fmt.Sprintf("'%s' is a symbolic link", link))
		}
		out = append(out, s.ws.Prefix+rel)
	}
	return out, nil
}

// explainMissing looks at named paths that git reports nothing about: unchanged
// ones are fine, ignored and absent ones are the caller's mistake.
func (s *saver) explainMissing(ctx context.Context) error {
	if s.named {
		return nil
	}
	for _, rel := range s.opt.Paths {
		if rel == "" || rel == "." || s.reported(rel) {
			continue
		}
		exists, err := s.ws.Exists(rel)
		if err != nil {
			return err
		}
		tracked, err := s.ws.Repo.Tracks(ctx, s.ws.Prefix+rel)
		if err != nil {
			return err
		}
		if tracked {
			continue
		}
		if !exists {
			return &NoFileError{Path: rel}
		}
		rules, err := s.ws.Repo.CheckIgnore(ctx, []string{s.ws.Prefix + rel})
		if err != nil {
			return err
		}
		if r, ok := rules[s.ws.Prefix+rel]; ok {
			return unmanaged(rel, fmt.Sprintf("git ignores it by '%s' in '%s'", r.Pattern, r.Source))
		}
	}
	return nil
}

// reported says whether git's answer holds the path or something below it.
func (s *saver) reported(rel string) bool {
	p := s.ws.Prefix + strings.TrimSuffix(rel, "/")
	return slices.ContainsFunc(s.status.Entries, func(e gitops.StatusEntry) bool {
		return e.Path == p || strings.HasPrefix(e.Path, p+"/")
	})
}

func (s *saver) commit(ctx context.Context, w gitops.Writer, g editGroup) error {
	g, err := s.proposeStrict(ctx, g)
	if err != nil || len(g.edits) == 0 {
		return err
	}
	id, err := NewID(s.ws.Repo.Git.Env())
	if err != nil {
		return err
	}
	saved := Saved{ID: id, Event: g.event, Actor: s.caller.Actor, Session: s.caller.Session, Paths: g.paths(), Came: cameIn(g.edits)}
	tr := Trailers(s.ws, s.caller, g.event, id)
	source := s.opt.Source
	if g.source != "" {
		source = g.source
	}
	tr = append(tr, gitops.Trailer{Key: "Claw-Source", Value: source})
	tr = append(tr, s.keptTrailers(saved.Came)...)
	subject, body := s.message(g)
	msg := gitops.FormatMessage(subject, body, tr)
	saved.Subject, _, _ = cutLine(msg)
	if s.opt.DryRun {
		s.res.Commits = append(s.res.Commits, saved)
		return s.build(ctx, w, g, msg)
	}
	tx := gitops.Tx{Message: msg, Seen: s.status.Seen, Head: s.status.Head.Commit}
	for _, e := range g.edits {
		tx.Changes = append(tx.Changes, e.change)
	}
	r, err := w.Commit(ctx, tx)
	NoteHook(s.ws, err)
	if errors.Is(err, gitops.ErrNothing) {
		return nil
	}
	var changed *gitops.WorkTreeChangedError
	if errors.As(err, &changed) && !r.Commit.IsZero() {
		err = nil // it is being written again, and the next save looks at that
	}
	if err != nil {
		return err
	}
	saved.Commit = r.Commit
	s.res.Commits = append(s.res.Commits, saved)
	return nil
}
