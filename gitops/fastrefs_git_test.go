//go:build unix

package gitops_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// refFiles are all files and folders of refs and their logs, without the time.
func refFiles(t *testing.T, r *gittest.Repo) map[string]string {
	t.Helper()
	when := regexp.MustCompile(`> \d+ \+0000`)
	out := map[string]string{}
	for _, top := range []string{"refs", "logs", "packed-refs"} {
		err := filepath.WalkDir(r.GitPath(top), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			name := strings.TrimPrefix(path, r.GitPath("."))
			if err == nil && !d.IsDir() {
				fi, err := d.Info()
				if err != nil {
					return err
				}
				out[name] = fi.Mode().String() + " " + when.ReplaceAllString(gittest.ReadFile(t, path), "> TIME")
			} else if err == nil {
				out[name] = "folder"
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// refStep is a transaction of two commits' ids, and what happens before it.
type refStep struct {
	name   string
	before func(r *gittest.Repo)
	ups    func(one, two gitops.ID) []gitops.RefUpdate
	toGit  bool
}

const (
	refBranch = "refs/heads/claw/l1/20260301-x-00ff"
	refOpen   = "refs/claw/open/20260301-x-00ff"
	refClosed = "refs/claw/closed/20260301-x-00ff"
	refNotes  = "refs/notes/claw"
)

func refSteps() []refStep {
	pack := func(r *gittest.Repo) { r.Git("pack-refs", "--all", "--prune") }
	return []refStep{
		{"create", nil, func(one, _ gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: refOpen, New: one}, {Name: refBranch, New: one}, {Name: refNotes, New: one}}
		}, false},
		{"move", nil, func(one, two gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: refBranch, Old: one, New: two}, {Name: refNotes, Old: one, New: two}, {Name: refOpen, Old: one, New: two}}
		}, false},
		{"close", nil, func(_, two gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: refClosed, New: two}, {Name: refBranch, Old: two}, {Name: refOpen, Old: two}}
		}, false},
		{"again", nil, func(one, _ gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: refBranch, New: one}, {Name: refOpen, New: one}}
		}, false},
		{"move packed ones", pack, func(one, two gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: refBranch, Old: one, New: two}, {Name: refNotes, Old: two, New: one}}
		}, false},
		{"delete packed ones, one of them loose as well", nil, func(one, two gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: refBranch, Old: two}, {Name: refOpen, Old: one}}
		}, false},
		{"with a tag that is packed", func(r *gittest.Repo) {
			r.Git("tag", "-a", "-m", "v", "v1")
			r.Git("branch", "zz")
			pack(r)
		}, func(one, two gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: refNotes, Old: one, New: two}, {Name: "refs/heads/zz", Old: two}}
		}, false},
		{"an empty folder in the way", func(r *gittest.Repo) {
			if err := os.MkdirAll(r.GitPath("refs/heads/x/y"), 0o777); err != nil {
				panic(err)
			}
		}, func(one, _ gitops.ID) []gitops.RefUpdate { return []gitops.RefUpdate{{Name: "refs/heads/x", New: one}} }, true},
		{"the branch of HEAD", nil, func(one, two gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: "refs/heads/main", Old: two, New: one}}
		}, true},
		{"what a symbolic ref names", func(r *gittest.Repo) { r.Git("symbolic-ref", "refs/heads/link", "refs/heads/x") }, func(one, two gitops.ID) []gitops.RefUpdate {
			return []gitops.RefUpdate{{Name: "refs/heads/link", Old: one, New: two}}
		}, true},
	}
}

// The files that are left are those that git leaves, byte for byte.
func TestRefsAsGit(t *testing.T) {
	t.Parallel()
	for _, logs := range []string{"", "true", "always", "false"} {
		t.Run("logAllRefUpdates="+logs, func(t *testing.T) {
			t.Parallel()
			var opts []gittest.Option
			if logs != "" {
				opts = append(opts, gittest.Config("core.logAllRefUpdates", logs))
			}
			git, ours := newRefPair(t, opts...), newRefPair(t, opts...)
			for _, step := range refSteps() {
				git.do(t, step, gitops.Seam{GitOnly: true})
				decided := false
				ours.do(t, step, gitops.Seam{Trace: func(op gitops.DiskOp) { decided = decided || string(op.Data) == "decided\n" }})
				if decided == step.toGit && gitops.LocalDisk(ours.r.Dir) {
					t.Errorf("%s: in process: %v", step.name, decided)
				}
				want, got := git.files(t), ours.files(t)
				for name := range want {
					if got[name] != want[name] {
						t.Errorf("%s: '%s' is %q, git's is %q", step.name, name, got[name], want[name])
					}
				}
				for name := range got {
					if want[name] == "" {
						t.Errorf("%s: '%s' is %q, git has none", step.name, name, got[name])
					}
				}
			}
			ours.r.Git("reset", "-q", "--hard")
			ours.r.CheckClean()
		})
	}
}

// refPair is a repository with two commits.
type refPair struct {
	r        *gittest.Repo
	repo     *gitops.Repo
	one, two string
}

func newRefPair(t *testing.T, opts ...gittest.Option) *refPair {
	t.Helper()
	p := &refPair{r: gittest.New(t, opts...)}
	p.repo, p.one = p.r.Open(), p.r.Head()
	p.r.Append("MEMORY.md", "- x\n")
	p.r.Git("commit", "-q", "-a", "-m", "two")
	p.two = p.r.Head()
	return p
}

func (p *refPair) do(t *testing.T, step refStep, seam gitops.Seam) {
	t.Helper()
	if step.before != nil {
		step.before(p.r)
	}
	w := p.repo.Writer(seam.With(gitops.WriterOptions{}))
	if err := w.UpdateRefs(context.Background(), step.ups(mustID(t, p.one), mustID(t, p.two)), "claw:  a  reason\n"); err != nil {
		t.Fatalf("%s: %s: %v", w.Name(), step.name, err)
	}
}

// files are those of the refs, with the ids by their names.
func (p *refPair) files(t *testing.T) map[string]string {
	t.Helper()
	out := refFiles(t, p.r)
	known := strings.NewReplacer(p.one, "ONE", p.two, "TWO", strings.Repeat("0", 40), "NONE")
	hex := regexp.MustCompile(`[0-9a-f]{40}|tagging [0-9a-f]{7}`)
	for name, text := range out {
		out[name] = hex.ReplaceAllString(known.Replace(text), "TAG")
	}
	return out
}
