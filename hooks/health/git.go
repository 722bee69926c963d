package health

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks/mergesetup"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/verdict"
)

// Git is what checks ask about history, refs and the state of the repository.
// Nothing is asked of git before a check calls, and each answer is kept. Paths are
// relative to the root.
type Git interface {
	// Status is git's, over the managed paths.
	Status(ctx context.Context) (*gitops.Status, error)
	// LastCommits gives the last commit of HEAD's history that changed each path.
	// Paths without one are absent.
	LastCommits(ctx context.Context, paths []string) (map[string]gitops.CommitTime, error)
	// LineDate is the author date of the commit that last changed a line, from 1; false
	// where the line is not committed.
	LineDate(ctx context.Context, path string, line int) (time.Time, bool, error)
	// Head returns a file as HEAD has it; nil and false where it has none.
	Head(ctx context.Context, path string) ([]byte, bool, error)
	// Adoption is the commit since which git claw records, the oldest of event
	// workspace.init or workspace.adopt; false where there is none.
	Adoption(ctx context.Context) (gitops.Commit, bool, error)
	// AtAdoption returns a file as the adoption commit had it.
	AtAdoption(ctx context.Context, path string) ([]byte, bool, error)
	// Since lists the commits after the adoption, or all where there is none, that
	// changed one of the paths, newest first, with trailers and with their paths. No
	// path stands for all managed ones.
	Since(ctx context.Context, paths ...string) ([]gitops.Commit, error)
	// Others lists the commits after the adoption that wrote more, or other things,
	// than notes, newest first, with trailers and paths: of many thousands of commits
	// these are few. Nothing is asked of git for a commit that is left out.
	Others(ctx context.Context) ([]gitops.Commit, error)
	// Newest is the newest commit of an event in HEAD's history; false: none.
	Newest(ctx context.Context, event string) (gitops.Commit, bool, error)
	// Every lists the commits of an event after the adoption, newest first.
	Every(ctx context.Context, event string) ([]gitops.Commit, error)
	// At returns a file of a commit.
	At(ctx context.Context, commit gitops.ID, path string) ([]byte, bool, error)
	// Commit returns a commit, without its trailers; nil where an id names none.
	Commit(ctx context.Context, id gitops.ID) (*gitops.Commit, error)
	// Note returns what refs/notes/claw says of a commit.
	Note(ctx context.Context, commit gitops.ID) ([]byte, bool, error)
	// SignedBy returns the fingerprints of the key that signed a commit, none where git
	// does not trust it.
	SignedBy(ctx context.Context, commit gitops.ID) ([]string, error)
	// Remotes are the names of the remotes that are set up.
	Remotes(ctx context.Context) ([]string, error)
	// Unpushed is the date of a commit of HEAD's history that is not younger than a
	// time and on no remote, as far as is known here; false: there is none.
	Unpushed(ctx context.Context, before time.Time) (time.Time, bool, error)
	// Merging says how git is set up to merge memory.
	Merging(ctx context.Context) (mergesetup.Status, error)
	// Refs lists refs below prefixes.
	Refs(ctx context.Context, prefixes ...string) ([]gitops.Ref, error)
	// Tracked lists the paths in the index below the root, managed or not.
	Tracked(ctx context.Context) ([]string, error)
}

// gitFacts asks the repository.
type gitFacts struct {
	ws       *memory.Workspace
	status   func(context.Context) (*gitops.Status, error)
	adoption func(context.Context) (*gitops.Commit, error)
	others   func(context.Context) ([]gitops.Commit, error)
	tracked  func(context.Context) ([]string, error)
	notes    func(context.Context) (gitops.ID, error)
}

// newGit makes a Git; st is an answer of git that is there already, or nil.
func newGit(ws *memory.Workspace, st *gitops.Status) *gitFacts {
	g := &gitFacts{ws: ws}
	g.status = once(func(ctx context.Context) (*gitops.Status, error) {
		if st != nil {
			return st, nil
		}
		return ws.Repo.Status(ctx, gitops.StatusOptions{Paths: ws.ManagedPaths(), Untracked: true})
	})
	g.adoption = once(g.findAdoption)
	g.others = once(g.findOthers)
	g.tracked = once(func(ctx context.Context) ([]string, error) {
		return g.below(ws.Repo.ListFiles(ctx, ws.PrefixPaths()...))
	})
	g.notes = once(func(ctx context.Context) (gitops.ID, error) {
		refs, err := ws.Repo.Refs(ctx, verdict.Ref)
		if err != nil || len(refs) == 0 {
			return gitops.ID{}, err
		}
		tree, err := ws.Repo.Objects().TreeOf(ctx, refs[0].ID)
		if absent(err) {
			return gitops.ID{}, nil
		}
		return tree, err
	})
	return g
}

// once asks at the first call and remembers the answer.
func once[T any](ask func(context.Context) (T, error)) func(context.Context) (T, error) {
	var o sync.Once
	var v T
	var err error
	return func(ctx context.Context) (T, error) {
		o.Do(func() { v, err = ask(ctx) })
		return v, err
	}
}

