package completion

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sample() Command {
	return Command{
		Name: "git-claw", Summary: "keep the agent's memory: in git",
		Options: []Option{
			{Names: []string{"-C"}, Summary: "directory", Value: true},
			{Names: []string{"--as"}, Summary: "who acts", Value: true, Choices: []string{"user", "agent"}},
			{Names: []string{"--color"}, Summary: "colours", Value: true, Equals: true, Choices: []string{"always", "never"}},
			{Names: []string{"--quiet", "-q"}, Summary: "no confirmations"},
		},
		Commands: []Command{
			{Name: "save", Summary: "commit [all] edits: now", Arguments: "[<path>...]", Options: []Option{
				{Names: []string{"--message", "-m"}, Summary: "the user's words", Value: true},
				{Names: []string{"--all"}, Summary: "every path"},
			}},
			{Name: "status", Summary: "show how it stands"},
			{Name: "hooks", Summary: "git hooks", Commands: []Command{
				{Name: "install", Summary: "install them", Options: []Option{{Names: []string{"--dry-run"}, Summary: "only say"}}},
				{Name: "status", Summary: "show them"},
			}},
			{Name: "help", Summary: "show a page", Arguments: "[<command>]"},
		},
	}
}

// cases are command lines, the last word unfinished, and what may follow.
var cases = []struct {
	line string
	want []string
}{
	{"sa", []string{"save"}},
	{"", []string{"help", "hooks", "save", "status"}},
	{"s", []string{"save", "status"}},
	{"-q s", []string{"save", "status"}},
	{"-C save s", []string{"save", "status"}},
	{"hooks ", []string{"install", "status"}},
	{"hooks i", []string{"install"}},
	{"hooks install --d", []string{"--dry-run"}},
	{"save --m", []string{"--message"}},
	{"save FILE --a", []string{"--all", "--as"}},
	{"save --as a", []string{"agent"}},
	{"help ho", []string{"hooks"}},
	{"--as ", []string{"agent", "user"}},
}

func script(t *testing.T, shell string) string {
	t.Helper()
	text, err := Script(shell, sample())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "_git-claw")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBash asks bash, both for 'git claw' as git's completion calls it and for
// 'git-claw'.
func TestBash(t *testing.T) {
	t.Parallel()
	path := script(t, "bash")
	extra := []struct {
		line string
		want []string
	}{{"save --as=", []string{"agent", "user"}}, {"--color=n", []string{"never"}}}
	for _, tt := range append(slices.Clone(cases), extra...) {
		for _, prefix := range []string{"git claw ", "git -C x claw ", "git-claw "} {
			words := strings.Split(prefix+tt.line, " ")
			program := fmt.Sprintf(`. %s; words=(%s) cword=%d cur=${words[cword]} prev=; _git_claw; printf '%%s\n' "${COMPREPLY[@]}"`,
				path, quoted(words), len(words)-1)
			got := answer(t, "bash", "--norc", "-c", program)
			if !slices.Equal(got, tt.want) {
				t.Errorf("bash, %q: %q, want %q", prefix+tt.line, got, tt.want)
			}
		}
	}
	program := fmt.Sprintf(`. %s; COMP_WORDS=(git-claw hooks i) COMP_CWORD=2; __git_claw_alone; printf '%%s\n' "${COMPREPLY[@]}"; complete -p git-claw`, path)
	got := answer(t, "bash", "--norc", "-c", program)
	if len(got) != 2 || got[1] != "install" || !strings.Contains(got[0], "__git_claw_alone") {
		t.Errorf("bash, git-claw alone: %q", got)
	}
}

// TestFish asks fish where it is installed.
func TestFish(t *testing.T) {
	t.Parallel()
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Log("no fish here: only the golden file is checked, by cmd/git-claw")
		return
	}
	path := script(t, "fish")
	for _, tt := range cases {
		got := answer(t, fish, "--no-config", "-c", "source "+path+`; complete -C "git-claw `+tt.line+`"`)
		for i, line := range got {
			got[i], _, _ = strings.Cut(line, "\t")
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("fish, %q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// TestZsh lets zsh read the script where it is installed.
func TestZsh(t *testing.T) {
	t.Parallel()
	zsh, err := exec.LookPath("zsh")
	if err != nil {
		t.Log("no zsh here: only the golden file is checked, by cmd/git-claw")
		return
	}
	if out, err := exec.Command(zsh, "-f", "-n", script(t, "zsh")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestUnknownShell(t *testing.T) {
	t.Parallel()
	if _, err := Script("csh", sample()); err == nil || err.Error() != "no completion for shell 'csh'" {
		t.Errorf("error %v", err)
	}
}

func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + w + "'"
	}
	return strings.Join(out, " ")
}

// answer runs a shell and returns the lines it prints, sorted and trimmed.
func answer(t *testing.T, name string, args ...string) []string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}
