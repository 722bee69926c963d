package agent

import (
	"context"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/hooks/health"
	"github.com/git-claw/git-claw/testdata/shapes"
)

// rightFails are the failures of each shape that its owner would call right, as
// `ID path`. A shape that is not named has none.
var rightFails = map[string][]string{
	"core over budget":           {"L1-001 USER.md"}, // the host loads 4,000 characters of it
	"long MEMORY.md":             {"L1-001 MEMORY.md"},
	"merge in progress":          {"GIT-005 memory/2026-02-28.md"},
	"committed conflict markers": {"GIT-005 memory/markers.md"},
	"secrets":                    {"EPI-006 memory/2026-02-28.md", "GIT-008 TOOLS.md", "GIT-008 memory/id_rsa.txt", "GIT-008 memory/keys.md", "GIT-008 memory/state.json"},
}

// Every shape, before it is adopted, after it and with all of it staged: health
// answers, and fails only where it should.
func TestHealthShapes(t *testing.T) {
	t.Parallel()
	for _, shape := range shapes.All() {
		if shape.Refusal == shapes.ReadOnly {
			continue
		}
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
			shape.Make(t, s.Dir)
			var got []string
			for _, root := range shape.Folders() {
				w := s.at(root)
				w.health(HealthOptions{})
				if shape.Refusal == "" {
					if _, err := w.init(nil); err != nil {
						t.Fatal(err)
					}
				}
				state := s.state()
				rep := w.health(HealthOptions{})
				if again := w.health(HealthOptions{}); !slices.Equal(rep.Findings, again.Findings) {
					t.Errorf("two reports of one state differ:\n%v\n%v", rep.Findings, again.Findings)
				}
				if s.state() != state {
					t.Error("health changed HEAD, refs or index")
				}
				for _, f := range rep.Findings {
					if f.Status == health.Fail {
						got = append(got, f.ID+" "+path.Join(root, f.Path))
					}
				}
			}
			slices.Sort(got)
			got = slices.Compact(got)
			if want := rightFails[shape.Name]; !slices.Equal(got, want) {
				t.Errorf("failures\n got %q\nwant %q", got, want)
			}
			// Some shapes hold what git itself will not stage.
			_, _ = s.Try("add", "-A")
			for _, root := range shape.Folders() {
				s.at(root).health(HealthOptions{Staged: true})
			}
		})
	}
}

// health answers in time.
func (s *space) health(opt HealthOptions) *health.Report {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	rep, err := Health(ctx, s.open(), opt)
	if err != nil {
		s.t.Fatalf("health: %v", err)
	}
	for _, f := range rep.Findings {
		s.t.Logf("%s %s %s:%d %s", f.ID, f.Status, f.Path, f.Line, f.Message)
	}
	return rep
}

// What the adoption ignores from then on is not in the commit before it.
func TestAdoptionLeavesOutIgnored(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	s.Write("memory/private.key", "opaque\n")
	s.Write("memory/working-buffer.md", "# Working Buffer\n")
	s.Write("memory/plain.md", "- note\n")
	s.adopt()
	if got := s.Git("ls-files", "memory"); got != "memory/2026-02-28.md\nmemory/plain.md" {
		t.Errorf("tracked: %q", got)
	}
	s.CheckClean()
}

// togetherFindings are what health tells of all shapes in one workspace, freshly
// adopted. Its owner would agree to each failure.
var togetherFindings = []string{
	"L1-001 FAIL MEMORY.md", // its texts are those of five shapes, 70,000 characters
	"L1-001 FAIL USER.md",   // the host loads 4,000 characters of it
	"L1-002 FAIL ",
	"L1-003 WARN AGENTS.md",
	"L1-003 WARN MEMORY.md",
	"L1-003 WARN SOUL.md",
	"L1-003 WARN TOOLS.md",
	"L1-003 WARN USER.md",
	"L1-004 WARN ",
	"L1-007 WARN BOOTSTRAP.md",
	"EPI-006 FAIL memory/2026-02-28.md", // a key that was written and not committed
	"SCR-001 WARN .learnings/FEATURE_REQUESTS.md",
	"SCR-007 WARN .learnings/LEARNINGS.md", // one id twice; nobody listed the profile, so it warns
	"SKL-002 WARN skills/\x1b]0;owned\a/SKILL.md",
	"SKL-002 WARN skills/--force/SKILL.md",
	"SKL-002 WARN skills/w/SKILL.md",
	"SKL-002 WARN skills/x/SKILL.md",
	"SKL-002 WARN skills/y/SKILL.md",
	"SKL-002 WARN skills/z/skill.md",
	"SKL-002 WARN skills/мой навык/SKILL.md",
	"GIT-005 FAIL memory/2026-02-28.md", // a merge that nobody resolved
	"GIT-005 FAIL memory/markers.md",
	"GIT-006 WARN ",
	"GIT-007 WARN ",         // the test installs nothing
	"GIT-008 FAIL .env",     // in git, and it has a value
	"GIT-008 FAIL TOOLS.md", // keys that were committed long ago
	"GIT-008 FAIL memory/id_rsa.txt",
	"GIT-008 FAIL memory/keys.md",
	"GIT-008 FAIL memory/private.key", // in git, and not empty
	"GIT-008 FAIL memory/state.json",
	"GIT-012 WARN memory/dangling.md", // links that lead nowhere
	"GIT-012 WARN memory/dump.md",     // 5 MB each
	"GIT-012 WARN memory/self.md",
	"GIT-012 WARN memory/trace.md",
	"GIT-012 WARN reference",
	"TXT-001 WARN memory/b.md",
	"TXT-001 WARN memory/\u202egnp.md",
	"TXT-001 WARN skills/\x1b]0;owned\a/SKILL.md", // it clears the screen
}

// All shapes in one workspace: what a person with much of everything is told.
func TestHealthTogether(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and runs without -short")
	}
	s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
	shapes.Together("daily notes ignored").Make(t, s.Dir)
	s.adopt()
	rep := s.health(HealthOptions{})
	var got []string
	for _, f := range rep.Findings {
		if f.Status != health.Inform {
			got = append(got, f.ID+" "+string(f.Status)+" "+f.Path)
		}
	}
	if got = slices.Compact(got); !slices.Equal(got, togetherFindings) {
		t.Errorf("got  %q\nwant %q", got, togetherFindings)
	}
	if again := s.health(HealthOptions{}); !slices.Equal(rep.Findings, again.Findings) {
		t.Errorf("two reports of one state differ:\n%v\n%v", rep.Findings, again.Findings)
	}
	// What nobody shows git yet is no part of the next commit.
	if rep := s.health(HealthOptions{Staged: true}); len(rep.Findings) > 0 {
		t.Errorf("nothing is staged: %v", rep.Findings)
	}
}
