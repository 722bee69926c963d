package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// step is one command of a `console` block and the output shown below it.
type step struct {
	line    int // in the file, from 1
	command string
	output  []string
}

// consoleSteps reads the fenced `console` blocks of a Markdown text.
func consoleSteps(text string) []step {
	var steps []step
	in := false
	for i, line := range strings.Split(text, "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case !in:
			in = line == "```console"
		case line == "```":
			in = false
		case isCommand:
			steps = append(steps, step{line: i + 1, command: command})
		default:
			last := &steps[len(steps)-1]
			last.output = append(last.output, line)
		}
	}
	return steps
}

// Ids, dates, times and the place of the folder differ from run to run.
var variable = regexp.MustCompile(`\d{8}-[a-z-]+-[0-9a-f]{4}|\d{8}-[0-9a-f]{8}|\d{4}-\d\d-\d\d|\d\d:\d\d|\b[0-9a-f]{7,64}\b|'/[^']*/`)

func steady(line string) string {
	return strings.TrimRight(variable.ReplaceAllString(line, "<v>"), " ")
}

// TestREADMETour runs every command of the README in turn. Each must succeed,
// and the output that the README shows must be there, in order.
func TestREADMETour(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	steps := consoleSteps(string(text))
	if len(steps) < 10 {
		t.Fatalf("README.md has %d commands in console blocks", len(steps))
	}
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// The reader sits at a terminal, which a test does not have.
	box = box.With("GIT_CLAW_ACTOR=user")
	dir := t.TempDir()
	place := filepath.Join(box.Home, "place") // where the last command ended
	for _, s := range steps {
		script := fmt.Sprintf("%s\ncode=$?; pwd >'%s'; exit $code\n", s.command, place)
		result, err := box.Run(t.Context(), dir, "", "sh", "-c", script)
		if err != nil {
			t.Fatal(err)
		}
		if result.Code != 0 {
			t.Fatalf("README.md:%d: '%s' ended with %d:\n%s", s.line, s.command, result.Code, result.Both)
		}
		rest := strings.Split(result.Both, "\n")
		for _, want := range s.output {
			at := -1
			for i, got := range rest {
				if steady(got) == steady(want) {
					at = i
					break
				}
			}
			if at < 0 {
				t.Fatalf("README.md:%d: '%s' does not print '%s' (in this order):\n%s", s.line, s.command, want, result.Both)
			}
			rest = rest[at+1:]
		}
		next, err := os.ReadFile(place)
		if err != nil {
			t.Fatal(err)
		}
		dir = strings.TrimSpace(string(next))
	}
	if out, err := box.Git(t.Context(), dir, "fsck", "--strict"); err != nil || out != "" {
		t.Errorf("git fsck: %s, %v", out, err)
	}
	if out, err := box.Git(t.Context(), dir, "status", "--porcelain"); err != nil || out != "" {
		t.Errorf("git status after the tour: %s, %v", out, err)
	}
}
