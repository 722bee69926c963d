package gitops_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// tick is longer than the step in which a file system's clock moves.
const tick = 20 * time.Millisecond

func scanOf(t *testing.T, repo *gitops.Repo, opt gitops.ScanOptions) *gitops.WorkScan {
	t.Helper()
	if opt.Roots == nil {
		opt.Roots = []string{""}
	}
	s, err := repo.ScanWork(context.Background(), opt)
	if err != nil {
		t.Fatalf("%+v: %v", opt.Roots, err)
	}
	return s
}

func pathsOf(files []gitops.WorkFile) []string {
	out := []string{}
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func sureOf(files []gitops.WorkFile) []gitops.WorkFile {
	return slices.DeleteFunc(slices.Clone(files), func(f gitops.WorkFile) bool { return f.Racy })
}

// wantLists compares lists of paths; Changed is taken without racy files.
func wantLists(t *testing.T, s *gitops.WorkScan, changed, extra, missing []string) {
	t.Helper()
	for what, l := range map[string][2][]string{
		"changed": {pathsOf(sureOf(s.Changed)), changed}, "extra": {pathsOf(s.Extra), extra}, "missing": {s.Missing, missing},
	} {
		if !slices.Equal(l[0], l[1]) {
			t.Errorf("%s is %q, want %q", what, l[0], l[1])
		}
	}
}

// allTracked compares Tracked with git's own list.
func allTracked(t *testing.T, r *gittest.Repo, repo *gitops.Repo) map[string]gitops.TrackedFile {
	t.Helper()
	var got []string
	files := map[string]gitops.TrackedFile{}
	for f, err := range repo.Tracked(context.Background(), []string{""}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %d\t%s", f.Mode, f.ID, f.Stage, f.Path))
		files[f.Path] = f
	}
	want := zero(r.Git("ls-files", "-s", "-z"))
	if !slices.Equal(got, want) {
		t.Errorf("tracked files are\n%q, want\n%q", got, want)
	}
	return files
}

func zero(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
}

// gitSays is what git status and git diff-files tell of the work tree.
type gitSays struct{ changed, missing, extra, touched map[string]bool }

func askGit(t *testing.T, r *gittest.Repo, tracked map[string]gitops.TrackedFile) gitSays {
	t.Helper()
	g := gitSays{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, p := range zero(r.Git("diff-files", "-z", "--name-only")) {
		g.touched[p] = true
	}
	out := r.Git("--no-optional-locks", "status", "--porcelain=v2", "-z", "--ignored", "--untracked-files=all", "--no-renames")
	for _, rec := range zero(out) {
		switch f := strings.SplitN(rec, " ", 11); rec[0] {
		case '?', '!':
			p := rec[2:]
			if fi, err := os.Lstat(r.Path(p)); err == nil && fi.Mode().IsRegular() {
				g.extra[p] = true
			}
		case 'u':
			g.changed[f[10]] = true
		case '1':
			p := strings.Join(f[8:], " ")
			switch e := tracked[p]; {
			case !e.Mode.IsFile(), f[1][1] == '.':
			case f[1][1] == 'D', f[1][1] == 'T':
				g.missing[p] = true
			default:
				g.changed[p] = true
			}
		}
	}
	return g
}

// sameAsGit holds a scan of everything to what git says.
func sameAsGit(t *testing.T, r *gittest.Repo, repo *gitops.Repo) *gitops.WorkScan {
	t.Helper()
	tracked := allTracked(t, r, repo)
	n, ours, gits, err := gitops.SameIndex(context.Background(), repo)
	if err != nil || ours != nil || gits != nil {
		t.Errorf("entry %d of the index is\n%+v, git has\n%+v: %v", n, ours, gits, err)
	}
	s, g := scanOf(t, repo, gitops.ScanOptions{}), askGit(t, r, tracked)
	compare := func(what string, got []string, want map[string]bool) {
		t.Helper()
		have := map[string]bool{}
		for _, p := range got {
			have[p] = true
			if !want[p] {
				t.Errorf("'%s' is %s, not for git", p, what)
			}
		}
		for p := range want {
			if !have[p] {
				t.Errorf("'%s' is not %s, but for git", p, what)
			}
		}
		if len(have) != len(got) {
			t.Errorf("%s has paths twice: %q", what, got)
		}
	}
	compare("missing", s.Missing, g.missing)
	compare("extra", pathsOf(s.Extra), g.extra)
	changed := pathsOf(s.Changed)
	for p := range g.changed {
		if !slices.Contains(changed, p) {
			t.Errorf("'%s' is changed for git", p)
		}
	}
	for _, f := range s.Changed {
		e := tracked[f.Path]
		if !f.Racy && !g.changed[f.Path] && !g.touched[f.Path] && !e.SkipWorktree {
			t.Errorf("'%s' is clean for git: %+v", f.Path, f)
		}
		if f.ID != e.ID && !f.ID.IsZero() || f.Racy && f.ID.IsZero() {
			t.Errorf("'%s' has the id %s, want %s", f.Path, f.ID, e.ID)
		}
	}
	return s
}

// unsettle makes every kind of difference to the repository of gittest.New.
func unsettle(t *testing.T, r *gittest.Repo) {
	t.Helper()
	r.Write(".gitignore", "*.tmp\nbuild/\n")
	r.Git("add", ".gitignore")
	r.Git("commit", "-q", "--no-verify", "-m", "ignore")
	time.Sleep(tick)
	r.Append("MEMORY.md", "- more\n")
	r.Chmod("bin/run.sh", 0o644)
	r.Remove("memory/2026-02-28.md")
	r.Write("notes/draft.md", "draft\n")
	r.Write("notes/new/deep/x.md", "x\n")
	r.Write("scratch.tmp", "x\n")
	r.Write("build/out/a.md", "x\n")
	r.Write("staged.md", "x\n")
	r.Git("add", "staged.md")
	r.Write("meant.md", "x\n")
	r.Git("add", "-N", "meant.md")
	r.Symlink("MEMORY.md", "link.md")
	r.Symlink("notes", "linked")
	r.Symlink("x", "tracked-link")
	r.Git("add", "tracked-link")
	must(t, os.Mkdir(r.Path("nested"), 0o777))
	r.Git("init", "-q", "nested")
	r.Write("nested/inside.md", "x\n")
	must(t, os.MkdirAll(r.Path("empty/er"), 0o777))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestScanEqualsStatus(t *testing.T) {
	t.Parallel()
	for _, shape := range gittest.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t, shape.Options...)
			repo := r.Open()
			sameAsGit(t, r, repo)
			unsettle(t, r)
			s := sameAsGit(t, r, repo)
			if got, want := pathsOf(s.Extra), []string{"build/out/a.md", "notes/draft.md", "notes/new/deep/x.md", "scratch.tmp"}; !slices.Equal(got, want) {
				t.Errorf("extra is %q, want %q", got, want)
			}
			time.Sleep(1100 * time.Millisecond) // git's clock for racy files has seconds
			r.Git("add", "-A", ":!nested")
			r.Git("update-index", "-q", "--refresh")
			if s := sameAsGit(t, r, repo); len(s.Changed)+len(s.Missing) != 0 {
				t.Errorf("changed is %+v, missing %q after all was added", s.Changed, s.Missing)
			}
		})
	}
}

