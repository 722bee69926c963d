package gitops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// configFiles are pieces of git-config syntax (git-config(1), "Syntax").
var configFiles = []string{
	"", "[claw]\n", "[claw]\n\tlayout = canonical\n", "[claw]\n\tbare\n", "[claw]\n\tempty =\n",
	"[CLAW]\n\tLayOut = A\n", "[claw \"Sub Section\"]\n\tx = 1\n", "[claw \"a\\\"b\\\\c\"]\n\tx = 1\n", "[claw]\n\tx = 1\n\tx = 2\n[claw]\n\tx = 3\n",
	"[claw]\n\tx = \"quoted ; not a comment\" ; comment\n", "[claw]\n\tx = a # b\n", "[claw]\n\tx = a\\\n\tb\n", "[claw]\n\tx = \"a\\n\\tb\"\n",
	"[claw] x = 1\n", "[claw]x=1\n", "# only\n; comments\n", "[claw]\r\n\tx = 1\r\n", "\xef\xbb\xbf[claw]\n\tx = 1\n", "[claw]\n\tx = 记忆\n",
	"[claw.dotted]\n\tx = 1\n", "[claw]\n\tx = a  b   \n", "[claw]\n\tx = \"  a  \"\n", "[claw]\n\tx = C:\\\\dir\n", "[a-b]\n\tc-d = 1\n",
	"[claw]\n\tx = a\"b c\"d\n", "[claw]\n\tx = yes\n\ty = off\n\tz = 3k\n", "[claw \"\"]\n\tx = 1\n", "[claw]\n\tx = 1",
	"[claw \"a.b\"] x = 1 [claw]\n", "[claw]\n\tx = \"a\\\nb\"\n", "[claw]\n\tx = ; none\n", "[claw]\n\tx = \"\" # empty\n", "[claw]\n\tx=\\\\\\\"\n",
	"[claw]\n\tx = a \\\n  b\n\ty = 2\n", "[Claw.Sub \"Q\"]\n\tx = 1\n", "[claw]\n\n\n\tx-1=2\r\n;c\r\n", "[claw]x\n[claw]y", "[claw]\n\tx = a\rb\n", "[claw]\n\tx = a\\",
}

// brokenConfigs are refused by git.
var brokenConfigs = []string{"[claw\n", "[claw]\n\tx = \"open\n", "[claw \"a\n\"]\n", "[claw \"a\" ]\n", "[claw a]\n", "[claw]\n\t1x = 1\n", "[claw]\n\tx = \\q\n", "[cl_aw]\n\tx = 1\n", "[claw]\n\tx y = 1\n"}

func TestParseConfigEqualsGit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t, gittest.Unborn())
	for _, text := range configFiles {
		if !sameConfig(t, r, text) {
			t.Errorf("git refuses %q", text)
		}
	}
	for _, text := range brokenConfigs {
		if sameConfig(t, r, text) {
			t.Errorf("git reads %q", text)
		}
	}
	pieces := []string{
		"[claw]\n", "[", "]", "claw", "\"", "\\", "\n", "=", " ", ";", "#", "x", "[claw \"sub\"]\n", "\t", "\r\n", "a.b", "-", "1", "\\n", "\\\"", "= v\n", "\ny = ",
	}
	rnd := rand.New(rand.NewPCG(8, 8))
	read := 0
	for range 300 {
		text := "[claw]\n"
		for range rnd.IntN(10) {
			text += pieces[rnd.IntN(len(pieces))]
		}
		if sameConfig(t, r, text) {
			read++
		}
	}
	if read < 50 {
		t.Errorf("git reads only %d of the random files", read)
	}
}

// sameConfig compares with git, which may refuse the text as well.
func sameConfig(t *testing.T, r *gittest.Repo, text string) bool {
	t.Helper()
	file := r.Base + "/config"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := gitops.ParseConfig([]byte(text))
	out, gitErr := r.Try("config", "-f", file, "--list", "-z")
	if gitErr != nil || err != nil {
		if (gitErr == nil) != (err == nil) {
			t.Errorf("%q: %v, git says %v", text, err, gitErr)
		}
		return gitErr == nil
	}
	// git before 2.45 made each white space within a value a blank.
	blank := strings.NewReplacer(`\t`, " ", `\r`, " ")
	a, b := blanks(dump(got), blank), blanks(dump(gitops.ParseConfigList([]byte(out))), blank)
	if !slices.Equal(a, b) {
		t.Errorf("%q is read as %q, by git as %q", text, a, b)
	}
	return true
}

func blanks(list []string, r *strings.Replacer) []string {
	for i := range list {
		list[i] = r.Replace(list[i])
	}
	return list
}

func dump(c *gitops.Config) []string {
	var out []string
	for _, n := range c.Names() {
		out = append(out, fmt.Sprintf("%s=%q", n, c.All(n)))
	}
	slices.Sort(out)
	return out
}

func TestParseConfigFollowsNoInclude(t *testing.T) {
	t.Parallel()
	c, err := gitops.ParseConfig([]byte("[include]\n\tpath = /etc/passwd\n[includeIf \"gitdir:x\"]\n\tpath = y\n[claw]\n\tx = 1\n"))
	if err != nil || !c.Includes || len(c.Names()) != 1 {
		t.Errorf("%v %v %v", c, err, c.Names())
	}
}

func TestConfigIsGits(t *testing.T) {
	t.Parallel()
	r := gittest.New(t, gittest.Config("claw.autoPush", "true"), gittest.Config("claw.Sub.Key", "v"))
	r.Git("config", "--add", "claw.list", "one")
	r.Git("config", "--add", "claw.list", "two\nlines")
	if err := os.WriteFile(r.Base+"/included", []byte("[claw]\n\tincluded = yes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r.Git("config", "include.path", r.Base+"/included")
	ctx, cancel := context.WithCancel(context.Background())
	repo := r.Open("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=claw.env", "GIT_CONFIG_VALUE_0=e")
	c, err := repo.Config(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if again, err := repo.Config(ctx); err != nil || again != c {
		t.Errorf("read once more: %v %v", again, err)
	}
	for name, want := range map[string]string{"claw.autopush": "true", "claw.Sub.key": "v", "claw.included": "yes", "claw.env": "e", "claw.list": "two\nlines"} {
		if got, _ := c.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := strings.Join(c.All("claw.list"), "|"); got != "one|two\nlines" {
		t.Errorf("claw.list is %q", got)
	}
	if !c.Bool("claw.autopush", false) || !c.Bool("claw.none", true) || c.Bool("claw.list", false) || !c.Bool("claw.list", true) {
		t.Error("booleans are wrong")
	}
}

func TestParseBool(t *testing.T) {
	t.Parallel()
	for v, want := range map[string]bool{"true": true, "YES": true, "on": true, "1": true, "-3": true, "false": false, "No": false, "off": false, "0": false, "": false} {
		if got, err := gitops.ParseBool(v); err != nil || got != want {
			t.Errorf("%q is %v %v", v, got, err)
		}
	}
	for _, v := range []string{"maybe", "truee", "1x"} {
		if _, err := gitops.ParseBool(v); err == nil {
			t.Errorf("%q is a boolean", v)
		}
	}
}
