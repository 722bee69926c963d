package gitops_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// ignoreLab is a work tree with random files and random rules.
type ignoreLab struct {
	*gittest.Repo
	rnd   *rand.Rand
	paths []string
	isDir map[string]bool
}

func newIgnoreLab(t *testing.T, seed uint64) *ignoreLab {
	t.Helper()
	l := &ignoreLab{Repo: gittest.New(t, gittest.Unborn()), rnd: rand.New(rand.NewPCG(seed, 1)), isDir: map[string]bool{}}
	names := []string{"a", "b", "ab", "a.md", "c.md", "x.log", "sub", "deep", "a b", "é", ".x", "]", "{a}", "+"}
	for range 300 {
		p := l.pick(names)
		for range l.rnd.IntN(3) {
			p += "/" + l.pick(names)
		}
		if fi, err := os.Lstat(l.Path(p)); err == nil && fi.IsDir() {
			l.isDir[p] = true
		} else if err != nil {
			if os.MkdirAll(l.Path(parent(p)), 0o777) != nil {
				continue // below a file
			}
			l.Write(p, "")
		}
		for dir := parent(p); dir != "."; dir = parent(dir) {
			l.isDir[dir] = true
			l.paths = append(l.paths, dir)
		}
		l.paths = append(l.paths, p)
	}
	slices.Sort(l.paths)
	l.paths = slices.Compact(l.paths)
	return l
}

func (l *ignoreLab) pick(list []string) string { return list[l.rnd.IntN(len(list))] }

// rule makes a line.
func (l *ignoreLab) rule() string {
	words := []string{"a", "b", "ab", "a.md", "x.log", "sub", "deep", "*", "*.md", "a*", "*.lo?", "[ab]", "[a-c].md", "?", "a b", "é", "é*", "sub*", "]", "{a}", "+", "."}
	odd := []string{"**", "a\\*", "[!a]", "[a", "[[:alpha:]]", "a/", ""}
	s := l.pick([]string{"", "", "", "!"}) + l.pick([]string{"", "", "", "/"}) + l.pick(words)
	for range l.rnd.IntN(3) {
		s += "/" + l.pick(words)
	}
	if l.rnd.IntN(40) == 0 {
		s += l.pick(odd)
	}
	return s + l.pick([]string{"", "", "", "/", " ", "  ", "\r", "/ ", "\t"})
}

// writeRules writes all files of rules.
func (l *ignoreLab) writeRules() {
	for _, f := range []string{".gitignore", "a/.gitignore", "sub/deep/.gitignore", "sub/.gitignore", ".git/info/exclude", "../home/.config/git/ignore"} {
		if !l.isDir[parent(f)] && f[0] != '.' {
			continue
		}
		var text strings.Builder
		for range l.rnd.IntN(3) {
			text.WriteString(l.rule() + l.pick([]string{"\n", "\n", "\n", "\n\n# x\n", "\r\n"}))
		}
		text.WriteString(l.pick([]string{"", "", "last"}))
		l.Write(f, text.String())
	}
}

func parent(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "."
	}
	return p[:i]
}

// Random rules are what git makes of them.
func TestIgnoreRules(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	ctx := context.Background()
	l := newIgnoreLab(t, 1)
	certain, hits := 0, 0
	for round := range 120 {
		l.writeRules()
		l.rnd.Shuffle(len(l.paths), func(i, j int) { l.paths[i], l.paths[j] = l.paths[j], l.paths[i] })
		repo := l.Open()
		list, err := gitops.IgnoredPaths(ctx, repo, l.paths)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range l.paths[:l.rnd.IntN(12)] { // few enough that git is not always asked
			rules, err := repo.CheckIgnore(ctx, []string{p})
			if err != nil {
				t.Fatal(err)
			}
			if _, got := rules[p]; got != slices.Contains(list, p) {
				t.Fatalf("round %d: CheckIgnore says '%s' is ignored: %v", round, p, got)
			}
		}
		for _, p := range l.paths {
			got, sure, err := gitops.Ignores(ctx, repo, p, l.isDir[p])
			if err != nil {
				t.Fatal(err)
			}
			if !sure {
				continue
			}
			certain++
			if got {
				hits++
			}
			if want := slices.Contains(list, p); got != want {
				out, _ := l.TryEnv(nil, p, "check-ignore", "--no-index", "-v", "--stdin")
				t.Fatalf("round %d: '%s' is ignored: %v, git says %v (%s)", round, p, got, want, out)
			}
		}
	}
	if certain < 1000 || hits < 100 {
		t.Errorf("%d answers were certain, %d of them that a path is ignored", certain, hits)
	}
}

// Rules that are read from elsewhere, and what is no file of rules.
func TestIgnoreRulesOfTheUser(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		excludes         string
		ignored, certain bool
	}{
		"home": {"~/mine", true, true}, "absolute": {"ABS", true, true}, "none": {"", false, true}, "another's home": {"~x/mine", false, false},
		"relative": {"mine", false, false},
	} {
		r := gittest.New(t)
		r.Write("../home/mine", "x.md\n")
		r.Git("config", "core.excludesFile", strings.ReplaceAll(c.excludes, "ABS", r.Path("../home/mine")))
		ignored, certain, err := gitops.Ignores(ctx, r.Open(), "memory/x.md", false)
		if err != nil || ignored != c.ignored || certain != c.certain {
			t.Errorf("%s: %v %v %v", name, ignored, certain, err)
		}
	}
	for name, setUp := range map[string]func(r *gittest.Repo) error{
		"a link":      func(r *gittest.Repo) error { return os.Symlink("AGENTS.md", r.Path(".gitignore")) },
		"a directory": func(r *gittest.Repo) error { return os.Mkdir(r.Path(".gitignore"), 0o777) },
		"huge":        func(r *gittest.Repo) error { return os.WriteFile(r.Path(".gitignore"), make([]byte, 2<<20), 0o666) },
	} {
		r := gittest.New(t)
		if err := setUp(r); err != nil {
			t.Fatal(err)
		}
		if _, certain, err := gitops.Ignores(ctx, r.Open(), "x.md", false); certain || err != nil {
			t.Errorf("%s: %v %v", name, certain, err)
		}
	}
}
