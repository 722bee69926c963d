//go:build unix

package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// refRace lets updaters add commits to one shared ref, each in one transaction with a ref
// of its own that is made and one that is deleted, beside people with git.
type refRace struct {
	r      *gittest.Repo
	rounds int
	seam   gitops.Seam
	mu     sync.Mutex
	acked  []string
}

func (c *refRace) ack(subject string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acked = append(c.acked, subject)
}

func (c *refRace) updater(who int) error {
	ctx := context.Background()
	repo := c.r.Open()
	defer func() { _ = repo.Close() }()
	w := repo.Writer(c.seam.With(gitops.WriterOptions{LockTimeout: time.Minute, Durability: gitops.DurabilityNone}))
	var last gitops.ID
	for i := 0; i < c.rounds; {
		refs, err := repo.Refs(ctx, refNotes)
		if err != nil {
			return err
		}
		old := refs[0].ID
		subject := fmt.Sprintf("w%02d %d", who, i)
		res, err := w.Build(ctx, gitops.Build{Base: old, Parents: []gitops.ID{old}, Message: subject + "\n"})
		if err != nil {
			return err
		}
		own := func(n int) string { return fmt.Sprintf("refs/heads/claw/l1/w%02d-%d", who, n) }
		ups := []gitops.RefUpdate{{Name: refNotes, Old: old, New: res.Commit}, {Name: own(i), New: res.Commit}}
		if i > 0 {
			ups = append(ups, gitops.RefUpdate{Name: own(i - 1), Old: last})
		}
		err = w.UpdateRefs(ctx, ups, subject)
		var moved *gitops.MovedError
		if errors.As(err, &moved) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
		c.ack(subject)
		last = res.Commit
		i++
	}
	return nil
}

// person adds commits to the shared ref with git.
func (c *refRace) person(stop *atomic.Bool) {
	tree := c.r.Git("rev-parse", refNotes+"^{tree}")
	for i := 0; !stop.Load(); i++ {
		old := c.r.Git("rev-parse", refNotes)
		subject := fmt.Sprintf("plain %d", i)
		id, err := c.r.Try("commit-tree", "-p", old, "-m", subject, tree)
		if err != nil {
			continue // a gc takes away the folder that git is about to write into
		}
		if _, err := c.r.Try("update-ref", "-m", subject, refNotes, id, old); err == nil {
			c.ack(subject)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (c *refRace) run(t testing.TB, updaters int) {
	t.Helper()
	r := c.r
	r.Git("update-ref", refNotes, r.Head())
	var all, people sync.WaitGroup
	var stop atomic.Bool
	errs := make([]error, updaters)
	for i := range updaters {
		all.Go(func() { errs[i] = c.updater(i) })
	}
	people.Go(func() { c.person(&stop) })
	for _, args := range [][]string{{"pack-refs", "--all", "--prune"}, {"gc", "-q"}} {
		people.Go(func() {
			for !stop.Load() {
				_, _ = r.Try(args...)
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	all.Wait()
	stop.Store(true)
	people.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	history := "\n" + r.Git("log", "--format=%s", refNotes, "--") + "\n"
	lost := 0
	for _, subject := range c.acked {
		if !strings.Contains(history, "\n"+subject+"\n") {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged updates are lost", lost, len(c.acked))
	}
	want := map[string]bool{}
	for i := range updaters {
		want[fmt.Sprintf("refs/heads/claw/l1/w%02d-%d", i, c.rounds-1)] = true
	}
	for name := range strings.FieldsSeq(r.Git("for-each-ref", "--format=%(refname)", "refs/heads/claw")) {
		if !want[name] {
			t.Errorf("'%s' was deleted and is back", name)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("'%s' is lost", name)
	}
	r.CheckClean()
	t.Logf("%d updates by us and by git", len(c.acked))
}

func TestRefsRace(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv(bigVariable) != "" {
		rounds = 20
	}
	(&refRace{r: gittest.New(t), rounds: rounds}).run(t, 20)
}

// The race must notice when nothing is compared under the locks.
func TestRefsRaceWithoutProtection(t *testing.T) {
	t.Parallel()
	for range 8 {
		said := gittest.Probe(t, func(t testing.TB) {
			(&refRace{r: gittest.New(t), rounds: 3, seam: gitops.Seam{NoCAS: true}}).run(t, 6)
		})
		if len(said) > 0 {
			t.Logf("noticed: %.300q", said)
			return
		}
	}
	t.Error("a writer that compares nothing passes the race eight times")
}
