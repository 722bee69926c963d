package sandbox

import (
	"strings"
	"testing"
)

func TestRunIsIsolated(t *testing.T) {
	t.Parallel()
	box, err := New(t.TempDir(), "/nowhere/bin")
	if err != nil {
		t.Fatal(err)
	}
	result, err := box.With("EXTRA=1", "EXTRA=2").Run(t.Context(), t.TempDir(), "in\n", "sh", "-c",
		`cat; echo "$HOME $EXTRA $PATH"; echo oops >&2; env | grep -c '^GIT_DIR=' ; exit 3`)
	if err != nil {
		t.Fatal(err)
	}
	if result.Code != 3 || result.Stderr != "oops\n" || !strings.Contains(result.Both, "oops\n") {
		t.Errorf("code, stderr, both = %d, %q, %q", result.Code, result.Stderr, result.Both)
	}
	lines := strings.Split(result.Stdout, "\n")
	if lines[0] != "in" || !strings.HasPrefix(lines[1], box.Home+" 2 /nowhere/bin:") || lines[2] != "0" {
		t.Errorf("stdout = %q", result.Stdout)
	}
	if result.Wall <= 0 {
		t.Error("no wall time")
	}
}

func TestRunReportsWhatCannotStart(t *testing.T) {
	t.Parallel()
	box, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := box.Run(t.Context(), t.TempDir(), "", "no-such-program-here"); err == nil {
		t.Error("no error for a program that does not exist")
	}
	if _, err := box.Git(t.Context(), t.TempDir(), "rev-parse", "HEAD"); err == nil {
		t.Error("no error for git outside a repository")
	}
	if name, err := box.Git(t.Context(), t.TempDir(), "config", "user.name"); err != nil || name != "Mika" {
		t.Errorf("user.name = %q, %v", name, err)
	}
}
