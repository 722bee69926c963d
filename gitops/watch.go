package gitops

import (
	"context"
	"fmt"
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

// Write takes what the child says for a sign of life.
func (w *watch) Write(p []byte) (int, error) {
	w.last.Store(int64(w.age()))
	return len(p), nil
}
