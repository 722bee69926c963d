package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

var clock = time.Date(2026, 5, 2, 9, 10, 0, 0, time.UTC)

// place is a repository for a test, apart from the machine's git configuration.
type place struct {
	t   *testing.T
	dir string // top level, links resolved
	git *gitops.Git
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org",
	}
	p := &place{t: t, dir: dir, git: gitops.NewGit(gitops.Env{Environ: env, Dir: dir, Now: func() time.Time { return clock }})}
	p.run("init", "-q", "-b", "main")
	return p
}

func (p *place) run(args ...string) string {
	p.t.Helper()
	out, err := p.git.Run(context.Background(), gitops.Cmd{Dir: p.dir, Args: args})
	if err != nil {
		p.t.Fatal(err)
	}
	return string(out)
}

// write makes files; a name that ends in a slash is a folder.
func (p *place) write(files map[string]string) {
	p.t.Helper()
	for name, content := range files {
		full := filepath.Join(p.dir, filepath.FromSlash(name))
		dir := filepath.Dir(full)
		if strings.HasSuffix(name, "/") {
			dir = full
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			p.t.Fatal(err)
		}
		if dir == full {
			continue
		}
		if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *place) link(target, name string) {
	p.t.Helper()
	if err := os.Symlink(target, filepath.Join(p.dir, name)); err != nil {
		p.t.Skip("no symbolic links here: ", err)
	}
}

func (p *place) read(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// at opens the workspace in a folder below the top level.
func (p *place) at(rel string) *Workspace {
	p.t.Helper()
	w, err := p.tryAt(rel)
	if err != nil {
		p.t.Fatal(err)
	}
	return w
}

func (p *place) tryAt(rel string) (*Workspace, error) {
	p.t.Helper()
	dir := filepath.Join(p.dir, rel)
	repo, err := gitops.Open(context.Background(), p.git, dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return At(context.Background(), repo, dir)
}

func TestRoot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{
		"a/.claw/config": "", "a/memory/AGENTS.md": "x", "a/memory/deep/er/": "",
		"b/SOUL.md": "", "b/memory/": "", "plain/sub/": "", "c/CLAUDE.md": "",
	})
	p.link("a/memory", "link")
	tests := []struct{ dir, explicit, want string }{
		{"a", "", "a/"},
		{"a/memory/deep/er", "", "a/"}, // the nearest .claw/config before a nearer AGENTS.md
		{"b/memory", "", "b/"},
		{"c", "", "c/"},
		{"plain/sub", "", ""},
		{"", "", ""},
		{"link", "", "a/"}, // links resolved as git does
		{"a", "b", "b/"},
		{"a", "a/memory", "a/memory/"}, // what is said is taken as it is
	}
	for _, tt := range tests {
		explicit := ""
		if tt.explicit != "" {
			explicit = filepath.Join(p.dir, tt.explicit)
		}
		w, err := Open(context.Background(), p.git, filepath.Join(p.dir, tt.dir), explicit)
		if err != nil {
			t.Errorf("from '%s': %v", tt.dir, err)
			continue
		}
		if w.Prefix != tt.want || w.Root != filepath.Join(p.dir, tt.want) {
			t.Errorf("from '%s' with '%s': prefix '%s', root '%s', want '%s'", tt.dir, tt.explicit, w.Prefix, w.Root, tt.want)
		}
		if adopted := tt.want == "a/"; w.Adopted != adopted {
			t.Errorf("from '%s': adopted is %v", tt.dir, w.Adopted)
		}
	}
	var not *NotAdoptedError
	if err := p.at("b").RequireAdopted(); !errors.As(err, &not) || not.Hints()[0] != "run 'git claw init'" {
		t.Errorf("RequireAdopted: %v", err)
	}
	if _, err := Open(context.Background(), p.git, p.dir, filepath.Join(p.dir, "none")); err == nil {
		t.Error("a folder that does not exist was opened")
	}
	other := newPlace(t)
	repo, err := gitops.Open(context.Background(), p.git, p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := At(context.Background(), repo, other.dir); err == nil {
		t.Error("a folder outside the repository was opened")
	}
}

// TestBareRepositoryIsReadOnly: history can be read there, and nothing written.
func TestBareRepositoryIsReadOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bare := t.TempDir() // one inside a work tree is not taken for a repository
	p.run("init", "-q", "--bare", bare)
	w, err := Open(context.Background(), p.git, bare, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.RequireAdopted(); !errors.Is(err, ErrNoWorkTree) {
		t.Errorf("error %v", err)
	}
}

func TestLinkedSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".claw", ".claw/config"} {
		p := newPlace(t)
		p.write(map[string]string{"real/config": "[claw]\n\thost = generic\n"})
		if name == ".claw" {
			p.link("real", ".claw")
		} else {
			p.write(map[string]string{".claw/": ""})
			p.link("../real/config", ".claw/config")
		}
		_, err := p.tryAt("")
		var link *LinkError
		if !errors.As(err, &link) || link.Path != name {
			t.Errorf("'%s' as a link: %v", name, err)
		}
	}
}

func TestNewerConfigIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{".claw/config": "[claw]\n\tversion = 2\n"})
	_, err := p.tryAt("")
	var version *VersionError
	if !errors.As(err, &version) || version.Have != "2" {
		t.Errorf("error %v", err)
	}
}

func TestHugeConfigIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{".claw/config": strings.Repeat("# x\n", maxConfigBytes)})
	if _, err := p.tryAt(""); err == nil {
		t.Error("it was read")
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	index := "# Index\n- [One](one.md): about\n- [Two](two.md)\n- free text\n"
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", nil, Generic},
		{"AGENTS alone", map[string]string{"AGENTS.md": ""}, Generic},
		{"SOUL", map[string]string{"SOUL.md": "", "CLAUDE.md": ""}, OpenClaw},
		{"IDENTITY", map[string]string{"IDENTITY.md": ""}, OpenClaw},
		{"CLAUDE", map[string]string{"CLAUDE.md": "", "AGENTS.md": ""}, ClaudeCode},
		{".claude", map[string]string{".claude/": ""}, ClaudeCode},
		{"index", map[string]string{"MEMORY.md": index, "one.md": "", "two.md": ""}, ClaudeCode},
		{"index of missing files", map[string]string{"MEMORY.md": index}, Generic},
		{"said", map[string]string{"SOUL.md": "", ".claw/config": "[claw]\n\thost = openclaw-classic\n"}, OpenClawClassic},
		{"said looser than the files", map[string]string{"SOUL.md": "", ".claw/config": "[claw]\n\thost = generic\n"}, OpenClaw},
		{"said to be another one", map[string]string{"SOUL.md": "", ".claw/config": "[claw]\n\thost = claude-code\n"}, OpenClaw},
		{"said for files of both", map[string]string{"SOUL.md": "", "CLAUDE.md": "", ".claw/config": "[claw]\n\thost = claude-code\n"}, ClaudeCode},
		{"said looser than an index", map[string]string{"CLAUDE.md": "", ".claw/config": "[claw]\n\thost = generic\n"}, ClaudeCode},
		{"said tighter", map[string]string{"CLAUDE.md": "", ".claw/config": "[claw]\n\thost = openclaw\n"}, OpenClaw},
		{"said wrongly", map[string]string{"SOUL.md": "", ".claw/config": "[claw]\n\thost = nobody\n"}, OpenClaw},
	}
	for _, tt := range tests {
		p := newPlace(t)
		p.write(tt.files)
		w := p.at("")
		if w.Host.Name != tt.want || w.HostReason == "" {
			t.Errorf("%s: host '%s' because '%s', want '%s'", tt.name, w.Host.Name, w.HostReason, tt.want)
		}
	}
}

// This machine's owner may loosen, and is told how where a tracked file may not.
func TestTrackedHost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"SOUL.md": "", ".claw/config": "[claw]\n\thost = generic\n"})
	if got := p.at("").Settings.Warnings(); len(got) != 1 || !strings.Contains(got[0], "git config claw.host generic") {
		t.Errorf("warnings %q", got)
	}
	p.run("config", "claw.host", Generic)
	w := p.at("")
	if got := w.Settings.Warnings(); w.Host.Name != Generic || len(got) != 0 {
		t.Errorf("host '%s', warnings %q", w.Host.Name, got)
	}
}

func TestHostLimits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"SOUL.md": "", ".claw/config": "[claw \"bootstrap\"]\n\tmaxChars = 10000\n\tuserMaxChars = 5000\n"})
	p.run("config", "claw.bootstrap.totalMaxChars", "90000")
	w := p.at("")
	if h := w.Host; h.FileChars != 10000 || h.UserChars != 4000 || h.TotalChars != 90000 {
		t.Errorf("limits %d, %d, %d", h.FileChars, h.UserChars, h.TotalChars)
	}
	if got := w.Settings.Warnings(); len(got) != 1 || !strings.Contains(got[0], "userMaxChars = 5000") {
		t.Errorf("warnings %q", got)
	}
	if h, _ := HostNamed(OpenClaw); h.FileChars != 20000 {
		t.Errorf("the table changed: %d", h.FileChars)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		want  string
		auto  bool
	}{
		{"nothing", nil, "", true},
		{"daily notes only", map[string]string{"memory/2026-05-02.md": "x"}, "", true},
		{"reference", map[string]string{"reference/a.md": ""}, "three_layer", true},
		{"pointers", map[string]string{"memory/a.md": "- x → Deep dive: reference/a.md\n"}, "three_layer", true},
		{"memory header", map[string]string{"MEMORY.md": "# Agent Memory\r\n#tags: a\r\nlast_verified: 2026-05-01\r\nlast_updated: 2026-05-01\r\n"}, "openclaw_memory", true},
		{"buffer", map[string]string{"memory/working-buffer.md": "# Working Buffer\ncreated: x\nlast_active: y\n"}, "openclaw_memory", true},
		{"folders", map[string]string{"memory/semantic/": "", "memory/procedural/": ""}, "openclaw_memory", true},
		{"lessons", map[string]string{".learnings/ERRORS.md": ""}, "learnings", true},
		{"preferences", map[string]string{"self-improving/memory.md": ""}, "self_improving", true},
		{"preferences one deeper", map[string]string{"self-improving/memory/memory.md": ""}, "self_improving", true},
		{"skill", map[string]string{"skills/a/b/c/SKILL.md": ""}, "skills", true},
		{"skill in a dot folder", map[string]string{"skills/.a/SKILL.md": "", "skills/node_modules/b/SKILL.md": ""}, "", true},
		{"listed", map[string]string{"reference/a.md": "", ".claw/config": "[claw]\n\tprofiles = skills learnings nonsense\n"}, "skills learnings", false},
	}
	for _, tt := range tests {
		p := newPlace(t)
		p.write(tt.files)
		w := p.at("")
		if got := strings.Join(w.Profiles.Names(), " "); got != tt.want || w.Profiles.Auto() != tt.auto {
			t.Errorf("%s: profiles '%s', auto %v", tt.name, got, w.Profiles.Auto())
		}
	}
}

func TestClockAndZone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{".claw/config": "[claw]\n\ttimezone = Asia/Tokyo\n"})
	if got := p.at("").Now().Format(time.RFC3339); got != "2026-05-02T18:10:00+09:00" {
		t.Errorf("now is %s", got)
	}
}
