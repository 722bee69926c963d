package gittest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Race lets many processes save at once, each its own file and all of them one
// more, beside people who work with plain git.
type Race struct {
	Writers int
	Rounds  int
	Environ []string // for the factory of the processes
	// Plain is what runs beside them in a loop: "commit" (git add and git
	// commit), "stage" (git add), "switch" (git switch -c), "stash" (push and pop of
	// one file), "rebase" (of a branch of one's own in another worktree: git's own rebase
	// in this one resets files that somebody edits), "type" (edits that only their
	// content tells), "gc", "pack-refs".
	Plain   []string
	Options []Option
}

const (
	sharedFile  = "memory/shared.md"
	stashedFile = "src/main.txt"  // nobody saves it
	typedFile   = "src/typed.txt" // nor this one
)

// Run starts them all, waits, and checks that every process landed, that every
// acknowledged line is in the history of HEAD, and that the index is right.
//
// Two faults of git show here and are told apart from ours. git switch -c reads
// HEAD, makes the branch and then switches, without a lock from first to last: a
// commit made between is on the branch that HEAD named then. And git commit reads
// the index before it locks it, and so may write an old one over a new one: then
// a file looks partly staged, and a person unstages it. What our writers do to
// the index has to be checked by the factory of the processes, under the lock.
func (c Race) Run(t testing.TB) {
	t.Helper()
	r := New(t, c.Options...)
	c.prepare(r)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var acked []string
	errs := make([]error, c.Writers)
	for i := range c.Writers {
		j := job{
			Who: fmt.Sprintf("w%02d", i), Files: []string{fmt.Sprintf("memory/w%02d.md", i), sharedFile},
			Rounds: c.Rounds, Timeout: time.Minute, Repair: len(c.Plain) > 0,
		}
		h := r.start(j, c.Environ)
		wg.Go(func() {
			said, err := h.wait()
			mu.Lock()
			defer mu.Unlock()
			acked = append(acked, said...)
			errs[i] = err
		})
	}
	var stop atomic.Bool
	var people sync.WaitGroup
	staged := make([][]string, len(c.Plain))
	for i, what := range c.Plain {
		people.Go(func() {
			lines := r.work(what, i, &stop, &staged[i])
			mu.Lock()
			defer mu.Unlock()
			acked = append(acked, lines...)
		})
	}
	wg.Wait()
	stop.Store(true)
	people.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	c.check(t, r, acked, staged)
}

// prepare makes what the people work with.
func (c Race) prepare(r *Repo) {
	r.t.Helper()
	if slices.Contains(c.Plain, "type") {
		r.Write(typedFile, typedText(0))
		r.Git("add", typedFile)
		r.Git("commit", "-q", "-m", "typed")
	}
	if slices.Contains(c.Plain, "rebase") {
		r.Git("worktree", "add", "-q", "-b", "side", r.side())
	}
}

func (r *Repo) side() string { return filepath.Join(r.Base, "side") }

