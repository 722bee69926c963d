package agent

import (
	"context"
	"errors"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// Rewrite changes files by what they hold, as one commit: how everything that is
// not an edit in place is written down.
type Rewrite struct {
	// Paths are the files that may be changed, relative to the root.
	Paths []string
	// Plan works out the change from the files, in the order of Paths. It is asked
	// again when somebody else was quicker. No edits: there is nothing to do.
	Plan   func(files []File) (Planned, error)
	DryRun bool
	// Whole: where the commit cannot be made, the work tree stays as it is. Else the
	// words of the user are kept in the file when a hook of theirs refuses them.
	Whole bool
}

// File is a managed file as a Rewrite finds it.
type File struct {
	Path   string
	Exists bool
	Text   []byte // in the work tree, with lines that are held back from git
	// Ignored tells why git ignores it, "" when it does not.
	Ignored string
}

// Planned is what a Rewrite does.
type Planned struct {
	Event, Area, Summary string // Claw-Event; `claw(<area>): <summary>`
	Trailers             gitops.Trailers
	Edits                []FileEdit
}

// FileEdit is a file's new content.
type FileEdit struct {
	Path   string // one of Rewrite.Paths
	Next   []byte
	Remove bool
	// Bare is what a new file holds without what was said: when nothing else may be
	// committed, nothing is.
	Bare []byte
}

// Commit makes the commit of a rewrite. Unsaved edits of its files are committed
// before it, as nobody's; a partly staged file is refused with nothing written. What
// the secret scan flags goes into the file but not into git, and is in the result's
// Skipped with Held set (SPEC GN-21). An edit made meanwhile is never written over, and
// no file is removed that holds a line which is nowhere else: that is a *LossError.
func Commit(ctx context.Context, ws *memory.Workspace, caller Caller, rw Rewrite) (*SaveResult, error) {
	if err := ws.RequireAdopted(); err != nil {
		return nil, err
	}
	res := &SaveResult{}
	n := &noter{ws: ws, caller: caller.Clean(), opt: NoteOptions{DryRun: rw.DryRun}, whole: rw.Whole, res: res, scan: secret.New()}
	return res, n.retry(func() error { return n.rewrite(ctx, rw) })
}

// retry tries again for as long as somebody else is quicker.
func (n *noter) retry(try func() error) error {
	var err error
	for range maxRaces {
		n.res.Skipped = nil
		err = try()
		var moved *gitops.MovedError
		var changed *gitops.WorkTreeChangedError
		if !errors.As(err, &moved) && !errors.As(err, &changed) {
			return err
		}
	}
	return err
}

func (n *noter) rewrite(ctx context.Context, rw Rewrite) error {
	if p := n.ws.Repo.Progress(); p != nil {
		return p
	}
	files, err := n.ready(ctx, rw.Paths)
	if err != nil {
		return err
	}
	shown := make([]File, len(files))
	byPath := make(map[string]*noteFile, len(files))
	for i, f := range files {
		shown[i] = File{Path: f.rel, Exists: f.exists, Text: f.text, Ignored: f.ignored}
		byPath[f.rel] = f
	}
	p, err := rw.Plan(shown)
	if err != nil || len(p.Edits) == 0 {
		return err
	}
	plan := notePlan{event: p.Event, area: p.Area, summary: p.Summary, trailers: p.Trailers}
	for _, ed := range p.Edits {
		plan.edits = append(plan.edits, noteEdit{file: byPath[ed.Path], next: ed.Next, bare: ed.Bare, remove: ed.Remove})
	}
	return n.write(ctx, plan)
}
