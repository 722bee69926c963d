package health

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory"
)

// Options say what is examined, and give checks what belongs to the machine.
type Options struct {
	Only     []string // ids; none: all checks
	Hostname string   // of this machine, for locks that name one
	Alive    func(pid int) bool
	// UnsavedSince says since when an edit is known to wait for a commit: head is the
	// file in HEAD that it builds on. nil: nothing is known.
	UnsavedSince func(path string, head gitops.ID) time.Time
}

// Run is what checks are given.
type Run struct {
	WS       *memory.Workspace // settings, host, profiles, kinds of files
	Snapshot Snapshot
	Git      Git
	Now      time.Time // in claw.timezone; its calendar day is today
	Staged   bool      // a commit is looked at, not the workspace
	Touched  []string  // when Staged: the changed paths that this side of the commit has, managed or not
	Hostname string
	Alive    func(pid int) bool // whether a process of this machine exists

	unsavedSince func(string, gitops.ID) time.Time
	unsaved      []Unsaved

	signatures sync.Map // of commits, whether a key of claw.approve.keys signed them

	on    map[string]bool
	mu    sync.Mutex
	large []File
	lost  []string
}

// On reports whether a check runs.
func (r *Run) On(ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return r.on[id] })
}

// Large lists the files that families wanted and that are larger than
// claw.maxFileBytes, by path: none of them was read. Complete when the second
// function of a family runs.
func (r *Run) Large() []File { return r.large }

// Int is a setting that is a number.
func (r *Run) Int(name string) int { return int(r.WS.Settings.Int(name)) }

// Has reports whether the snapshot has a regular file.
func (r *Run) Has(ctx context.Context, rel string) (bool, error) {
	f, ok, err := r.Snapshot.Lookup(ctx, rel)
	return ok && f.Mode.IsFile(), err
}

