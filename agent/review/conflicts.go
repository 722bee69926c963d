package review

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/contradiction"
)

// Conflict is one entry of which a merge kept two versions (SPEC GN-15), or a value of which
// it took one: then the first version is in the file, and the second one is not.
type Conflict struct {
	ID       string
	Path     string
	Line     int      // of the mark or the value, from 1
	Deleted  bool     // one side deleted what the other one edited
	Versions []string // one when Deleted

	Value *agent.Choice // nil for an entry
	Anew  bool          // the value was set anew since: it can only be kept
}

func (c *Conflict) answers() []Answer {
	switch {
	case c.Anew:
		return []Answer{First}
	case c.Value != nil:
		return []Answer{First, Second}
	}
	if n := len(c.Versions); n > 1 {
		return append(slices.Clone(nth[:min(n, len(nth))]), Both, Change)
	}
	return []Answer{First, Reject, Change}
}

// Conflicts looks for them in the work tree. git finds the files.
func Conflicts(ctx context.Context, ws *memory.Workspace) ([]*Conflict, error) {
	files, err := ws.Repo.FilesWith(ctx, contradiction.Begin, ws.ManagedPaths()...)
	if err != nil {
		return nil, err
	}
	var out []*Conflict
	for _, top := range files {
		rel := strings.TrimPrefix(top, ws.Prefix)
		if !strings.EqualFold(path.Ext(rel), ".md") || !ws.Managed(rel) {
			continue
		}
		text, mode, err := ws.Repo.ReadWork(top, ws.MaxFileBytes())
		if err != nil || !mode.IsFile() {
			continue // closed to us, or too large: health tells that
		}
		for _, m := range contradiction.Find(text) {
			c := &Conflict{ID: m.ID, Path: rel, Line: m.Line, Deleted: m.Deleted}
			for _, v := range contradiction.Versions(text, m) {
				c.Versions = append(c.Versions, string(v))
			}
			if len(c.Versions) > 0 {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// Resolve writes down which version a person chose, as one commit: the first, the second,
// both, or a text of theirs. Taking the mark out by hand does the same.
func Resolve(ctx context.Context, ws *memory.Workspace, caller agent.Caller, c *Conflict, how Answer, words string) (*agent.SaveResult, error) {
	return agent.Commit(ctx, ws, caller, agent.Rewrite{
		Paths: []string{c.Path}, Whole: true,
		Plan: func(files []agent.File) (agent.Planned, error) {
			next, ok := contradiction.Resolve(files[0].Text, c.ID, func(versions [][]byte) [][]byte { return chosen(versions, how, words) })
			if !ok {
				return agent.Planned{}, &agent.RefusedError{Problem: fmt.Sprintf("'%s' has no contradiction '%s' any more", c.Path, c.ID)}
			}
			return agent.Planned{
				Event: agent.EventResolve, Area: "memory", Summary: "choose what '" + path.Base(c.Path) + "' says",
				Trailers: gitops.Trailers{{Key: "Claw-Reason", Value: string(how)}},
				Edits:    []agent.FileEdit{{Path: c.Path, Next: next}},
			}, nil
		},
	})
}

func chosen(versions [][]byte, how Answer, words string) [][]byte {
	if i := slices.Index(nth, how); i >= 0 && i < len(versions) {
		return versions[i : i+1]
	}
	switch how {
	case Both:
		return versions
	case Change:
		return [][]byte{[]byte(strings.TrimRight(words, "\r\n"))}
	}
	return nil
}
