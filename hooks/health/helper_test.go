package health

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/hooks/mergesetup"
	"github.com/git-claw/git-claw/memory"
)

// tree is the files of a workspace, by path.
type tree map[string]string

// checkCase is one test of one check. Every profile is on and the host is
// openclaw, where config says nothing else.
type checkCase struct {
	id   string
	name string
	edge bool // at the boundary of what passes

	files   tree
	ignored tree              // files that git ignores
	links   map[string]string // symbolic links, path to target
	config  []string          // lines below [claw] of .claw/config, such as "hot.maxLines = 40"
	local   []string          // of git's own configuration, such as "claw.health.disable=L1-001"
	now     string            // RFC 3339, else 2026-03-01T12:00:00Z, a Sunday
	git     *fakeGit
	seen    string // when the edits were seen first, RFC 3339
	alive   []int  // processes of this machine, whose name is "here"

	// want are the findings of the check, as `FAIL MEMORY.md:3`, `WARN MEMORY.md`,
	// or `FAIL` for one of no file. None: it passes.
	want []string
}

// lab makes workspaces, one for each configuration.
type lab struct {
	t   testing.TB
	mu  sync.Mutex
	all map[string]*memory.Workspace
}

func newLab(t testing.TB) *lab { return &lab{t: t, all: map[string]*memory.Workspace{}} }

// workspace is an empty one. config replaces the lines that give it all profiles and
// the host openclaw where it names them.
func (l *lab) workspace(config, local []string) *memory.Workspace {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := strings.Join(config, "\n") + "\x00" + strings.Join(local, "\n")
	if ws := l.all[key]; ws != nil {
		return ws
	}
	opts := []gittest.Option{gittest.Unborn()}
	for _, kv := range local {
		name, value, _ := strings.Cut(kv, "=")
		opts = append(opts, gittest.Config(name, value))
	}
	repo := gittest.New(l.t, opts...)
	repo.Write(".claw/config", configText(config))
	ws, err := memory.Find(context.Background(), repo.Open())
	if err != nil {
		l.t.Fatal(err)
	}
	l.all[key] = ws
	return ws
}

func configText(lines []string) string {
	var b strings.Builder
	b.WriteString("[claw]\n\tversion = 1\n")
	has := func(name string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+" ") })
	}
	if !has("host") {
		b.WriteString("\thost = openclaw\n")
	}
	if !has("profiles") {
		b.WriteString("\tprofiles = three_layer openclaw_memory learnings self_improving skills\n")
	}
	if !has("timezone") {
		b.WriteString("\ttimezone = UTC\n")
	}
	for _, l := range lines {
		// git parts a name at its last dot: `hot.maxLines` is [claw "hot"] maxLines.
		name, value, _ := strings.Cut(l, " = ")
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			fmt.Fprintf(&b, "[claw %q]\n\t%s = %s\n[claw]\n", name[:i], name[i+1:], value)
			continue
		}
		fmt.Fprintf(&b, "\t%s = %s\n", name, value)
	}
	return b.String()
}

// memSnapshot is a snapshot in memory.
type memSnapshot struct {
	ws    *memory.Workspace
	files []File
	text  map[string]string
}

func newMem(ws *memory.Workspace, files, ignored tree, links map[string]string) *memSnapshot {
	s := &memSnapshot{ws: ws, text: map[string]string{}}
	add := func(rel, text string, mode gitops.Mode, listed bool) {
		s.text[rel] = text
		f := File{Path: rel, Kind: ws.Kind(rel), Mode: mode, Size: int64(len(text)), Tracked: listed}
		if listed && ws.Managed(rel) {
			s.files = append(s.files, f)
		}
	}
	for rel, text := range files {
		add(rel, text, gitops.ModeFile, true)
	}
	for rel, to := range links {
		add(rel, to, gitops.ModeSymlink, true)
	}
	for rel, text := range ignored {
		add(rel, text, gitops.ModeFile, false)
	}
	sortFiles(s.files)
	return s
}

