package gitops_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
)

// racyLab has an index in whose second some files were written. One was edited
// since, so that nothing but its content tells.
func racyLab(t testing.TB) *indexLab {
	t.Helper()
	l := newIndexLab(t)
	l.Git("config", "core.trustctime", "false") // it is the ctime of this test's tricks
	when := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, n := range []string{"AGENTS.md", "notes/b.md"} {
		l.check(os.Chtimes(l.Path(n), when, when.Add(time.Millisecond)))
	}
	l.Git("add", "-A")
	l.Git("commit", "-q", "-m", "x", "--allow-empty")
	l.check(os.Chtimes(l.file, when, when.Add(2*time.Millisecond)))
	f, err := os.OpenFile(l.Path("AGENTS.md"), os.O_WRONLY, 0)
	l.check(err)
	_, err = f.WriteAt([]byte("#"), 2) // in place: the same inode and size
	l.check(err)
	l.check(f.Close())
	l.check(os.Chtimes(l.Path("AGENTS.md"), when, when.Add(time.Millisecond)))
	return l
}

// install makes a patched index the present one, and newer than all files.
func (l *indexLab) install(opt gitops.PatchOptions) []gitops.IndexLine {
	l.t.Helper()
	opt.IndexFile = l.file
	got, err := gitops.PatchIndex(l.raw(), []gitops.IndexPatch{l.set("MEMORY.md", "# Memory\n\n- one fact\n")}, nil, opt)
	l.check(err)
	l.check(os.WriteFile(l.file, got, 0o666))
	_, lines, err := gitops.ReadIndex(got)
	l.check(err)
	return lines
}

// An edit in the second of the index is not hidden by a newer index.
func TestPatchIndexSmudges(t *testing.T) {
	t.Parallel()
	smudged := func(lines []gitops.IndexLine) string {
		var out []string
		for _, l := range lines {
			if l.Size == 0 && !l.StatIsZeroed {
				out = append(out, l.Path)
			}
		}
		return strings.Join(out, " ")
	}
	l := racyLab(t)
	if got := smudged(l.install(gitops.PatchOptions{})); got != "AGENTS.md notes/b.md" && !strings.Contains(got, "AGENTS.md") {
		t.Errorf("smudged: %s", got)
	}
	l.CheckClean(" M AGENTS.md")
	l = racyLab(t)
	if got := smudged(l.install(gitops.PatchOptions{Look: l.Open()})); got != "AGENTS.md" {
		t.Errorf("smudged after a look: %s", got)
	}
	l.CheckClean(" M AGENTS.md")
}

// Without smudging the edit is lost on git: the test above would notice.
func TestPatchIndexWithoutSmudging(t *testing.T) {
	t.Parallel()
	l := racyLab(t)
	if lines := l.Status(); len(lines) != 1 {
		t.Fatalf("before, git status says %q", lines)
	}
	l = racyLab(t)
	l.install(gitops.PatchOptions{NoSmudge: true})
	if lines := l.Status(); len(lines) != 0 {
		t.Errorf("git status says %q", lines)
	}
}

// A checkout and a commit in one second do not read all files again: the entries
// beyond some are smudged unseen.
func TestPatchIndexLooksAtFewRacyFiles(t *testing.T) {
	t.Parallel()
	l := newIndexLab(t)
	when := time.Now().Add(-time.Hour).Truncate(time.Second)
	const files = 100
	for i := range files {
		name := fmt.Sprintf("many/%03d.md", i)
		l.Write(name, "x\n")
		l.check(os.Chtimes(l.Path(name), when, when))
	}
	l.Git("add", "-A")
	l.check(os.Chtimes(l.file, when, when))
	smudged := 0
	for _, line := range l.install(gitops.PatchOptions{Look: l.Open()}) {
		if strings.HasPrefix(line.Path, "many/") && line.Size == 0 {
			smudged++
		}
	}
	if smudged == 0 || smudged >= files/2 {
		t.Errorf("%d of %d entries were smudged", smudged, files)
	}
	l.Git("commit", "-q", "-m", "x")
	l.CheckClean()
}
