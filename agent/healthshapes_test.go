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
