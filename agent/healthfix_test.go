package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/hooks/health"
)

// mendOne makes the commit of one fix.
func (s *space) mendOne(m health.Mending) (*SaveResult, error) {
	s.t.Helper()
	res := &SaveResult{}
	m.Event, m.Area, m.Summary = "writeback", "memory", "mend it"
	fix := health.Fix{Finding: health.Finding{ID: "EPI-008", Rule: "OM-44"}, Mending: m}
	return res, mend(context.Background(), s.open(), Caller{Actor: User}, fix, false, res)
}

func TestMend(t *testing.T) {
	t.Parallel()
	const note, moved = "memory/2026-02-28.md", "memory/archive/2026/02/2026-02-28.md"
	for _, c := range []struct {
		name      string
		edit      string // what is unsaved in the note
		m         health.Mending
		commits   int
		gone, has string
		text      string
	}{
		{name: "move", m: health.Mending{Path: note, To: moved}, commits: 1, gone: note, has: moved, text: "# 2026-02-28\n\n- old note\n"},
		{name: "move an edited one", edit: "- more\n", m: health.Mending{Path: note, To: moved}, commits: 2, gone: note, has: moved, text: "# 2026-02-28\n\n- old note\n- more\n"},
		{name: "move to where a file is", m: health.Mending{Path: note, To: "MEMORY.md"}, has: note, text: "# 2026-02-28\n\n- old note\n"},
		{name: "write", m: health.Mending{Path: ".learnings/ERRORS.md", Content: []byte("# Errors\n")}, commits: 1, has: ".learnings/ERRORS.md", text: "# Errors\n"},
		{name: "remove", m: health.Mending{Path: note, Delete: true}, commits: 1, gone: note, has: "SOUL.md", text: "# Soul\n\nCalm.\n"},
		{name: "remove what is gone", m: health.Mending{Path: "memory/none.md", Delete: true}, has: note, text: "# 2026-02-28\n\n- old note\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newAdopted(t, nil)
			s.Append(note, c.edit)
			res, err := s.mendOne(c.m)
			if err != nil || len(res.Commits) != c.commits {
				t.Fatalf("%d commits, %v", len(res.Commits), err)
			}
			if got := s.Read(c.has); got != c.text {
				t.Errorf("'%s' holds %q", c.has, got)
			}
			if c.gone != "" && s.Git("ls-files", "--", c.gone) != "" {
				t.Errorf("'%s' is still there", c.gone)
			}
			s.CheckClean()
		})
	}
}

// A hook that refuses the commit leaves the file as it is.
func TestMendRefused(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Hook("pre-commit", "exit 1")
	if _, err := s.mendOne(health.Mending{Path: "memory/2026-02-28.md", Delete: true}); err == nil {
		t.Error("no error")
	}
	if got := s.Read("memory/2026-02-28.md"); got == "" {
		t.Error("the note is gone")
	}
}

// No line is lost that no commit has: what the secret scan holds back, in a file that
// is tracked and in one that is not, removed and written over.
func TestMendKeepsLastCopy(t *testing.T) {
	t.Parallel()
	const note, fresh = "memory/2026-02-28.md", "memory/fresh.md"
	held := "- key " + "AK" + "IAQYLPMN5HHHFPZAM2" + "\n"
	for _, c := range []struct {
		name, path string
		m          health.Mending
		line       int
	}{
		{"remove", note, health.Mending{Path: note, Delete: true}, 4},
		{"remove a new one", fresh, health.Mending{Path: fresh, Delete: true}, 2},
		{"write over", note, health.Mending{Path: note, Content: []byte("# Index\n")}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newAdopted(t, nil)
			if c.path == fresh {
				s.Write(fresh, "- new note\n")
			}
			s.Append(c.path, held)
			for _, dry := range []bool{true, false} {
				rep := s.reportOf(c.m)
				res, err := MendHealth(context.Background(), s.open(), Caller{Actor: User}, rep, dry)
				if err != nil || !res.Held() || res.Skipped[0].Line != c.line {
					t.Fatalf("dry run %v: %+v, %v", dry, res, err)
				}
				if got := s.Read(c.path); !strings.HasSuffix(got, held) {
					t.Errorf("'%s' holds %q", c.path, got)
				}
			}
		})
	}
}

// A move takes what is held back along.
func TestMendMovesHeld(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	held := "- key " + "AK" + "IAQYLPMN5HHHFPZAM2" + "\n"
	s.Append("memory/2026-02-28.md", held)
	if _, err := s.mendOne(health.Mending{Path: "memory/2026-02-28.md", To: "memory/archive/2026/02/2026-02-28.md"}); err != nil {
		t.Fatal(err)
	}
	if got := s.Read("memory/archive/2026/02/2026-02-28.md"); !strings.HasSuffix(got, held) {
		t.Errorf("%q", got)
	}
}

// A dry run tells each commit that would be made.
func TestMendDryRun(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	s.Write("memory/fresh.md", "- new note\n")
	rep := s.reportOf(health.Mending{Path: "memory/fresh.md", Delete: true})
	var subjects [2][]string
	for i, dry := range []bool{true, false} {
		res, err := MendHealth(context.Background(), s.open(), Caller{Actor: User}, rep, dry)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range res.Commits {
			subjects[i] = append(subjects[i], c.Subject)
		}
	}
	if len(subjects[0]) != 2 || !slices.Equal(subjects[0], subjects[1]) {
		t.Errorf("told %q, did %q", subjects[0], subjects[1])
	}
}

// reportOf is a report with one finding that has one fix.
func (s *space) reportOf(m health.Mending) *health.Report {
	s.t.Helper()
	m.Event, m.Area, m.Summary = "writeback", "memory", "mend it"
	return health.ReportOf(health.Finding{ID: "EPI-008", Rule: "OM-44"}, m)
}
