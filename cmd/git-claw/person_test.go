package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// personEnv is an Env of a person at a terminal, in an adopted workspace in
// which the agent has saved twice.
func personEnv(t *testing.T) (*Env, testStreams) {
	t.Helper()
	env, s := testEnv(t, "GIT_PAGER=cat")
	config := "[user]\n\tname = Test User\n\temail = test@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(env.Dir, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	env.Dir = filepath.Join(env.Dir, "w")
	env.Rand = &counter{}
	for _, step := range []struct{ file, text, line string }{
		{"SOUL.md", "# SOUL\n\n- Calm.\n", "init " + env.Dir},
		{"memory/2026-03-04.md", "# Day\n\n- one\n", "save --as agent"},
		{"memory/2026-03-04.md", "# Day\n\n- one\n- two\n", "save --as agent"},
	} {
		path := filepath.Join(env.Dir, step.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(step.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, errs, code := runWords(t, env, s, step.line); code != 0 {
			t.Fatalf("%s: exit %d, %s", step.line, code, errs)
		}
	}
	s.Out.Reset()
	s.Err.Reset()
	env.InTTY, env.OutTTY, env.ErrTTY = true, true, true
	t.Cleanup(func() {
		cmd := exec.Command("git", "-C", env.Dir, "fsck", "--strict", "--no-dangling")
		cmd.Env = env.Environ
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("git fsck: %v, %s", err, out)
		}
	})
	return env, s
}

// counter is randomness that never repeats.
type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		c.n++
		p[i] = c.n
	}
	return len(p), nil
}

func TestUndoAsks(t *testing.T) {
	t.Parallel()
	for answer, undone := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false} {
		env, s := personEnv(t)
		s.In.WriteString(answer)
		_, errs, code := runWords(t, env, s, "undo")
		if code != 0 || !strings.Contains(errs, "  memory/2026-03-04.md\nmemory/2026-03-04.md  edited\n  @ Day\n      4 - - two\nTake this change back? [y/N] ") {
			t.Errorf("%q: exit %d, %q", answer, code, errs)
		}
		text, err := os.ReadFile(filepath.Join(env.Dir, "memory/2026-03-04.md"))
		if err != nil {
			t.Fatal(err)
		}
		if got := !strings.Contains(string(text), "two"); got != undone {
			t.Errorf("%q: undone %t, want %t: %s", answer, got, undone, errs)
		}
	}
}

func TestConnectAsks(t *testing.T) {
	t.Parallel()
	for answer, made := range map[string]bool{"y\n": true, "n\n": false} {
		env, s := personEnv(t)
		s.In.WriteString(answer)
		settings := filepath.Join(filepath.Dir(env.Dir), ".claude", "settings.json")
		if err := os.Mkdir(filepath.Dir(settings), 0o755); err != nil {
			t.Fatal(err)
		}
		_, errs, code := runWords(t, env, s, "connect claude-code --user")
		if code != 0 || !strings.Contains(errs, "Make these changes? [y/N] ") {
			t.Errorf("%q: exit %d, %q", answer, code, errs)
		}
		if _, err := os.Stat(settings); (err == nil) != made {
			t.Errorf("%q: settings: %v", answer, err)
		}
	}
}

// TestColoursOnATerminal looks at what a person sees; only our own sequences
// come through raw.
func TestColoursOnATerminal(t *testing.T) {
	t.Parallel()
	env, s := personEnv(t)
	for _, line := range []string{"status", "log", "show", "diff --since HEAD~1", "why SOUL.md:1", "doctor", "help save", "-h"} {
		s.Out.Reset()
		out, errs, code := runWords(t, env, s, line)
		if code != 0 || !strings.Contains(out, "\x1b[") || !strings.Contains(out, "\x1b[m") {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, errs)
		}
	}
	for _, never := range []struct{ line, key, value string }{
		{"log --color=never", "color.claw", "always"},
		{"log", "color.claw", "never"},
		{"log", "color.ui", "false"},
	} {
		s.Out.Reset()
		env.Environ = append(env.Environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0="+never.key, "GIT_CONFIG_VALUE_0="+never.value)
		if out, _, _ := runWords(t, env, s, never.line); out == "" || strings.Contains(out, "\x1b") {
			t.Errorf("%+v: colours in %q", never, out)
		}
	}
}

func TestPersonIsTheUser(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		environ      string
		in, out, err bool
		want         string
	}{
		{"A=b", true, true, true, "user"},
		{"A=b", false, false, false, "agent"},
		{"A=b", true, false, false, "user"},
		{"A=b", false, true, true, "user"},
		{"A=b", false, false, true, "user"},
		{"CLAUDECODE=1", true, true, true, "agent"},
		{"CLAUDECODE=1", false, true, false, "agent"},
		{"GIT_CLAW_ACTOR=cron", true, true, true, "cron"},
	} {
		env, s := personEnv(t)
		env.Environ = append(env.Environ, tt.environ)
		env.InTTY, env.OutTTY, env.ErrTTY = tt.in, tt.out, tt.err
		if err := os.WriteFile(filepath.Join(env.Dir, "SOUL.md"), []byte("# SOUL\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		out, errs, code := runWords(t, env, s, "save --json")
		if code != 0 || !strings.Contains(out, `"actor":"`+tt.want+`"`) {
			t.Errorf("%+v: exit %d, %q, %q", tt, code, out, errs)
		}
	}
}

// TestPathsByWayOfALink: a shell that knows the workspace by the name of a link
// means the same files.
func TestPathsByWayOfALink(t *testing.T) {
	t.Parallel()
	env, s := personEnv(t)
	link := filepath.Join(filepath.Dir(env.Dir), "link")
	if err := os.Symlink(env.Dir, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	env.Dir = filepath.Join(link, "memory")
	out, errs, code := runWords(t, env, s, "why --json 2026-03-04.md:3")
	if code != 0 || !strings.Contains(out, `"path":"memory/2026-03-04.md","line":3,"text":"- one"`) {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}
