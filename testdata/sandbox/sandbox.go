// Package sandbox runs programs in an environment of their own, for the
// programs below testdata (bench, demo) that show git claw beside the real
// git. Nothing of the caller's home, configuration or git state gets in:
// numbers and output would otherwise depend on whose machine it is.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// gitconfig is the whole configuration of the sandbox's user. gc.auto is off
// because a repack in the middle of a run is charged to whoever comes next.
const gitconfig = `[user]
	name = Mika
	email = mika@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
[advice]
	detachedHead = false
[core]
	pager = cat
`

// A Box is a home folder and the environment that goes with it.
type Box struct {
	// Home is the absolute path of the home folder.
	Home string

	env []string
}

// New makes a home folder below dir, which need not exist, with an identity
// for git. bins are folders to put in front of PATH.
func New(dir string, bins ...string) (*Box, error) {
	home, err := filepath.Abs(filepath.Join(dir, "home"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(home, ".config"), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o644); err != nil {
		return nil, err
	}
	path := append([]string{}, bins...)
	path = append(path, os.Getenv("PATH"))
	env := []string{
		"PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"HOME=" + home,
		"USERPROFILE=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"LC_ALL=C",
		"TZ=UTC",
		"TERM=dumb",
		"NO_COLOR=1",
	}
	for _, name := range []string{"TMPDIR", "SYSTEMROOT", "COMSPEC", "PATHEXT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return &Box{Home: home, env: env}, nil
}

// With returns a box with further variables (NAME=value); a later one wins.
func (b *Box) With(vars ...string) *Box {
	return &Box{Home: b.Home, env: append(append([]string{}, b.env...), vars...)}
}

// A Result is what one process did.
type Result struct {
	Stdout, Stderr string
	// Both is stdout and stderr as a terminal would have shown them.
	Both string
	Code int
	// Wall is the time from start to end; CPU is user plus system time, that
	// of awaited children included.
	Wall, CPU time.Duration
}

// Run runs argv in dir and waits for it. A non-zero exit is in the result, not
// an error; an error says that the program could not be run at all.
func (b *Box) Run(ctx context.Context, dir, stdin string, argv ...string) (Result, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if !strings.ContainsRune(argv[0], os.PathSeparator) {
		if path, ok := b.lookPath(argv[0]); ok {
			cmd = exec.CommandContext(ctx, path, argv[1:]...)
			cmd.Args[0] = argv[0]
		}
	}
	var stdout, stderr, both bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin = dir, b.env, strings.NewReader(stdin)
	var mu sync.Mutex
	cmd.Stdout, cmd.Stderr = tee{&stdout, &both, &mu}, tee{&stderr, &both, &mu}
	// A process that went to the background may hold the pipes open.
	cmd.WaitDelay = 2 * time.Second

	start := time.Now()
	err := cmd.Run()
	result := Result{
		Stdout: stdout.String(), Stderr: stderr.String(), Both: both.String(),
		Wall: time.Since(start),
	}
	if cmd.ProcessState != nil {
		result.Code = cmd.ProcessState.ExitCode()
		result.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return result, fmt.Errorf("run '%s': %w", strings.Join(argv, " "), err)
	}
	return result, nil
}

// Git runs git and fails on a non-zero exit; it returns stdout without the
// newline at its end.
func (b *Box) Git(ctx context.Context, dir string, args ...string) (string, error) {
	return b.GitStdin(ctx, dir, "", args...)
}

// GitStdin is Git with something on stdin.
func (b *Box) GitStdin(ctx context.Context, dir, stdin string, args ...string) (string, error) {
	result, err := b.Run(ctx, dir, stdin, append([]string{"git"}, args...)...)
	if err != nil {
		return "", err
	}
	if result.Code != 0 {
		return "", fmt.Errorf("git %s: exit %d: %s", strings.Join(args, " "), result.Code, strings.TrimSpace(result.Stderr))
	}
	return strings.TrimSuffix(result.Stdout, "\n"), nil
}

// lookPath finds a program in the box's PATH; exec.Command would look in the
// caller's.
func (b *Box) lookPath(name string) (string, bool) {
	for i := len(b.env) - 1; i >= 0; i-- {
		list, ok := strings.CutPrefix(b.env[i], "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			path := filepath.Join(dir, name)
			if found, err := exec.LookPath(path); err == nil {
				return found, true
			}
		}
		return "", false
	}
	return "", false
}

// tee writes to a stream's own buffer and to the one of both streams. os/exec
// feeds stdout and stderr from a goroutine each, hence the lock.
type tee struct {
	own, both *bytes.Buffer
	mu        *sync.Mutex
}

func (t tee) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.own.Write(p)
	t.both.Write(p)
	return len(p), nil
}