func (s *memSnapshot) Files(context.Context) ([]File, error) { return s.files, nil }

func (s *memSnapshot) Lookup(_ context.Context, rel string) (File, bool, error) {
	for _, f := range s.files {
		if f.Path == rel {
			return f, true, nil
		}
	}
	text, ok := s.text[rel]
	return File{Path: rel, Kind: s.ws.Kind(rel), Mode: gitops.ModeFile, Size: int64(len(text))}, ok, nil
}

func (s *memSnapshot) Read(_ context.Context, f File) ([]byte, error) {
	text, ok := s.text[f.Path]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(text), nil
}

// fakeGit answers what a case says; its zero value knows of nothing.
type fakeGit struct {
	status  *gitops.Status
	last    map[string]string // path to the date of its last commit, RFC 3339
	lines   map[string]string // `path:line` to its date
	head    tree
	adopted tree // what the adoption commit held; nil: there is none
	since   []gitops.Commit
	newest  map[string]gitops.Commit // by event
	at      map[gitops.ID]tree
	refs    []gitops.Ref
	tracked []string
	commits map[gitops.ID]string // dates
	parents map[gitops.ID]gitops.ID
	notes   map[gitops.ID]string
	signed  map[gitops.ID]string // fingerprints
	remotes []string
	pushed  string // the date up to which commits are on a remote, RFC 3339; "": all are
	merging mergesetup.State
}

