package agent

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/testdata/shapes"
)

// Adopting a workspace of any shape changes no existing byte, doing it again
// changes nothing, and the commands of a day lose nothing.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, shape := range shapes.All() {
		if shape.Refusal == shapes.ReadOnly {
			continue // TestReadOnly: the superuser may write everywhere
		}
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
			shape.Make(t, s.Dir)
			outside := outsideOf(t, s)
			for _, root := range shape.Folders() {
				w := s.at(root)
				if shape.Refusal != "" {
					w.refused(shape.Refusal)
					continue
				}
				w.adoption()
				w.day()
			}
			for _, value := range shape.Withheld {
				s.noValue(value)
			}
			sameFiles(t, "something", outside, outsideOf(t, s), nil)
			s.CheckClean(s.Status()...)
		})
	}
}

// outsideOf reads what lies beside the repository.
func outsideOf(t *testing.T, s *space) map[string]file {
	t.Helper()
	if _, err := os.Stat(shapes.Outside(s.Dir)); err != nil {
		return nil
	}
	return readFiles(t, shapes.Outside(s.Dir), "")
}

// refused: a clear error of the right kind, and nothing changed.
func (s *space) refused(kind shapes.Refusal) {
	s.t.Helper()
	files, state := s.files(), s.state()
	_, err := s.init(nil)
	var ident *gitops.IdentError
	var progress *gitops.ProgressError
	var no *RefusedError
	switch kind {
	case shapes.NoIdentity:
		if !errors.As(err, &ident) {
			s.t.Errorf("init: %v, want *IdentError", err)
		}
	case shapes.PartlyStaged:
		if !errors.As(err, &no) {
			s.t.Errorf("init: %v, want *RefusedError", err)
		}
	case shapes.InProgress:
		if !errors.As(err, &progress) {
			s.t.Errorf("init: %v, want *ProgressError", err)
		}
	}
	sameFiles(s.t, "a refused init", files, s.files(), nil)
	if now := s.state(); now != state {
		s.t.Errorf("a refused init changed HEAD, refs or index")
	}
}

// adoption adopts and compares every file with what it was.
func (s *space) adoption() {
	s.t.Helper()
	adopted := s.open().Adopted // a clone may bring its .claw/config
	before, all := s.files(), readFiles(s.t, s.Dir, "")
	if _, err := s.init(func(o *InitOptions) { o.DryRun = true }); err != nil {
		s.t.Fatalf("init --dry-run: %v", err)
	}
	sameFiles(s.t, "init --dry-run", all, readFiles(s.t, s.Dir, ""), nil)

	old := map[string]string{}
	for _, name := range s.blocks() {
		if b, err := os.ReadFile(s.Path(name)); err == nil {
			old[name] = string(b)
		}
	}
	res, err := s.init(nil)
	if err != nil {
		s.t.Fatalf("init: %v", err)
	}
	if !adopted && (res.Commit.IsZero() || !res.Workspace.Adopted) {
		s.t.Errorf("init made no commit")
	}
	config := path.Join(s.root, ".claw/config")
	after := s.files()
	sameFiles(s.t, "init", before, after, func(p string) bool {
		_, had := before[p]
		return slices.Contains(s.blocks(), p) || p == config && !had
	})
	for _, name := range s.blocks() {
		b, err := os.ReadFile(s.Path(name))
		if err != nil || !strings.HasPrefix(string(b), old[name]) {
			s.t.Errorf("init: the old bytes of '%s' are not at its beginning (%v)", name, err)
		}
		if was, had := before[name]; had && was.mode != after[name].mode {
			s.t.Errorf("init changed the mode of '%s'", name)
		}
	}
	state := s.state()
	second, err := s.init(nil)
	if err != nil {
		s.t.Fatalf("second init: %v", err)
	}
	if !second.Commit.IsZero() || len(second.Plan.Files) > 0 || second.Baseline != nil && len(second.Baseline.Commits) > 0 {
		s.t.Errorf("the second init did something: %d files, commit %v", len(second.Plan.Files), second.Commit)
	}
	sameFiles(s.t, "a second init", after, s.files(), nil)
	if s.state() != state {
		s.t.Error("a second init changed HEAD, refs or index")
	}
}

// blocks are the files that get a marked block.
func (s *space) blocks() []string {
	return []string{path.Join(s.root, ".gitignore"), path.Join(s.root, ".gitattributes")}
}

// day runs what is run every day, and takes the last change back.
func (s *space) day() {
	s.t.Helper()
	ctx := context.Background()
	files := s.files()
	if _, err := os.Lstat(filepath.Join(s.dir(), "memory")); err == nil {
		s.Write(path.Join(s.root, "memory/fresh.md"), "# Fresh\n\n- a new note\n")
		files = s.files()
	}
	s.saveAs(Agent, SaveOptions{Message: "a day's work"})
	if again := s.saveAs(Agent, SaveOptions{}); len(again.Commits) > 0 {
		s.t.Errorf("the second save made commits: %q", again.brief())
	}
	for i, look := range []func() error{
		func() error { _, err := Status(ctx, s.open(), nil); return err },
		func() error {
			ws := s.open()
			_, err := Doctor(ctx, ws.Repo.Git, ws, DoctorOptions{Binary: "/opt/bin/git-claw"})
			return err
		},
		func() error { return drain(ctx, s.open()) },
		func() error { return drainDiff(ctx, s.open(), DiffOptions{}) },
		func() error { return drainDiff(ctx, s.open(), DiffOptions{Since: "HEAD~1"}) },
	} {
		if err := look(); err != nil {
			s.t.Errorf("look %d: %v", i, err)
		}
	}
	sameFiles(s.t, "a day", files, s.files(), nil)
	s.takeBack(files)
}

func drain(ctx context.Context, ws *memory.Workspace) error {
	for _, err := range History(ctx, ws, HistoryOptions{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

func drainDiff(ctx context.Context, ws *memory.Workspace, opt DiffOptions) error {
	res, err := Diff(ctx, ws, opt)
	if err != nil {
		return err
	}
	for _, err := range res.Files {
		if err != nil {
			return err
		}
	}
	return nil
}

// takeBack undoes the last change of a note: what it removes from the work tree
// is in git's history.
func (s *space) takeBack(files map[string]file) {
	s.t.Helper()
	ctx := context.Background()
	last, err := LastAgentChange(ctx, s.open())
	if err != nil {
		s.t.Fatal(err)
	}
	if last == nil {
		return
	}
	blobs := map[string]string{}
	for _, p := range last.Paths {
		if f := path.Join(s.root, p); files[f].mode.IsRegular() {
			blobs[f] = s.Git("hash-object", "--path="+f, s.Path(f))
		}
	}
	res, err := s.undoAs(User, last.ID)
	var conflict *ConflictError
	if err != nil && !errors.As(err, &conflict) {
		s.t.Errorf("undo of %s (%q): %v", last.Name, last.Paths, err)
	}
	allowed := func(p string) bool { return false }
	if err == nil {
		allowed = func(p string) bool { return slices.Contains(res.Paths, strings.TrimPrefix(p, s.root+"/")) }
	}
	now := s.files()
	sameFiles(s.t, "undo", files, now, allowed)
	for p, id := range blobs {
		if now[p] != files[p] {
			if _, err := s.Try("cat-file", "-e", id); err != nil {
				s.t.Errorf("undo lost what '%s' held", p)
			}
		}
	}
}
