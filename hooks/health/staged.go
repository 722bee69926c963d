package health

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

// ExamineStaged looks at what a commit is about to change, and at nothing else
// (SPEC GN-22): the report holds the findings that the commit introduces, or whose
// line it adds or changes, or whose measure it makes worse. changes are those of
// the index against HEAD, as gitops.Staged gives them; those outside the workspace
// are passed over. others are further parents of the commit, in a merge: what one
// of them has is not new.
func ExamineStaged(ctx context.Context, ws *memory.Workspace, changes []gitops.TreeChange, others []gitops.ID, opt Options) (*Report, error) {
	return stagedIn(ctx, ws, changes, others, families(), opt)
}

func stagedIn(ctx context.Context, ws *memory.Workspace, changes []gitops.TreeChange, others []gitops.ID, fams []Family, opt Options) (*Report, error) {
	head, err := ws.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	s := &staged{ws: ws, opt: opt, over: map[string]gitops.TreeEntry{}}
	for _, c := range changes {
		rel, ok := strings.CutPrefix(c.Path, ws.Prefix)
		if !ok {
			continue
		}
		s.over[rel] = c.New
		s.all = append(s.all, Change{rel, c.Old, c.New})
		if ws.Managed(rel) {
			s.changes = append(s.changes, s.all[len(s.all)-1])
		}
	}
	s.findRenames()
	snap, err := newObjects(ctx, ws, head.Commit, s.over)
	if err != nil {
		return nil, err
	}
	s.snap, s.git = snap, newGit(ws, nil)
	newSide := func(c Change) gitops.TreeEntry { return c.New }
	s.run = s.newRun(snap, newSide)
	rep := &Report{}
	if s.fams = s.touched(fams); len(s.fams) == 0 {
		rep.fill(s.run, nil, nil, newOut(nil, 0))
		return rep, nil
	}
	rank := s.run.choose(s.fams, opt, rep)
	out := newOut(rank, 0)
	files, err := s.files(ctx, s.run, s.snap, newSide)
	if err != nil {
		return nil, err
	}
	if rep.Files, err = s.run.look(ctx, s.fams, files, out); err != nil {
		return nil, err
	}
	list, err := s.run.exempt(ctx, s.fams, out.sorted())
	if err != nil {
		return nil, err
	}
	for _, base := range append([]gitops.ID{head.Commit}, others...) {
		if list, err = s.against(ctx, base, list); err != nil {
			return nil, err
		}
	}
	rep.fill(s.run, s.fams, list, recount(rank, list))
	if len(list) > maxKept {
		rep.Findings = rep.Findings[:maxKept]
	}
	return rep, nil
}

// recount makes an Out of the findings that are left.
func recount(rank map[string]int, list []Finding) *Out {
	out := newOut(rank, 0)
	for _, f := range list {
		out.Add(f)
	}
	return out
}

type staged struct {
	ws      *memory.Workspace
	opt     Options
	changes []Change // of managed paths
	all     []Change // below the root
	over    map[string]gitops.TreeEntry
	renamed map[string]string // new path to old
	snap    *objectSnapshot
	git     Git
	run     *Run
	fams    []Family
}

func (s *staged) newRun(snap Snapshot, side func(Change) gitops.TreeEntry) *Run {
	r := newRun(s.ws, snap, s.git, s.opt)
	r.Staged = true
	for _, c := range s.all {
		if !side(c).IsZero() {
			r.Touched = append(r.Touched, c.Path)
		}
	}
	return r
}

// findRenames pairs paths as the secret scan of a commit does.
func (s *staged) findRenames() {
	changes := make([]gitops.TreeChange, 0, len(s.changes))
	for _, c := range s.changes {
		changes = append(changes, gitops.TreeChange{Path: c.Path, Old: c.Old, New: c.New})
	}
	s.renamed = hooks.Renames(changes)
}

func (s *staged) oldPath(rel string) string {
	if old, ok := s.renamed[rel]; ok {
		return old
	}
	return rel
}

// touched leaves the families that have to do with what changes.
func (s *staged) touched(fams []Family) []Family {
	return slices.DeleteFunc(slices.Clone(fams), func(f Family) bool {
		if !slices.ContainsFunc(f.Checks, func(c Check) bool { return !c.Live }) || f.Look.wants == nil {
			return true
		}
		return !whenAny(f.Look.wants)(s.run, s.changes) && !asks(f.Whole, s) && !asks(f.Wake, s)
	})
}

func asks(f func(*Run, []Change) bool, s *staged) bool { return f != nil && f(s.run, s.all) }

// files says what each family reads of one side of the commit.
func (s *staged) files(ctx context.Context, r *Run, snap *objectSnapshot, side func(Change) gitops.TreeEntry) (func(Family) []File, error) {
	changed := make([]File, 0, len(s.changes))
	for _, c := range s.changes {
		if e := side(c); !e.IsZero() {
			changed = append(changed, file(s.ws, c.Path, e))
		}
	}
	sortFiles(changed)
	whole := map[string][]File{}
	for _, f := range s.fams {
		if !asks(f.Whole, s) {
			continue
		}
		list := snap.Files
		if f.Enter != nil {
			list = func(ctx context.Context) ([]File, error) { return snap.list(ctx, f.Enter) }
		}
		files, err := list(ctx)
		if err != nil {
			return nil, err
		}
		whole[f.Name] = files
	}
	return func(f Family) []File {
		all, ok := whole[f.Name]
		if !ok {
			return r.wanted(f, changed)
		}
		return r.wanted(f, withFiles(all, changed))
	}, nil
}

