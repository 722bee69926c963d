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

// Random rules are what git makes of them.
func TestIgnoreRules(t *testing.T) {
	t.Parallel()
	const seed = 1
	ctx := context.Background()
	r := gittest.New(t, gittest.Unborn())
	rnd := rand.New(rand.NewPCG(seed, 1))
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	words := []string{"a", "b", "ab", "a.md", "x.log", "sub", "deep", "*", "*.md", "a*", "*.lo?", "[ab]", "[a-c].md", "?", "a b", "é", "é*", "sub*", "]", "{a}", "+", "."}
	odd := []string{"**", "a\\*", "[!a]", "[a", "[[:alpha:]]", "a/", ""}
	names := []string{"a", "b", "ab", "a.md", "c.md", "x.log", "sub", "deep", "a b", "é", ".x", "]", "{a}", "+"}
	rule := func() string {
		var s string
		if rnd.IntN(4) == 0 {
			s = "!"
		}
		if rnd.IntN(4) == 0 {
			s += "/"
		}
		s += pick(words)
		for range rnd.IntN(3) {
			s += "/" + pick(words)
		}
		if rnd.IntN(40) == 0 {
			s += pick(odd)
		}
		return s + pick([]string{"", "", "", "/", " ", "  ", "\r", "/ ", "\t"})
	}
	var paths []string
	isDir := map[string]bool{}
	for range 300 {
		p := pick(names)
		for range rnd.IntN(3) {
			p += "/" + pick(names)
		}
		if fi, err := os.Lstat(r.Path(p)); err == nil && fi.IsDir() {
			isDir[p] = true
		} else if err != nil {
			if os.MkdirAll(r.Path(parent(p)), 0o777) != nil {
				continue // below a file
			}
			r.Write(p, "")
		}
		for dir := parent(p); dir != "."; dir = parent(dir) {
			isDir[dir] = true
			paths = append(paths, dir)
		}
		paths = append(paths, p)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	certain, hits := 0, 0
	for round := range 150 {
		for _, f := range []string{".gitignore", "a/.gitignore", "sub/deep/.gitignore", "sub/.gitignore", ".git/info/exclude", "../home/.config/git/ignore"} {
			if !isDir[parent(f)] && f[0] != '.' {
				continue
			}
			var text strings.Builder
			for range rnd.IntN(3) {
				text.WriteString(rule() + pick([]string{"\n", "\n", "\n", "\n\n# x\n", "\r\n"}))
			}
			text.WriteString(pick([]string{"", "", "last"}))
			r.Write(f, text.String())
		}
		repo := r.Open()
		list, err := gitops.IgnoredPaths(ctx, repo, paths)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			got, sure, err := gitops.Ignores(ctx, repo, p, isDir[p])
			if err != nil {
				t.Fatal(err)
			}
			if want := slices.Contains(list, p); sure && got != want {
				out, _ := r.TryEnv(nil, p, "check-ignore", "--no-index", "-v", "--stdin")
				t.Fatalf("round %d: '%s' is ignored: %v, git says %v (%s)", round, p, got, want, out)
			}
			if sure {
				certain++
				if got {
					hits++
				}
			}
		}
	}
	if certain < 1000 || hits < 100 {
		t.Errorf("%d answers were certain, %d of them that a path is ignored", certain, hits)
	}
	t.Logf("%d answers were certain, %d of them that a path is ignored", certain, hits)
}

func parent(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "."
	}
	return p[:i]
}
