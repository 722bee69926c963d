package memory

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestImport(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(map[string]string{"SOUL.md": "", "memory/same.md": "same\n"})
	src := newPlace(t) // a repository itself: its .git stays out
	src.write(map[string]string{
		"MEMORY.md": "- [a](a.md)\n", "a.md": "a\r\n", "deep/er/b.json": "{}", "same.md": "same\n",
		"node_modules/x.md": "", "key.pem": "", ".env": "", "m.sqlite": "", "old.tmp": "", "big.md": strings.Repeat("x", 5<<20),
		"inner/.git/": "", "inner/c.md": "", ".openclaw/state.json": "",
	})
	src.link("a.md", "link.md")
	src.link("..", "up")
	plan := p.plan("", InitRequest{Import: src.dir})
	var got []string
	for _, f := range plan.Files {
		if strings.HasPrefix(f.Path, "memory/") {
			got = append(got, f.Path)
			if want := src.read(strings.TrimPrefix(f.Path, "memory/")); string(f.New) != want || f.Existed {
				t.Errorf("'%s': %q", f.Path, f.New)
			}
		}
	}
	if want := []string{"memory/MEMORY.md", "memory/a.md", "memory/deep/er/b.json"}; !slices.Equal(got, want) {
		t.Errorf("imports %q, want %q", got, want)
	}
	var skipped []string
	for _, s := range plan.Skipped {
		skipped = append(skipped, s.Path)
		if s.Reason == "" {
			t.Errorf("'%s' is skipped without reason", s.Path)
		}
	}
	slices.Sort(skipped)
	if want := []string{".env", ".git/", ".openclaw/", "big.md", "inner/", "key.pem", "link.md", "m.sqlite", "node_modules/", "old.tmp", "up"}; !slices.Equal(skipped, want) {
		t.Errorf("skips %q, want %q", skipped, want)
	}
	p.apply("", plan)
	if again := p.plan("", InitRequest{Import: src.dir}); len(again.Files) > 0 {
		t.Errorf("importing again writes %q", planned(again))
	}
}

func TestImportOfAStore(t *testing.T) {
	t.Parallel()
	p, src := newPlace(t), newPlace(t)
	src.write(map[string]string{"memory.md": "# HOT\n", "corrections.md": "", "heartbeat-state.md": "", "domains/go.md": "- x\n"})
	plan := p.plan("", InitRequest{Import: src.dir})
	for _, want := range []string{"self-improving/memory.md", "self-improving/domains/go.md", "self-improving/corrections.md"} {
		if !slices.Contains(planned(plan), want) {
			t.Errorf("'%s' is not in %q", want, planned(plan))
		}
	}
	if slices.Contains(planned(plan), "self-improving/heartbeat-state.md") {
		t.Error("an ignored file is imported")
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		files, there map[string]string
		dir          string // of the source, below it
	}{
		{"another text", map[string]string{"a.md": "x"}, map[string]string{"memory/a.md": "y"}, ""},
		{"another spelling there", map[string]string{"A.md": "x"}, map[string]string{"memory/a.md": "x"}, ""},
		{"another spelling of a folder", map[string]string{"Sub/a.md": "x"}, map[string]string{"memory/sub/b.md": "x"}, ""},
		{"two spellings", map[string]string{"e\u0301.md": "x", "\u00e9.md": "x"}, nil, ""},
		{"a workspace", map[string]string{"SOUL.md": "x"}, nil, ""},
		{"no folder", map[string]string{"a.md": "x"}, nil, "a.md"},
		{"nothing", nil, nil, "none"},
	} {
		p, src := newPlace(t), newPlace(t)
		src.write(tt.files)
		p.write(map[string]string{"SOUL.md": ""})
		p.write(tt.there)
		_, err := PlanInit(InitRequest{Dir: p.dir, Workspace: p.at(""), Import: filepath.Join(src.dir, tt.dir)})
		var im *ImportError
		if !errors.As(err, &im) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	p := newPlace(t)
	p.write(map[string]string{"ws/SOUL.md": "", "ws/notes/a.md": ""})
	for _, dir := range []string{"ws/notes", "ws", "."} {
		_, err := PlanInit(InitRequest{Dir: filepath.Join(p.dir, "ws"), Workspace: p.at("ws"), Import: filepath.Join(p.dir, dir)})
		var im *ImportError
		if !errors.As(err, &im) {
			t.Errorf("import of '%s' into a folder of itself: %v", dir, err)
		}
	}
}
