package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// MinGit is the oldest git that works: 2.38 brought `merge-tree --write-tree`.
const MinGit = "2.38"

// Git runs the git binary. It is safe for concurrent use.
type Git struct {
	env    Env
	path   func() (string, error)
	locale string // the user's LC_ALL, for hooks
	ahead  bool
}

// NewGit returns a runner for the git found in the PATH of env. The look-up is
// done on the first call.
func NewGit(env Env) *Git {
	locale := env.Getenv("LC_ALL")
	env.Environ = Canonical(env.Environ, env.Dir)
	g := &Git{env: env, locale: locale}
	g.path = sync.OnceValues(func() (string, error) { return lookPath("git", env) })
	return g
}

// Ahead is the same runner for a command that will look at the files and write: what
// it reads anyway is read while Open waits for git.
func (g *Git) Ahead() *Git {
	c := *g
	c.ahead = true
	return &c
}

// Env returns the surroundings the runner was made with.
func (g *Git) Env() Env { return g.env }

// Cmd is one call of git. Args is what follows `git`. Dir is empty for the
// current directory. Env is added to the runner's environment.
type Cmd struct {
	Dir   string
	Args  []string
	Stdin io.Reader
	Env   []string

	// hold becomes the child's stdout, whose text is dropped. An flock on it lives
	// as long as the child does, even when we are killed. It is stdout because git
	// gives that to none of the programs it starts: a daemon that a hook, gpg or
	// fsmonitor leaves behind would keep any other descriptor, and the lock with it.
	hold *os.File
	// apart keeps a signal to our process group from the child: git would leave locks of
	// refs behind. It must not ask at the terminal then.
	apart bool
	// watch ends the child, with all that it started, when it hangs; nil: it may take its
	// time.
	watch *watch
}

// settle is how long the pipes of a child that has ended, or was told to end, are
// still read. A hook may leave a process behind that holds them open.
const settle = 500 * time.Millisecond

// Run runs git to its end and returns its stdout. A status other than 0 is a
// *GitError; stdout is returned with it.
func (g *Git) Run(ctx context.Context, c Cmd) ([]byte, error) {
	var out, errb bytes.Buffer
	if c.watch != nil {
		var stop func()
		ctx, stop = c.watch.begin(ctx)
		defer stop()
	}
	cmd, err := g.command(ctx, c)
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = &out, &errb
	if c.hold != nil {
		cmd.Stdout = c.hold
	}
	if c.hold != nil || c.apart {
		ownGroup(cmd)
	}
	if c.watch != nil {
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, c.watch), io.MultiWriter(&errb, c.watch)
		cmd.Cancel = func() error { return endTree(cmd.Process, g.env) }
		if c.apart {
			cmd.Cancel = func() error { return terminateGroup(cmd.Process) }
		}
	}
	start := time.Now() //nolint:forbidigo // a duration for the trace
	if c.watch != nil {
		err = c.watch.run(cmd, g.env)
	} else {
		err = cmd.Run()
	}
	if c.watch != nil && c.apart && ctx.Err() != nil && cmd.Process != nil {
		_ = killGroup(cmd.Process) // those that did not hear it
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // git itself was done, with status 0
	}
	g.trace(c, start, err)
	return out.Bytes(), g.wrap(ctx, c, err, errb.String())
}

// Line is Run for a command that answers with one line, which is returned
// without its newline.
func (g *Git) Line(ctx context.Context, c Cmd) (string, error) {
	b, err := g.Run(ctx, c)
	return strings.TrimSuffix(string(b), "\n"), err
}

// stream starts git with a pipe on its stdout. The returned stop function must
// be called; it ends the process when it still runs and reports its failure.
func (g *Git) stream(ctx context.Context, c Cmd) (io.Reader, func(early bool) error, error) {
	cmd, err := g.command(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	var errb bytes.Buffer
	cmd.Stderr = &errb
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("run git: %w", err)
	}
	start := time.Now() //nolint:forbidigo // a duration for the trace
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("run git: %w", err)
	}
	stop := func(early bool) error {
		if early {
			_ = cmd.Process.Kill()
		}
		err := cmd.Wait()
		g.trace(c, start, err)
		if early {
			return nil
		}
		return g.wrap(ctx, c, err, errb.String())
	}
	return out, stop, nil
}

func (g *Git) command(ctx context.Context, c Cmd) (*exec.Cmd, error) {
	path, err := g.path()
	if err != nil {
		return nil, err
	}
	// A folder of a work tree can look like a bare repository, with a configuration
	// that names programs; git takes one only where it is pointed to it.
	args := append([]string{"--no-pager", "-c", "safe.bareRepository=explicit", "-c", "color.ui=false"}, c.Args...)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = c.Dir
	if cmd.Dir == "" {
		cmd.Dir = g.env.Dir
	}
	cmd.Env = g.env.Environ
	if len(c.Env) > 0 {
		cmd.Env = append(append(make([]string, 0, len(cmd.Env)+len(c.Env)), cmd.Env...), c.Env...)
	}
	cmd.Stdin = c.Stdin
	// git removes its lock files on SIGTERM; a kill would leave them behind.
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = settle
	return cmd, nil
}

func (g *Git) wrap(ctx context.Context, c Cmd, err error, stderr string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &GitError{Args: c.Args, Code: exit.ExitCode(), Stderr: stderr}
	}
	return fmt.Errorf("run git: %w", err)
}

// verbOf is the git command among args, behind options of git itself.
func verbOf(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// trace logs the verb and the time, never arguments that could hold content.
func (g *Git) trace(c Cmd, start time.Time, err error) {
	if g.env.Log == nil {
		return
	}
	verb := verbOf(c.Args)
	ms := float64(time.Since(start).Microseconds()) / 1000 //nolint:forbidigo // as above
	g.env.Log.Debug("git", "verb", verb, "ms", ms, "ok", err == nil)
}

// lookPath finds a program in the injected PATH; os/exec would use the
// process's own. Relative entries of PATH are skipped, as os/exec does: a
// program in the current directory is never run by accident.
func lookPath(name string, env Env) (string, error) {
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		p, err := exec.LookPath(filepath.Join(dir, name))
		if err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("cannot find '%s' in PATH", name)
}

// Version returns git's version such as "2.39.5" and fails with *TooOldError
// below MinGit.
func (g *Git) Version(ctx context.Context) (string, error) {
	s, err := g.Line(ctx, Cmd{Args: []string{"version"}})
	if err != nil {
		return "", err
	}
	fields := strings.Fields(s)
	if len(fields) < 3 {
		return "", fmt.Errorf("cannot read git version '%s'", s)
	}
	v := fields[2]
	var major, minor int
	if _, err := fmt.Sscanf(v, "%d.%d", &major, &minor); err != nil {
		return "", fmt.Errorf("cannot read git version '%s'", s)
	}
	if major < 2 || major == 2 && minor < 38 {
		return v, &TooOldError{Have: v, Need: MinGit}
	}
	return v, nil
}
