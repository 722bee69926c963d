package gitops

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// watch ends a child that gives no sign of life for a while. git is told to say how far
// it is; what says nothing then waits for somebody who does not answer, as a rule for
// ever: only HTTP has a limit of git's own.
type watch struct {
	limit time.Duration // of silence; 0: none
	after time.Duration // of silence, until tell is called, once
	tell  func()

	last atomic.Int64 // when the child last said something, since begin
	from time.Time
}

// SilentError: a child of ours was ended because it gave no sign of life for so long.
type SilentError struct{ For time.Duration }

func (e *SilentError) Error() string { return fmt.Sprintf("no sign of life for %s", e.For) }

// looks is how many times within the limit is looked.
const looks = 10

// begin returns a context that ends with the silence, until stop is called.
func (w *watch) begin(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w.from = time.Now() //nolint:forbidigo // waiting is in real time, not in the injected clock's
	every := time.Second
	if w.limit > 0 {
		every = min(every, w.limit/looks)
	}
	done := make(chan struct{})
	go func() {
		told := w.tell == nil
		t := time.NewTicker(max(every, time.Millisecond))
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-t.C:
			}
			silent := w.age() - time.Duration(w.last.Load())
			if !told && silent >= w.after {
				told = true
				w.tell()
			}
			if w.limit > 0 && silent >= w.limit {
				cancel(&SilentError{For: w.limit})
				return
			}
		}
	}()
	return ctx, func() {
		close(done)
		cancel(nil)
	}
}

func (w *watch) age() time.Duration { return time.Since(w.from) } //nolint:forbidigo // as above

// packVariable has git write what it receives of a pack to a descriptor (git(1)): it says
// how far it is where it indexes one, but not while it unpacks one large object.
const packVariable = "GIT_TRACE_PACKFILE"

// run runs a child and takes what it receives for a sign of life as well.
func (w *watch) run(cmd *exec.Cmd, env Env) error {
	if w.limit <= 0 || !inheritsFiles || env.Getenv(packVariable) != "" {
		return cmd.Run()
	}
	from, to, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	defer func() { _ = from.Close() }() // ends the copy, whoever else holds the other end
	const first = 3
	cmd.ExtraFiles = []*os.File{to}
	cmd.Env = append(slices.Clone(cmd.Env), packVariable+"="+strconv.Itoa(first))
	err = cmd.Start()
	_ = to.Close()
	if err != nil {
		return err
	}
	go func() { _, _ = io.Copy(w, from) }()
	return cmd.Wait()
}

// Write takes what the child says for a sign of life.
func (w *watch) Write(p []byte) (int, error) {
	w.last.Store(int64(w.age()))
	return len(p), nil
}
