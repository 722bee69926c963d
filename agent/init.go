package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/hooks/githook"
	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory"
)

// InitOptions says how a workspace is made or adopted.
type InitOptions struct {
	Dir     string // absolute
	Host    string // a host's name; "" or auto: what the folder says
	Layout  string // "" or "canonical"
	Team    bool
	NoTags  bool
	Import  string // absolute folder to copy from, or ""
	Domain  string // the agent's domain for IDENTITY.md of a new workspace
	Binary  string // absolute path of git-claw, recorded in hooks
	DryRun  bool
	NoHooks bool
}

// InitResult is what was done, or would be done on a dry run.
type InitResult struct {
	Workspace *memory.Workspace // nil on a dry run without a repository
	NewRepo   bool
	Updated   bool // it was a workspace already; something was added to it
	Plan      *memory.InitPlan
	Baseline  *SaveResult // what was there before, recorded first
	Commit    gitops.ID   // zero: there was nothing to change
	Hooks     []githook.Result
	Merge     []string // what was set up for merging, a short phrase each
	Notices   []string // recommendations and limits, a line each
}

// Init makes a folder a workspace, or adopts one that is in use (SPEC WS-33). It
// changes no existing line, and a second run changes nothing.
func Init(ctx context.Context, git *gitops.Git, caller Caller, opt InitOptions) (*InitResult, error) {
	res := &InitResult{}
	repo, err := gitops.Open(ctx, git, nearest(opt.Dir))
	switch {
	case errors.Is(err, gitops.ErrNotRepository):
		res.NewRepo = true
	case err != nil:
		return nil, err
	case repo.Bare:
		return nil, gitops.ErrBare
	case repo.InHook:
		return nil, gitops.ErrInHook
	}
	if repo != nil && !opt.DryRun && repo.NeedsRecovery() {
		// An init that was killed has put its files into place: the plan is empty
		// then, and nothing below would finish its commit.
		if _, err := repo.Recover(ctx); err != nil {
			return nil, err
		}
	}
	in := &initer{git: git, caller: caller, opt: opt, res: res, repo: repo}
	if err := in.plan(ctx); err != nil {
		return nil, err
	}
	if opt.DryRun {
		if err := in.foresee(ctx); err != nil {
			return nil, err
		}
		return res, in.notices(ctx)
	}
	if err := in.prepare(ctx); err != nil {
		return nil, err
	}
	if err := in.baseline(ctx); err != nil {
		return res, err
	}
	if err := in.apply(ctx); err != nil {
		return res, err
	}
	return res, in.finish(ctx)
}

