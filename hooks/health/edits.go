package health

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// editsFamily looks at who changed the rule files, and whether the set-up is over.
func editsFamily() Family {
	return Family{
		Name: "rule edits",
		Checks: []Check{
			{
				ID: "L1-006", Severity: Warning, Rule: "GN-14", Live: true, Since: true,
				Meaning: "no rule file was changed by an agent without a person's approval",
				Fix:     "look at it with 'git claw show', and take it back with 'git claw undo' when it is wrong",
			},
			{
				ID: "L1-007", Severity: Warning, Rule: "WS-05", Live: true, Mend: endBootstrap,
				Meaning: "BOOTSTRAP.md is gone after set-up",
				Fix:     "remove BOOTSTRAP.md, then git claw save",
			},
		},
		Look: Once(func(ctx context.Context, r *Run, out *Out) error {
			if r.On("L1-006") {
				if err := judgeEdits(ctx, r, out); err != nil {
					return err
				}
			}
			if r.On("L1-007") {
				return judgeBootstrap(ctx, r, out)
			}
			return nil
		}),
	}
}

// ruleFiles are the rule files of a host, MEMORY.md and BOOTSTRAP.md excepted: one
// follows the current state, the other is gone after its use.
func ruleFiles(ws *memory.Workspace) []string {
	return slices.DeleteFunc(ws.ManagedRoots(), func(p string) bool { return ws.Kind(p) != memory.KindL1 })
}

func judgeEdits(ctx context.Context, r *Run, out *Out) error {
	if _, ok, err := r.Git.Adoption(ctx); err != nil || !ok {
		return err // nothing was recorded: nobody can tell
	}
	rules := ruleFiles(r.WS)
	commits, err := r.Git.Others(ctx)
	if err != nil {
		return err
	}
	tips, err := r.tips(ctx, commits)
	if err != nil {
		return err
	}
	undone := undone(commits)
	severity := Warning
	if r.WS.Settings.Bool("l1.strict") {
		severity = Failure
	}
	for _, c := range commits {
		id := c.Trailers.Get("Claw-Id")
		if tips[c.ID] || undone[c.ID.String()] || id != "" && undone[id] {
			continue
		}
		unseen, err := r.unseen(ctx, c)
		if err != nil {
			return err
		}
		if !unseen {
			continue
		}
		kept, err := accepted(ctx, r, c.ID)
		if err != nil {
			return err
		}
		if kept {
			continue
		}
		name := id
		if name == "" {
			name = c.ID.Short()
		}
		for _, p := range c.Paths {
			if slices.Contains(rules, p) {
				out.Add(Finding{
					ID: "L1-006", Path: p, Severity: severity, Expected: "a person's approval", Actual: "none",
					Message: fmt.Sprintf("changed by %s in %s on %s", authority(c), name, c.Author.When.In(r.Now.Location()).Format(time.DateOnly)),
					Fix:     "look at it with 'git claw show " + name + "', and take it back with 'git claw undo " + name + "' when it is wrong",
				})
			}
		}
	}
	return nil
}

// undone collects what was taken back: names of commits and ids of events. What
// took back is itself taken back by a later undo.
func undone(commits []gitops.Commit) map[string]bool {
	out := map[string]bool{}
	for _, c := range commits { // newest first
		what := c.Trailers.Get("Claw-Undoes")
		if !isUndo(c) || out[c.ID.String()] || out[c.Trailers.Get("Claw-Id")] {
			continue
		}
		out[what] = true
	}
	return out
}

// accepted reports whether a person kept an edit. Where only signatures count, a note,
// which has none, keeps nothing.
func accepted(ctx context.Context, r *Run, commit gitops.ID) (bool, error) {
	if r.signaturesOnly() {
		return false, nil
	}
	note, ok, err := r.Git.Note(ctx, commit)
	if err != nil || !ok {
		return false, err
	}
	v, ok := verdict.Latest(verdict.Parse(note))
	return ok && v.Verdict == verdict.Accept, nil
}

const bootstrapFile = "BOOTSTRAP.md"

// judgeBootstrap: set-up is over when what it fills in is not what it was at
// adoption, or when there are notes already.
func judgeBootstrap(ctx context.Context, r *Run, out *Out) error {
	there, err := r.Has(ctx, bootstrapFile)
	if err != nil || !there {
		return err
	}
	why, err := setUp(ctx, r)
	if err != nil || why == "" {
		return err
	}
	out.Add(Finding{ID: "L1-007", Path: bootstrapFile, Message: "it is still there although " + why, Expected: "no such file", Actual: "a file"})
	return nil
}

// setUp says by what one sees that the set-up is over, or "".
func setUp(ctx context.Context, r *Run) (string, error) {
	for _, name := range []string{"IDENTITY.md", "USER.md", "SOUL.md"} {
		old, had, err := r.Git.AtAdoption(ctx, name)
		if err != nil {
			return "", err
		}
		text, has, err := r.Text(ctx, name)
		if err != nil {
			return "", err
		}
		if had && has && !slices.Equal(old, text) {
			return name + " was filled in", nil
		}
	}
	files, err := r.Snapshot.Files(ctx)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(files, func(f File) bool { return f.Kind == memory.KindDaily }) {
		return "there are daily notes", nil
	}
	return "", nil
}

// endBootstrap removes the file; git keeps it.
func endBootstrap(_ *Run, f Finding) (Mending, bool) {
	return Mending{Path: f.Path, Delete: true, Event: "bootstrap.complete", Area: "workspace", Summary: "remove BOOTSTRAP.md after set-up"}, true
}
