package memory

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/memory/doc"
)

// apply writes a plan's files.
func (p *place) apply(rel string, plan *InitPlan) {
	p.t.Helper()
	files := make(map[string]string)
	for _, f := range plan.Files {
		files[filepath.ToSlash(filepath.Join(rel, f.Path))] = string(f.New)
	}
	p.write(files)
}

func (p *place) plan(rel string, req InitRequest) *InitPlan {
	p.t.Helper()
	req.Workspace, req.Dir = p.at(rel), filepath.Join(p.dir, rel)
	plan, err := PlanInit(req)
	if err != nil {
		p.t.Fatal(err)
	}
	return plan
}

func planned(plan *InitPlan) []string {
	var out []string
	for _, f := range plan.Files {
		out = append(out, f.Path)
	}
	return out
}

func TestInitOfAnEmptyFolder(t *testing.T) {
	t.Parallel()
	always := []string{".claw/config", ".gitattributes", ".gitignore"}
	for host, roots := range map[string][]string{
		"auto":          {"AGENTS.md", "IDENTITY.md", "MEMORY.md", "SOUL.md", "USER.md"},
		OpenClaw:        {"AGENTS.md", "IDENTITY.md", "MEMORY.md", "SOUL.md", "USER.md"},
		OpenClawClassic: {"AGENTS.md", "HEARTBEAT.md", "IDENTITY.md", "MEMORY.md", "SOUL.md", "TOOLS.md", "USER.md"},
		ClaudeCode:      {"CLAUDE.md", "MEMORY.md"},
		Generic:         {"AGENTS.md", "MEMORY.md"},
	} {
		p := newPlace(t)
		p.run("config", "claw.host", host)
		plan := p.plan("", InitRequest{Domain: "bookkeeping\n# for a bakery"})
		if want := slices.Concat(always, roots); !plan.Fresh || !slices.Equal(planned(plan), want) {
			t.Errorf("%s: fresh %v, files %q", host, plan.Fresh, planned(plan))
		}
		p.apply("", plan)
		p.run("config", "--unset", "claw.host")
		w := p.at("")
		if !w.Adopted || w.Host.Name != plan.Host || (host != "auto" && w.Host.Name != host) {
			t.Errorf("%s: adopted %v as '%s', planned '%s'", host, w.Adopted, w.Host.Name, plan.Host)
		}
		if w.Settings.Bool("l1.strict") || w.Profiles.Auto() || !slices.Equal(w.Profiles.On(), AllProfiles) || !slices.Equal(plan.Profiles, AllProfiles) {
			t.Errorf("%s: strict %v, profiles %q", host, w.Settings.Bool("l1.strict"), w.Profiles.Names())
		}
		if got := w.Settings.Warnings(); len(got) > 0 {
			t.Errorf("%s: warnings %q", host, got)
		}
		for _, name := range w.Host.Expected {
			if !slices.Contains(roots, name) {
				t.Errorf("%s: expects '%s', which is not made", host, name)
			}
		}
		said := false
		for _, f := range plan.Files {
			said = said || bytes.Contains(f.New, []byte("bookkeeping # for a bakery\n"))
		}
		if !said {
			t.Errorf("%s: the domain stands nowhere", host)
		}
		if again := p.plan("", InitRequest{}); len(again.Files) > 0 || again.Fresh {
			t.Errorf("%s: a second init writes %q", host, planned(again))
		}
	}
}

func TestInitWithoutRepository(t *testing.T) {
	t.Parallel()
	plan, err := PlanInit(InitRequest{Dir: filepath.Join(t.TempDir(), "not", "there"), Now: clock})
	if err != nil || !plan.Fresh || plan.Host != OpenClaw {
		t.Errorf("plan %+v, error %v", plan, err)
	}
	if _, err := PlanInit(InitRequest{Dir: t.TempDir(), Host: "nobody", Now: clock}); err == nil {
		t.Error("an unknown host was taken")
	}
}

