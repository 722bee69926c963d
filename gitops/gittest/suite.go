package gittest

import (
	"context"
	"errors"
	"testing"

	"github.com/git-claw/git-claw/gitops"
)

// RunWriterSuite is the contract of gitops.Writer: the behaviour in one plain
// repository, and the essentials in every shape of repository.
func RunWriterSuite(t *testing.T, make Factory) {
	groups := []struct {
		name  string
		tests []contract
	}{
		{"commit", commitContract},
		{"index", indexContract},
		{"convert", convertContract},
		{"hooks", hooksContract},
		{"refuse", refuseContract},
		{"paths", pathsContract},
		{"locks", locksContract},
		{"place", placeContract},
		{"refs", refsContract},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range g.tests {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(&suite{T: t, make: make})
				})
			}
		})
	}
	t.Run("shape", func(t *testing.T) {
		t.Parallel()
		for i, s := range Shapes() {
			if testing.Short() && i%3 != 0 {
				continue
			}
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				everyShape(&suite{T: t, make: make}, s)
			})
		}
	})
}

// contract is one rule and how it is tried.
type contract struct {
	name string
	run  func(s *suite)
}

// suite is what one test of the contract works with.
type suite struct {
	*testing.T
	make Factory
	opt  gitops.WriterOptions
}

// new makes a repository and opens it.
func (s *suite) new(opts ...Option) (*Repo, *gitops.Repo) {
	s.Helper()
	r := New(s.T, opts...)
	return r, r.Open()
}

func (s *suite) writer(repo *gitops.Repo) gitops.Writer { return s.make(repo, s.opt) }

// save commits edits and ends the test when that fails.
func (s *suite) save(repo *gitops.Repo, message string, paths ...string) gitops.Result {
	s.Helper()
	res, err := Save(context.Background(), repo, s.writer(repo), message, paths...)
	if err != nil {
		s.Fatalf("save: %v", err)
	}
	return res
}

// transaction is Transaction that may not fail.
func (s *suite) transaction(repo *gitops.Repo, message string, paths ...string) gitops.Tx {
	s.Helper()
	tx, _, err := Transaction(context.Background(), repo, message, paths...)
	must(s.T, err)
	return tx
}

func (s *suite) commit(repo *gitops.Repo, tx gitops.Tx) (gitops.Result, error) {
	return s.writer(repo).Commit(context.Background(), tx)
}

// refused expects an error of the kind that target points to, and that nothing
// was committed.
func (s *suite) refused(r *Repo, before string, res gitops.Result, err error, target any) {
	s.Helper()
	if !as(err, target) {
		s.Fatalf("error is %T %v, want %T", err, err, target)
	}
	if !res.Commit.IsZero() {
		s.Errorf("a result beside the error: %v", res)
	}
	if now := r.Git("rev-parse", "-q", "--verify", "HEAD"); now != before {
		s.Errorf("HEAD moved from %s to %s", before, now)
	}
}

// as is errors.As, and errors.Is for a sentinel.
func as(err error, target any) bool {
	if sentinel, ok := target.(error); ok {
		return errors.Is(err, sentinel)
	}
	return errors.As(err, target)
}

func (s *suite) equal(what string, got, want any) {
	s.Helper()
	if got != want {
		s.Errorf("%s is %q, want %q", what, got, want)
	}
}

// id parses an object id.
func (s *suite) id(hex string) gitops.ID {
	s.Helper()
	id, err := gitops.ParseID(hex)
	must(s.T, err)
	return id
}