// withFiles adds files to a list, by path, each once.
func withFiles(list, more []File) []File {
	out := slices.Concat(list, more)
	sortFiles(out)
	return slices.CompactFunc(out, func(a, b File) bool { return a.Path == b.Path })
}

// against leaves the findings that a parent of the commit does not have.
func (s *staged) against(ctx context.Context, base gitops.ID, list []Finding) ([]Finding, error) {
	if len(list) == 0 || base.IsZero() {
		return list, nil
	}
	snap, err := newObjects(ctx, s.ws, base, nil)
	if err != nil {
		return nil, err
	}
	side, err := s.sideOf(ctx, snap)
	if err != nil {
		return nil, err
	}
	r := s.newRun(snap, side)
	r.on = s.run.on
	files, err := s.files(ctx, r, snap, side)
	if err != nil {
		return nil, err
	}
	rank := map[string]int{}
	for id := range r.on {
		rank[id] = 0
	}
	out := newOut(rank, 0)
	if _, err := r.look(ctx, s.fams, files, out); err != nil {
		return nil, err
	}
	cmp := &comparison{s: s, old: r, lines: map[string]*versions{}, known: map[string]int{}, moved: map[string]int{}, worst: map[string]int64{}}
	return cmp.filter(ctx, list, out.sorted())
}

// sideOf gives the entries of the changed paths in a parent.
func (s *staged) sideOf(ctx context.Context, snap *objectSnapshot) (func(Change) gitops.TreeEntry, error) {
	found := map[string]gitops.TreeEntry{}
	for _, c := range s.all {
		f, ok, err := snap.Lookup(ctx, c.Path)
		if err != nil {
			return nil, err
		}
		if ok {
			found[c.Path] = gitops.TreeEntry{Mode: f.Mode, ID: f.ID}
		}
	}
	return func(c Change) gitops.TreeEntry { return found[c.Path] }, nil
}

// comparison of the findings of the commit with those of a parent.
type comparison struct {
	s     *staged
	old   *Run
	lines map[string]*versions
	known map[string]int   // findings of the parent, by check, path and line
	moved map[string]int   // of them those on lines that are taken out, by all their lines
	worst map[string]int64 // the measure of the parent, by check and path
}

// versions are two versions of a file.
type versions struct {
	old, new [][]byte
	touched  []doc.LineHunk
}

func (c *comparison) filter(ctx context.Context, list, before []Finding) ([]Finding, error) {
	to := map[string]string{}
	for path, was := range c.s.renamed {
		to[was] = path
	}
	for _, f := range before {
		now, moved := to[f.Path]
		if !moved {
			now = f.Path
		}
		v, err := c.of(ctx, f.Path, now)
		if err != nil {
			return nil, err
		}
		c.known[key(f, f.Path, v.old)]++
		if slices.ContainsFunc(v.touched, func(h doc.LineHunk) bool { return f.Line > 0 && f.Line <= h.OldTo && f.end() > h.OldFrom }) {
			c.moved[whole(f, f.Path, v.old)]++
		}
		if f.Measure > 0 {
			k := measured(f, f.Path)
			c.worst[k] = max(c.worst[k], f.Measure)
		}
	}
	var out []Finding
	for _, f := range list {
		was := c.s.oldPath(f.Path)
		v, err := c.of(ctx, was, f.Path)
		if err != nil {
			return nil, err
		}
		if c.new(f, was, v) {
			out = append(out, f)
		}
	}
	return out, nil
}

// new reports whether the commit introduces a finding or touches it.
func (c *comparison) new(f Finding, was string, v *versions) bool {
	if f.Measure > 0 {
		worst, there := c.worst[measured(f, was)]
		return !there || f.Measure > worst
	}
	if f.Line > 0 && slices.ContainsFunc(v.touched, func(h doc.LineHunk) bool { return f.Line <= h.NewTo && f.end() > h.NewFrom }) {
		// As often as its lines were taken out elsewhere in the file they only moved.
		k := whole(f, was, v.new)
		c.moved[k]--
		return c.moved[k] < 0
	}
	k := key(f, was, v.new)
	c.known[k]--
	return c.known[k] < 0
}

// whole is a finding with all lines that it stands on, as they are.
func whole(f Finding, path string, lines [][]byte) string {
	from, to := min(f.Line-1, len(lines)), min(f.end(), len(lines))
	return f.ID + "\x00" + path + "\x00" + string(bytes.Join(lines[from:to], []byte{'\n'}))
}

// measured tells measures apart; a file may be too long in lines and in bytes.
func measured(f Finding, path string) string { return f.ID + "\x00" + path + "\x00" + f.Expected }

func key(f Finding, path string, lines [][]byte) string {
	text := ""
	if f.Line > 0 && f.Line <= len(lines) {
		text = normalLine(lines[f.Line-1])
	}
	return f.ID + "\x00" + path + "\x00" + text
}

// of reads both versions of a file, once.
func (c *comparison) of(ctx context.Context, oldPath, newPath string) (*versions, error) {
	if v, ok := c.lines[newPath]; ok {
		return v, nil
	}
	old, had, err := c.old.Text(ctx, oldPath)
	if err != nil {
		return nil, err
	}
	text, has, err := c.s.run.Text(ctx, newPath)
	if err != nil {
		return nil, err
	}
	v := &versions{} // of a file that is too large on one side: its findings are counted
	if had && has {
		v = &versions{old: Lines(old), new: Lines(text), touched: doc.LineDiff(old, text)}
	}
	c.lines[newPath] = v
	return v, nil
}
