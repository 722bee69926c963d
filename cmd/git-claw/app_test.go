package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/git-claw/git-claw/cmd/git-claw/completion"
	"github.com/git-claw/git-claw/cmd/git-claw/help"
)

// everyCommand visits all commands and subcommands.
func everyCommand(app *cli.App, visit func(path string, c *cli.Command, sub bool)) {
	var walk func(prefix string, list []*cli.Command, sub bool)
	walk = func(prefix string, list []*cli.Command, sub bool) {
		for _, c := range list {
			path := strings.TrimSpace(prefix + " " + c.Name)
			visit(path, c, sub)
			walk(path, c.Subcommands, true)
		}
	}
	walk("", app.Commands, false)
}

// TestCommandsAreGuarded holds every command against the traps of urfave/cli
// and against what help promises.
func TestCommandsAreGuarded(t *testing.T) {
	t.Parallel()
	env, _ := testEnv(t)
	app := newApp(env)
	if app.ExitErrHandler == nil || app.OnUsageError == nil || app.Action == nil || !app.HideHelp || !app.HideVersion || !app.DisableSliceFlagSeparator {
		t.Error("the app lacks a guard")
	}
	global := map[string]bool{}
	for _, f := range app.Flags {
		for _, name := range f.Names() {
			global[name] = true
		}
	}
	everyCommand(app, func(path string, c *cli.Command, sub bool) {
		if !c.HideHelp || c.OnUsageError == nil || c.Action == nil {
			t.Errorf("%s: HideHelp %t, OnUsageError %t, Action %t", path, c.HideHelp, c.OnUsageError != nil, c.Action != nil)
		}
		if len(c.Aliases) > 0 {
			t.Errorf("%s: an alias is one more name to explain", path)
		}
		if !sub && !slices.Contains(categories, c.Category) {
			t.Errorf("%s: category '%s'", path, c.Category)
		}
		if c.Usage == "" || c.Usage != strings.ToLower(c.Usage[:1])+c.Usage[1:] || strings.HasSuffix(c.Usage, ".") {
			t.Errorf("%s: summary '%s' is not lower case without a stop", path, c.Usage)
		}
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				if global[name] {
					t.Errorf("%s: option '%s' hides the one of git claw", path, dashed(name))
				}
			}
			if d, ok := f.(cli.DocGenerationFlag); !ok || d.GetUsage() == "" {
				t.Errorf("%s: option '%s' is not described", path, f.Names()[0])
			}
			if len(f.Names()[0]) < 2 {
				t.Errorf("%s: option '%s' has no long name first", path, f.Names()[0])
			}
		}
	})
}

