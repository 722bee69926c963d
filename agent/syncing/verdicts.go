package syncing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory/verdict"
)

// maxNote bounds the note of one commit: a thousand verdicts are shorter.
const maxNote = 1 << 20

// verdicts is what becomes of the notes.
type verdicts struct {
	came    bool
	build   *gitops.Build // nil: those of the remote as they are
	strange []Strange
}

// lookAtVerdicts works that out.
func (s *syncer) lookAtVerdicts(ctx context.Context) (v verdicts, err error) {
	ours, theirs := s.refs.notes, s.refs.trackedNotes
	if theirs.IsZero() || ours == theirs {
		return v, nil
	}
	if _, err := s.ws.Repo.Objects().Commit(ctx, theirs); err != nil {
		s.keepNotes = true // there is no history to push onto
		v.strange = []Strange{{Path: verdict.Ref, Remote: true}}
		return v, nil //nolint:nilerr // others can go on without it
	}
	behind := ours.IsZero()
	if !behind {
		if known, err := s.ws.Repo.IsAncestor(ctx, theirs.String(), ours.String()); err != nil || known {
			return v, err
		}
		if behind, err = s.ws.Repo.IsAncestor(ctx, ours.String(), theirs.String()); err != nil {
			return v, err
		}
	}
	b, strange, err := s.unite(ctx, ours, theirs, behind)
	if err != nil {
		return v, err
	}
	v.came, v.strange = true, strange
	if !behind || len(strange) > 0 {
		v.build = &b
	}
	return v, nil
}

// takeVerdicts unites the notes, line by line. What is no verdict stays at the remote.
func (s *syncer) takeVerdicts(ctx context.Context) (bool, error) {
	v, err := s.lookAtVerdicts(ctx)
	if err != nil {
		return false, err
	}
	if v.came {
		next := s.refs.trackedNotes
		if v.build != nil {
			res, err := s.w.Build(ctx, *v.build)
			if err != nil {
				return false, fmt.Errorf("unite verdicts: %w", err)
			}
			next = res.Commit
		}
		err := s.w.UpdateRefs(ctx, []gitops.RefUpdate{{Name: verdict.Ref, Old: s.refs.notes, New: next}}, "claw: sync")
		var moved *gitops.MovedError
		if errors.As(err, &moved) {
			return false, errRace // a verdict was given meanwhile
		}
		if err != nil {
			return false, err
		}
		s.refs.notes = next
	}
	s.res.Strange = append(s.res.Strange, v.strange...)
	return v.came, nil
}

// unite makes the commit of the notes that both have.
func (s *syncer) unite(ctx context.Context, ours, theirs gitops.ID, behind bool) (b gitops.Build, strange []Strange, err error) {
	b = gitops.Build{Base: ours, Parents: []gitops.ID{ours, theirs}, Message: "Notes united by 'git claw'\n", Unsigned: true}
	if behind {
		b.Parents = b.Parents[1:]
	}
	notes, strange, err := s.newNotes(ctx, ours, theirs)
	for i := range strange {
		strange[i].Remote = true
	}
	if err != nil {
		return b, nil, err
	}
	var tree gitops.ID
	if !ours.IsZero() {
		if tree, err = s.ws.Repo.Objects().TreeOf(ctx, ours); err != nil {
			return b, nil, fmt.Errorf("read verdicts: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		of, err := gitops.ParseID(name)
		if err != nil {
			return b, nil, err
		}
		path, e, ok, err := s.ws.Repo.Objects().Note(ctx, tree, of)
		if err != nil {
			return b, nil, fmt.Errorf("read verdicts: %w", err)
		}
		var have []byte
		if ok {
			if have, err = s.ws.Repo.Objects().Blob(ctx, e.ID); err != nil {
				return b, nil, fmt.Errorf("read verdicts: %w", err)
			}
		}
		if both := sortedLines(have, notes[name]); !bytes.Equal(both, have) {
			b.Changes = append(b.Changes, gitops.Change{Path: path, Content: both, Mode: gitops.ModeFile})
		}
	}
	if len(b.Changes) == 0 {
		b.Tree = tree
	}
	return b, strange, nil
}

// sortedLines is what git's own cat_sort_uniq makes of two notes.
func sortedLines(a, b []byte) []byte {
	lines := slices.DeleteFunc(append(strings.Split(string(a), "\n"), strings.Split(string(b), "\n")...), func(l string) bool { return l == "" })
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// newNotes reads what one tree of notes has and another has not, by the commit that it is
// of: verdicts, and what is none.
func (s *syncer) newNotes(ctx context.Context, old, next gitops.ID) (notes map[string][]byte, strange []Strange, err error) {
	diff, err := s.ws.Repo.DiffTrees(ctx, old, next)
	if err != nil {
		return nil, nil, fmt.Errorf("read verdicts: %w", err)
	}
	notes = map[string][]byte{}
	scan := secret.New()
	for _, c := range diff {
		if c.New.IsZero() {
			continue // a verdict is not taken back by leaving it out
		}
		name := strings.ReplaceAll(c.Path, "/", "")
		of, err := gitops.ParseID(name)
		if err != nil || c.New.Mode != gitops.ModeFile || of.Size() != next.Size() || of.String() != name {
			strange = append(strange, Strange{Path: c.Path})
			continue
		}
		text, err := s.ws.Repo.Objects().BlobWithin(ctx, c.New.ID, maxNote)
		if errors.Is(err, gitops.ErrTooLarge) {
			strange = append(strange, Strange{Path: c.Path, Commit: of})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read verdicts: %w", err)
		}
		var had []byte
		if !c.Old.IsZero() && c.Old.Mode.IsFile() {
			if had, err = s.ws.Repo.Objects().Blob(ctx, c.Old.ID); err != nil {
				return nil, nil, fmt.Errorf("read verdicts: %w", err)
			}
		}
		known := map[string]bool{"": true}
		for line := range bytes.Lines(had) {
			known[string(bytes.TrimSpace(line))] = true
		}
		for line := range bytes.Lines(text) {
			switch {
			case known[string(bytes.TrimSpace(line))]:
			case len(verdict.Parse(line)) == 0 || len(scan.Scan(line)) > 0:
				strange = append(strange, Strange{Path: c.Path, Commit: of})
			default:
				notes[of.String()] = append(notes[of.String()], append(bytes.TrimRight(line, "\r\n"), '\n')...)
			}
		}
	}
	return notes, strange, nil
}

// outgoingVerdicts is the notes ref, when the remote lacks something of it and all of that
// is verdicts.
func (s *syncer) outgoingVerdicts(ctx context.Context) ([]gitops.Push, error) {
	if s.refs.notes == s.refs.trackedNotes || s.refs.notes.IsZero() || s.keepNotes {
		return nil, nil
	}
	_, strange, err := s.newNotes(ctx, s.refs.trackedNotes, s.refs.notes)
	if err != nil {
		return nil, err
	}
	if len(strange) > 0 {
		s.res.Strange = append(s.res.Strange, strange...)
		s.keepNotes = true
		return nil, nil
	}
	return []gitops.Push{{Name: verdict.Ref, Old: s.refs.trackedNotes, New: s.refs.notes}}, nil
}