// below makes paths relative to the root and leaves out those beside it.
func (g *gitFacts) below(paths []string, err error) ([]string, error) {
	out := paths[:0]
	for _, p := range paths {
		if rel, ok := strings.CutPrefix(p, g.ws.Prefix); ok {
			out = append(out, rel)
		}
	}
	return out, err
}

func (g *gitFacts) Status(ctx context.Context) (*gitops.Status, error) { return g.status(ctx) }

func (g *gitFacts) head(ctx context.Context) (gitops.ID, error) {
	h, err := g.ws.Repo.Head(ctx)
	return h.Commit, err
}

func (g *gitFacts) LastCommits(ctx context.Context, paths []string) (map[string]gitops.CommitTime, error) {
	head, err := g.head(ctx)
	if err != nil || head.IsZero() || len(paths) == 0 {
		return nil, err
	}
	want := make(map[string]bool, len(paths))
	for _, p := range paths {
		want[g.ws.Prefix+p] = true
	}
	found, err := g.ws.Repo.LastCommits(ctx, head, want)
	if err != nil {
		return nil, err
	}
	out := make(map[string]gitops.CommitTime, len(found))
	for p, c := range found {
		out[strings.TrimPrefix(p, g.ws.Prefix)] = c
	}
	return out, nil
}

func (g *gitFacts) LineDate(ctx context.Context, path string, line int) (time.Time, bool, error) {
	b, err := g.ws.Repo.BlameLine(ctx, "", g.ws.Prefix+path, line)
	if err != nil || b.Commit.IsZero() {
		return time.Time{}, false, err
	}
	c, err := g.ws.Repo.Objects().Commit(ctx, b.Commit)
	if err != nil {
		return time.Time{}, false, err
	}
	return c.Author.When, true, nil
}

func (g *gitFacts) Head(ctx context.Context, path string) ([]byte, bool, error) {
	head, err := g.head(ctx)
	if err != nil {
		return nil, false, err
	}
	return g.At(ctx, head, path)
}

