package gitops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// history makes commits whose dates go up by a day, the author's an hour earlier.
type history struct {
	*gittest.Repo
	t   *testing.T
	day int
}

func (h *history) run(args ...string) {
	h.t.Helper()
	h.day++
	at := 1_770_000_000 + h.day*86_400
	env := []string{fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", at), fmt.Sprintf("GIT_AUTHOR_DATE=%d +0100", at-3600)}
	if out, err := h.TryEnv(env, "", args...); err != nil {
		h.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

func (h *history) commit(files ...string) string {
	h.t.Helper()
	for _, f := range files {
		must(h.t, os.MkdirAll(filepath.Dir(h.Path(f)), 0o777))
		h.Append(f, fmt.Sprintf("%s %d\n", f, h.day))
	}
	h.Git("add", "-A")
	h.run("commit", "-q", "--allow-empty", "-m", "x")
	return h.Head()
}

// sameAsLog holds LastCommits to one `git log -1` for each path.
func (h *history) sameAsLog(repo *gitops.Repo, paths ...string) {
	h.t.Helper()
	ask, want := map[string]bool{}, map[string]string{}
	for _, p := range paths {
		ask[p] = true
		if s, err := h.TryEnv([]string{"GIT_LITERAL_PATHSPECS=1"}, "", "-c", "log.showRoot=true", "log", "-1", "--no-follow", "--format=%H %at", "--", p); err == nil {
			want[p] = s
		}
	}
	got := h.last(repo, ask)
	for _, p := range paths {
		if got[p] != want[p] {
			h.t.Errorf("'%s' comes from '%s', want '%s'", p, got[p], want[p])
		}
	}
}

func (h *history) last(repo *gitops.Repo, paths map[string]bool) map[string]string {
	h.t.Helper()
	head, err := repo.Resolve(context.Background(), "HEAD")
	must(h.t, err)
	found, err := repo.LastCommits(context.Background(), head, paths)
	must(h.t, err)
	out := map[string]string{}
	for p, c := range found {
		out[p] = c.ID.String() + " " + strconv.FormatInt(c.Author.Unix(), 10)
	}
	return out
}

func (h *history) tracked() []string {
	h.t.Helper()
	return zero(h.Git("ls-files", "-z"))
}

func TestLastCommits(t *testing.T) {
	t.Parallel()
	for _, shape := range gittest.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			h := &history{Repo: gittest.New(t, shape.Options...), t: t}
			repo := h.Open()
			h.sameAsLog(repo, h.tracked()...)
			h.commit("a.md")
			h.Git("config", "log.showRoot", "false")
			h.Git("config", "diff.renames", "copies")
			h.Git("config", "log.follow", "true")
			h.commit("memory/new.md", "a.md")
			h.sameAsLog(repo, append(h.tracked(), "absent.md")...)
		})
	}
}

