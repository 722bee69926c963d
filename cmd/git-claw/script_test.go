package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

// scriptRoot holds one folder of scripts for each command.
const scriptRoot = "../../testdata/script"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"git-claw": main})
}

// processPath is the PATH of the test, on which git-claw stands too.
func processPath() string { return os.Getenv("PATH") }

// TestScripts runs testdata/script/<command>/*.txtar, where 'git claw' is this
// test binary. A folder without a script fails, and so does a command without
// a folder.
func TestScripts(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(scriptRoot)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, e := range entries {
		if !e.IsDir() {
			t.Errorf("%s stands in no folder", e.Name())
			continue
		}
		folders[e.Name()] = true
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(scriptRoot, e.Name())
			scripts, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
			if err != nil || len(scripts) == 0 {
				t.Fatalf("no scripts in %s, %v", dir, err)
			}
			testscript.Run(t, testscript.Params{
				Dir:                 dir,
				Setup:               scriptSetup,
				Cmds:                scriptCommands,
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				UpdateScripts:       os.Getenv("UPDATE_GOLDEN") != "",
			})
		})
	}
	env, _ := testEnv(t)
	for _, c := range newApp(env).Commands {
		if !folders[c.Name] {
			t.Errorf("command '%s' has no folder below %s", c.Name, scriptRoot)
		}
	}
}

const scriptGitConfig = `[user]
	name = Test User
	email = test@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
`

// scriptSetup gives a script a home of its own. testscript passes on nothing of
// the caller's environment but PATH, so no GIT_* of the caller gets in.
func scriptSetup(e *testscript.Env) error {
	if err := scriptHome(e); err != nil {
		return err
	}
	e.Defer(func() {
		if problem := brokenRepository(e.WorkDir, e.Vars); problem != "" {
			e.T().Fatal(problem)
		}
	})
	return nil
}

// scriptHome makes the home and sets the variables.
func scriptHome(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, ".home")
	if err := os.MkdirAll(filepath.Join(home, ".config"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(scriptGitConfig), 0o644); err != nil {
		return err
	}
	e.Vars = append(e.Vars,
		"HOME="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(e.WorkDir),
		"GIT_CLAW_NOW=2026-03-04T05:06:07Z",
		"LC_ALL=C",
		"TZ=UTC",
	)
	return nil
}

// brokenRepository checks every repository that a script leaves behind, whether
// it asked for it or not; a folder with a file .broken is meant to be so.
func brokenRepository(dir string, environ []string) string {
	problem := ""
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != ".git" || problem != "" {
			return nil //nolint:nilerr // an unreadable folder is the script's own doing
		}
		top := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(top, ".broken")); err == nil {
			return nil
		}
		cmd := exec.Command("git", "-C", top, "fsck", "--strict", "--no-dangling")
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "notice: ") { // of a branch without commits
				problem += line
			}
		}
		if err != nil || problem != "" {
			problem = fmt.Sprintf("git fsck in '%s': %v: %s", top, err, problem)
		}
		return nil
	})
	return problem
}

// scriptCommands are the verbs that scripts have beside those of testscript.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"code":    scriptCode,
	"fsck":    scriptFsck,
	"field":   scriptField,
	"cmpjson": scriptCmpJSON,
	"safe":    scriptSafe,
}

// scriptCode is 'code N command...': the command ends with exactly this code.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// scriptFsck is 'fsck [dir]': git finds nothing wrong with the repository.
func scriptFsck(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: fsck [dir]")
	}
	dir := ts.MkAbs(strings.Join(append(args, "."), "/"))
	if err := ts.Exec("git", "-C", dir, "fsck", "--strict", "--no-dangling"); err != nil {
		ts.Fatalf("git fsck: %v", err)
	}
	if out := ts.ReadFile("stdout") + ts.ReadFile("stderr"); strings.TrimSpace(out) != "" {
		ts.Fatalf("git fsck: %s", out)
	}
}

