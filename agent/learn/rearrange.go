package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/gitops"
)

// rearrange makes one commit of what a shelf works out. It is asked first with the files
// of the work tree, to learn which ones it needs, and then with what a commit finds in
// these; where it needs others by then, it is asked once more. A shelf without texts has
// nothing to do.
func (s *snapshot) rearrange(ctx context.Context, caller agent.Caller, p agent.Planned, work func(reader) (*shelf, error), save *agent.SaveResult) (*shelf, error) {
	for range maxRaces {
		seen := map[string]bool{}
		first, err := work(func(name string) ([]byte, error) {
			seen[name] = true
			text, _, err := s.read(name)
			return text, err
		})
		if err != nil || len(first.texts) == 0 {
			return first, err
		}
		sh, again, err := s.commitShelf(ctx, caller, p, slices.Sorted(maps.Keys(seen)), work, save)
		if err != nil || !again {
			return sh, err
		}
	}
	return nil, &gitops.MovedError{Subject: "HEAD"}
}

func (s *snapshot) commitShelf(ctx context.Context, caller agent.Caller, p agent.Planned, names []string, work func(reader) (*shelf, error), save *agent.SaveResult) (sh *shelf, again bool, err error) {
	rels := make([]string, len(names))
	for i, name := range names {
		rels[i] = s.rel(name)
	}
	res, err := agent.Commit(ctx, s.ws, caller, agent.Rewrite{Paths: rels, Whole: true, Plan: func(files []agent.File) (agent.Planned, error) {
		sh, err = work(func(name string) ([]byte, error) {
			i := slices.Index(names, name)
			if i < 0 {
				return nil, &otherFileError{name}
			}
			return files[i].Text, nil
		})
		if err != nil {
			return agent.Planned{}, err
		}
		plan := p
		plan.Trailers = append(slices.Clone(p.Trailers), sh.trailers()...)
		for i, name := range names {
			if sh.gone[name] {
				plan.Edits = append(plan.Edits, agent.FileEdit{Path: rels[i], Remove: true})
			} else if text, ok := sh.texts[name]; ok && !bytes.Equal(text, files[i].Text) {
				plan.Edits = append(plan.Edits, agent.FileEdit{Path: rels[i], Next: text})
			}
		}
		return vet(files, plan)
	}})
	addSaved(save, res)
	var other *otherFileError
	if errors.As(err, &other) {
		return nil, true, nil
	}
	return sh, false, err
}

// otherFileError: a plan needs a file that nobody asked for, because somebody changed
// what it is made from meanwhile.
type otherFileError struct{ name string }

func (e *otherFileError) Error() string { return fmt.Sprintf("'%s' is needed as well", e.name) }
