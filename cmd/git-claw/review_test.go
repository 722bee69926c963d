package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reviewEnv is an Env of a person before a queue with one item of each kind.
func reviewEnv(t *testing.T) (*Env, testStreams) {
	t.Helper()
	env, s := personEnv(t)
	env.InTTY, env.OutTTY, env.ErrTTY = false, false, false
	write := func(rel, text string) {
		t.Helper()
		path := filepath.Join(env.Dir, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(words ...string) {
		t.Helper()
		if code := runArgs(env, words...); code != 0 {
			t.Fatalf("%q: exit %d, %s", words, code, s.Err)
		}
	}
	const soul = "# SOUL\n\n- Calm.\n- Answers come first, and then the reasons, as long as anybody asks for them.\n- Kind to everybody.\n"
	write("SOUL.md", soul)
	write("AGENTS.md", "# AGENTS\n\n- Run the tests.\n")
	write("MEMORY.md", "# MEMORY\n\n- before\n<!-- claw:conflict id=0123abcd kind=edit n=2 -->\n- the port is 80\n- the port is 81\n")
	run("save", "--as", "user")
	write("SOUL.md", strings.Replace(strings.Replace(soul, "as long as", "whenever", 1), "- Kind", "- Brave.\n- Kind", 1))
	run("proposal", "new", "l1", "-m", "say less\n\n2026-03-01  too long again  (s1)\n2026-03-03  get to the point  (s2)", "SOUL.md", "--as", "agent", "--session", "s2")
	write("AGENTS.md", "# AGENTS\n\n- Run the tests, all of them.\n")
	run("save", "--as", "agent", "--session", "s3")
	run("learn", "correction", "--as", "agent", "--session", "s3", "--quote", "always metric", `[units] "miles" -> "kilometres"`)
	s.Out.Reset()
	s.Err.Reset()
	env.InTTY, env.OutTTY, env.ErrTTY = true, true, true
	return env, s
}

func runArgs(env *Env, words ...string) int { return run(context.Background(), env, words) }

var drawn = regexp.MustCompile(`\b([0-9a-f]{8}|[0-9a-f]{4})\b`)

// TestReviewScreens holds what a person sees at 80 columns.
func TestReviewScreens(t *testing.T) {
	t.Parallel()
	for name, colour := range map[string]string{"review-80.txt": "never", "review-80-colour.txt": "always"} {
		env, s := reviewEnv(t)
		env.Err = env.Out // one stream, as on a terminal
		s.In.WriteString("?\nj\n?\nj\n?\nj\n?\nj\n")
		if code := runArgs(env, "review", "--color="+colour); code != 0 {
			t.Fatalf("exit %d: %s", code, s.Out)
		}
		// Chance is shared with temporary names, of which more or less are drawn.
		golden(t, name, drawn.ReplaceAllStringFunc(s.Out.String(), func(id string) string { return strings.Repeat("0", len(id)) }))
	}
}

// TestReviewKeys decides about all of it.
func TestReviewKeys(t *testing.T) {
	t.Parallel()
	env, s := reviewEnv(t)
	// The second version; some of the proposal; back and forth; take the edit back; yes.
	s.In.WriteString("x\n2\ns\n7\ns\n2\nj\nk\nn\ny\n")
	code := runArgs(env, "review")
	out := s.Out.String() + s.Err.String()
	if code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	for rel, want := range map[string]string{
		"MEMORY.md": "# MEMORY\n\n- before\n- the port is 81\n",
		"AGENTS.md": "# AGENTS\n\n- Run the tests.\n",
	} {
		if b, err := os.ReadFile(filepath.Join(env.Dir, rel)); err != nil || string(b) != want {
			t.Errorf("%s is %q %v", rel, b, err)
		}
	}
	soul, err := os.ReadFile(filepath.Join(env.Dir, "SOUL.md"))
	if err != nil || !strings.Contains(string(soul), "- Brave.\n") || strings.Contains(string(soul), "whenever") {
		t.Errorf("SOUL.md is %q %v", soul, err)
	}
	prefs, err := os.ReadFile(filepath.Join(env.Dir, "self-improving/memory.md"))
	if err != nil || !strings.Contains(string(prefs), "kilometres") {
		t.Errorf("the preferences are %q %v", prefs, err)
	}
	for _, want := range []string{"has no entry 7", "the rest waits as ", "took back ", "it is a rule now", "4 decided, 0 left"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	s.Out.Reset()
	env.InTTY = false
	if code := runArgs(env, "review"); code != 0 || !strings.HasPrefix(s.Out.String(), "proposal") || strings.Count(s.Out.String(), "\n") != 1 {
		t.Errorf("what is left: exit %d, %s", code, s.Out)
	}
}

// TestReviewEdits has a person word a proposal anew.
func TestReviewEdits(t *testing.T) {
	t.Parallel()
	env, s := reviewEnv(t)
	env.Environ = append(env.Environ, "GIT_EDITOR=sed -i.bak s/Brave/Bold/", "TERM=xterm")
	s.In.WriteString("j\ne\ny\nq\n")
	if code := runArgs(env, "review"); code != 0 {
		t.Fatalf("exit %d: %s", code, s.Err)
	}
	if b, err := os.ReadFile(filepath.Join(env.Dir, "SOUL.md")); err != nil || !strings.Contains(string(b), "- Bold.\n") {
		t.Errorf("SOUL.md is %q %v; %s", b, err, s.Err)
	}
	if left, _ := filepath.Glob(filepath.Join(env.Dir, ".git/claw/edit.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