// TestEveryCommandHasItsPage compares the pages with the commands.
func TestEveryCommandHasItsPage(t *testing.T) {
	t.Parallel()
	env, _ := testEnv(t)
	app := newApp(env)
	sections := []string{"NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "EXIT STATUS", "SEE ALSO"}
	for _, c := range app.Commands {
		if c.Hidden {
			continue
		}
		page, err := loadPage(app, c.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		if page.Summary() != c.Usage {
			t.Errorf("%s: page says '%s', the command '%s'", c.Name, page.Summary(), c.Usage)
		}
		for _, s := range sections {
			if !slices.Contains(page.Headings(), s) {
				t.Errorf("%s: no section %s", c.Name, s)
			}
		}
		for _, line := range page.Synopsis() {
			if !strings.HasPrefix(line, "git claw "+c.Name) && !strings.HasPrefix(line, " ") {
				t.Errorf("%s: synopsis '%s'", c.Name, line)
			}
		}
		if len(page.Examples()) == 0 {
			t.Errorf("%s: no examples", c.Name)
		}
		compareOptions(t, c.Name, page, flagNames(c))
	}
	page, err := loadPage(app, "")
	if err != nil {
		t.Fatal(err)
	}
	compareOptions(t, "git claw", page, flagNames(&cli.Command{Flags: app.Flags}))
}

// flagNames lists the options of a command and of its visible subcommands.
func flagNames(c *cli.Command) []string {
	var out []string
	for _, f := range c.Flags {
		for _, name := range f.Names() {
			out = append(out, dashed(name))
		}
	}
	for _, sub := range c.Subcommands {
		if !sub.Hidden {
			out = append(out, flagNames(sub)...)
		}
	}
	return out
}

func compareOptions(t *testing.T, name string, page *help.Page, want []string) {
	t.Helper()
	got := page.Options()
	for _, o := range want {
		if !slices.Contains(got, o) {
			t.Errorf("%s: the page does not tell of '%s'", name, o)
		}
	}
	for _, o := range got {
		if !slices.Contains(want, o) {
			t.Errorf("%s: the page tells of '%s', which is no option", name, o)
		}
	}
}

func TestEveryPageBelongsToACommand(t *testing.T) {
	t.Parallel()
	env, _ := testEnv(t)
	app := newApp(env)
	files, err := filepath.Glob("help/git-claw-*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "git-claw-"), ".md")
		if find(app.Commands, name) == nil {
			t.Errorf("%s: no such command", f)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	tests := []struct{ line, starts, contains string }{
		{"help", "usage: git claw [<options>]", "\nHelp\n   help"},
		{"-h", "usage: git claw [<options>]", "\nHelp\n   help"},
		{"--help", "NAME\n\n    git-claw - keep", "COMMANDS"},
		{"help git-claw", "NAME\n\n    git-claw - keep", "\nEXIT STATUS\n"},
		{"help version", "NAME\n\n    git-claw-version - show the version\n", "\nEXIT STATUS\n"},
		{"version --help", "NAME\n\n    git-claw-version - show the version\n", "\nEXIT STATUS\n"},
		{"--help version", "NAME\n\n    git-claw-version - show the version\n", "\nEXIT STATUS\n"},
		{"version -h", "usage: git claw version", "git claw version --help\n"},
	}
	for _, tt := range tests {
		env, s := testEnv(t)
		out, errs, code := runWords(t, env, s, tt.line)
		if code != 0 || errs != "" || !strings.HasPrefix(out, tt.starts) || !strings.Contains(out, tt.contains) {
			t.Errorf("%s: exit %d, %q, %q", tt.line, code, out, errs)
		}
	}
	env, s := testEnv(t)
	_, errs, code := runWords(t, env, s, "help versionn")
	if want := "error: 'versionn' is not a git claw command\nhint: did you mean 'git claw version'?\nhint: run 'git claw help' for a list\n"; code != exitUsage || errs != want {
		t.Errorf("exit %d, %q, want %q", code, errs, want)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"version extra":         "error: too many arguments: 'extra'\n",
		"version --bogus":       "error: unknown option '--bogus'\n",
		"blame":                 "error: 'blame' is not a git claw command\nhint: did you mean 'git claw why'?\n",
		"revert":                "error: 'revert' is not a git claw command\nhint: did you mean 'git claw undo'?\n",
		"commit":                "error: 'commit' is not a git claw command\nhint: did you mean 'git claw save'?\n",
		"nothing-like-it":       "error: 'nothing-like-it' is not a git claw command\n",
		"version --as nobody":   "error: unknown actor 'nobody'\n",
		"version --for nobody":  "error: unknown kind of session 'nobody'\n",
		"version --color=blue":  "error: 'blue' is no value of '--color'\n",
		"generate":              "error: say what to generate\n",
		"generate man":          "error: too few arguments\n",
		"generate completion x": "error: no completion for shell 'x'\n",
	} {
		env, s := testEnv(t)
		out, errs, code := runWords(t, env, s, line)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, want) {
			t.Errorf("%s: exit %d, %q, %q, want %q", line, code, out, errs, want)
		}
	}
}

func TestGenerateMan(t *testing.T) {
	t.Parallel()
	env, s := testEnv(t)
	dir := t.TempDir()
	if _, errs, code := runWords(t, env, s, "generate man "+dir); code != 0 {
		t.Fatal(errs)
	}
	for _, name := range []string{"git-claw.1", "git-claw-version.1"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if !strings.Contains(text, ".TH ") || !strings.Contains(text, ".SH EXIT STATUS") {
			t.Errorf("%s does not look like a man page: %.300s", name, text)
		}
		if html := regexp.MustCompile(`<!--|&lt;`).FindString(text); html != "" {
			t.Errorf("%s holds '%s'", name, html)
		}
	}
}

// TestCompletionTree compares the scripts with golden files; they change with
// every command and option, and the diff shows how.
func TestCompletionTree(t *testing.T) {
	t.Parallel()
	env, _ := testEnv(t)
	tree := completionTree(newApp(env))
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, err := completion.Script(shell, tree)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("completion-"+shell+".txt"), script)
	}
}

// golden compares with testdata/<name>; 'make golden' rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from what 'make golden' would write:\n%s", path, firstDifference(string(want), got))
	}
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "want: " + a[i] + "\n got: " + b[i]
		}
	}
	return "one is longer"
}
