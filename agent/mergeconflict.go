package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-claw/git-claw/gitops"
)

// Unmerged is a file that only a person can merge.
type Unmerged struct {
	Path string // from the top level
	Why  WhyUnmerged
	Ours bool // this side has it; of one that the other side has not
}

// WhyUnmerged says what keeps a file from being merged.
type WhyUnmerged int

// The reasons.
const (
	SameLines WhyUnmerged = iota
	Binary
	Large
	Deleted // on one side, and changed on the other
	Clash   // with a folder of the other side
	NoFile  // a link or a repository of its own
)

// MergeConflictError: files that only a person can merge. Nothing was changed.
type MergeConflictError struct {
	Files []Unmerged
	// Other is what would be merged, and Sub tells that the workspace lies in a subfolder: for
	// the advice.
	Other string
	Sub   bool
}

func (e *MergeConflictError) Error() string {
	s := fmt.Sprintf("cannot merge '%s': ", e.Files[0].Path)
	f := e.Files[0]
	switch {
	case f.Why == Binary:
		s += "it is binary, and both sides changed it"
	case f.Why == Large:
		s += "it is too large to be merged, and both sides changed it"
	case f.Why == Clash && f.Ours:
		s += fmt.Sprintf("it is a file here, and a folder at '%s'", e.Other)
	case f.Why == Clash:
		s += fmt.Sprintf("it is a folder here, and a file at '%s'", e.Other)
	case f.Why == Deleted && f.Ours:
		s += fmt.Sprintf("it was changed here, and deleted at '%s'", e.Other)
	case f.Why == Deleted:
		s += fmt.Sprintf("it was deleted here, and changed at '%s'", e.Other)
	case f.Why == NoFile:
		s += "both sides changed it, and it is no file on one"
	default:
		s += "both sides changed the same lines of it"
	}
	if n := len(e.Files) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// ExitCode: somebody must decide.
func (e *MergeConflictError) ExitCode() int { return 3 }

// maxUnmerged is of how many files it is said what to do.
const maxUnmerged = 10

// Hints tells how to decide with git, in commands that can be pasted one after the other.
func (e *MergeConflictError) Hints() []string {
	clash := false
	for _, f := range e.Files {
		clash = clash || f.Why == Clash
	}
	out := []string{"nothing was changed; begin the merge with git: git claw save; git merge " + shellQuote(e.Other)}
	if clash {
		out = []string{"nothing was changed; give what you have another name, and sync again:"}
	}
	for i, f := range e.Files {
		if i == maxUnmerged {
			out = append(out, fmt.Sprintf("and so on, for %d more", len(e.Files)-i))
			break
		}
		if clash && f.Why != Clash {
			continue // later
		}
		out = append(out, f.advice(e.Sub)...)
	}
	if !clash {
		out = append(out, "when all are done this ends the merge, and syncs: git claw sync")
	}
	return out
}

func (f Unmerged) advice(sub bool) []string {
	p := shellQuote(f.Path)
	if sub {
		p = shellQuote(":/" + f.Path) // from the top level, wherever it is pasted
	}
	switch f.Why {
	case Binary, Large, NoFile:
		return []string{
			fmt.Sprintf("to keep your '%s': git checkout --ours -- %s && git add -- %[2]s", f.Path, p),
			fmt.Sprintf("or to take theirs: git checkout --theirs -- %s && git add -- %[1]s", p),
		}
	case Deleted:
		return []string{
			fmt.Sprintf("to keep '%s': git add -- %s", f.Path, p),
			fmt.Sprintf("or to have it deleted: git rm -q -- %s", p),
		}
	case Clash:
		git := "git"
		if sub { // where git knows no such names
			git = `git -C "$(git rev-parse --show-toplevel)"`
		}
		return []string{fmt.Sprintf("%s mv -- %s %s && git commit -q -m 'make room' && git claw sync", git, shellQuote(f.Path), shellQuote(f.Path+"-here"))}
	}
	return []string{fmt.Sprintf("edit what stands between the markers in '%s', then: git add -- %s", f.Path, p)}
}

// why finds out what keeps a file from being merged.
func (m *commitMerger) why(ctx context.Context, f gitops.FileMerge) (Unmerged, error) {
	u := Unmerged{Path: f.Path, Ours: !f.Ours.IsZero()}
	switch {
	case f.Clash:
		u.Why = Clash
		return u, nil
	case f.Ours.IsZero() || f.Theirs.IsZero():
		u.Why = Deleted
		return u, nil
	case !f.Ours.Mode.IsFile() || !f.Theirs.Mode.IsFile():
		u.Why = NoFile
		return u, nil
	}
	for _, e := range []gitops.TreeEntry{f.Ours, f.Theirs} {
		text, err := m.within(ctx, e, int64(m.limit)*largest)
		switch {
		case errors.Is(err, gitops.ErrTooLarge):
			u.Why = Large
		case err != nil:
			return u, err
		case isBinary(text):
			u.Why = Binary
		}
	}
	return u, nil
}