// scriptField is 'field VARIABLE FILE NAME': the value of a field of the first
// line of a file of JSON Lines becomes a variable.
func scriptField(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: field VARIABLE FILE NAME")
	}
	lines := jsonLines(ts, args[1])
	if len(lines) == 0 {
		ts.Fatalf("%s is empty", args[1])
	}
	value, ok := lines[0][args[2]]
	if !ok {
		ts.Fatalf("no field '%s'", args[2])
	}
	ts.Setenv(args[0], fmt.Sprint(value))
}

// scriptCmpJSON is 'cmpjson GOT WANT': two files of JSON Lines are the same but
// for the order of fields. The string "*" in WANT stands for any value.
func scriptCmpJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmpjson GOT WANT")
	}
	got, want := jsonLines(ts, args[0]), jsonLines(ts, args[1])
	if len(got) != len(want) {
		ts.Fatalf("%d lines, want %d:\n%s", len(got), len(want), ts.ReadFile(args[0]))
	}
	for i := range want {
		if !matches(got[i], want[i]) {
			g, _ := json.Marshal(got[i])
			w, _ := json.Marshal(want[i])
			ts.Fatalf("line %d\n got %s\nwant %s", i+1, g, w)
		}
	}
}

func jsonLines(ts *testscript.TestScript, file string) []map[string]any {
	var out []map[string]any
	for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(file)), "\n") {
		if line == "" {
			continue
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("%s:%d: %v: %s", file, i+1, err, line)
		}
		out = append(out, v)
	}
	return out
}

// matches compares JSON values; "*" matches anything.
func matches(got, want any) bool {
	switch w := want.(type) {
	case string:
		return w == "*" || got == want
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if v, ok := g[k]; !ok || !matches(v, w[k]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !matches(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}

// scriptSafe is 'safe stdout|stderr': nothing in it that a terminal would obey
// or hide.
func scriptSafe(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] safe FILE")
	}
	text := ts.ReadFile(args[0])
	raw := term.EscapeText(text) != text
	if raw != neg {
		ts.Fatalf("holds raw characters: %t: %q", raw, text)
	}
}

// TestScriptVerbs shows that the verbs fail when they should.
func TestScriptVerbs(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"code":    "code 1 git version\n",
		"fsck":    "exec git init -q\nrm .git/HEAD\nfsck\n",
		"field":   "field X a b\n-- a --\n{\"c\":1}\n",
		"cmpjson": "cmpjson a b\n-- a --\n{\"c\":1}\n-- b --\n{\"c\":2}\n",
		"safe":    "unquote a\nexec printf 'x\\033y'\nsafe stdout\n-- a --\n>x\n",
		"end":     "exec git init -q\nrm .git/HEAD\n",
		"scripts": "exec git claw version\nstdout nothing-like-this\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "script.txtar")
			if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
				t.Fatal(err)
			}
			inner := &recorder{}
			func() {
				defer func() {
					if r := recover(); r != nil && r != any(inner) {
						panic(r)
					}
				}()
				testscript.RunT(inner, testscript.Params{
					Files: []string{file}, Setup: scriptSetup, Cmds: scriptCommands, RequireExplicitExec: true,
				})
			}()
			if !inner.failed {
				t.Errorf("a script that must fail passed: %s", inner.log.String())
			}
		})
	}
}

// recorder is a testing.T for a script that is meant to fail.
type recorder struct {
	failed bool
	log    bytes.Buffer
}

func (r *recorder) Skip(...any)                        { panic(r) }
func (r *recorder) Fatal(args ...any)                  { r.failed = true; fmt.Fprintln(&r.log, args...); panic(r) }
func (r *recorder) Parallel()                          {}
func (r *recorder) Log(args ...any)                    { fmt.Fprintln(&r.log, args...) }
func (r *recorder) FailNow()                           { r.failed = true; panic(r) }
func (r *recorder) Run(_ string, f func(testscript.T)) { f(r) }
func (r *recorder) Verbose() bool                      { return false }
