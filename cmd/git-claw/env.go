package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	xterm "golang.org/x/term"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
)

// Env is all that a command knows of the process it runs in. processEnv makes
// the real one; tests make their own, with buffers for streams.
type Env struct {
	In                    io.Reader
	Out, Err              io.Writer
	InTTY, OutTTY, ErrTTY bool

	Environ    []string               // as the process got it; read with Getenv
	Dir        string                 // current directory, absolute
	Now        func() time.Time       // the one clock
	Rand       io.Reader              // ids, temporary names, jitter
	Columns    func() int             // width of the terminal, 80 when unknown
	Rows       func() int             // height of the terminal, 24 when unknown
	Executable func() (string, error) // absolute path of this binary
	Hostname   func() string          // of this machine, empty when unknown
	// Raw lets single keys be read from the terminal until restore is called; nil where
	// there is no such mode.
	Raw func() (restore func(), err error)

	Opt Options // global options, set before a command runs
}

// Options are the options every command takes, with their variables applied
// (SPEC 10.8). Zero values mean "not said".
type Options struct {
	Workspace   string // -w
	Actor       string // --as, GIT_CLAW_ACTOR
	ActorSaid   bool   // --as was given, not only the variable
	Session     string // --session, GIT_CLAW_SESSION
	SessionSaid bool   // --session was given, not only the variable
	SessionKind string // --for, GIT_CLAW_SESSION_KIND
	JSON        bool
	Color       string // always, never, auto or empty
	Quiet       bool
	Verbose     bool
}

const (
	defaultColumns = 80
	defaultRows    = 24
)

// processEnv reads the process.
func processEnv() *Env {
	env := &Env{
		In: os.Stdin, Out: &stickyWriter{w: os.Stdout}, Err: os.Stderr,
		InTTY: isTerminal(os.Stdin), OutTTY: isTerminal(os.Stdout), ErrTTY: isTerminal(os.Stderr),
		Environ:    os.Environ(),
		Now:        time.Now,
		Rand:       rand.Reader,
		Executable: executable,
		Hostname:   hostname,
	}
	if env.InTTY && env.Getenv("TERM") != "dumb" {
		env.Raw = rawTerminal
	}
	// A deleted current directory is reported by the first command that needs it.
	env.Dir, _ = os.Getwd()
	env.Columns = func() int {
		if n, err := strconv.Atoi(env.Getenv("COLUMNS")); err == nil && n > 0 {
			return n
		}
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			if n, _, err := xterm.GetSize(int(f.Fd())); err == nil && n > 0 {
				return n
			}
		}
		return defaultColumns
	}
	env.Rows = func() int {
		if _, n, err := xterm.GetSize(int(os.Stdout.Fd())); err == nil && n > 0 {
			return n
		}
		return defaultRows
	}
	return env
}

func rawTerminal() (restore func(), err error) {
	fd := int(os.Stdin.Fd())
	state, err := xterm.MakeRaw(fd)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return func() { _ = xterm.Restore(fd, state) }, nil
}

func isTerminal(f *os.File) bool { return xterm.IsTerminal(int(f.Fd())) }

// executable is the path of this binary to record in hooks and schedules. The
// name by which it was called comes first: where that is a link, a package
// manager moves the file behind it with every version.
func executable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the path of this program: %w", err)
	}
	called := os.Args[0]
	if filepath.Base(called) != called {
		if path, err := filepath.Abs(called); err == nil && sameFile(path, self) {
			return path, nil
		}
		return self, nil
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, filepath.Base(self))
		if filepath.IsAbs(path) && sameFile(path, self) {
			return path, nil
		}
		if path = filepath.Join(dir, called); filepath.IsAbs(path) && sameFile(path, self) {
			return path, nil
		}
	}
	return self, nil
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Getenv returns a variable of the injected environment, empty when unset.
func (e *Env) Getenv(name string) string {
	return gitops.Env{Environ: e.Environ}.Getenv(name)
}

// Abs makes a path given on the command line absolute.
func (e *Env) Abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.Dir, path)
}