// Text reads a regular file that no family was given, such as one that git
// ignores; nil and false where there is none that can be read.
func (r *Run) Text(ctx context.Context, rel string) ([]byte, bool, error) {
	f, ok, err := r.Snapshot.Lookup(ctx, rel)
	if err != nil || !ok || !f.Mode.IsFile() {
		return nil, false, err
	}
	b, err := r.Snapshot.Read(ctx, f)
	if unreadable(err) || errors.Is(err, gitops.ErrTooLarge) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// Tracked lists the paths below the root that git tracks, managed or not; of a
// commit those that it touches.
func (r *Run) Tracked(ctx context.Context) ([]string, error) {
	switch {
	case r.Staged:
		return r.Touched, nil
	case r.WS.Repo.Bare:
		return nil, nil // there is no index
	}
	return r.Git.Tracked(ctx)
}

// maxKept is how many findings of a check a report holds.
const maxKept = 1000

// Examine looks at a snapshot of the workspace.
func Examine(ctx context.Context, ws *memory.Workspace, snap Snapshot, opt Options) (*Report, error) {
	return examine(ctx, newRun(ws, snap, newGit(ws, nil), opt), families(), opt)
}

// ExamineWork looks at the work tree.
func ExamineWork(ctx context.Context, ws *memory.Workspace, opt Options) (*Report, error) {
	st, err := ws.Repo.Status(ctx, gitops.StatusOptions{Paths: ws.ManagedPaths(), Untracked: true})
	if err != nil {
		return nil, err
	}
	snap, err := workOf(ctx, ws, st)
	if err != nil {
		return nil, err
	}
	return examine(ctx, newRun(ws, snap, newGit(ws, st), opt), families(), opt)
}

func newRun(ws *memory.Workspace, snap Snapshot, git Git, opt Options) *Run {
	r := &Run{WS: ws, Snapshot: snap, Git: git, Now: ws.Now(), Hostname: opt.Hostname, Alive: opt.Alive, unsavedSince: opt.UnsavedSince, on: map[string]bool{}}
	if r.Alive == nil {
		r.Alive = func(int) bool { return false }
	}
	return r
}

func examine(ctx context.Context, r *Run, fams []Family, opt Options) (*Report, error) {
	rep := &Report{}
	rank := r.choose(fams, opt, rep)
	files, err := r.Snapshot.Files(ctx)
	if err != nil {
		return nil, err
	}
	out := newOut(rank, maxKept)
	if rep.Files, err = r.look(ctx, fams, func(f Family) []File { return r.wanted(f, files) }, out); err != nil {
		return nil, err
	}
	list := out.sorted()
	if list, err = r.exempt(ctx, fams, list); err != nil {
		return nil, err
	}
	rep.fill(r, fams, list, out)
	return rep, nil
}

// choose decides which checks run, and gives each its place in the table.
func (r *Run) choose(fams []Family, opt Options, rep *Report) map[string]int {
	rank := map[string]int{}
	disabled := r.disabled()
	for _, c := range rows(fams) {
		asked := slices.Contains(opt.Only, c.ID)
		if len(opt.Only) > 0 && !asked {
			continue
		}
		why, quiet := r.whyNot(c, disabled)
		if why == "" {
			r.on[c.ID] = true
			rank[c.ID] = len(rank)
		} else if asked || !quiet {
			rep.Skipped = append(rep.Skipped, Skipped{c, why})
		}
	}
	return rank
}

// whyNot says why a check does not run, or "". quiet: nobody need know who did not
// ask for it (SPEC WS-34).
func (r *Run) whyNot(c Check, disabled []string) (why string, quiet bool) {
	if slices.Contains(disabled, c.ID) {
		return "claw.health.disable says so", false
	}
	if r.Staged && c.Live {
		return "it does not look at what is staged", true
	}
	if r.WS.Repo.Bare && c.Live {
		return "there is no work tree", true
	}
	for _, p := range c.Profiles {
		if !r.WS.Profiles.Has(p) {
			return fmt.Sprintf("the profile %s is off", p), true
		}
	}
	if c.Absent != nil {
		return c.Absent(r), false
	}
	return "", false
}

// disabled lists the ids of claw.health.disable, which only this machine's owner
// sets.
func (r *Run) disabled() []string {
	var out []string
	for _, v := range r.WS.Settings.All("health.disable") {
		out = append(out, strings.Fields(v)...)
	}
	return out
}

// runs reports whether any check of a family does.
func (r *Run) runs(f Family) bool {
	return slices.ContainsFunc(f.Checks, func(c Check) bool { return r.on[c.ID] })
}

func (r *Run) wanted(f Family, files []File) []File {
	if f.Look.wants == nil {
		return nil
	}
	// Most families that want many want all: they share one list.
	all := slices.IndexFunc(files, func(file File) bool { return !f.Look.wants(r, file) })
	if all < 0 {
		return files
	}
	out := slices.Clone(files[:all])
	for _, file := range files[all:] {
		if f.Look.wants(r, file) {
			out = append(out, file)
		}
	}
	return out
}

// looker gives files to families.
type looker struct {
	r     *Run
	fams  []Family
	files []File   // that somebody wants
	wants [][]want // of each file
	facts [][]fact // of each family that compares
	out   *Out
	read  atomic.Int64
	gate  gate
}

// want is a family that looks at a file, and where its fact goes.
type want struct{ family, fact int32 }

// add puts a file on the list of a family's.
func (l *looker) add(at map[string]int, k, n int, file File) {
	i, ok := at[file.Path]
	if !ok {
		i = len(l.files)
		at[file.Path] = i
		l.files = append(l.files, file)
		l.wants = append(l.wants, nil)
	}
	l.wants[i] = append(l.wants[i], want{int32(k), int32(n)}) //nolint:gosec // fewer than 2^31 files
}

// look runs the families over the files that each is given, and returns how many
// were read.
func (r *Run) look(ctx context.Context, fams []Family, files func(Family) []File, out *Out) (int, error) {
	l := &looker{r: r, out: out}
	at := map[string]int{}
	for _, f := range fams {
		if !r.runs(f) {
			continue
		}
		k := len(l.fams)
		l.fams, l.facts = append(l.fams, f), append(l.facts, nil)
		mine := files(f)
		if f.Look.all != nil {
			l.facts[k] = make([]fact, len(mine))
		}
		for n, file := range mine {
			if f.Look.all != nil {
				l.facts[k][n].File = file
			}
			if f.Look.each != nil && file.Mode.IsFile() {
				l.add(at, k, n, file)
			}
		}
	}
	for _, f := range l.fams {
		if f.Begin == nil {
			continue
		}
		if err := f.Begin(ctx, r); err != nil {
			return 0, fmt.Errorf("check %s: %w", f.Name, err)
		}
	}
	if err := l.each(ctx); err != nil {
		return 0, err
	}
	sortFiles(r.large)
	slices.Sort(r.lost)
	return int(l.read.Load()), l.all(ctx)
}

// each reads every file once and shows it to the families that want it.
func (l *looker) each(ctx context.Context) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, min(runtime.GOMAXPROCS(0), maxReaders))
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(l.files) {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = l.file(ctx, i)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// maxReaders and inFlight bound the files that are in memory at a time: so many,
// and so many bytes or one file that is larger.
const (
	maxReaders = 8
	inFlight   = 16 << 20
)

func (l *looker) file(ctx context.Context, i int) error {
	f := l.files[i]
	size := max(f.Size, 0)
	l.gate.enter(size)
	defer l.gate.leave(size)
	if limit := l.r.WS.MaxFileBytes(); limit > 0 && f.Size > limit {
		l.r.note(&l.r.large, f)
		return nil
	}
	text, err := l.r.Snapshot.Read(ctx, f)
	switch {
	case errors.Is(err, gitops.ErrTooLarge):
		l.r.note(&l.r.large, f)
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return nil // it went away
	case unreadable(err):
		l.r.mu.Lock()
		l.r.lost = append(l.r.lost, f.Path)
		l.r.mu.Unlock()
		return nil
	case err != nil:
		return err
	}
	l.read.Add(1)
	f.Size = int64(len(text))
	n := NewNote(f, text)
	for _, w := range l.wants[i] {
		value := l.fams[w.family].Look.each(l.r, n, l.out)
		if facts := l.facts[w.family]; facts != nil {
			facts[w.fact].File.Size, facts[w.fact].Value = f.Size, value
		}
	}
	return nil
}

func (r *Run) note(list *[]File, f File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, f)
}

// unreadable tells a file that is closed to us from a failure of the machine.
func unreadable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, gitops.ErrNotRegular)
}

// all ends the families, side by side.
func (l *looker) all(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make([]error, len(l.fams))
	for k, f := range l.fams {
		if f.Look.all == nil {
			continue
		}
		wg.Go(func() {
			if err := f.Look.all(ctx, l.r, l.facts[k], l.out); err != nil {
				errs[k] = fmt.Errorf("check %s: %w", f.Name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
