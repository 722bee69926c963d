package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/gitops"
)

// errPagerGone: the person has seen enough and left the pager.
var errPagerGone = errors.New("the pager has ended")

// Page runs show with a writer that ends on standard output, by way of the
// user's pager where that is a terminal. cfg may be nil.
func (e *Env) Page(ctx context.Context, cfg *gitops.Config, show func(io.Writer, term.Style) error) error {
	style := e.Style(cfg)
	command := e.pager(ctx, cfg)
	if command == "" || command == "cat" {
		w := bufio.NewWriter(e.Out)
		return errors.Join(show(w, style), w.Flush())
	}
	// Not by CommandContext: an interrupt is for the pager to handle, and
	// killing it would leave the terminal in its mode.
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = e.pagerEnviron()
	cmd.Dir = e.Dir
	cmd.Stdout, cmd.Stderr = e.Out, e.Err
	if out, ok := e.Out.(*stickyWriter); ok {
		cmd.Stdout = out.w // the file itself, else the pager sees no terminal
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start pager '%s': %w", command, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start pager '%s': %w", command, err)
	}
	w := bufio.NewWriter(pagerWriter{pipe})
	err = errors.Join(show(w, style), w.Flush(), pipe.Close())
	// How the pager ended says nothing about our work.
	_ = cmd.Wait()
	if errors.Is(err, errPagerGone) {
		return nil
	}
	return err
}

// pager asks git for the pager's command; empty for none.
func (e *Env) pager(ctx context.Context, cfg *gitops.Config) string {
	if !e.OutTTY || cfg != nil && !cfg.Bool("pager.claw", true) {
		return ""
	}
	// Not by gitops.Git: its --no-pager would make the answer 'cat'.
	cmd := exec.CommandContext(ctx, "git", "var", "GIT_PAGER")
	cmd.Env, cmd.Dir = e.Environ, e.Dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// pagerEnviron gives less and lv the defaults that git gives them.
func (e *Env) pagerEnviron() []string {
	environ := append(e.Environ[:len(e.Environ):len(e.Environ)], "GIT_PAGER_IN_USE=true")
	if !isSet(e.Environ, "LESS") {
		environ = append(environ, "LESS=FRX")
	}
	if !isSet(e.Environ, "LV") {
		environ = append(environ, "LV=-c")
	}
	return environ
}

func isSet(environ []string, name string) bool {
	return slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}

// pagerWriter tells a pager that was left from a failed write.
type pagerWriter struct{ w io.Writer }

func (p pagerWriter) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		err = errPagerGone
	}
	return n, err
}