func (g *gitFacts) At(ctx context.Context, commit gitops.ID, path string) ([]byte, bool, error) {
	s, err := newObjects(ctx, g.ws, commit, nil)
	if err != nil {
		return nil, false, err
	}
	f, ok, err := s.Lookup(ctx, path)
	if err != nil || !ok || !f.Mode.IsFile() {
		return nil, false, err
	}
	b, err := s.Read(ctx, f)
	if errors.Is(err, gitops.ErrTooLarge) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// findAdoption looks for the oldest event: a workspace that was adopted again is
// the same workspace.
func (g *gitFacts) findAdoption(ctx context.Context) (*gitops.Commit, error) {
	var last *gitops.Commit
	want := strings.TrimSuffix(g.ws.Prefix, "/")
	opt := gitops.LogOptions{Grep: "Claw-Event: workspace.init", OrGrep: "Claw-Event: workspace.adopt"}
	for c, err := range g.ws.Repo.Log(ctx, opt) {
		if err != nil {
			return nil, err
		}
		event := c.Trailers.Get("Claw-Event")
		if (event == "workspace.init" || event == "workspace.adopt") && c.Trailers.Get("Claw-Workspace") == want {
			last = &c
		}
	}
	return last, nil
}

func (g *gitFacts) Adoption(ctx context.Context) (gitops.Commit, bool, error) {
	c, err := g.adoption(ctx)
	if err != nil || c == nil {
		return gitops.Commit{}, false, err
	}
	return *c, true, nil
}

func (g *gitFacts) AtAdoption(ctx context.Context, path string) ([]byte, bool, error) {
	c, ok, err := g.Adoption(ctx)
	if err != nil || !ok {
		return nil, false, err
	}
	return g.At(ctx, c.ID, path)
}

func (g *gitFacts) Since(ctx context.Context, paths ...string) ([]gitops.Commit, error) {
	opt := gitops.LogOptions{Paths: g.ws.ManagedPaths()}
	if len(paths) > 0 {
		opt.Paths = nil
		for _, p := range paths {
			opt.Paths = append(opt.Paths, g.ws.Prefix+p)
		}
	}
	return g.after(ctx, opt)
}

// noteEvents begin the events of commits that write notes and nothing else. They
// stand in lines of their own, and a message that quotes one hides its commit from
// a remark, no more.
var noteEvents = []string{"writeback", "episodic.", "breadcrumb.", "reference.", "l1.state", "scratch.", "candidate.", "reflect", "buffer.", "snapshot"}

func (g *gitFacts) findOthers(ctx context.Context) ([]gitops.Commit, error) {
	opt := gitops.LogOptions{}
	for _, e := range noteEvents {
		opt.Without = append(opt.Without, "Claw-Event: "+e)
	}
	return g.after(ctx, opt)
}

func (g *gitFacts) Others(ctx context.Context) ([]gitops.Commit, error) { return g.others(ctx) }

// after lists commits after the adoption.
func (g *gitFacts) after(ctx context.Context, opt gitops.LogOptions) ([]gitops.Commit, error) {
	opt.WithPaths = true
	c, ok, err := g.Adoption(ctx)
	if err != nil {
		return nil, err
	}
	if ok {
		opt.Revs = []string{c.ID.String() + "..HEAD"}
	}
	var out []gitops.Commit
	for c, err := range g.ws.Repo.Log(ctx, opt) {
		if err != nil {
			return nil, err
		}
		c.Paths, _ = g.below(c.Paths, nil)
		out = append(out, c)
	}
	return out, nil
}

func (g *gitFacts) Newest(ctx context.Context, event string) (gitops.Commit, bool, error) {
	want := strings.TrimSuffix(g.ws.Prefix, "/")
	for c, err := range g.ws.Repo.Log(ctx, gitops.LogOptions{Grep: "Claw-Event: " + event, Paths: g.ws.PrefixPaths(), WithPaths: true}) {
		if err != nil {
			return gitops.Commit{}, false, err
		}
		if c.Trailers.Get("Claw-Event") == event && c.Trailers.Get("Claw-Workspace") == want {
			c.Paths, _ = g.below(c.Paths, nil)
			return c, true, nil
		}
	}
	return gitops.Commit{}, false, nil
}

func (g *gitFacts) Every(ctx context.Context, event string) ([]gitops.Commit, error) {
	commits, err := g.after(ctx, gitops.LogOptions{Grep: "Claw-Event: " + event})
	want := strings.TrimSuffix(g.ws.Prefix, "/")
	return slices.DeleteFunc(commits, func(c gitops.Commit) bool {
		return c.Trailers.Get("Claw-Event") != event || c.Trailers.Get("Claw-Workspace") != want
	}), err
}

func (g *gitFacts) Commit(ctx context.Context, id gitops.ID) (*gitops.Commit, error) {
	c, err := g.ws.Repo.Objects().Commit(ctx, id)
	if absent(err) {
		return nil, nil //nolint:nilnil // as Git says
	}
	return c, err
}

// absent tells an object that is missing, or of another kind, from a failure of the
// machine: whoever can push can have a ref name anything.
func absent(err error) bool {
	var kind *gitops.KindError
	return errors.Is(err, gitops.ErrNoObject) || errors.As(err, &kind)
}

// Note looks into the tree of the notes, whose names are ids, cut into folders
// when there are many.
func (g *gitFacts) Note(ctx context.Context, commit gitops.ID) ([]byte, bool, error) {
	tree, err := g.notes(ctx)
	if err != nil || tree.IsZero() {
		return nil, false, err
	}
	_, e, ok, err := g.ws.Repo.Objects().Note(ctx, tree, commit)
	if err != nil || !ok {
		return nil, false, err
	}
	b, err := g.ws.Repo.Objects().Blob(ctx, e.ID)
	if absent(err) {
		return nil, false, nil
	}
	return b, err == nil, err
}

func (g *gitFacts) SignedBy(ctx context.Context, commit gitops.ID) ([]string, error) {
	return g.ws.Repo.SignedBy(ctx, commit)
}

func (g *gitFacts) Remotes(ctx context.Context) ([]string, error) {
	c, err := g.ws.Repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, full := range c.Names() {
		if name, ok := strings.CutPrefix(full, "remote."); ok && strings.HasSuffix(name, ".url") {
			out = append(out, strings.TrimSuffix(name, ".url"))
		}
	}
	slices.Sort(out)
	return out, nil
}

func (g *gitFacts) Unpushed(ctx context.Context, before time.Time) (time.Time, bool, error) {
	refs, err := g.ws.Repo.Refs(ctx, "refs/remotes")
	if err != nil {
		return time.Time{}, false, err
	}
	when, ok, err := g.unpushed(ctx, refs, before)
	var failed *gitops.GitError
	if errors.As(err, &failed) { // git reads nothing where one ref cannot be read
		var commits []gitops.Ref
		for _, r := range refs {
			c, err := g.Commit(ctx, r.ID)
			if err != nil {
				return time.Time{}, false, err
			}
			if c != nil {
				commits = append(commits, r)
			}
		}
		when, ok, err = g.unpushed(ctx, commits, before)
	}
	return when, ok, err
}

func (g *gitFacts) unpushed(ctx context.Context, refs []gitops.Ref, before time.Time) (time.Time, bool, error) {
	revs := []string{"HEAD"}
	for _, r := range refs {
		revs = append(revs, "^"+r.Name)
	}
	for c, err := range g.ws.Repo.Log(ctx, gitops.LogOptions{Revs: revs, Until: before.Format(time.RFC3339), Max: 1}) {
		return c.Author.When, err == nil, err
	}
	return time.Time{}, false, nil
}

func (g *gitFacts) Merging(ctx context.Context) (mergesetup.Status, error) {
	return mergesetup.Setup{Workspace: g.ws}.Look(ctx)
}

func (g *gitFacts) Refs(ctx context.Context, prefixes ...string) ([]gitops.Ref, error) {
	return g.ws.Repo.Refs(ctx, prefixes...)
}

func (g *gitFacts) Tracked(ctx context.Context) ([]string, error) { return g.tracked(ctx) }
