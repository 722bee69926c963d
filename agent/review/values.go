package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/proposal"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// Values lists the values that a merge had to choose from, newest merge first, until a person
// says which one holds. One that somebody gave the other value since, or took out, waits no
// more.
func Values(ctx context.Context, ws *memory.Workspace) ([]*Conflict, error) {
	var said func(gitops.ID) []verdict.Verdict
	var out []*Conflict
	seen := map[string]bool{} // a later merge asks about the same value
	merges, err := agent.OverruledMerges(ctx, ws)
	if err != nil {
		return nil, err
	}
	for _, c := range merges {
		list, err := agent.Choices(ctx, ws, c)
		if err != nil {
			return nil, err
		}
		if said == nil && len(list) > 0 {
			if said, err = proposal.AllVerdicts(ctx, ws); err != nil {
				return nil, err
			}
		}
		for i := range list {
			if seen[list[i].Name] || chosenBefore(said(c.ID), list[i].Name) {
				continue
			}
			seen[list[i].Name] = true
			if v := valueOf(ws, &list[i]); v != nil {
				out = append(out, v)
			}
		}
	}
	return out, nil
}

// valueOf is how a choice stands in the work tree; nil where nothing waits.
func valueOf(ws *memory.Workspace, c *agent.Choice) *Conflict {
	text, mode, err := ws.Repo.ReadWork(ws.Prefix+c.File, ws.MaxFileBytes())
	if err != nil || !mode.IsFile() {
		return nil // closed to us, or too large: health tells that
	}
	now, line, ok := c.Now(ws, text)
	if !ok || c.Same(ws, now, c.Lost) {
		return nil
	}
	sum := sha256.Sum256([]byte(c.Merge.ID.String() + c.Name))
	return &Conflict{
		ID: hex.EncodeToString(sum[:4]), Path: c.File, Line: line, Value: c,
		Versions: []string{string(c.Kept), string(c.Lost)}, Anew: !c.Same(ws, now, c.Kept),
	}
}

// chosenBefore reports whether a person said which value holds.
func chosenBefore(list []verdict.Verdict, name string) bool {
	for _, v := range list {
		var only []string
		if v.Verdict == verdict.Choose && json.Unmarshal(v.Only, &only) == nil && len(only) == 1 && only[0] == name {
			return true
		}
	}
	return false
}

// choose puts the chosen value into place, and notes that it was chosen, for all machines.
func (o *Outcome) choose(ctx context.Context, ws *memory.Workspace, caller agent.Caller, ap proposal.Approval, c *Conflict, d Decision) error {
	if d.Answer == Second {
		res, err := c.Value.Take(ctx, ws, caller)
		o.save(res)
		if err != nil {
			return err
		}
	}
	only, err := json.Marshal([]string{c.Value.Name})
	if err != nil {
		return err
	}
	return proposal.Judge(ctx, ws, caller, ap, c.Value.Merge.ID, verdict.Verdict{Verdict: verdict.Choose, Reason: d.Reason, Only: only})
}

// valueWriters tells which commits set the two values.
func valueWriters(ctx context.Context, ws *memory.Workspace, c *Conflict) ([]*agent.Event, error) {
	out := make([]*agent.Event, len(c.Versions))
	for i, parent := range c.Value.From {
		if parent.IsZero() || i >= len(out) {
			continue
		}
		for commit, err := range ws.Repo.Log(ctx, gitops.LogOptions{Revs: []string{parent.String()}, Paths: []string{ws.Prefix + c.Path}, Max: 1}) {
			if err != nil {
				return out, err
			}
			e := agent.EventOf(ws, commit)
			out[i] = &e
		}
	}
	return out, nil
}
