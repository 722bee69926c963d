package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/gitops/gittest"
	"github.com/git-claw/git-claw/testdata/shapes"
)

// nobody is the user that owns nothing.
const nobody = 65534

// letIn makes the repository reachable for a job that runs as somebody else, and
// git let it in.
func (s *space) letIn() {
	s.t.Helper()
	s.Git("config", "--global", "safe.directory", "*")
	if os.Getuid() != 0 {
		return
	}
	for dir := s.Base; dir != os.TempDir() && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		must(s.t, os.Chmod(dir, 0o755))
	}
}

// In a folder that may not be written every command that writes says so and
// leaves nothing behind, in the work tree nor in git's folder.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	for _, adopted := range []bool{false, true} {
		s := &space{Repo: gittest.New(t, gittest.Unborn()), t: t}
		if adopted {
			s.Write("AGENTS.md", "# Agents\n")
			s.adopt()
		}
		shapes.Named(t, "read-only").Make(t, s.Dir)
		s.letIn()
		before := readFiles(t, s.Dir, "")
		jobs := []job{{Do: "init"}}
		if adopted {
			id := strings.Fields(s.Git("log", "--format=%(trailers:key=Claw-Id,valueonly)", "-1", "--grep=Claw-Id"))
			jobs = []job{{Do: "save"}, {Do: "note", Text: "a note"}, {Do: "undo", Target: id[0], Actor: User}}
		}
		for _, j := range jobs {
			j.UID = nobody
			if j.Actor == "" {
				j.Actor = Agent
			}
			d := s.do(j)
			if len(d.Commits) > 0 || !strings.Contains(strings.ToLower(d.Err), "permission") && !strings.Contains(d.Err, "read-only") {
				t.Errorf("%s in a read-only folder: commits %q, error %q", j.Do, d.Commits, d.Err)
			}
		}
		sameFiles(t, "a command in a read-only folder", before, readFiles(t, s.Dir, ""), nil)
	}
}