// Confirm tells a person on standard error what was done. -q drops it; so does
// --json, where the answer itself says it.
func (e *Env) Confirm(format string, args ...any) {
	if !e.Opt.Quiet && !e.Opt.JSON {
		fmt.Fprintf(e.Err, format+"\n", args...)
	}
}

// Warn tells on standard error what went wrong beside the command's own work.
func (e *Env) Warn(message string, hints ...string) {
	if e.Opt.JSON {
		// A failure to write to standard error leaves nobody to tell.
		_ = writeJSON(e.Err, "claw.warning/1", struct {
			Message string   `json:"message"`
			Hints   []string `json:"hints,omitempty"`
		}{message, hints})
		return
	}
	printLines(e.Err, "warning: ", message)
	e.hints(hints)
}

// hints prints hint lines unless they are switched off.
func (e *Env) hints(hints []string) {
	if e.Opt.Quiet || isFalse(e.Getenv("GIT_ADVICE")) {
		return
	}
	for _, h := range hints {
		printLines(e.Err, "hint: ", h)
	}
}

// printLines prints each line of a message with its prefix, so that no text
// from a repository can pass for a line of another kind.
func printLines(w io.Writer, prefix, message string) {
	for line := range strings.SplitSeq(strings.TrimRight(message, "\n"), "\n") {
		fmt.Fprintf(w, "%s%s\n", prefix, term.Escape(strings.TrimRight(line, "\r")))
	}
}

func isFalse(value string) bool {
	if value == "" {
		return false
	}
	b, err := gitops.ParseBool(value)
	return err == nil && !b
}

// Style is the colours for standard output: --color, then NO_COLOR, then
// color.claw and color.ui, where cfg is nil when no repository is open. A bad
// value of a setting counts as "auto".
func (e *Env) Style(cfg *gitops.Config) term.Style {
	terminal := e.OutTTY && e.Getenv("TERM") != "dumb" || e.Getenv("GIT_PAGER_IN_USE") != ""
	mode := e.Opt.Color
	if mode == "" && e.Getenv("NO_COLOR") != "" {
		mode = "never"
	}
	if mode == "" && cfg != nil {
		value, ok := cfg.Get("color.claw")
		if !ok {
			value, _ = cfg.Get("color.ui")
		}
		if _, ok := term.ColorBool(value, terminal); ok {
			mode = value
		}
	}
	on, _ := term.ColorBool(mode, terminal)
	return term.Style{On: on}
}

// Progress shows long work on a terminal.
func (e *Env) Progress(title string) *term.Progress {
	w := e.Err
	if !e.ErrTTY || e.Opt.Quiet || e.Opt.JSON {
		w = nil
	}
	return term.NewProgress(w, tick, title, e.Columns())
}

// Stdin is standard input for a command that waits for it; a signal ends the
// wait.
func (e *Env) Stdin(ctx context.Context) io.Reader { return stdinReader{ctx, e.In} }

type stdinReader struct {
	ctx context.Context
	r   io.Reader
}

func (s stdinReader) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buf := make([]byte, len(p)) // p is the caller's again when a signal came
	done := make(chan result, 1)
	go func() {
		n, err := s.r.Read(buf)
		done <- result{n, err}
	}()
	select {
	case <-s.ctx.Done():
		return 0, context.Cause(s.ctx)
	case r := <-done:
		return copy(p, buf[:r.n]), r.err
	}
}

// Ask puts a question to the person at the terminal. Everything but yes is no.
func (e *Env) Ask(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(e.Err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(e.Stdin(ctx)).ReadString('\n')
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err != nil && answer == "" {
		fmt.Fprintln(e.Err) // the end of input is a no
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// stickyWriter keeps the first failure of a write, so that output cut by a
// full disk is an error though single prints do not look.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if err != nil {
		s.err = fmt.Errorf("write standard output: %w", err)
	}
	return n, s.err
}

// tick is a clock that runs: for how long something takes, never for what day it
// is, which --now may set.
func tick() time.Time { return time.Now() }
