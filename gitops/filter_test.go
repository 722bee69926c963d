package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

func TestLocalCommand(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	argv, ok, err := r.Open().LocalCommand(t.Context(), "claw.llmCommand")
	if ok || err != nil {
		t.Errorf("not set: %v %v %v", argv, ok, err)
	}
	r.Git("config", "claw.llmcommand", `["a b", "$HOME", ""]`)
	if argv, ok, err = r.Open().LocalCommand(t.Context(), "claw.llmCommand"); !ok || err != nil || fmt.Sprintf("%q", argv) != `["a b" "$HOME" ""]` {
		t.Errorf("%q %v %v", argv, ok, err)
	}
	for _, value := range []string{"cat", `"cat"`, `[]`, `[""]`, `[1]`, `{"a":1}`} {
		r.Git("config", "claw.llmCommand", value)
		if argv, ok, err = r.Open().LocalCommand(t.Context(), "claw.llmCommand"); ok || err == nil {
			t.Errorf("%s: %q", value, argv)
		}
	}
	r.Git("config", "--unset-all", "claw.llmCommand")
	if err := os.WriteFile(r.Path("shared"), []byte("[claw]\n\tllmCommand = [\\\"x\\\"]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r.Git("config", "include.path", "../shared") // from .git/config
	if argv, ok, err = r.Open().LocalCommand(t.Context(), "claw.llmCommand"); ok || err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("included: %q %v", argv, err)
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	r := gittest.New(t)
	repo := r.Open()
	run := func(limit time.Duration, most int, argv ...string) (string, error) {
		out, err := repo.Filter(t.Context(), argv, []byte("in\n"), limit, most)
		return string(out), err
	}
	if out, err := run(time.Minute, 100, "sh", "-c", `cat; echo "$1|$GIT_DIR|$(pwd)"`, "sh", "a  b"); err != nil || out != "in\na  b||"+repo.GitDir+"\n" {
		t.Errorf("%q %v", out, err)
	}
	if out, err := run(time.Minute, 3, "cat"); err != nil || out != "in\n" {
		t.Errorf("%q %v", out, err)
	}
	if out, err := run(time.Minute, 2, "cat"); !errors.Is(err, gitops.ErrTooMuch) {
		t.Errorf("%q %v", out, err)
	}
	for _, argv := range [][]string{{"sh", "-c", "exit 3"}, {"no-such-program"}, {"./x"}, {"/no/such/program"}} {
		if out, err := run(time.Minute, 100, argv...); err == nil {
			t.Errorf("%q: %q", argv, out)
		}
	}
	// The time limit ends what the program started as well.
	mark := filepath.Join(t.TempDir(), "mark")
	start := time.Now()
	_, err := run(300*time.Millisecond, 100, "sh", "-c", `(sleep 2; echo late > "$1") & sleep 60`, "sh", mark)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 30*time.Second {
		t.Errorf("%v", err)
	}
	time.Sleep(2500 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a child lived on")
	}
}