func (c Race) check(t testing.TB, r *Repo, acked []string, staged [][]string) {
	t.Helper()
	revs := "HEAD"
	if slices.Contains(c.Plain, "switch") {
		revs = "--branches"
	}
	history := r.Git("log", "--format=%s", "-p", "-m", "--first-parent", revs, "--")
	lines := map[string]bool{}
	for l := range strings.SplitSeq(history, "\n") {
		lines[l] = true
	}
	lost := 0
	for _, line := range acked {
		if !lines[line] && (!lines["save "+line] || !lines["+"+line]) {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged lines are not in the history of %s", lost, len(acked), revs)
	}
	shared := r.Read(sharedFile)
	for i := range c.Writers {
		own := r.Read(fmt.Sprintf("memory/w%02d.md", i))
		for k := range c.Rounds {
			line := fmt.Sprintf("- w%02d %d", i, k)
			if !lines["+"+line] {
				t.Errorf("%q did not land", line)
			}
			if !strings.Contains(own, line+"\n") || !strings.Contains(shared, line+"\n") {
				t.Errorf("%q is gone from the work tree", line)
			}
		}
	}
	if slices.Contains(c.Plain, "commit") || slices.Contains(c.Plain, "type") {
		r.CheckClean(r.Status()...) // see Run
		return
	}
	var want []string
	for _, s := range staged {
		for _, name := range s {
			want = append(want, "A  "+name)
		}
	}
	r.CheckClean(want...)
}

// work is a person with plain git. It returns the lines of the commits that git
// acknowledged. A git that finds a lock held fails, and is tried again.
func (r *Repo) work(what string, who int, stop *atomic.Bool, staged *[]string) (acked []string) {
	for i := 0; !stop.Load(); i++ {
		name := fmt.Sprintf("plain/%s-%d-%d.md", what, who, i)
		switch what {
		case "stage":
			r.Write(name, "x\n")
			if r.until(stop, "add", "--", name) {
				*staged = append(*staged, name)
			} else {
				r.Remove(name)
			}
			time.Sleep(20 * time.Millisecond)
		case "commit":
			r.Write(name, "x\n")
			line := fmt.Sprintf("- plain %d %d", who, i)
			if !r.until(stop, "add", "--", name) {
				r.Remove(name)
				return acked
			}
			if r.until(nil, "commit", "-q", "-m", line, "--", name) {
				acked = append(acked, line)
			}
		case "switch":
			_, _ = r.Try("switch", "-q", "-c", fmt.Sprintf("b%d-%d", who, i))
			time.Sleep(10 * time.Millisecond)
		case "gc":
			_, _ = r.Try("gc", "-q")
			time.Sleep(50 * time.Millisecond)
		case "pack-refs":
			_, _ = r.Try("pack-refs", "--all", "--prune")
			time.Sleep(5 * time.Millisecond)
		case "type":
			r.typeUnseen(i, stop)
		case "rebase":
			r.rebase(i)
		case "stash":
			r.Append(stashedFile, "stashed\n")
			_, _ = r.Try("stash", "push", "-q", "--", stashedFile)
			_, _ = r.Try("stash", "pop", "-q")
			r.until(nil, "checkout", "HEAD", "--", stashedFile)
			time.Sleep(20 * time.Millisecond)
		}
	}
	return acked
}

// typedText has the same size for every i.
func typedText(i int) string { return fmt.Sprintf("typed %06d\n", i) }

// typeUnseen commits a file and edits it in the same second, in place and with the same
// size. When others have written the index in a later second git status must show it.
func (r *Repo) typeUnseen(i int, stop *atomic.Bool) {
	r.t.Helper()
	in := func(text string) int64 {
		f, err := os.OpenFile(r.Path(typedFile), os.O_WRONLY, 0)
		must(r.t, err)
		_, err = f.WriteAt([]byte(text), 0)
		must(r.t, err)
		fi, err := f.Stat()
		must(r.t, err)
		must(r.t, f.Close())
		return fi.ModTime().Unix()
	}
	committed := in(typedText(2*i + 1))
	if !r.until(stop, "commit", "-q", "-m", "typed", "--", typedFile) || in(typedText(2*i+2)) != committed {
		return
	}
	for range 30 {
		time.Sleep(50 * time.Millisecond)
		out, err := r.Try("--no-optional-locks", "status", "--porcelain", "--", typedFile)
		if err == nil && out == "" {
			r.t.Errorf("git status hides an edit of '%s'", typedFile)
			stop.Store(true)
		}
		if stop.Load() {
			return
		}
	}
}

// rebase makes a commit in another worktree and puts its branch on what there is now.
func (r *Repo) rebase(i int) {
	r.t.Helper()
	side := r.side()
	must(r.t, os.WriteFile(filepath.Join(side, "side.md"), fmt.Appendf(nil, "%d\n", i), 0o666))
	r.until(nil, "-C", side, "add", "side.md")
	if !r.until(nil, "-C", side, "commit", "-q", "-m", fmt.Sprintf("side %d", i)) {
		r.t.Errorf("the commit in another worktree fails")
		return
	}
	onto, err := r.Try("rev-parse", "HEAD")
	must(r.t, err)
	for range 20 {
		if _, err = r.Try("-C", side, "rebase", "-q", onto); err == nil {
			break
		}
		// git gc takes away the directory that a rebase is about to write into.
		r.until(nil, "-C", side, "rebase", "--abort")
	}
	if err != nil {
		r.t.Errorf("rebase: %v", err)
		return
	}
	const most = 8
	if n := r.Git("-C", side, "rev-list", "--count", onto+"..side"); n != strconv.Itoa(i%most+1) {
		r.t.Errorf("after a rebase there are %s commits, not %d", n, i%most+1)
	}
	if i%most == most-1 {
		r.until(nil, "-C", side, "reset", "-q", "--hard", onto) // the next are few again
	}
	time.Sleep(10 * time.Millisecond)
}

// until tries a git command until no lock is in its way; false when stop comes
// first, or git has another complaint.
func (r *Repo) until(stop *atomic.Bool, args ...string) bool {
	for range 2000 {
		_, err := r.Try(args...)
		if err == nil {
			return true
		}
		if strings.Contains(err.Error(), "did not match any file") {
			return false // the entry of git add was lost
		}
		if stop != nil && stop.Load() {
			return false
		}
		time.Sleep(3 * time.Millisecond)
	}
	return false
}
