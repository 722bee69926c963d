package health

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/buffer"
	"github.com/git-claw/git-claw/memory/daily"
)

// work returns the findings over the work tree of a repository with the files,
// besides those of the base rules.
func (s *stage) work() []string {
	s.t.Helper()
	ws, err := memory.At(s.t.Context(), s.Open(), s.Path(s.prefix))
	if err != nil {
		s.t.Fatal(err)
	}
	rep, err := ExamineWork(s.t.Context(), ws, Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, f := range rep.Findings {
		if c, _ := CheckOf(f.ID); len(c.Profiles) > 0 {
			out = append(out, f.ID+" "+brief(f))
		}
	}
	return out
}

// at is the clock of gittest, some days later.
func (s *stage) at(days int) string {
	return s.Env().Now().AddDate(0, 0, days).Format(time.RFC3339)
}

// TestProfilesFound: what nobody asked for fails only for loss (SPEC WS-34).
func TestProfilesFound(t *testing.T) {
	t.Parallel()
	config := func(profiles string) string {
		return "[claw]\n\tversion = 1\n\thost = openclaw\n\ttimezone = UTC\n" + profiles
	}
	s := &stage{t: t, Repo: gittest.New(t, gittest.Files(map[string]string{
		".claw/config": config(""), ".gitignore": buffer.Path + "*\n", "SOUL.md": "# Soul\n", "memory/2026-02-28.md": "- x\n", "memory/2026-02-30.md": "- x\n", "memory/topic.md": "- x\n",
	}))}
	if got := s.work(); got != nil {
		t.Errorf("daily notes only: %q", got)
	}
	s.Write(buffer.Path, bufferText(s.at(0), items(77)))
	s.Write(buffer.PendingPath, "x\n")
	want := func(severity string) []string {
		return []string{"BUF-003 " + severity + " " + buffer.Path, "BUF-005 FAIL " + buffer.PendingPath}
	}
	of := func(all []string) []string {
		return slices.DeleteFunc(all, func(f string) bool { return !strings.HasPrefix(f, "BUF-003") && !strings.HasPrefix(f, "BUF-005") })
	}
	if got := of(s.work()); !slices.Equal(got, want("WARN")) {
		t.Errorf("found: %q", got)
	}
	s.Write(".claw/config", config("\tprofiles = openclaw_memory\n"))
	if got := of(s.work()); !slices.Equal(got, want("FAIL")) {
		t.Errorf("listed: %q", got)
	}
	// A pointer to nothing is loss, whoever asked for layers.
	s.Write(".claw/config", config(""))
	s.Write("memory/topic.md", "- x → Deep dive: reference/none.md\n")
	s.Write("reference/other.md", "x\n")
	if got := s.work(); !slices.Contains(got, "L2-003 FAIL memory/topic.md:1") {
		t.Errorf("found: %q", got)
	}
}

// TestStagedMemory: a commit fails for what it brings itself (SPEC GN-22).
func TestStagedMemory(t *testing.T) {
	t.Parallel()
	const decisions = "memory/semantic/decisions.md"
	warm := func(tag, day string) string {
		return "# Decisions\n#tags: " + tag + "\n> last_verified: " + day + "\n\n## A\n"
	}
	long := hotHeader + "## Active Decisions\n- a → " + decisions + "#a\n\n## Active\n" + items(60)
	s := newStage(t, "ws/", tree{
		"MEMORY.md": long, decisions: warm("old", "2026-01-01") + "- The gateway runs on port nine.\n", ".claw/tags.txt": "memory\nold\n", "reference/a.md": "x\n", "memory/topic.md": "- x → Deep dive: reference/a.md\n",
		"memory/2026-02-20.md": "- x\n",
	})
	for _, c := range []struct {
		name   string
		staged tree
		gone   string
		want   []string
	}{
		{"shorter, though too long", tree{"MEMORY.md": strings.Replace(long, "- item 7\n", "", 1)}, "", nil},
		{"longer", tree{"MEMORY.md": long + "- more\n"}, "", []string{"HOT-003  MEMORY.md"}},
		{"an old day edited, without closure block", tree{"memory/2026-02-20.md": "- x\n- y\n"}, "", nil},
		{"a date in the future", tree{decisions: warm("old", "2030-01-01")}, "", nil},
		{"an unknown tag", tree{decisions: warm("new", "2026-01-01")}, "", []string{"TAG-002  " + decisions + ":2"}},
		{"the tag goes out of the list", tree{".claw/tags.txt": "memory\n"}, "", []string{"TAG-002  " + decisions + ":2"}},
		{"the heading goes", tree{decisions: strings.Replace(warm("old", "2026-01-01"), "## A", "## B", 1)}, "", []string{"HOT-004  MEMORY.md:6"}},
		{"the reference goes", nil, "reference/a.md", []string{"L2-003  memory/topic.md:1"}},
		{"a second note of a day", tree{"memory/episodic/2026-02-20.md": "- x\n"}, "", []string{"EPI-007  memory/episodic/2026-02-20.md"}},
		{"in the folder of its month", tree{"memory/2026/02/2026-02-20.md": "- x\n"}, "", []string{"EPI-007  memory/2026/02/2026-02-20.md"}},
		{"the same fact in two homes", tree{"memory/procedural/a.md": "# A\n#tags: memory\n> last_verified: 2026-02-28\n\n- the gateway runs on port nine\n"}, "", []string{"OWN-001  " + decisions + ":6"}},
		{"a long rule file", tree{"SOUL.md": x(20001)}, "", []string{"L1-001  SOUL.md"}},
		{"the buffer", tree{buffer.Path: "x\n"}, "", []string{"BUF-010  " + buffer.Path}},
		{"MEMORY.md goes", nil, "MEMORY.md", []string{"HOT-001  MEMORY.md"}},
	} {
		s.Git("reset", "-q", "--hard")
		s.Git("clean", "-qfd")
		if c.gone != "" {
			s.Remove(path.Join(s.prefix, c.gone))
		}
		s.put(c.staged)
		if got := s.findings(); !slices.Equal(got, append([]string{}, c.want...)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestEnter: a staged run looks into every folder that holds files of a family.
func TestEnter(t *testing.T) {
	t.Parallel()
	r := &Run{WS: newLab(t).workspace(nil, nil)}
	files := []string{
		"AGENTS.md", "MEMORY.md", "USER.md", "memory/2026-02-28.md", "memory/episodic/2026-02-28.md", "memory/2026/02/2026-02-28.md", "memory/2026-02/2026-02-28.md",
		"memory/2026/2026-02-28.md", "memory/episodic/2026/02/2026-02-28.md", "memory/semantic/decisions.md", "memory/semantic/a/b.md", "memory/procedural/x.md", "memory/topic.md", "reference/a.md",
		".learnings/ERRORS.md", "memory/archive/learnings/2026/02/ERRORS.md", "skills/a/SKILL.md", ".agents/skills/a/b/SKILL.md",
	}
	for _, f := range families() {
		if f.Enter == nil {
			continue
		}
		for _, rel := range files {
			wants := f.Look.wants(r, File{Path: rel, Kind: r.WS.Kind(rel), Mode: gitops.ModeFile})
			if _, active := daily.Active(rel); f.Name == "days" && !active {
				wants = false // of all others it looks at the name alone
			}
			for i := strings.IndexByte(rel, '/'); wants && i >= 0; {
				if dir := rel[:i+1]; !f.Enter(dir) {
					t.Errorf("%s wants '%s' and does not look into '%s'", f.Name, rel, dir)
				}
				next := strings.IndexByte(rel[i+1:], '/')
				if next < 0 {
					break
				}
				i += 1 + next
			}
		}
		if f.Enter("memory/t1/") || f.Enter("skills/") && f.Name != "skills" {
			t.Errorf("%s looks into folders that hold none of its files", f.Name)
		}
	}
}

// TestMendArchive: a note moves to the folder of its date, unless something is there.
func TestMendArchive(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	const from, to = "memory/archive/2026-01-01-x.md", "memory/archive/2026/01/2026-01-01-x.md"
	fixes := checkCase{id: "EPI-008", files: tree{from: "x\n"}}.report(l).Fixes()
	if len(fixes) != 1 || fixes[0].Path != from || fixes[0].To != to || fixes[0].Event != "episodic.archive" {
		t.Errorf("%+v", fixes)
	}
	if fixes := (checkCase{id: "EPI-008", files: tree{from: "x\n", to: "y\n"}}).report(l).Fixes(); len(fixes) != 0 {
		t.Errorf("onto another note: %+v", fixes)
	}
}
