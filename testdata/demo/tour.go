package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

// A tour prints the demo. After the first failure it does nothing more and
// run returns the failure.
type tour struct {
	ctx  context.Context
	out  io.Writer
	box  *sandbox.Box // Mika's
	host *host
	dir  string // the agent's folder
	part int
	told bool // the line above is explanation, not output
	err  error
}

func newTour(out io.Writer, bin, dir string) (*tour, error) {
	box, err := sandbox.New(dir, bin)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Join(dir, "juniper"))
	if err != nil {
		return nil, err
	}
	return &tour{
		out: out, dir: folder,
		// A person at a terminal is told from an agent by the terminal, which
		// a demo does not have.
		box:  box.With("GIT_CLAW_ACTOR=user"),
		host: &host{box: box.With("CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+folder), dir: folder},
	}, nil
}

func (t *tour) run(ctx context.Context) error {
	t.ctx = ctx
	t.before()
	t.adopt()
	t.connect()
	t.work()
	t.night()
	t.look()
	t.find()
	t.explain()
	t.learn()
	t.undo()
	t.machines()
	t.plain()
	return t.err
}

// clock sets the time for everybody.
func (t *tour) clock(at string) {
	t.box = t.box.With("GIT_CLAW_NOW=" + at)
	t.host.box = t.host.box.With("GIT_CLAW_NOW=" + at)
}

// title begins a part.
func (t *tour) title(text string) {
	if t.err != nil {
		return
	}
	t.part++
	head := fmt.Sprintf("== %d. %s ", t.part, text)
	fmt.Fprintf(t.out, "\n%s%s\n", head, strings.Repeat("=", max(3, 78-len(head))))
	t.told = true
}

// say prints explanation.
func (t *tour) say(format string, args ...any) {
	if t.err != nil {
		return
	}
	if !t.told {
		fmt.Fprintln(t.out)
	}
	t.told = true
	fmt.Fprintf(t.out, "# "+format+"\n", args...)
}

// show runs a command of Mika's, prints it with its output, and checks that
// the output has each of the texts in want: what the demo says stays true.
func (t *tour) show(want []string, argv ...string) {
	t.showSome(math.MaxInt, want, argv...)
}

// showSome is show for long output, of which only the first lines are printed.
// A script of `sh -c` is printed as typed at a prompt.
func (t *tour) showSome(lines int, want []string, argv ...string) {
	if t.err != nil {
		return
	}
	typed := quote(argv)
	if argv[0] == "sh" {
		typed = argv[2]
	}
	fmt.Fprintf(t.out, "\n$ %s\n", typed)
	t.told = false
	result, err := t.box.Run(t.ctx, t.dir, "", argv...)
	if err != nil {
		t.fail(err)
		return
	}
	all := strings.Split(strings.TrimRight(result.Both, "\n"), "\n")
	if all[0] != "" {
		fmt.Fprintln(t.out, strings.Join(all[:min(lines, len(all))], "\n"))
	}
	if len(all) > lines {
		fmt.Fprintf(t.out, "  ... and %d lines more\n", len(all)-lines)
	}
	if result.Code != 0 {
		t.fail(fmt.Errorf("'%s' ended with exit status %d", typed, result.Code))
	}
	for _, text := range want {
		if !strings.Contains(result.Both, text) {
			t.fail(fmt.Errorf("'%s' does not show '%s'", typed, text))
		}
	}
}

// claw is show for `git claw`.
func (t *tour) claw(want []string, args ...string) {
	t.show(want, append([]string{"git", "claw"}, args...)...)
}

func (t *tour) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// do runs a step that prints nothing.
func (t *tour) do(step func() error) {
	if t.err == nil {
		t.fail(step())
	}
}

// findID returns the Claw-Id of the newest commit for which ok holds.
func (t *tour) findID(what string, ok func(c logLine) bool) string {
	if t.err != nil {
		return ""
	}
	result, err := t.box.Run(t.ctx, t.dir, "", "git", "claw", "log", "--flat", "--json")
	if err != nil {
		t.fail(err)
		return ""
	}
	decoder := json.NewDecoder(strings.NewReader(result.Stdout))
	for {
		var line logLine
		err := decoder.Decode(&line)
		if errors.Is(err, io.EOF) {
			t.fail(fmt.Errorf("the log has no %s", what))
			return ""
		}
		if err != nil {
			t.fail(fmt.Errorf("read 'git claw log --json': %w", err))
			return ""
		}
		if ok(line) {
			return line.ID
		}
	}
}

// logLine is the part of a line of `git claw log --json` that is used here.
type logLine struct {
	ID    string   `json:"id"`
	Event string   `json:"event"`
	Paths []string `json:"paths"`
}

// wait gives a hook that went on in the background the time to commit.
func (t *tour) wait() {
	t.do(func() error {
		last := ""
		for range 100 {
			head, err := t.box.Git(t.ctx, t.dir, "rev-parse", "HEAD")
			if err != nil {
				return err
			}
			if head == last {
				return nil
			}
			last = head
			select {
			case <-t.ctx.Done():
				return t.ctx.Err()
			case <-time.After(150 * time.Millisecond):
			}
		}
		return errors.New("HEAD does not come to rest")
	})
}

// lineOf returns the number of the line with text in a file.
func (t *tour) lineOf(path, text string) int {
	content, err := os.ReadFile(filepath.Join(t.dir, filepath.FromSlash(path)))
	if err != nil {
		t.fail(err)
		return 0
	}
	for i, line := range strings.Split(string(content), "\n") {
		if strings.Contains(line, text) {
			return i + 1
		}
	}
	t.fail(fmt.Errorf("'%s' has no line with '%s'", path, text))
	return 0
}

// quote prints a command as one would type it.
func quote(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = word
		if word == "" || strings.ContainsAny(word, " *?'\"%()<>|&;$") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
