package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Program runs a program of the user's local configuration (LocalCommand) at the top of
// the work tree, with the user's environment and no standard input, and returns what it
// says on standard output. It is ended with all it started when the time is over.
func (r *Repo) Program(ctx context.Context, argv []string, limit time.Duration) ([]byte, error) {
	program := argv[0]
	if strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		return nil, fmt.Errorf("'%s' is neither a name nor an absolute path", program)
	}
	if !filepath.IsAbs(program) {
		var err error
		if program, err = lookPath(program, r.Git.env); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Dir, cmd.Env = r.TopLevel, r.Git.env.Environ
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = settle
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("run '%s': no end after %s", argv[0], limit)
	case err != nil:
		detail, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("run '%s': %w: %s", argv[0], err, detail)
	}
	return stdout.Bytes(), nil
}

// Push pushes refs to a remote, never by force. The remote's refusal is a *GitError.
func (r *Repo) Push(ctx context.Context, remote string, refspecs ...string) error {
	args := append([]string{"push", "--quiet", "--no-follow-tags", "--recurse-submodules=no", "--end-of-options", remote}, refspecs...)
	if _, err := r.run(ctx, Cmd{Args: args}); err != nil {
		return fmt.Errorf("push to '%s': %w", remote, err)
	}
	return nil
}
