package gitops

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// TestWatch: silence is told once and ends the wait; signs of life put both off.
func TestWatch(t *testing.T) {
	t.Parallel()
	var told atomic.Int32
	w := &watch{limit: 400 * time.Millisecond, after: 100 * time.Millisecond, tell: func() { told.Add(1) }}
	ctx, stop := w.begin(context.Background())
	defer stop()
	start := time.Now()
	for range 5 {
		time.Sleep(50 * time.Millisecond)
		if n, err := w.Write([]byte("Receiving objects")); n != 17 || err != nil {
			t.Fatal(n, err)
		}
	}
	<-ctx.Done()
	var silent *SilentError
	if !errors.As(context.Cause(ctx), &silent) || silent.For != w.limit || told.Load() != 1 {
		t.Errorf("%v, told %d times", context.Cause(ctx), told.Load())
	}
	if d := time.Since(start); d < 600*time.Millisecond {
		t.Errorf("ended after %s", d)
	}

	// Without a limit it is told and goes on.
	w = &watch{after: time.Millisecond, tell: func() { told.Add(1) }}
	ctx, end := w.begin(context.Background())
	time.Sleep(1200 * time.Millisecond)
	if ctx.Err() != nil || told.Load() != 2 {
		t.Errorf("%v, told %d times", ctx.Err(), told.Load())
	}
	end()
}

// TestWithoutProgress: what went wrong is left of what git says.
func TestWithoutProgress(t *testing.T) {
	t.Parallel()
	const said = "Enumerating objects: 5, done.\nCounting objects:  50% (1/2)\rCounting objects: 100% (2/2), done.\n" +
		"Delta compression using up to 2 threads\nCompressing objects: 100% (2/2), done.\nWriting objects: 100% (3/3), 300 bytes | 300.00 KiB/s, done.\n" +
		"Total 3 (delta 0), reused 0 (delta 0), pack-reused 0\nremote: Resolving deltas: 100% (1/1), done.        \n" +
		"remote: the branch is protected        \nFrom ../memory\n * [new branch]      main       -> origin/main\n   1234567..89abcde  main       -> origin/main\n" +
		" + 1234567...89abcde claw/l1/x -> origin/claw/l1/x  (forced update)\n" +
		"fatal: write error: No space left on device\nerror: 1 thing: failed\n"
	const want = "remote: the branch is protected\nfatal: write error: No space left on device\nerror: 1 thing: failed\n"
	if got := withoutProgress(said); got != want {
		t.Errorf("%q", got)
	}
	full := &RemoteError{Remote: "origin", Stderr: want}
	if full.Error() != "cannot take what 'origin' has: write error: No space left on device" {
		t.Errorf("%v", full)
	}
	for stderr, text := range map[string]string{
		"ssh: connect to host far.example.org port 22: Connection refused\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\n": "cannot reach 'origin': ssh: connect to host far.example.org port 22: Connection refused",
		"fatal: Could not read from remote repository.\n": "cannot reach 'origin': Could not read from remote repository.",
		"warning: x\nfatal: bad\n":                        "cannot reach 'origin': bad",
	} {
		if got := (&RemoteError{Remote: "origin", Stderr: stderr}).Error(); got != text {
			t.Errorf("%s", got)
		}
	}
	for d, text := range map[time.Duration]string{5 * time.Minute: "5m", time.Hour: "1h", 10 * time.Second: "10s", 90 * time.Second: "1m30s", 20 * time.Minute: "20m"} {
		if short(d) != text {
			t.Errorf("%s is %s", d, short(d))
		}
	}
}
