package health

import (
	"context"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory"
)

// Severity is how grave a finding is.
type Severity byte

// The severities, as settings and tables write them.
const (
	Info    Severity = 'I'
	Warning Severity = 'W'
	Failure Severity = 'F'
)

// weight orders severities.
func (s Severity) weight() int {
	switch s {
	case Failure:
		return 2
	case Warning:
		return 1
	}
	return 0
}

// Status is what a check or a finding says.
type Status string

// The statuses.
const (
	Pass   Status = "PASS"
	Fail   Status = "FAIL"
	Warn   Status = "WARN"
	Inform Status = "INFO"
	Skip   Status = "SKIP"
)

func (s Severity) status() Status {
	switch s {
	case Failure:
		return Fail
	case Warning:
		return Warn
	}
	return Inform
}

// Check is one row of the table of SPEC section 12.
type Check struct {
	ID       string
	Severity Severity
	Profiles []memory.Profile // all of them must be on; none: the base rules
	Rule     string           // id of the rule it verifies
	Meaning  string           // what it verifies, in one line
	Fix      string           // what mends it, where a finding does not say it itself

	// Since is the dagger of SPEC 12: what the adoption commit already held is
	// exempt. A finding with a line is compared with that commit by the engine; one
	// about commits comes from Git.Since, which begins there.
	Since bool
	// Live: it depends on the clock, locks, refs or the work tree, so it tells
	// nothing about what a commit changes.
	Live bool
	// Tokens: it measures estimates, which can only warn.
	Tokens bool
	// Loss: it finds loss or corruption, and fails in a profile that nobody listed
	// too (SPEC WS-34).
	Loss bool
	// Absent says why the check cannot run in this workspace, or ""; nil: it can.
	Absent func(r *Run) string
	// Mend gives the change that mends a finding where only one is right; ok is
	// false where a person must choose. nil: always.
	Mend func(r *Run, f Finding) (m Mending, ok bool)
}

// Mending is a change of one file that mends a finding.
type Mending struct {
	Path    string // relative to the root
	To      string // where the file moves, "" where it stays
	Content []byte // what it holds then; nil with Delete and To
	Delete  bool
	Save    bool   // commit the file as it is in the work tree; nothing else is set but Path
	Event   string // Claw-Event of the commit
	Area    string // of its subject
	Summary string // of its subject
}

// Finding is one result of a check.
type Finding struct {
	ID       string
	Severity Severity // 0: that of the check; settings are applied by the engine
	Status   Status   // set by the engine
	Path     string   // relative to the root; "" the workspace as a whole
	Line     int      // from 1; 0 the whole file
	EndLine  int      // 0: Line
	Message  string   // one line, without path, id or the value of a secret
	Expected string
	Actual   string
	Fix      string // "": that of the check
	Rule     string // "": that of the check
	Measure  int64  // what was measured, larger is worse; 0: nothing was
}

// end is the last line of a finding.
func (f Finding) end() int { return max(f.Line, f.EndLine) }

// Family is a group of checks that look at the same files.
type Family struct {
	Name   string
	Checks []Check
	Look   Look
	// Begin is called before the files are looked at, for what the look at each needs.
	// It keeps it in variables of the function that made the family: every run has
	// families of its own. nil: there is nothing.
	Begin func(ctx context.Context, r *Run) error
	// Whole says whether a staged run must look at every file of the family, and not
	// only at those that change; see whenAny. nil: never. The changes are all below the
	// root, those of unmanaged paths too.
	Whole func(r *Run, changes []Change) bool
	// Enter says into which folders a staged run looks for the files of Whole, by path
	// with a slash at the end: it is done in milliseconds only if most of the workspace
	// is left alone. nil: into all.
	Enter func(dir string) bool
	// Wake says whether a staged run needs the family although none of its files
	// change. nil: no.
	Wake func(r *Run, changes []Change) bool
}

// Look is how a family looks at a snapshot; Over makes one.
type Look struct {
	wants func(r *Run, f File) bool
	each  func(r *Run, n *Note, out *Out) any
	all   func(ctx context.Context, r *Run, facts []fact, out *Out) error
}

// Fact is what a family remembers of a file.
type Fact[T any] struct {
	File  File
	Value T
}

type fact = Fact[any]

// Over makes a Look of the functions that the package comment describes. wants nil
// means no file, each nil that files need not be read.
func Over[T any](wants func(*Run, File) bool, each func(*Run, *Note, *Out) T, all func(context.Context, *Run, []Fact[T], *Out) error) Look {
	l := Look{wants: wants}
	if each != nil {
		l.each = func(r *Run, n *Note, out *Out) any { return each(r, n, out) }
	}
	if all != nil {
		l.all = func(ctx context.Context, r *Run, facts []fact, out *Out) error {
			own := make([]Fact[T], len(facts))
			for i, f := range facts {
				own[i].File = f.File
				own[i].Value, _ = f.Value.(T)
			}
			return all(ctx, r, own, out)
		}
	}
	return l
}

// Once makes a Look that reads no file by itself.
func Once(all func(context.Context, *Run, *Out) error) Look {
	return Look{all: func(ctx context.Context, r *Run, _ []fact, out *Out) error { return all(ctx, r, out) }}
}

// whenAny is a Whole for families that compare their files with each other: all are
// read when one of them changes.
func whenAny(wants func(*Run, File) bool) func(*Run, []Change) bool {
	return func(r *Run, changes []Change) bool {
		return slices.ContainsFunc(changes, func(c Change) bool {
			return !c.New.IsZero() && wants(r, file(r.WS, c.Path, c.New)) || !c.Old.IsZero() && wants(r, file(r.WS, c.Path, c.Old))
		})
	}
}

// on lists the profiles of a check.
func on(p ...memory.Profile) []memory.Profile { return p }

// shellQuote makes a path safe to paste into a command that mends something.
func shellQuote(rel string) string { return "'" + strings.ReplaceAll(rel, "'", `'\''`) + "'" }