// TestAdoption has a workspace with content and files of others: nothing that
// exists changes, no root file is added.
func TestAdoption(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{
		"ws/SOUL.md": "mine\n", "ws/memory/2026-05-01.md": "- x\n", "ws/skills/a/SKILL.md": "---\nname: a\n---\n",
		"ws/.gitignore": "*.log\r\n!keep.log\r\n", "ws/.gitattributes": "*.md text",
	})
	plan := p.plan("ws", InitRequest{})
	if want := []string{".claw/config", ".gitattributes", ".gitignore"}; plan.Fresh || !slices.Equal(planned(plan), want) {
		t.Fatalf("fresh %v, files %q", plan.Fresh, planned(plan))
	}
	for _, f := range plan.Files {
		if !bytes.HasPrefix(f.New, f.Old) || f.Why == "" || f.Existed != (f.Old != nil) {
			t.Errorf("'%s': %+v", f.Path, f)
		}
	}
	p.apply("ws", plan)
	if text := p.read("ws/.gitignore"); doc.EOL([]byte(text)) != "\r\n" {
		t.Errorf("the block has other line ends than its file: %q", text)
	}
	if text := p.read("ws/.gitattributes"); !strings.HasPrefix(text, "*.md text\n") {
		t.Errorf("the last line got no end: %q", text)
	}
	w := p.at("ws")
	if w.Settings.Bool("l1.strict") || !w.Profiles.Auto() || !slices.Equal(w.Profiles.Names(), []string{"skills"}) {
		t.Errorf("adopted with strict %v, profiles %q", w.Settings.Bool("l1.strict"), w.Profiles.Names())
	}
	if again := p.plan("ws", InitRequest{}); len(again.Files) > 0 {
		t.Errorf("a second init writes %q", planned(again))
	}
}

func TestCanonicalLayout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		files    map[string]string
		profiles string
		noTags   bool
	}{
		{"empty", nil, "three_layer openclaw_memory learnings self_improving skills", false},
		{"with content", map[string]string{"SOUL.md": "", ".learnings/ERRORS.md": ""}, "openclaw_memory learnings", true},
		{"adopted", map[string]string{"SOUL.md": "", ".claw/config": "[claw]\n\thost = openclaw\n\tprofiles = skills"}, "skills openclaw_memory", false},
		{"adopted, has the profile", map[string]string{"SOUL.md": "", ".claw/config": "[claw]\r\n\tprofiles = openclaw_memory\r\n"}, "openclaw_memory", false},
	} {
		p := newPlace(t)
		p.write(tt.files)
		plan := p.plan("", InitRequest{Canonical: true, NoTags: tt.noTags})
		p.apply("", plan)
		w := p.at("")
		on := w.Profiles.Names()
		slices.Sort(on)
		want := strings.Fields(tt.profiles)
		slices.Sort(want)
		if !slices.Equal(on, want) || w.Profiles.Auto() {
			t.Errorf("%s: profiles %q", tt.name, on)
		}
		if w.Settings.String("recall.gate") != "integrity" || len(w.Settings.Warnings()) > 0 {
			t.Errorf("%s: gate '%s', warnings %q", tt.name, w.Settings.String("recall.gate"), w.Settings.Warnings())
		}
		if _, err := os.Stat(filepath.Join(p.dir, "memory", "episodic")); err != nil {
			t.Error(err)
		}
		if tags := slices.Contains(planned(plan), ".claw/tags.txt"); tags == tt.noTags {
			t.Errorf("%s: tags.txt planned is %v", tt.name, tags)
		}
		if old := tt.files[".claw/config"]; !strings.HasPrefix(p.read(".claw/config"), old) {
			t.Errorf("%s: .claw/config changed: %q", tt.name, p.read(".claw/config"))
		}
		p.run("config", "-f", ".claw/config", "--list") // git reads what we wrote
		if again := p.plan("", InitRequest{Canonical: true, NoTags: tt.noTags}); len(again.Files) > 0 {
			t.Errorf("%s: a second init writes %q", tt.name, planned(again))
		}
	}
}

