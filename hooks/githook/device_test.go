//go:build unix

package githook

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestEndlessHook: a hook that is a link to a device, or a pipe, is neither read
// for ever nor waited for.
func TestEndlessHook(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"/dev/zero", "pipe", "manager"} {
		r := newRepo(t)
		hook := r.hook()
		switch kind {
		case "pipe":
			if err := syscall.Mkfifo(hook, 0o755); err != nil {
				t.Fatal(err)
			}
		case "manager":
			r.write(hook, "#!/bin/sh\ncall_lefthook\n", 0o755)
			if err := os.Symlink("/dev/zero", filepath.Join(r.top, "lefthook.yml")); err != nil {
				t.Fatal(err)
			}
		default:
			if err := os.Symlink(kind, hook); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan error, 1)
		go func() {
			_, err := r.target().Status()
			if err == nil {
				_, err = r.target().Install()
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: still reading", kind)
		}
	}
}
