package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-claw/git-claw/cmd/git-claw/help"
)

// exampleSetup makes the workspace in which the examples of the manual run.
const exampleSetup = `set -e
git init -q .
printf '# SOUL\n\n- Calm and short.\n' >SOUL.md
printf '# MEMORY\n\n- The kiln is in Jingdezhen.\n' >MEMORY.md
mkdir memory
printf '# 2026-03-03\n\n- quiet\n' >memory/2026-03-03.md
git add -A
git commit -qm 'notes so far'
git claw init -q
printf '# 2026-03-04\n\n- the kiln is a week late\n' >memory/2026-03-04.md
git claw save -q --as agent --session morning
printf -- '- four customers wait\n' >>memory/2026-03-04.md
git claw save -q --as agent --session morning -m 'who waits'
printf -- '- one more\n' >>memory/2026-03-04.md
`

// TestExamples runs the examples of every page, those of a page one after the
// other in a workspace of their own.
func TestExamples(t *testing.T) {
	t.Parallel()
	env, _ := testEnv(t)
	app := newApp(env)
	for _, c := range app.Commands {
		if !help.Has("git-claw-" + c.Name) {
			continue
		}
		page, err := loadPage(app, c.Name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			se := &testscript.Env{WorkDir: t.TempDir(), Vars: []string{"PATH=" + processPath()}}
			if err := scriptHome(se); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(se.WorkDir, "workspace")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, script := range append([]string{exampleSetup}, page.Examples()...) {
				cmd := exec.Command("sh", "-c", script)
				cmd.Dir, cmd.Env = dir, se.Vars
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", script, err, out)
				}
			}
			if problem := brokenRepository(dir, se.Vars); problem != "" {
				t.Error(problem)
			}
		})
	}
}
