package connect

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// machine is a home and a workspace in a fresh folder.
type machine struct {
	t    *testing.T
	base string
	env  Env
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, base: base}
	m.env = Env{
		Home: filepath.Join(base, "home"), Binary: filepath.Join(base, "bin", "git-claw"), Workspace: filepath.Join(base, "ws"),
		Exclude: filepath.Join(base, "ws", ".git", "info", "exclude"),
	}
	for _, dir := range []string{m.env.Home, m.env.Workspace, filepath.Dir(m.env.Binary), filepath.Join(base, "ws", ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *machine) write(text string, parts ...string) string {
	m.t.Helper()
	path := filepath.Join(append([]string{m.base}, parts...)...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// tree lists everything below the base: folders, modes, links and bytes.
func (m *machine) tree() map[string]string {
	m.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(m.base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[path] = info.Mode().String()
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			out[path] += " " + string(text)
			return err
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

func (m *machine) make(host string, opt Options) *Plan {
	m.t.Helper()
	p, err := Make(host, m.env, opt)
	if err != nil {
		m.t.Fatalf("%s %+v: %v", host, opt, err)
	}
	return p
}

func (m *machine) apply(p *Plan) {
	m.t.Helper()
	if err := p.Apply(); err != nil {
		m.t.Fatalf("apply: %v", err)
	}
}

// roundTrip connects, connects again, takes it back, and compares the trees.
func (m *machine) roundTrip(host string, opt Options) *Plan {
	m.t.Helper()
	before := m.tree()
	p := m.make(host, opt)
	if got := m.tree(); !maps.Equal(got, before) {
		m.t.Error("planning wrote something")
	}
	m.apply(p)
	if again := m.make(host, opt); len(again.Edits) != 0 {
		m.t.Errorf("a second connect: %+v", again.Edits)
	}
	moved := m.env
	m.env.Binary = filepath.Join(m.base, "other", "git-claw")
	update := m.make(host, opt)
	if len(update.Edits) == 0 {
		m.t.Error("another binary changes nothing")
	}
	m.apply(update)
	m.env = moved
	opt.Remove = true
	m.apply(m.make(host, opt))
	if again := m.make(host, opt); len(again.Edits) != 0 {
		m.t.Errorf("a second removal: %+v", again.Edits)
	}
	if got := m.tree(); !maps.Equal(got, before) {
		for path := range before {
			if got[path] != before[path] {
				m.t.Errorf("%s: %q, was %q", path, got[path], before[path])
			}
		}
		for path := range got {
			if _, ok := before[path]; !ok {
				m.t.Errorf("left behind: %s", path)
			}
		}
	}
	return p
}

func TestNoTrace(t *testing.T) {
	t.Parallel()
	const other = "{\n  \"model\": \"x\"\n}\n"
	tests := []struct {
		name  string
		host  string
		opt   Options
		setup func(m *machine)
		paths []string // what the plan writes, in order
	}{
		{"nothing there", "claude-code", Options{}, func(*machine) {}, []string{"ws/.claude/settings.local.json", "ws/.git/info/exclude"}},
		{"folder there", "claude-code", Options{}, func(m *machine) {
			_ = os.Mkdir(filepath.Join(m.env.Workspace, ".claude"), 0o755)
		}, []string{"ws/.claude/settings.local.json", "ws/.git/info/exclude"}},
		{"settings there", "claude-code", Options{}, func(m *machine) {
			m.write(other, "ws", ".claude", "settings.local.json")
			m.write("*.tmp\n", "ws", ".git", "info", "exclude")
		}, []string{"ws/.claude/settings.local.json", "ws/.git/info/exclude"}},
		{"empty settings, ignore file without newline", "claude-code", Options{}, func(m *machine) {
			m.write("{}", "ws", ".claude", "settings.local.json")
			m.write("*.tmp", "ws", ".git", "info", "exclude")
		}, []string{"ws/.claude/settings.local.json", "ws/.git/info/exclude"}},
		{"empty ignore file", "claude-code", Options{}, func(m *machine) {
			m.write("", "ws", ".git", "info", "exclude")
		}, []string{"ws/.claude/settings.local.json", "ws/.git/info/exclude"}},
		{"ignored already", "claude-code", Options{}, func(m *machine) { m.env.Ignored = true }, []string{"ws/.claude/settings.local.json"}},
		{"no repository", "claude-code", Options{}, func(m *machine) { m.env.Exclude = "" }, []string{"ws/.claude/settings.local.json"}},
		{"a prefix", "claude-code", Options{}, func(m *machine) {
			m.env.Prefix = "a [1]/b/"
			m.env.Workspace = filepath.Join(m.env.Workspace, "a [1]", "b")
			m.write("x", "ws", "a [1]", "b", "MEMORY.md")
		}, []string{"ws/a [1]/b/.claude/settings.local.json", "ws/.git/info/exclude"}},
		{"user", "claude-code", Options{User: true}, func(*machine) {}, []string{"home/.claude/settings.json"}},
		{"user, settings there", "claude-code", Options{User: true}, func(m *machine) { m.write(other, "home", ".claude", "settings.json") }, []string{"home/.claude/settings.json"}},
		{"user, a link", "claude-code", Options{User: true}, func(m *machine) {
			to := m.write(other, "dotfiles", "claude.json")
			_ = os.Mkdir(filepath.Join(m.env.Home, ".claude"), 0o755)
			if err := os.Symlink(to, filepath.Join(m.env.Home, ".claude", "settings.json")); err != nil {
				t.Skip("no symbolic links here")
			}
		}, []string{"dotfiles/claude.json"}},
		{"user, another folder", "claude-code", Options{User: true}, func(m *machine) {
			m.env.Environ = []string{"CLAUDE_CONFIG_DIR=~/cc"}
		}, []string{"home/cc/settings.json"}},
		{"openclaw", "openclaw", Options{}, func(m *machine) { m.write("{}", "home", ".openclaw", "openclaw.json") }, pluginPaths("home/.openclaw")},
		{"openclaw with plugins", "openclaw", Options{}, func(m *machine) { m.write("x", "home", ".openclaw", "extensions", "mine", "index.js") }, pluginPaths("home/.openclaw")},
		{"openclaw with an empty plugin folder", "openclaw", Options{}, func(m *machine) {
			_ = os.MkdirAll(filepath.Join(m.env.Home, ".openclaw", "extensions"), 0o755)
		}, pluginPaths("home/.openclaw")},
		{"openclaw, profile", "openclaw", Options{}, func(m *machine) {
			m.env.Environ = []string{"OPENCLAW_PROFILE=work"}
			m.write("{}", "home", ".openclaw-work", "openclaw.json")
		}, pluginPaths("home/.openclaw-work")},
		{"openclaw, state folder", "openclaw", Options{}, func(m *machine) {
			m.write("{}", "state", "openclaw.json")
			m.env.Environ = []string{"OPENCLAW_PROFILE=work", "OPENCLAW_STATE_DIR=" + filepath.Join(m.base, "state")}
		}, pluginPaths("state")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			tt.setup(m)
			p := m.roundTrip(tt.host, tt.opt)
			var got []string
			for _, e := range p.Edits {
				rel, err := filepath.Rel(m.base, e.Path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
				if e.Outside != (tt.opt.User || tt.host == "openclaw") || e.Why == "" || e.After == nil {
					t.Errorf("edit %+v", e)
				}
			}
			if !slices.Equal(got, tt.paths) {
				t.Errorf("writes %q, want %q", got, tt.paths)
			}
		})
	}
}

func pluginPaths(state string) []string {
	var out []string
	for _, name := range pluginFiles() {
		out = append(out, state+"/extensions/git-claw/"+name)
	}
	return out
}

// TestIgnoredByGit: the line keeps the file out of `git status`, prefix or not.
func TestIgnoredByGit(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "a/", "we[ir]d *?/b/", `back\slash/`} {
		m := newMachine(t)
		if err := os.Remove(filepath.Join(m.base, "ws", ".git")); err != nil {
			t.Fatal(err)
		}
		top := m.env.Workspace
		git := func(args ...string) string {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = top, []string{"PATH=/usr/bin:/bin", "HOME=" + m.env.Home, "GIT_CONFIG_NOSYSTEM=1"}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %q: %s", args, out)
			}
			return string(out)
		}
		git("init", "-q")
		m.env.Prefix = prefix
		m.env.Workspace = filepath.Join(top, filepath.FromSlash(prefix))
		if err := os.MkdirAll(m.env.Workspace, 0o755); err != nil {
			t.Fatal(err)
		}
		m.apply(m.make("claude-code", Options{}))
		if out := git("status", "--porcelain"); out != "" {
			t.Errorf("prefix %q: %s", prefix, out)
		}
	}
}