func TestOnlyCanonicalWritesTags(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if plan := p.plan("", InitRequest{}); slices.Contains(planned(plan), ".claw/tags.txt") {
		t.Error("tags.txt without the canonical layout")
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	r := rendering{domain: "x", now: clock}
	var tags []string
	for _, l := range strings.Split(string(r.file("tags.txt")), "\n") {
		if l != "" && !strings.HasPrefix(l, "#") {
			tags = append(tags, l)
		}
	}
	if len(tags) != 37 {
		t.Errorf("%d tags", len(tags))
	}
	for _, f := range warmFiles {
		for _, tag := range strings.Fields(f.tags) {
			if !slices.Contains(tags, tag) {
				t.Errorf("'%s' has the tag '%s', which is not in the vocabulary", f.path, tag)
			}
		}
	}
	err := fs.WalkDir(templates, "templates", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := string(r.file(strings.TrimPrefix(name, "templates/"), "{{title}}", "T", "{{tags}}", "memory"))
		if strings.Contains(text, "{{") || strings.Contains(text, "\r") || !strings.HasSuffix(text, "\n") || len(text) > 4000 {
			t.Errorf("%s: %q", name, text)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	p := newPlace(t)
	p.write(map[string]string{"MEMORY.md": string(r.file("MEMORY.md"))})
	if !(tree{p.dir}).hasMemoryHeader() {
		t.Error("MEMORY.md has no valid header")
	}
}

func TestTeam(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"SOUL.md": "", "memory/a.md": ""})
	p.apply("", p.plan("", InitRequest{}))
	plan := p.plan("", InitRequest{Team: true}) // added to a block that is there
	if !slices.Equal(planned(plan), []string{".gitignore"}) || !slices.Contains(plan.Ignored, "memory/") {
		t.Fatalf("files %q, ignored %q", planned(plan), plan.Ignored)
	}
	p.apply("", plan)
	for _, f := range []string{"memory/a.md", ".learnings/ERRORS.md", "self-improving/memory.md", "USER.md", "MEMORY.md"} {
		if !p.ignored(f) {
			t.Errorf("'%s' is not ignored", f)
		}
	}
	if p.ignored("AGENTS.md") || p.ignored("skills/a/MEMORY.md") {
		t.Error("more than the personal files is ignored")
	}
	if again := p.plan("", InitRequest{Team: true}); len(again.Files) > 0 {
		t.Errorf("a second init writes %q", planned(again))
	}
}

func (p *place) ignored(rel string) bool {
	p.t.Helper()
	_, err := p.git.Run(p.t.Context(), gitops.Cmd{Dir: p.dir, Args: []string{"check-ignore", "-q", "--no-index", "--", rel}, Env: []string{"GIT_LITERAL_PATHSPECS=0"}})
	var ge *gitops.GitError
	if err != nil && (!errors.As(err, &ge) || ge.Code != 1) {
		p.t.Fatal(err)
	}
	return err == nil
}

// TestIgnoredAsGitReadsIt compares IgnoredByUs with git on our block, and no
// pattern matches a note.
func TestIgnoredAsGitReadsIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"SOUL.md": "", ".claw/config": "[claw \"si\"]\n\troot = \"store [1] #x\"\n", "store [1] #x/memory.md": ""})
	p.apply("", p.plan("", InitRequest{}))
	w := p.at("")
	names := []string{
		"a.md", ".env.md", "x.key.md", "secrets.md", "secrets.json.md", "x.sqlite.md", "a.tmp.md", "a.tmp.1.md", "heartbeat-state.md",
		"working-buffer.md", "openclaw-workspace-state.json.md", "2026-05-02.md", ".md",
	}
	for _, dir := range []string{"", "memory/", "memory/archive/2026/05/", "skills/x/", "store [1] #x/", "self-improving/", "a/memory/"} {
		for _, n := range names {
			rel := dir + n
			if want := rel == "memory/working-buffer.md" || rel == "store [1] #x/heartbeat-state.md"; p.ignored(rel) != want || w.IgnoredByUs(rel) != want {
				t.Errorf("'%s': git ignores %v, we say %v, want %v", rel, p.ignored(rel), w.IgnoredByUs(rel), want)
			}
		}
	}
	for rel, want := range map[string]bool{
		".env": true, "a/.env": true, "x.key": true, "b/y.pem": true, "secrets.toml": true, "secretsXtoml": false, "m.sqlite": true, "m.sqlite-wal": true,
		"memory/a.tmp": true, "memory/a.tmp.x1": true, "memory/a.tmp.x": false, ".openclaw/x": true, "a/.openclaw/y/z.json": true, ".openclawx": false,
		"memory/working-buffer.md.lock": true, "memory/working-buffer.md.pending": true, "a/memory/working-buffer.md.lock": false, ".envrc": false,
	} {
		if p.ignored(rel) != want || w.IgnoredByUs(rel) != want {
			t.Errorf("'%s': git ignores %v, we say %v, want %v", rel, p.ignored(rel), w.IgnoredByUs(rel), want)
		}
	}
}

