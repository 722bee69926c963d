package connect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// homeAnd makes a home and a workspace of their own.
func homeAnd(t *testing.T) Env {
	t.Helper()
	base := t.TempDir()
	env := Env{Home: filepath.Join(base, "home"), Binary: "/usr/bin/git-claw", Workspace: filepath.Join(base, "w")}
	for _, dir := range []string{env.Home, env.Workspace} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return env
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func connectNow(t *testing.T, host string, env Env, opt Options) {
	t.Helper()
	plan, err := Make(host, env, opt)
	if err == nil {
		err = plan.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestConnected: what connect writes is seen, and what it takes out is not.
func TestConnected(t *testing.T) {
	t.Parallel()
	for _, opt := range []Options{{}, {User: true}} {
		env := homeAnd(t)
		put(t, filepath.Join(env.Home, ".claude", "settings.json"), `{"model": "x"}`)
		put(t, filepath.Join(env.Home, ".openclaw", "openclaw.json"), "{}")
		want := func(hosts ...string) {
			t.Helper()
			if got := Connected(env); !slices.Equal(got, hosts) {
				t.Errorf("%+v: connected %q, want %q", opt, got, hosts)
			}
			if got := Connections(env); len(got) != 2 || got[0].Unknown || got[1].Unknown {
				t.Errorf("%+v: %+v", opt, got)
			}
		}
		want()
		connectNow(t, claudeHost, env, opt)
		want(claudeHost)
		elsewhere := env
		elsewhere.Workspace = t.TempDir()
		if got := Connected(elsewhere); (len(got) == 1) != opt.User {
			t.Errorf("%+v: in another workspace %q", opt, got)
		}
		elsewhere.Workspace = ""
		if got := Connected(elsewhere); (len(got) == 1) != opt.User {
			t.Errorf("%+v: outside %q", opt, got)
		}
		connectNow(t, "openclaw", env, opt)
		want(claudeHost) // the plugin is not enabled yet
		put(t, filepath.Join(env.Home, ".openclaw", "openclaw.json"),
			`{"plugins": {"entries": {"git-claw": {"enabled": true, "hooks": {"allowConversationAccess": true}}}}}`)
		want(claudeHost, "openclaw")
		remove := opt
		remove.Remove = true
		connectNow(t, claudeHost, env, remove)
		want("openclaw")
		connectNow(t, "openclaw", env, remove)
		want()
	}
}

// TestConnectedOdd: what cannot be read is not known, what switches hooks off
// counts, and no link of a workspace leads anywhere.
func TestConnectedOdd(t *testing.T) {
	t.Parallel()
	hook := string(settings{command: shellCommand("/b/git-claw"), timeout: 1, events: claudeEvents()}.whole(false))
	start := string(settings{command: shellCommand("/b/git-claw"), timeout: 1, events: []string{"SessionStart"}}.whole(false))
	tests := []struct {
		name, user, project, local string
		want                       string
	}{
		{"shared settings", "", hook, "", "connected"},
		{"only the start", "", "", start, "not connected"},
		{"switched off by the user", `{"disableAllHooks": true}`, "", hook, "not connected"},
		{"not switched off", `{"disableAllHooks": false}`, "", hook, "connected"},
		{"broken", "", "", strings.TrimSuffix(hook, "}\n"), "unknown"},
		{"broken elsewhere", strings.TrimSuffix(hook, "}\n"), "", hook, "connected"},
		{"broken without us", "{", "", "", "not connected"},
		{"only the words", "", "", `{"x": "hooks run claude-code"}`, "not connected"},
		{"a list", "", "", `["hooks run claude-code"]`, "unknown"},
	}
	for _, tt := range tests {
		env := homeAnd(t)
		for path, text := range map[string]string{
			filepath.Join(env.Home, ".claude", "settings.json"):            tt.user,
			filepath.Join(env.Workspace, ".claude", "settings.json"):       tt.project,
			filepath.Join(env.Workspace, ".claude", "settings.local.json"): tt.local,
		} {
			if text != "" {
				put(t, path, text)
			}
		}
		if got := Connections(env)[0].State(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}

	env := homeAnd(t)
	other := filepath.Join(t.TempDir(), "settings.local.json")
	put(t, other, hook)
	if err := os.Symlink(filepath.Dir(other), filepath.Join(env.Workspace, ".claude")); err != nil {
		t.Skip("no symbolic links here")
	}
	if got := Connections(env)[0].State(); got != "not connected" {
		t.Errorf("a link in the workspace: %s", got)
	}
	user := filepath.Join(env.Home, ".claude", "settings.json")
	put(t, user, "")
	if err := os.Remove(user); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, user); err != nil {
		t.Fatal(err)
	}
	if got := Connections(env)[0].State(); got != "connected" {
		t.Errorf("a link of the user: %s", got)
	}
	if err := os.Remove(user); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(user, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Connections(env)[0].State(); got != "unknown" {
		t.Errorf("a folder: %s", got)
	}
	plugin := filepath.Join(env.Home, ".openclaw", "extensions", "git-claw", "index.js")
	put(t, plugin, "// somebody else's\n")
	if got := Connections(env)[1].State(); got != "not connected" {
		t.Errorf("another plugin: %s", got)
	}
	put(t, plugin, "// git-claw plugin, version 1\n")
	if got := Connections(env)[1].State(); got != "unknown" {
		t.Errorf("a plugin without configuration: %s", got)
	}
}

func BenchmarkConnected(b *testing.B) {
	base := b.TempDir()
	env := Env{Home: base, Workspace: base + "/w", Binary: "/usr/bin/git-claw"}
	hook := settings{command: shellCommand(env.Binary), timeout: 1, events: claudeEvents()}.whole(false)
	for _, dir := range []string{base + "/.claude", base + "/w/.claude"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(dir+"/settings.json", hook, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if len(Connected(env)) != 1 {
			b.Fatal("not connected")
		}
	}
}