func date(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func (g *fakeGit) Status(context.Context) (*gitops.Status, error) {
	if g.status == nil {
		return &gitops.Status{}, nil
	}
	return g.status, nil
}

func (g *fakeGit) LastCommits(_ context.Context, paths []string) (map[string]gitops.CommitTime, error) {
	out := map[string]gitops.CommitTime{}
	for _, p := range paths {
		if d, ok := g.last[p]; ok {
			out[p] = gitops.CommitTime{Author: date(d)}
		}
	}
	return out, nil
}

func (g *fakeGit) LineDate(_ context.Context, path string, line int) (time.Time, bool, error) {
	d, ok := g.lines[fmt.Sprintf("%s:%d", path, line)]
	if !ok {
		return time.Time{}, false, nil
	}
	return date(d), true, nil
}

func (t tree) get(path string) ([]byte, bool, error) {
	text, ok := t[path]
	return []byte(text), ok, nil
}

func (g *fakeGit) Head(_ context.Context, path string) ([]byte, bool, error) { return g.head.get(path) }

func (g *fakeGit) Adoption(context.Context) (gitops.Commit, bool, error) {
	return gitops.Commit{}, g.adopted != nil, nil
}

func (g *fakeGit) AtAdoption(_ context.Context, path string) ([]byte, bool, error) {
	return g.adopted.get(path)
}

func (g *fakeGit) Since(_ context.Context, paths ...string) ([]gitops.Commit, error) {
	var out []gitops.Commit
	for _, c := range g.since {
		if len(paths) == 0 || slices.ContainsFunc(c.Paths, func(p string) bool {
			return slices.ContainsFunc(paths, func(q string) bool { return p == q || strings.HasPrefix(p, q+"/") })
		}) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (g *fakeGit) Others(ctx context.Context) ([]gitops.Commit, error) { return g.Since(ctx) }

func (g *fakeGit) Newest(_ context.Context, event string) (gitops.Commit, bool, error) {
	c, ok := g.newest[event]
	return c, ok, nil
}

func (g *fakeGit) Every(_ context.Context, event string) ([]gitops.Commit, error) {
	return slices.DeleteFunc(slices.Clone(g.since), func(c gitops.Commit) bool { return c.Trailers.Get("Claw-Event") != event }), nil
}

func (g *fakeGit) At(_ context.Context, commit gitops.ID, path string) ([]byte, bool, error) {
	return g.at[commit].get(path)
}

func (g *fakeGit) Refs(_ context.Context, prefixes ...string) ([]gitops.Ref, error) {
	var out []gitops.Ref
	for _, r := range g.refs {
		if slices.ContainsFunc(prefixes, func(p string) bool { return r.Name == p || strings.HasPrefix(r.Name, p+"/") }) {
			out = append(out, r)
		}
	}
	return out, nil
}

func (g *fakeGit) Commit(_ context.Context, id gitops.ID) (*gitops.Commit, error) {
	if _, ok := g.commits[id]; !ok {
		return nil, nil //nolint:nilnil // as Git says
	}
	c := &gitops.Commit{ID: id, Author: gitops.Ident{When: date(g.commits[id])}}
	if p, ok := g.parents[id]; ok {
		c.Parents = []gitops.ID{p}
	}
	return c, nil
}

func (g *fakeGit) Note(_ context.Context, commit gitops.ID) ([]byte, bool, error) {
	n, ok := g.notes[commit]
	return []byte(n), ok, nil
}

func (g *fakeGit) SignedBy(_ context.Context, commit gitops.ID) ([]string, error) {
	return []string{g.signed[commit]}, nil
}

func (g *fakeGit) Merging(context.Context) (mergesetup.Status, error) {
	st := mergesetup.Status{State: mergesetup.Current, Runnable: true, Attributes: true, Committed: true}
	switch g.merging {
	case "":
	case "unrunnable":
		st.Runnable = false
	case "attributes":
		st.Attributes, st.Committed = false, false
	default:
		st.State = g.merging
	}
	return st, nil
}

func (g *fakeGit) Remotes(context.Context) ([]string, error) { return g.remotes, nil }

// Unpushed: the first commit after pushed is a second younger.
func (g *fakeGit) Unpushed(_ context.Context, before time.Time) (time.Time, bool, error) {
	if g.pushed == "" {
		return time.Time{}, false, nil
	}
	first := date(g.pushed).Add(time.Second)
	return first, !first.After(before), nil
}

func (g *fakeGit) Tracked(context.Context) ([]string, error) { return g.tracked, nil }

// named is a key of claw.approve.keys where signatures says that only these count.
const named = "SHA256:namedKey"

var signatures = []string{"claw.approve.requireSignature=true", "claw.approve.keys=" + named}

// signs signs the merge 6 with a key.
func signs(key string, g *fakeGit) *fakeGit {
	g.signed = map[gitops.ID]string{oid(6): key}
	return g
}

// commitWith is a commit with trailers, `Key: value` each.
func commitWith(when string, paths []string, trailers ...string) gitops.Commit {
	c := gitops.Commit{Author: gitops.Ident{When: date(when)}, Paths: paths}
	for _, t := range trailers {
		k, v, _ := strings.Cut(t, ": ")
		c.Trailers = append(c.Trailers, gitops.Trailer{Key: k, Value: v})
	}
	return c
}

// report runs the check of a case.
func (c checkCase) report(l *lab) *Report {
	l.t.Helper()
	ws := l.workspace(c.config, c.local)
	git := c.git
	if git == nil {
		git = &fakeGit{}
	}
	opt := Options{Only: []string{c.id}, Hostname: "here", Alive: func(pid int) bool { return slices.Contains(c.alive, pid) }}
	if c.seen != "" {
		opt.UnsavedSince = func(string, gitops.ID) time.Time { return date(c.seen) }
	}
	r := newRun(ws, newMem(ws, c.files, c.ignored, c.links), git, opt)
	r.Now = date("2026-03-01T12:00:00Z")
	if c.now != "" {
		r.Now = date(c.now)
	}
	rep, err := examine(context.Background(), r, families(), opt)
	if err != nil {
		l.t.Fatalf("%s %s: %v", c.id, c.name, err)
	}
	return rep
}

func brief(f Finding) string {
	s := string(f.Status)
	if f.Path != "" {
		s += " " + f.Path
	}
	if f.Line > 0 {
		s += fmt.Sprintf(":%d", f.Line)
	}
	return s
}