func TestLastCommitsFar(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	h := &history{Repo: gittest.New(t), t: t}
	repo := h.Open()
	odd := []string{"\nnewline", "two\nlines", "晨露.md", "*.md", ":(top)x", "-dash", " space ", "q\"uote", "\xff"}
	for _, p := range odd {
		h.commit(p)
	}
	h.commit(append([]string{"\n0first", "second"}, odd[:2]...)...)
	h.Git("mv", "second", "moved")
	h.Git("rm", "-q", "notes/b.md")
	h.commit()
	for range 30 {
		h.commit("busy.md")
	}
	h.sameAsLog(repo, append(h.tracked(), "second", "notes/b.md", "never")...)
	h.sameAsLog(repo, "busy.md")
	// More than git is told by name.
	var many []string
	for i := range 120 {
		many = append(many, fmt.Sprintf("many/%d", i))
	}
	h.commit(many...)
	for range 20 {
		h.commit("busy.md")
	}
	h.sameAsLog(repo, append(h.tracked(), "never")...)
	if got := h.last(repo, map[string]bool{"busy.md": false}); len(got) != 0 {
		t.Errorf("nothing was looked for, found %q", got)
	}
	if got, err := repo.LastCommits(context.Background(), gitops.ID{}, map[string]bool{"a": true}); err != nil || len(got) != 0 {
		t.Errorf("a branch without commits: %v %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	head, err := repo.Resolve(context.Background(), "HEAD")
	must(t, err)
	if got, err := repo.LastCommits(ctx, head, map[string]bool{"MEMORY.md": true}); err == nil {
		t.Errorf("cancelled: %v", got)
	}
}

func TestLastCommitsMerges(t *testing.T) {
	t.Parallel()
	h := &history{Repo: gittest.New(t), t: t}
	repo := h.Open()
	h.Write("both.md", strings.Repeat("line\n", 20))
	h.commit("side.md", "main.md")
	h.Git("checkout", "-q", "-b", "side")
	h.Write("both.md", "side\n"+h.Read("both.md"))
	side := h.commit("side.md")
	h.Git("checkout", "-q", "main")
	h.Write("both.md", h.Read("both.md")+"main\n")
	main := h.commit("main.md")
	h.run("merge", "-q", "--no-commit", "side")
	h.Append("evil.md", "in the merge alone\n")
	h.Append("src/main.txt", "changed in the merge alone\n")
	merge := h.commit()
	h.sameAsLog(repo, h.tracked()...)
	got := h.last(repo, map[string]bool{"side.md": true, "main.md": true, "both.md": true, "evil.md": true, "src/main.txt": true})
	for p, want := range map[string]string{"side.md": side, "main.md": main, "both.md": merge, "evil.md": merge, "src/main.txt": merge} {
		if !strings.HasPrefix(got[p], want) {
			t.Errorf("'%s' comes from %s, want %s", p, got[p], want)
		}
	}
	h.commit("side.md")
	h.sameAsLog(repo, h.tracked()...)
}

func TestLastCommitsRandom(t *testing.T) {
	t.Parallel()
	h := &history{Repo: gittest.New(t), t: t}
	repo, rnd := h.Open(), rand.New(gittest.Rand(t.Name()))
	// Each branch has files of its own, so that no merge leaves a change out.
	branches := []string{"main"}
	current := "main"
	for range 60 {
		switch op := rnd.IntN(8); {
		case op == 0 && len(branches) < 4:
			current = fmt.Sprintf("b%d", len(branches))
			branches = append(branches, current)
			h.Git("checkout", "-q", "-b", current)
		case op == 1:
			current = branches[rnd.IntN(len(branches))]
			h.Git("checkout", "-q", current)
		case op == 2:
			h.run("merge", "-q", "--no-ff", "-m", "merge", branches[rnd.IntN(len(branches))])
		default:
			h.commit(fmt.Sprintf("%s/%d.md", current, rnd.IntN(12)))
		}
		if rnd.IntN(6) == 0 {
			list := h.tracked()
			rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			h.sameAsLog(repo, slices.Clone(list[:1+rnd.IntN(len(list))])...)
		}
	}
	h.sameAsLog(repo, h.tracked()...)
}

func TestLastCommitsShallowAndReplaced(t *testing.T) {
	t.Parallel()
	h := &history{Repo: gittest.New(t), t: t}
	repo := h.Open()
	h.commit("a.md")
	h.commit("b.md")
	h.commit("c.md")
	h.sameAsLog(repo, h.tracked()...)
	h.Git("replace", "--graft", "HEAD~1")
	h.sameAsLog(repo, h.tracked()...)
	h.Git("pack-refs", "--all")
	h.sameAsLog(repo, h.tracked()...)
	h.Git("replace", "-d", h.Git("rev-parse", "HEAD~1"))
	h.Git("fetch", "-q", "--depth=2", "file://"+h.Dir+"/.git", "main") // the border, with all objects there
	h.sameAsLog(repo, h.tracked()...)
}

func BenchmarkLastCommits(b *testing.B) {
	r := gittest.New(b)
	var script strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&script, "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n", 1_770_000_000+i)
		if i == 0 {
			script.WriteString("from refs/heads/main^0\n")
		}
		fmt.Fprintf(&script, "M 100644 inline memory/%04d.md\ndata 2\nx\n\n", i)
	}
	if _, err := r.TryEnv(nil, script.String(), "fast-import", "--quiet"); err != nil {
		b.Fatal(err)
	}
	repo := r.Open()
	head, err := repo.Resolve(context.Background(), "HEAD")
	must(b, err)
	for name, n := range map[string]int{"1": 1, "10": 10, "50": 50, "all": 2_000} {
		paths := map[string]bool{}
		for i := range n {
			paths[fmt.Sprintf("memory/%04d.md", 1_999-i)] = true
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				got, err := repo.LastCommits(context.Background(), head, paths)
				if err != nil || len(got) != n {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}

func zero(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
