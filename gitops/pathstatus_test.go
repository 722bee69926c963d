package gitops_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// samePathStatus holds PathStatus against git, and says whether git was needed.
func samePathStatus(t *testing.T, r *gittest.Repo, paths ...string) (certain bool, got *gitops.Status) {
	t.Helper()
	ctx := context.Background()
	repo := r.Open()
	opt := gitops.StatusOptions{Paths: paths, Untracked: true}
	want, err := repo.Status(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	got, err = repo.PathStatus(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	if got.Head != want.Head || got.Seen != want.Seen || !slices.Equal(got.Entries, want.Entries) {
		t.Errorf("status is\n%+v\ngit says\n%+v", got, want)
	}
	_, certain, err = gitops.LookAt(ctx, repo, opt)
	if err != nil {
		t.Error(err)
	}
	return certain, got
}

// What git treats in a way of its own is left to it, and nothing else is.
func TestPathStatusAsksGit(t *testing.T) {
	t.Parallel()
	edit := func(r *gittest.Repo) { r.Append("MEMORY.md", "- x\n"); r.Write("memory/new.md", "x\n") }
	for name, c := range map[string]struct {
		certain bool
		opts    []gittest.Option
		setUp   func(r *gittest.Repo)
		paths   []string
	}{
		"edited":     {certain: true},
		"one file":   {certain: true, paths: []string{"MEMORY.md"}},
		"elsewhere":  {certain: true, paths: []string{"none.md", "none/at/all"}},
		"linked":     {certain: true, opts: []gittest.Option{gittest.LinkedWorktree()}},
		"packed":     {certain: true, opts: []gittest.Option{gittest.Packed()}},
		"detached":   {certain: true, setUp: func(r *gittest.Repo) { r.Git("checkout", "-q", "--detach") }},
		"unborn":     {opts: []gittest.Option{gittest.Unborn()}, certain: true},
		"no index":   {certain: true, setUp: func(r *gittest.Repo) { _ = os.Remove(r.GitPath("index")) }},
		"no TREE":    {certain: true, setUp: func(r *gittest.Repo) { _ = os.Remove(r.GitPath("index")); r.Git("add", "MEMORY.md") }},
		"no modes":   {certain: true, opts: []gittest.Option{gittest.Config("core.fileMode", "false")}, setUp: func(r *gittest.Repo) { r.Chmod("AGENTS.md", 0o755) }},
		"minimal":    {certain: true, opts: []gittest.Option{gittest.Config("core.checkStat", "minimal")}},
		"no ctime":   {certain: true, opts: []gittest.Option{gittest.Config("core.trustctime", "false")}},
		"shadowed":   {certain: true, setUp: func(r *gittest.Repo) { shadow(r, "memory") }, paths: []string{"memory/2026-03-01.md", "memory/new.md"}},
		"sha256":     {opts: []gittest.Option{gittest.SHA256()}},
		"v4":         {opts: []gittest.Option{gittest.IndexV4()}},
		"split":      {opts: []gittest.Option{gittest.SplitIndex()}},
		"sparse":     {opts: []gittest.Option{gittest.Sparse("memory")}},
		"fsmonitor":  {opts: []gittest.Option{gittest.FSMonitor()}},
		"crlf":       {opts: []gittest.Option{gittest.Config("core.autocrlf", "input")}},
		"attributes": {opts: []gittest.Option{gittest.Attributes("*.md text\n")}},
		"attributes of the index": {
			opts:  []gittest.Option{gittest.Attributes("*.md text\n")},
			setUp: func(r *gittest.Repo) { _ = os.Remove(r.Path(".gitattributes")) },
		},
		"attributes, nothing edited": {opts: []gittest.Option{gittest.Attributes("*.md text\n")}, certain: true, paths: []string{"AGENTS.md"}, setUp: settle},
		"intent to add":              {setUp: func(r *gittest.Repo) { r.Write("n.md", ""); r.Git("add", "-N", "n.md") }},
		"nested repository":          {setUp: nest},
		"in a nested repository":     {setUp: nest, paths: []string{"inner/x.md"}},
		"submodule":                  {setUp: func(r *gittest.Repo) { nest(r); r.Git("add", "inner") }},
		"in a submodule":             {setUp: func(r *gittest.Repo) { nest(r); r.Git("add", "inner") }, paths: []string{"inner/x.md"}},
		"link for file":              {setUp: func(r *gittest.Repo) { _ = os.Remove(r.Path("MEMORY.md")); _ = os.Symlink("x", r.Path("MEMORY.md")) }},
		"conflict":                   {setUp: conflict},
		"replaced": {setUp: func(r *gittest.Repo) {
			head := r.Git("rev-parse", "HEAD")
			r.Append("AGENTS.md", "x\n")
			r.Git("commit", "-q", "-a", "-m", "x")
			r.Git("replace", "HEAD", head)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, c.opts...)
			edit(r)
			if c.setUp != nil {
				c.setUp(r)
			}
			if certain, _ := samePathStatus(t, r, c.paths...); certain != c.certain {
				t.Errorf("certain: %v", certain)
			}
		})
	}
}

// settle makes no entry racily clean.
func settle(r *gittest.Repo) {
	old := r.Path("AGENTS.md")
	fi, err := os.Stat(old)
	if err != nil {
		panic(err)
	}
	when := fi.ModTime().Add(-1e10)
	_ = os.Chtimes(old, when, when)
	r.Git("update-index", "-q", "--refresh", "--", "AGENTS.md")
}

// shadow moves a folder away and puts a link in its place.
func shadow(r *gittest.Repo, dir string) {
	_ = os.Rename(r.Path(dir), filepath.Join(r.Base, "moved"))
	_ = os.Symlink(filepath.Join(r.Base, "moved"), r.Path(dir))
}

func nest(r *gittest.Repo) {
	r.Git("init", "-q", "inner")
	r.Write("inner/x.md", "x\n")
	r.Git("-C", "inner", "add", "-A")
	r.Git("-C", "inner", "commit", "-q", "-m", "x")
}

func conflict(r *gittest.Repo) {
	r.Git("commit", "-q", "-a", "-m", "ours")
	r.Git("checkout", "-q", "-b", "other", "HEAD~1")
	r.Write("MEMORY.md", "theirs\n")
	r.Git("commit", "-q", "-a", "-m", "theirs")
	_, _ = r.Try("merge", "-q", "main")
}

// Ignored and new files are told apart, folders that are ignored not gone into.
func TestPathStatusIgnores(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(".gitignore", "*.log\n/cache/\nmemory/draft*\n!memory/draft-2.md\n")
	for _, p := range []string{"a.log", "cache/x.md", "cache/deep/y.md", "memory/draft-1.md", "memory/draft-2.md", "new/deep/z.md", "new/z.log", "memory/sub/q.md"} {
		r.Write(p, "x\n")
	}
	if err := os.Symlink("cache", r.Path("memory/link")); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(r.Path("cache"), 0)
	defer func() { _ = os.Chmod(r.Path("cache"), 0o755) }()
	for _, paths := range [][]string{nil, {"memory"}, {"new/deep/z.md", "cache/x.md", "memory/draft-1.md"}, {"cache"}} {
		certain, st := samePathStatus(t, r, paths...)
		if !certain {
			t.Errorf("%q: git was asked", paths)
		}
		var got []string
		for _, e := range st.Entries {
			got = append(got, e.Path)
		}
		if want := []string{".gitignore", "memory/draft-2.md", "memory/link", "memory/sub/q.md", "new/deep/z.md"}; paths == nil && !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An edit in the second of the index, of the same size and time, is seen.
func TestPathStatusSeesRacyEdits(t *testing.T) {
	t.Parallel()
	l := racyLab(t)
	certain, st := samePathStatus(t, l.Repo, "AGENTS.md", "notes")
	if !certain || len(st.Entries) != 1 || st.Entries[0].Path != "AGENTS.md" {
		t.Errorf("%v %+v", certain, st.Entries)
	}
	l.install(gitops.PatchOptions{}) // smudged
	if certain, st = samePathStatus(t, l.Repo, "AGENTS.md", "notes"); !certain || len(st.Entries) != 1 {
		t.Errorf("%v %+v", certain, st.Entries)
	}
}

// Tracks is what git lists.
func TestTracks(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]gittest.Option{
		"plain": nil, "v4": {gittest.IndexV4()}, "split": {gittest.SplitIndex()}, "sparse": {gittest.SparseIndex("notes")},
		"sha256": {gittest.SHA256()}, "unborn": {gittest.Unborn()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			repo := gittest.New(t, opts...).Open()
			for _, p := range []string{"MEMORY.md", "memory", "memory/2026", "memory/2026-03-01.md", "src/main.txt", "src", "none", "MEMORY.md/x", "memor", "notes/deep/er"} {
				list, err := repo.ListFiles(ctx, p)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := repo.Tracks(ctx, p); err != nil || got != (len(list) > 0) {
					t.Errorf("%s: %v %v, git lists %q", p, got, err, list)
				}
			}
		})
	}
}