func TestScanUnmerged(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("checkout", "-q", "-b", "side")
	r.Write("MEMORY.md", "theirs\n")
	r.Git("rm", "-q", "notes/b.md")
	r.Git("commit", "-qam", "side")
	r.Git("checkout", "-q", "main")
	r.Write("MEMORY.md", "ours\n")
	r.Write("notes/b.md", "edited\n")
	r.Git("commit", "-qam", "main")
	if _, err := r.Try("merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	r.Remove("notes/b.md")
	s := sameAsGit(t, r, r.Open())
	wantLists(t, s, []string{"MEMORY.md", "notes/b.md"}, []string{}, nil)
	for _, f := range s.Changed {
		if !f.Racy && (!f.ID.IsZero() || f.Stat.Mode.IsFile() != (f.Path == "MEMORY.md")) {
			t.Errorf("unmerged: %+v", f)
		}
	}
}

func TestScanRacy(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	for i := range 20 {
		// The same length within the same tick: nothing in the stat data tells.
		r.Write("MEMORY.md", fmt.Sprintf("content %03d\n", i))
		r.Git("add", "MEMORY.md")
		r.Write("MEMORY.md", fmt.Sprintf("CONTENT %03d\n", i))
		s := scanOf(t, repo, gitops.ScanOptions{Roots: []string{"MEMORY.md"}})
		if len(s.Changed) != 1 {
			t.Fatalf("round %d hides an edit: %+v", i, s)
		}
	}
	// Only a file older than the index is beyond doubt.
	at := time.Unix(1_900_000_000, 5_000_000)
	must(t, os.Chtimes(r.Path("MEMORY.md"), at, at))
	r.Git("add", "MEMORY.md")
	for age, racy := range map[time.Duration]bool{-time.Second: true, 0: true, time.Millisecond: false} {
		must(t, os.Chtimes(r.GitPath("index"), at.Add(age), at.Add(age)))
		s := scanOf(t, repo, gitops.ScanOptions{Roots: []string{"MEMORY.md"}})
		if got := len(s.Changed) == 1 && s.Changed[0].Racy && !s.Changed[0].ID.IsZero(); got != racy || !racy && len(s.Changed) > 0 {
			t.Errorf("a file %s older than the index: %+v", age, s.Changed)
		}
	}
}

func TestScanRoots(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	time.Sleep(tick)
	r.Append("MEMORY.md", "x\n")
	r.Append("AGENTS.md", "x\n")
	r.Write("USER.md", "x\n")
	r.Write("other.md", "x\n")
	r.Append("notes/deep/er/a.md", "x\n")
	r.Write("notes/deep/er/big.md", strings.Repeat("x", 100))
	r.Write("notes/deep/c.txt", "x\n")
	r.Write("notes/skip/c.md", "x\n")
	r.Remove("notes/b.md")
	opt := gitops.ScanOptions{Roots: []string{"MEMORY.md", "USER.md", "notes/", "nowhere/", "none.md", "bin/run.sh/"}}
	wantLists(t, scanOf(t, repo, opt), []string{"MEMORY.md", "notes/deep/er/a.md"},
		[]string{"USER.md", "notes/deep/c.txt", "notes/deep/er/big.md", "notes/skip/c.md"}, []string{"bin/run.sh", "notes/b.md"}[1:])
	opt.Keep = func(p string) bool { return strings.HasSuffix(p, ".md") }
	opt.Enter = func(d string) bool { return d != "notes/skip/" }
	opt.Max = 99
	s := scanOf(t, repo, opt)
	wantLists(t, s, []string{"MEMORY.md", "notes/deep/er/a.md"}, []string{"USER.md"}, []string{"notes/b.md"})
	if len(s.Dirs) != 3 || s.Dirs["notes/deep/er/"] == 0 {
		t.Errorf("folders are %v", s.Dirs)
	}
	opt.Enter = func(d string) bool { return d != "notes/deep/" }
	wantLists(t, scanOf(t, repo, opt), []string{"MEMORY.md"}, []string{"USER.md", "notes/skip/c.md"}, []string{"notes/b.md"})
	for _, bad := range []string{"../x/", "/", "/etc/", "a/../b", ".git/", "a//"} {
		if _, err := repo.ScanWork(context.Background(), gitops.ScanOptions{Roots: []string{bad}}); err == nil {
			t.Errorf("root '%s' is taken", bad)
		}
	}
}

func TestScanLinksAndNested(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := r.Open()
	must(t, os.Rename(r.Path("notes"), r.Path("elsewhere")))
	r.Symlink("elsewhere", "notes")
	must(t, os.Rename(r.Path("MEMORY.md"), r.Base+"/MEMORY.md"))
	r.Symlink(r.Base+"/MEMORY.md", "MEMORY.md")
	r.Write("memory/in/x.md", "x\n")
	r.Git("init", "-q", "memory/in")
	r.Remove("src/main.txt")
	r.Write("src/main.txt/y.md", "y\n")
	sameAsGit(t, r, repo)
}

func TestScanBareAndUnborn(t *testing.T) {
	t.Parallel()
	bare := gittest.New(t, gittest.Bare())
	if s := scanOf(t, bare.Open(), gitops.ScanOptions{}); len(s.Changed)+len(s.Extra)+len(s.Missing)+len(s.Dirs) != 0 {
		t.Errorf("a bare repository has %+v", s)
	}
	allTracked(t, bare, bare.Open())
	r := gittest.New(t, gittest.Unborn())
	r.Write("a.md", "a\n")
	repo := r.Open()
	wantLists(t, scanOf(t, repo, gitops.ScanOptions{}), []string{}, []string{"a.md"}, nil)
	before := scanOf(t, repo, gitops.ScanOptions{}).Sum
	r.Git("add", "a.md")
	if s := sameAsGit(t, r, repo); s.Sum == before {
		t.Error("the index has changed, its identity has not")
	}
	must(t, os.WriteFile(r.GitPath("index"), []byte("DIRC damaged"), 0o666))
	if _, err := repo.ScanWork(context.Background(), gitops.ScanOptions{Roots: []string{""}}); err == nil {
		t.Error("a damaged index is taken")
	}
}

func TestScanOtherIndex(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	other := r.Base + "/other-index"
	if out, err := r.TryEnv([]string{"GIT_INDEX_FILE=" + other}, "", "add", "MEMORY.md"); err != nil {
		t.Fatal(out, err)
	}
	repo := r.Open("GIT_INDEX_FILE=" + other)
	s := scanOf(t, repo, gitops.ScanOptions{Roots: []string{"MEMORY.md", "AGENTS.md"}})
	wantLists(t, s, []string{}, []string{"AGENTS.md"}, nil)
}

// TestScanPromises: what the user told git not to look at is looked at, and files
// outside a checkout that are there all the same.
func TestScanPromises(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("update-index", "--assume-unchanged", "MEMORY.md")
	r.Git("update-index", "--skip-worktree", "AGENTS.md", "notes/b.md", "notes/deep/er/a.md")
	time.Sleep(tick)
	r.Append("MEMORY.md", "x\n")
	r.Append("AGENTS.md", "x\n")
	r.Remove("notes/deep")
	wantLists(t, scanOf(t, r.Open(), gitops.ScanOptions{}), []string{"AGENTS.md", "MEMORY.md"}, []string{}, nil)
}

// TestScanCheckStat: where git is told to rely on size and seconds, so does the scan.
func TestScanCheckStat(t *testing.T) {
	t.Parallel()
	for config, touched := range map[[2]string][]string{
		{"core.checkStat", "default"}: {"MEMORY.md"}, {"core.checkStat", "minimal"}: {}, {"core.trustctime", "false"}: {},
	} {
		r := gittest.New(t, gittest.Config(config[0], config[1]))
		at := time.Unix(1_700_000_000, 0)
		must(t, os.Chtimes(r.Path("MEMORY.md"), at, at))
		r.Git("update-index", "-q", "--refresh")
		time.Sleep(1100 * time.Millisecond)
		must(t, os.Chtimes(r.Path("MEMORY.md"), at, at)) // moves the ctime alone
		wantLists(t, scanOf(t, r.Open(), gitops.ScanOptions{Roots: []string{"MEMORY.md"}}), touched, []string{}, nil)
	}
}

func TestScanDeep(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	deep := "deep/" + strings.Repeat("d/", 300)
	r.Write(deep+"x.md", "x\n")
	r.Write("deep/y.md", "y\n")
	repo := r.Open()
	wantLists(t, scanOf(t, repo, gitops.ScanOptions{}), []string{}, []string{"deep/y.md"}, nil)
	r.Git("add", "-A")
	time.Sleep(tick)
	r.Append(deep+"x.md", "x\n")
	wantLists(t, scanOf(t, repo, gitops.ScanOptions{}), []string{}, []string{}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := repo.ScanWork(ctx, gitops.ScanOptions{Roots: []string{""}}); err == nil {
		t.Errorf("cancelled: %+v", s)
	}
}
