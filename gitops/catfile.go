package gitops

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// catFile is one running `git cat-file --batch`.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// brokenPipeError: the helper died; the next read starts another one.
type brokenPipeError struct{ err error }

func (e *brokenPipeError) Error() string { return "git cat-file stopped: " + e.err.Error() }
func (e *brokenPipeError) Unwrap() error { return e.err }

func startCatFile(r *Repo) (*catFile, error) {
	// The process lives as long as the repository is open, not as long as the
	// context of the first read.
	cmd, err := r.Git.command(context.Background(), r.here(Cmd{Args: []string{"cat-file", "--batch"}}))
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("run git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run git cat-file: %w", err)
	}
	return &catFile{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

func (c *catFile) close() error {
	_ = c.in.Close()
	return c.cmd.Wait()
}

// read returns an object's content. kind "" accepts any type.
func (c *catFile) read(ctx context.Context, id ID, kind string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(c.in, id.String()+"\n"); err != nil {
		return nil, &brokenPipeError{err}
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return nil, &brokenPipeError{err}
	}
	f := strings.Fields(head)
	if len(f) != 3 {
		return nil, fmt.Errorf("read object %s: %w", id.Short(), ErrNoObject)
	}
	n, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || n < 0 {
		return nil, &brokenPipeError{fmt.Errorf("unexpected answer '%.80s'", strings.TrimSpace(head))}
	}
	if limit > 0 && n > limit {
		if _, err := io.CopyN(io.Discard, c.out, n+1); err != nil {
			return nil, &brokenPipeError{err}
		}
		return nil, tooLarge(id)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(c.out, b); err != nil {
		return nil, &brokenPipeError{err}
	}
	if _, err := c.out.Discard(1); err != nil {
		return nil, &brokenPipeError{err}
	}
	if kind != "" && f[1] != kind {
		return nil, &KindError{ID: id, Kind: f[1], Want: kind}
	}
	return b, nil
}
