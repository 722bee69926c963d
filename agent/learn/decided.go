package learn

import (
	"context"
	"fmt"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
)

// decided takes candidates out of pending/ that a person confirmed: one machine confirmed
// it, another one counted on, and whoever merged the two kept the file. What it counted
// stands in corrections.md as well. An entry that nobody approved decides nothing.
func (t *ticker) decided(ctx context.Context) error {
	n := 0
	for _, w := range t.snap.waits() {
		id := w.cand.ID
		if _, rule := t.snap.byID[id]; !rule || w.err != nil {
			continue
		}
		ok, err := approved(ctx, t.snap.store, id)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		res, err := agent.Commit(ctx, t.ws, t.caller, agent.Rewrite{Paths: []string{t.snap.rel(w.name)}, Whole: true, Plan: func(files []agent.File) (agent.Planned, error) {
			return agent.Planned{
				Event: agent.EventAgain, Area: area, Summary: fmt.Sprintf("%s is a rule already", id),
				Trailers: gitops.Trailers{{Key: "Claw-Candidate", Value: id}, {Key: "Claw-Reason", Value: "confirmed"}},
				Edits:    []agent.FileEdit{{Path: files[0].Path, Remove: true}},
			}, nil
		}})
		addSaved(t.out.Save, res)
		if err != nil {
			return err
		}
		delete(t.snap.pending, id)
		n++
	}
	t.did(n, "candidate", "closed, confirmed already")
	return nil
}

// approved looks for the commit that confirmed a candidate, and that says who did.
func approved(ctx context.Context, s store, id string) (bool, error) {
	for c, err := range s.ws.Repo.Log(ctx, gitops.LogOptions{Grep: "Claw-Candidate: " + id}) {
		if err != nil {
			return false, err
		}
		if c.Trailers.Get("Claw-Event") == agent.EventConfirm && c.Trailers.Get("Claw-Candidate") == id && c.Trailers.Get("Claw-Approved-By") != "" {
			return true, nil
		}
	}
	return false, nil
}