func TestAttributesAsGitReadsThem(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"ws/SOUL.md": "", "ws/.claw/config": "[claw \"si\"]\n\troot = my \\\"store\\\"\n", "ws/my \"store\"/memory.md": ""})
	p.apply("ws", p.plan("ws", InitRequest{}))
	for rel, want := range map[string]string{
		"AGENTS.md": "claw", "MEMORY.md": "claw", "memory/a.md": "claw", "memory/x/y/z.md": "claw", "memory/s.json": "claw", "memory/log.jsonl": "claw",
		".learnings/ERRORS.md": "claw", "reference/a.md": "claw", `my "store"/pending/cand-1.md`: "claw", `my "store"/reflections.log`: "claw",
		".claw/tags.txt": "claw", ".claw/tombstones": "claw",
		"README.md": "unspecified", "skills/a/SKILL.md": "claw", "skills/a/run.sh": "unspecified", "memory/p.png": "unspecified", "docs/memory/a.md": "unspecified",
		".claw/config": "unspecified", "CLAUDE.md": "unspecified",
	} {
		out := p.run("check-attr", "-z", "-a", "--", "ws/"+rel)
		got := "unspecified"
		if f := strings.Split(out, "\x00"); len(f) > 2 {
			got = f[2]
			if f[1] != "merge" || len(f) != 4 {
				t.Errorf("'%s' has other attributes: %q", rel, f)
			}
		}
		if got != want {
			t.Errorf("'%s' merges with '%s', want '%s'", rel, got, want)
		}
	}
	if out := p.run("check-attr", "-a", "--", "memory/a.md"); out != "" {
		t.Errorf("outside the workspace: %q", out)
	}
	// The fast write path looks for these words as attributes.
	for _, l := range attributeLines(Host{Name: Generic}, "a b/", "self-improving/", true) {
		if rest, ok := strings.CutSuffix(l, "\" merge=claw"); !ok || !strings.HasPrefix(rest, "\"/a b/") {
			t.Errorf("line %q", l)
		}
	}
}

func TestInitRefusesLinksAndFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".gitignore", ".gitattributes", ".claw", "memory"} {
		p := newPlace(t)
		p.write(map[string]string{"SOUL.md": "", "elsewhere/config": "", "elsewhere/semantic/": ""})
		p.link("elsewhere", name)
		_, err := PlanInit(InitRequest{Dir: p.dir, Now: clock, Canonical: true})
		var link *LinkError
		if !errors.As(err, &link) || link.Path != name {
			t.Errorf("'%s' is a link: %v", name, err)
		}
	}
	for name, in := range map[string]string{".gitignore/x": ".gitignore", ".claw": ".claw", ".claw/config/x": ".claw/config"} {
		p := newPlace(t)
		p.write(map[string]string{"SOUL.md": "", name: ""})
		_, err := PlanInit(InitRequest{Dir: p.dir, Now: clock})
		var not *NotRegularError
		if !errors.As(err, &not) || not.Path != in {
			t.Errorf("'%s' in the way: %v", name, err)
		}
	}
}