// nearest is the folder itself, or the nearest one above it that is there.
func nearest(dir string) string {
	for {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// exists reports whether the folder is there already.
func (in *initer) exists() bool { return nearest(in.opt.Dir) == in.opt.Dir }

type initer struct {
	git    *gitops.Git
	caller Caller
	opt    InitOptions
	res    *InitResult
	repo   *gitops.Repo
	apart  []memory.PlannedFile // are written, and stay out of git
}

func (in *initer) plan(ctx context.Context) error {
	var err error
	if in.repo != nil {
		if p := in.repo.Progress(); p != nil {
			return p
		}
		if in.exists() {
			if in.res.Workspace, err = memory.At(ctx, in.repo, in.opt.Dir); err != nil {
				return err
			}
		}
	}
	in.res.Plan, err = memory.PlanInit(memory.InitRequest{
		Dir: in.opt.Dir, Host: in.opt.Host, Workspace: in.res.Workspace, Canonical: in.opt.Layout == "canonical",
		Team: in.opt.Team, NoTags: in.opt.NoTags, Import: in.opt.Import, Domain: in.opt.Domain, Now: in.git.Env().Now(),
	})
	if err != nil || in.res.Workspace == nil || len(in.res.Plan.Files) == 0 {
		return err
	}
	// Refused now, before the baseline is committed, and not half-way.
	_, err = in.unstaged(ctx)
	return err
}

// prepare makes the repository where there is none, and asks git for an identity
// before anything is written.
func (in *initer) prepare(ctx context.Context) error {
	if err := gitops.CheckIdent(ctx, in.git, nearest(in.opt.Dir)); err != nil {
		return err
	}
	if in.res.Workspace != nil {
		return nil
	}
	if err := os.MkdirAll(in.opt.Dir, 0o777); err != nil {
		return fmt.Errorf("make '%s': %w", in.opt.Dir, err)
	}
	var err error
	if in.repo == nil {
		if in.repo, err = gitops.Create(ctx, in.git, in.opt.Dir); err != nil {
			return err
		}
	}
	in.res.Workspace, err = memory.At(ctx, in.repo, in.opt.Dir)
	return err
}

// baseline records what was there before, as nobody's: history starts with the
// workspace as git claw found it, and nothing of it counts as an edit to review.
func (in *initer) baseline(ctx context.Context) error {
	if in.res.Workspace.Adopted {
		return nil
	}
	res := &SaveResult{}
	in.res.Baseline = res
	for range maxRaces {
		s := newSaver(in.res.Workspace, Caller{Actor: Unknown}, SaveOptions{Message: "record what was here before git claw", DryRun: in.opt.DryRun}, res)
		s.baseline = true
		err := s.run(ctx)
		var moved *gitops.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
	return &gitops.MovedError{Subject: "HEAD"}
}

// apply writes the plan's files and commits exactly them.
func (in *initer) apply(ctx context.Context) error {
	ws, plan := in.res.Workspace, in.res.Plan
	if len(plan.Files) == 0 {
		return nil
	}
	in.res.Updated = ws.Adopted
	w, err := Writer(ctx, ws)
	if err != nil {
		return err
	}
	event, verb := in.occasion()
	id, err := NewID(in.git.Env())
	if err != nil {
		return err
	}
	tr := append(Trailers(ws, in.caller.Clean(), event, id),
		gitops.Trailer{Key: "Claw-Profile", Value: strings.Join(profileNames(plan.Profiles), " ")},
		gitops.Trailer{Key: "Claw-Host", Value: plan.Host})
	for range maxRaces {
		tx, err := in.transaction(ctx)
		if err != nil {
			return err
		}
		tx.Message = gitops.FormatMessage("claw(workspace): "+verb, "", tr)
		r, err := w.Commit(ctx, tx)
		in.res.Commit = r.Commit
		var moved *gitops.MovedError
		switch {
		case err == nil, errors.Is(err, gitops.ErrNothing): // another init was quicker
			return in.placeApart()
		case !errors.As(err, &moved):
			return err
		}
	}
	return &gitops.MovedError{Subject: "HEAD"}
}

// occasion names the commit: a workspace is made or adopted once; what comes
// later adds to it.
func (in *initer) occasion() (event, summary string) {
	plan := in.res.Plan
	imported := 0
	for _, f := range plan.Files {
		if f.Imported {
			imported++
		}
	}
	switch {
	case plan.Fresh:
		return eventInit, "make this workspace"
	case !in.res.Workspace.Adopted:
		return eventAdopt, "adopt this workspace"
	case imported > 0:
		return eventAdopt, "import " + plural(imported, "file")
	}
	return eventAdopt, "bring this workspace up to date"
}

// placeApart writes the files of the plan that its own rules ignore.
func (in *initer) placeApart() error {
	for _, f := range in.apart {
		err := in.res.Workspace.Repo.PlaceWork(in.res.Workspace.Prefix+f.Path, gitops.Place{Base: f.Old, Existed: f.Existed, Content: f.New})
		if err != nil {
			return fmt.Errorf("write '%s': %w", f.Path, err)
		}
	}
	return nil
}

// transaction turns the plan into changes. A file that has unsaved edits, such
// as a .gitignore, gets our lines in the work tree and in the commit, and its
// edits stay unsaved.
func (in *initer) transaction(ctx context.Context) (gitops.Tx, error) {
	ws, plan := in.res.Workspace, in.res.Plan
	st, err := in.unstaged(ctx)
	if err != nil {
		return gitops.Tx{}, err
	}
	entries := map[string]gitops.StatusEntry{}
	for _, e := range st.Entries {
		entries[e.Path] = e
	}
	tree, err := ws.Repo.Objects().TreeOf(ctx, st.Head.Commit)
	if err != nil {
		return gitops.Tx{}, err
	}
	tx := gitops.Tx{Head: st.Head.Commit, Seen: st.Seen}
	in.apart = nil
	for _, f := range plan.Files {
		path := ws.Prefix + f.Path
		e, dirty := entries[path]
		old, ok, err := ws.Repo.Objects().Lookup(ctx, tree, path)
		if err != nil {
			return tx, err
		}
		if !ok && plan.Ignores(f.Path) {
			in.apart = append(in.apart, f)
			continue
		}
		ch := gitops.Change{
			Path: path, Content: f.New, HeadID: old.ID, IndexID: old.ID,
			Place: &gitops.Place{Base: f.Old, Existed: f.Existed, Content: f.New},
		}
		if dirty {
			ch.IndexID = e.IndexID
		}
		if suffix, appended := bytes.CutPrefix(f.New, f.Old); dirty && ok && f.Existed && appended {
			head, err := ws.Repo.Objects().Blob(ctx, old.ID)
			if err != nil {
				return tx, err
			}
			if len(head) > 0 && head[len(head)-1] != '\n' && (len(suffix) == 0 || suffix[0] != '\n') {
				head = append(head, '\n')
			}
			ch.Content = append(head, suffix...)
		}
		keep, err := in.holdBack(ctx, f.Path, old, &ch)
		if err != nil {
			return tx, err
		}
		if !keep {
			in.apart = append(in.apart, f)
			continue
		}
		tx.Changes = append(tx.Changes, ch)
	}
	return tx, nil
}

// holdBack takes secrets out of what an import or an ignore file would commit, as
// a save does; the files get them all the same. It returns false when nothing of
// the file can be committed.
func (in *initer) holdBack(ctx context.Context, rel string, old gitops.TreeEntry, ch *gitops.Change) (bool, error) {
	if found := secret.New().Scan([]byte(rel)); old.IsZero() && len(found) > 0 {
		in.hold(Skipped{Path: path.Dir(rel), Reason: "secret in the name of a file: " + found[0].Kind, Held: true})
		return false, nil
	}
	var head []byte
	if old.Mode.IsFile() {
		var err error
		if head, err = in.res.Workspace.Repo.Objects().Blob(ctx, old.ID); err != nil {
			return false, err
		}
	}
	kept, flagged := hooks.WithoutSecrets(secret.New(), head, ch.Content)
	if len(flagged) == 0 {
		return true, nil
	}
	for _, f := range flagged {
		in.hold(Skipped{Path: rel, Line: f.Line, Reason: "secret: " + f.Kind, Held: true})
	}
	if name := path.Base(rel); !isText(rel, ch.Content) && name != ".gitignore" && name != ".gitattributes" {
		return false, nil
	}
	ch.Content = kept
	return len(bytes.TrimSpace(ch.Content)) > 0, nil
}

// hold tells once what was held back.
func (in *initer) hold(k Skipped) {
	if in.res.Baseline == nil {
		in.res.Baseline = &SaveResult{}
	}
	if !slices.Contains(in.res.Baseline.Skipped, k) {
		in.res.Baseline.Skipped = append(in.res.Baseline.Skipped, k)
	}
}

// unstaged is the state of the files that the plan changes. A partly staged one is
// refused: what is staged would be lost.
func (in *initer) unstaged(ctx context.Context) (*gitops.Status, error) {
	ws := in.res.Workspace
	paths := make([]string, len(in.res.Plan.Files))
	for i, f := range in.res.Plan.Files {
		paths[i] = ws.Prefix + f.Path
	}
	st, err := ws.Repo.PathStatus(ctx, gitops.StatusOptions{Paths: paths, Untracked: true})
	if err != nil {
		return nil, err
	}
	for _, e := range st.Entries {
		if e.Partial() || e.Unmerged() {
			rel := strings.TrimPrefix(e.Path, ws.Prefix)
			return nil, &RefusedError{
				Problem: fmt.Sprintf("'%s' is partly staged", rel),
				Advice:  []string{"commit it with git, or unstage it with 'git restore --staged " + shellQuote(rel) + "'"},
			}
		}
	}
	return st, nil
}

func profileNames(on []memory.Profile) []string {
	out := make([]string, len(on))
	for i, p := range on {
		out[i] = string(p)
	}
	return out
}

// finish installs git hooks and reads the workspace as it is now.
func (in *initer) finish(ctx context.Context) error {
	ws, err := memory.At(ctx, in.repo, in.opt.Dir)
	if err != nil {
		return err
	}
	in.res.Workspace = ws
	if !in.opt.NoHooks {
		if in.res.Hooks, err = InstallHooks(ctx, ws, in.opt.Binary); err != nil {
			in.res.Notices = append(in.res.Notices, "git hooks were not installed: "+err.Error())
		}
	}
	in.setUpMerge(ctx)
	return in.notices(ctx)
}
