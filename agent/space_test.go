package agent

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
)

// space is a repository of its own with a workspace in it.
type space struct {
	*gittest.Repo
	t    *testing.T
	root string // the workspace below the repository, "" for its top
}

// newSpace makes a repository without adopting anything. The files are committed
// with git.
func newSpace(t *testing.T, files map[string]string, opts ...gittest.Option) *space {
	t.Helper()
	if files == nil {
		files = map[string]string{
			"AGENTS.md": "# Agents\n\n- be kind\n- be brief\n", "SOUL.md": "# Soul\n\nCalm.\n", "IDENTITY.md": "# Identity\n\n- Name: Pip\n",
			"USER.md": "# User\n\n- likes tea\n", "MEMORY.md": "# Memory\n\n- one fact\n- another fact\n",
			"memory/2026-02-28.md": "# 2026-02-28\n\n- old note\n", "README.md": "not managed\n",
		}
	}
	return &space{Repo: gittest.New(t, append([]gittest.Option{gittest.Files(files)}, opts...)...), t: t}
}

// newAdopted is newSpace, adopted.
func newAdopted(t *testing.T, files map[string]string, opts ...gittest.Option) *space {
	t.Helper()
	s := newSpace(t, files, opts...)
	s.adopt()
	return s
}

// at is the same repository seen from another workspace of it.
func (s *space) at(root string) *space { return &space{Repo: s.Repo, t: s.t, root: root} }

func (s *space) dir() string { return filepath.Join(s.Dir, filepath.FromSlash(s.root)) }

// open opens the workspace as a new process would.
func (s *space) open() *memory.Workspace {
	s.t.Helper()
	ws, err := memory.Open(context.Background(), gitops.NewGit(s.Env()), s.dir(), s.dir())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = ws.Repo.Close() })
	return ws
}

// init runs Init the way a person would.
func (s *space) init(change func(*InitOptions)) (*InitResult, error) {
	opt := InitOptions{Dir: s.dir(), NoHooks: true}
	if change != nil {
		change(&opt)
	}
	return Init(context.Background(), gitops.NewGit(s.Env()), Caller{Actor: User}, opt)
}

func (s *space) adopt() *InitResult {
	s.t.Helper()
	res, err := s.init(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// saveAs saves; an error ends the test.
func (s *space) saveAs(actor Actor, opt SaveOptions) *SaveResult {
	s.t.Helper()
	res, err := Save(context.Background(), s.open(), Caller{Actor: actor, Session: "s1"}, opt)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// undoAs takes back what target names.
func (s *space) undoAs(actor Actor, target string) (*UndoResult, error) {
	s.t.Helper()
	return Undo(context.Background(), s.open(), Caller{Actor: actor}, UndoOptions{Target: target})
}

// file is what there is to know of a work-tree file.
type file struct {
	mode fs.FileMode
	sum  [sha256.Size]byte // of the content, or of a link's target
}

// files reads everything below the repository but git's own folder.
func (s *space) files() map[string]file { return readFiles(s.t, s.Dir, ".git") }

// readFiles reads all files below dir by their path.
func readFiles(t testing.TB, dir, skip string) map[string]file {
	t.Helper()
	out := map[string]file{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == skip {
				return fs.SkipDir
			}
			return nil
		}
		fi, err := os.Lstat(p)
		if err != nil {
			return err
		}
		var b []byte
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			b = []byte(target)
		case fi.Mode().IsRegular():
			if b, err = os.ReadFile(p); err != nil {
				return err
			}
		}
		out[rel] = file{fi.Mode(), sha256.Sum256(b)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameFiles compares two readings; paths that allowed accepts may differ.
func sameFiles(t testing.TB, what string, before, after map[string]file, allowed func(string) bool) {
	t.Helper()
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if b, a := before[p], after[p]; b != a && (allowed == nil || !allowed(p)) {
			t.Errorf("%s changed %q: %s before, %s after", what, p, told(before, p), told(after, p))
		}
	}
}

func told(files map[string]file, p string) string {
	f, ok := files[p]
	if !ok {
		return "absent"
	}
	return fmt.Sprintf("%s %x", f.mode, f.sum[:4])
}

// state is HEAD, the index and every ref: what a command that does nothing must
// not touch.
func (s *space) state() string {
	s.t.Helper()
	head, err := s.Try("rev-parse", "-q", "--verify", "HEAD")
	if err != nil {
		head = "unborn"
	}
	return head + "\n" + s.Git("for-each-ref") + "\n" + s.Git("ls-files", "-s", "-z")
}

// objects is the content of every object, packed or loose, reachable or not.
func (s *space) objects() string {
	s.t.Helper()
	return s.Git("cat-file", "--batch-all-objects", "--batch", "--unordered")
}

// noValue fails when a value that must stay out of git is in an object, in a file
// of git's folder, or in what was printed.
func (s *space) noValue(value string, printed ...any) {
	s.t.Helper()
	if strings.Contains(s.objects(), value) {
		s.t.Errorf("an object holds the value %.6s…", value)
	}
	for _, dir := range []string{s.GitPath("claw"), s.GitPath("logs")} {
		_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			if b, err := os.ReadFile(p); err == nil && strings.Contains(string(b), value) {
				s.t.Errorf("'%s' holds the value", p)
			}
			return nil
		})
	}
	for _, x := range printed {
		if strings.Contains(fmt.Sprintf("%+v", x), value) {
			s.t.Errorf("the value is in the result %T", x)
		}
	}
}

// paths lists what the commits of a result hold, one string for each commit.
func (r *SaveResult) brief() []string {
	var out []string
	for _, c := range r.Commits {
		out = append(out, c.Event+" "+string(c.Actor)+" "+strings.Join(c.Paths, ","))
	}
	return out
}

// wantBrief compares the commits of a result.
func wantBrief(t testing.TB, res *SaveResult, want ...string) {
	t.Helper()
	if got := res.brief(); !slices.Equal(got, want) {
		t.Errorf("commits:\n%q\nwant:\n%q", got, want)
	}
}

// reasons lists what was skipped, path, line and why.
func reasons(skipped []Skipped) []string {
	var out []string
	for _, k := range skipped {
		held := ""
		if k.Held {
			held = " (held)"
		}
		out = append(out, fmt.Sprintf("%s:%d %s%s", k.Path, k.Line, k.Reason, held))
	}
	return out
}
