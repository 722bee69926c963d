package connect

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	link := func(to string, parts ...string) func(m *machine) {
		return func(m *machine) {
			if err := os.Symlink(to, filepath.Join(append([]string{m.base}, parts...)...)); err != nil {
				t.Skip("no symbolic links here")
			}
		}
	}
	tests := []struct {
		name  string
		host  string
		setup func(m *machine)
		as    any
	}{
		{"unknown host", "emacs", func(*machine) {}, new(*UnknownHostError)},
		{"relative binary", "claude-code", func(m *machine) { m.env.Binary = "git-claw" }, new(*BinaryError)},
		{"not JSON", "claude-code", func(m *machine) { m.write("{", "ws", ".claude", "settings.local.json") }, new(*ParseError)},
		{"the folder is a link", "claude-code", link("/tmp", "ws", ".claude"), new(*LinkError)},
		{"the file is a link", "claude-code", func(m *machine) {
			m.write("{}", "ws", ".claude", "x")
			link("x", "ws", ".claude", "settings.local.json")(m)
		}, new(*LinkError)},
		{"the file is a folder", "claude-code", func(m *machine) { m.write("", "ws", ".claude", "settings.local.json", "x") }, new(*ForeignError)},
		{"no OpenClaw", "openclaw", func(*machine) {}, new(*NotFoundError)},
		{"a profile that leads elsewhere", "openclaw", func(m *machine) { m.env.Environ = []string{"OPENCLAW_PROFILE=/../x"} }, new(*NotFoundError)},
		{"a relative state folder", "openclaw", func(m *machine) { m.env.Environ = []string{"OPENCLAW_STATE_DIR=x"} }, new(*NotFoundError)},
		{"a plugin of another", "openclaw", func(m *machine) {
			m.write("export default {}", "home", ".openclaw", "extensions", "git-claw", "index.js")
		}, new(*ForeignError)},
		{"the plugin folder is a link", "openclaw", func(m *machine) {
			m.write("x", "home", ".openclaw", "extensions", "x")
			link("x", "home", ".openclaw", "extensions", "git-claw")(m)
		}, new(*LinkError)},
	}
	for _, tt := range tests {
		m := newMachine(t)
		tt.setup(m)
		before := m.tree()
		if p, err := Make(tt.host, m.env, Options{}); err == nil || !errors.As(err, tt.as) {
			t.Errorf("%s: %+v, %v", tt.name, p, err)
		}
		if !maps.Equal(m.tree(), before) {
			t.Errorf("%s: something was written", tt.name)
		}
	}
	m := newMachine(t)
	if p := m.make("openclaw", Options{Remove: true}); len(p.Edits) != 0 {
		t.Errorf("removal without OpenClaw: %+v", p)
	}
}

// TestApplyLooksAgain: no file is written if any is not what the plan saw.
func TestApplyLooksAgain(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	p := m.make("claude-code", Options{})
	m.write("*.tmp\n", "ws", ".git", "info", "exclude")
	before := m.tree()
	var changed *ChangedError
	if err := p.Apply(); !errors.As(err, &changed) || !maps.Equal(m.tree(), before) {
		t.Errorf("apply: %v", err)
	}
	m.apply(m.make("claude-code", Options{}))
	p = m.make("claude-code", Options{Remove: true})
	path := filepath.Join(m.env.Workspace, ".claude", "settings.local.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); !errors.As(err, &changed) {
		t.Errorf("apply: %v", err)
	}
}

// TestEditedPlugin: a plugin the user changed is neither overwritten nor removed.
func TestEditedPlugin(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("{}", "home", ".openclaw", "openclaw.json")
	m.apply(m.make("openclaw", Options{}))
	path := m.write("// mine\n", "home", ".openclaw", "extensions", "git-claw", "index.js")
	var foreign *ForeignError
	for _, remove := range []bool{false, true} {
		if _, err := Make("openclaw", m.env, Options{Remove: remove}); !errors.As(err, &foreign) || foreign.Path != path {
			t.Errorf("remove %v: %v", remove, err)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write(`{"disableAllHooks": true}`, "ws", ".claude", "settings.local.json")
	m.apply(m.make("claude-code", Options{User: true}))
	notes := strings.Join(m.make("claude-code", Options{}).Notes, "\n")
	for _, want := range []string{"disableAllHooks", "has the hooks too", "started in"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q not in %q", want, notes)
		}
	}
	m.write("{}", "home", ".openclaw-a b", "openclaw.json")
	m.env.Environ = []string{"OPENCLAW_PROFILE=a b"}
	p := m.make("openclaw", Options{})
	if len(p.Next) != 3 || p.Next[0] != "openclaw --profile 'a b' config set plugins.entries.git-claw.hooks.allowConversationAccess true" {
		t.Errorf("next: %q", p.Next)
	}
}

func TestHostMarkers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		environ []string
		want    []string
	}{
		{nil, nil},
		{[]string{"PATH=/bin", "CLAUDECODE="}, nil},
		{[]string{"CLAUDECODE=1", "OPENCLAW_SHELL=exec"}, []string{"CLAUDECODE", "OPENCLAW_SHELL"}},
		{[]string{"OPENCLAW_SHELL=tui-local"}, nil},
	}
	for _, tt := range tests {
		if got := HostMarkers(tt.environ); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q", tt.environ, got)
		}
	}
}

// TestShellCommand runs the command in a shell: the recorded path first, PATH
// second, and its exit status.
func TestShellCommand(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	odd := filepath.Join("it's a $(pwd) \"dir\"", "git-claw")
	for name, at := range map[string]string{"recorded": odd, "in PATH": filepath.Join("path", "git-claw")} {
		path := m.write("#!/bin/sh\necho "+shellQuote(name)+" \"$@\"\n", at)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(m.base, odd)
	command := shellCommand(binary)
	if got, ok := recordedBinary(command); !ok || got != binary {
		t.Errorf("recorded %q", got)
	}
	run := func() string {
		cmd := exec.Command("sh", "-c", command)
		cmd.Env = []string{"PATH=" + filepath.Join(m.base, "path") + ":/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return string(out)
	}
	if got := run(); got != "recorded hooks run claude-code\n" {
		t.Errorf("got %q", got)
	}
	if err := os.Remove(binary); err != nil {
		t.Fatal(err)
	}
	if got := run(); got != "in PATH hooks run claude-code\n" {
		t.Errorf("got %q", got)
	}
}
