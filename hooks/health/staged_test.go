package health

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/hooks"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/tombstone"
)

// stage is a repository with an adopted workspace.
type stage struct {
	*gittest.Repo
	t      *testing.T
	prefix string
}

func newStage(t *testing.T, prefix string, files tree) *stage {
	t.Helper()
	all := map[string]string{prefix + ".claw/config": configText(nil), prefix + "AGENTS.md": "# Agents\n", "src/a.txt": "code\n"}
	for p, text := range files {
		all[prefix+p] = text
	}
	return &stage{Repo: gittest.New(t, gittest.Files(all)), t: t, prefix: prefix}
}

func (s *stage) put(files tree) {
	s.t.Helper()
	for p, text := range files {
		s.Write(s.prefix+p, text)
	}
	s.Git("add", "-f", "-A")
}

// findings are those of what is staged.
func (s *stage) findings(environ ...string) []string {
	s.t.Helper()
	repo := s.Open(environ...)
	ws, err := memory.At(s.t.Context(), repo, s.Path(s.prefix))
	if err != nil {
		s.t.Fatal(err)
	}
	changes, err := repo.Staged(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	others, err := repo.MergeHeads()
	if err != nil {
		s.t.Fatal(err)
	}
	rep, err := ExamineStaged(s.t.Context(), ws, changes, others, Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	out := []string{}
	for _, f := range rep.Findings {
		if f.Status == Fail {
			out = append(out, f.ID+" "+strings.TrimPrefix(brief(f), "FAIL"))
		}
	}
	if rep.OK() != (len(out) == 0) {
		s.t.Errorf("%d failures, and OK is %v", len(out), rep.OK())
	}
	return out
}

func TestStaged(t *testing.T) {
	t.Parallel()
	key := "- deploy key " + fakeKey() + "\n"
	const block = "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n"
	long := strings.Repeat("- fact\n", 3000)         // 21,000 characters
	filler := strings.Repeat("- a fact x\n", 400000) // over claw.maxFileBytes
	for i, c := range []struct {
		name   string
		head   tree
		staged tree
		gone   []string
		want   []string
	}{
		{name: "nothing", head: tree{"TOOLS.md": key}},
		{name: "a new file", staged: tree{"memory/a.md": key}, want: []string{"GIT-008  memory/a.md:1"}},
		{name: "another line beside an old secret", head: tree{"TOOLS.md": "# Tools\n" + key}, staged: tree{"TOOLS.md": "# Tools\n- new\n" + key + "- more\n"}},
		{name: "the line of an old secret", head: tree{"TOOLS.md": key}, staged: tree{"TOOLS.md": "* deploy key " + fakeKey() + "\n"}, want: []string{"GIT-008  TOOLS.md:1"}},
		{name: "white space of such a line", head: tree{"TOOLS.md": key}, staged: tree{"TOOLS.md": "  " + key}, want: []string{"GIT-008  TOOLS.md:1"}},
		{name: "an old secret removed", head: tree{"TOOLS.md": "# Tools\n" + key}, staged: tree{"TOOLS.md": "# Tools\n"}},
		{name: "an old secret twice", head: tree{"TOOLS.md": key}, staged: tree{"TOOLS.md": key + key}, want: []string{"GIT-008  TOOLS.md:2"}},
		{name: "an old secret moved up", head: tree{"TOOLS.md": "# Tools\n- a\n- b\n" + key}, staged: tree{"TOOLS.md": key + "# Tools\n- a\n- b\n"}},
		{name: "an old secret moved and copied", head: tree{"TOOLS.md": "# Tools\n- a\n- b\n" + key}, staged: tree{"TOOLS.md": key + "# Tools\n- a\n" + key + "- b\n"}, want: []string{"GIT-008  TOOLS.md:1"}},
		{name: "a large file", staged: tree{"memory/a.md": filler + key}, want: []string{"GIT-008  memory/a.md:400001"}},
		{name: "an old large file", head: tree{"memory/a.md": filler + key}, staged: tree{"memory/a.md": "- x\n" + filler + key}},
		{name: "a large file that grows", head: tree{"memory/a.md": key}, staged: tree{"memory/a.md": filler + key + key}, want: []string{"GIT-008  memory/a.md:400002"}},
		{name: "the file of an old secret removed", head: tree{"TOOLS.md": key}, gone: []string{"TOOLS.md"}},
		{name: "a note with an old secret moved", head: tree{"memory/a.md": key}, staged: tree{"memory/b.md": key}, gone: []string{"memory/a.md"}},
		{name: "moved and changed", head: tree{"memory/a.md": key}, staged: tree{"memory/b.md": key + "- x\n"}, gone: []string{"memory/a.md"}, want: []string{"GIT-008  memory/b.md:1"}},
		{name: "a file of credentials", staged: tree{".env": "MODE=1\n"}, want: []string{"GIT-008  .env"}},
		{name: "state of the host", staged: tree{".openclaw/workspace-state.json": "{}", "memory/a.md": "x\n"}, want: []string{"GIT-009  .openclaw/workspace-state.json"}},
		{name: "old state of the host", head: tree{".openclaw/workspace-state.json": "{}"}, staged: tree{"memory/a.md": "x\n"}},
		{name: "over the limit", staged: tree{"AGENTS.md": long}, want: []string{"L1-001  AGENTS.md"}},
		{name: "over it before, and shorter", head: tree{"AGENTS.md": long}, staged: tree{"AGENTS.md": long[7:]}},
		{name: "over it before, and as long", head: tree{"AGENTS.md": long}, staged: tree{"AGENTS.md": "- FACT\n" + long[7:]}},
		{name: "over it before, and longer", head: tree{"AGENTS.md": long}, staged: tree{"AGENTS.md": long + "- x\n"}, want: []string{"L1-001  AGENTS.md"}},
		{name: "another rule file is over it", head: tree{"SOUL.md": long}, staged: tree{"AGENTS.md": "# Agents\n- x\n"}},
		{name: "a marker block", staged: tree{"memory/a.md": block}, want: []string{"GIT-005  memory/a.md:1"}},
		{name: "an old block, other lines", head: tree{"memory/a.md": "- x\n" + block}, staged: tree{"memory/a.md": "- x\n- y\n" + block + "- z\n"}},
		{name: "inside an old block", head: tree{"memory/a.md": block}, staged: tree{"memory/a.md": strings.Replace(block, "- a", "- c", 1)}, want: []string{"GIT-005  memory/a.md:1"}},
		{name: "a block removed", head: tree{"memory/a.md": block}, staged: tree{"memory/a.md": "- a\n- b\n"}},
		{name: "a tombstone for what is still there", head: tree{"memory/a.md": "- the address\n"}, staged: tree{tombstone.Path: stone("the address")}, want: []string{"GIT-011  memory/a.md:1"}},
		{name: "an erased entry comes back", head: tree{tombstone.Path: stone("the address")}, staged: tree{"memory/a.md": "- The address\n"}, want: []string{"GIT-011  memory/a.md:1"}},
		{name: "a folder becomes a file", head: tree{"memory/a/b.md": key}, staged: tree{"memory/a": "x\n"}, gone: []string{"memory/a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			prefix := []string{"", "agents/pip/"}[i%2]
			s := newStage(t, prefix, c.head)
			for _, p := range c.gone {
				s.Remove(prefix + p)
			}
			s.put(c.staged)
			s.Write("src/key.txt", key) // in the work tree only, and not managed
			if got := s.findings(); !slices.Equal(got, append([]string{}, c.want...)) {
				t.Errorf("in '%s': %q, want %q", prefix, got, c.want)
			}
			s.sameSecrets()
		})
	}
}

// sameSecrets: the scan that stops a commit tells the secrets that health does.
func (s *stage) sameSecrets() {
	s.t.Helper()
	repo := s.Open()
	changes, err := repo.Staged(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	in, err := hooks.PlacesOf(s.t.Context(), repo, changes)
	if err != nil {
		s.t.Fatal(err)
	}
	found, err := hooks.StagedSecrets(s.t.Context(), repo, changes, in, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var told, want []string
	for _, f := range found {
		told = append(told, fmt.Sprintf("%s:%d", strings.TrimPrefix(f.Path, s.prefix), f.Line))
	}
	for _, f := range s.findings() {
		if where, ok := strings.CutPrefix(f, "GIT-008  "); ok && strings.Contains(where, ":") {
			want = append(want, where)
		}
	}
	if !slices.Equal(told, want) {
		s.t.Errorf("the commit is stopped for %q, health tells %q", told, want)
	}
}

func stone(text string) string { return fmt.Sprintf("%x 2026-02-03\n", tombstone.Of([]byte(text))) }

// Only what is staged counts, wherever git keeps it.
func TestStagedIndex(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", tree{"memory/a.md": "- a\n"})
	key := "- " + fakeKey() + "\n"
	s.put(tree{"memory/a.md": "- a\n- b\n"})
	s.Append("memory/a.md", key)
	s.Write("memory/new.md", key)
	if got := s.findings(); len(got) > 0 {
		t.Errorf("the work tree was looked at: %q", got)
	}
	s.Git("add", "memory/a.md")
	s.Write("memory/a.md", "- a\n")
	if got := s.findings(); !slices.Equal(got, []string{"GIT-008  memory/a.md:3"}) {
		t.Errorf("staged, and removed in the work tree: %q", got)
	}
	// git commit -- <path> and git commit -a have an index of their own.
	index := s.GitPath("other-index")
	if b, err := os.ReadFile(s.GitPath("index")); err != nil || os.WriteFile(index, b, 0o666) != nil {
		t.Fatal("copy the index")
	}
	s.Git("reset", "-q", "--hard")
	if got := s.findings("GIT_INDEX_FILE=" + index); !slices.Equal(got, []string{"GIT-008  memory/a.md:3"}) {
		t.Errorf("another index: %q", got)
	}
	if got := s.findings(); len(got) > 0 {
		t.Errorf("after the reset: %q", got)
	}
}

// The first commit brings in all there is.
func TestStagedUnborn(t *testing.T) {
	t.Parallel()
	s := &stage{Repo: gittest.New(t, gittest.Unborn()), t: t}
	s.put(tree{".claw/config": configText(nil), "memory/a.md": "- x\n- " + fakeKey() + "\n"})
	if got := s.findings(); !slices.Equal(got, []string{"GIT-008  memory/a.md:2"}) {
		t.Errorf("%q", got)
	}
}

// What the other side of a merge has is not new; what the merge itself adds is.
func TestStagedMerge(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", tree{"memory/a.md": "- a\n"})
	key := "- " + fakeKey() + "\n"
	s.Git("switch", "-q", "-c", "side")
	s.put(tree{"memory/side.md": key, "memory/a.md": "- a\n- side\n"})
	s.Git("commit", "-q", "-m", "side")
	s.Git("switch", "-q", "main")
	s.put(tree{"memory/a.md": "- a\n- main\n"})
	s.Git("commit", "-q", "-m", "main")
	if _, err := s.Try("merge", "-q", "side"); err == nil {
		t.Fatal("no conflict")
	}
	s.put(tree{"memory/a.md": "- a\n- main\n- side\n"})
	if got := s.findings(); len(got) > 0 {
		t.Errorf("what the other side has: %q", got)
	}
	s.put(tree{"memory/a.md": "- a\n- main\n- side\n" + key})
	if got := s.findings(); !slices.Equal(got, []string{"GIT-008  memory/a.md:4"}) {
		t.Errorf("what the merge adds: %q", got)
	}
	s.Git("merge", "--abort")
}
