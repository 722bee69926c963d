package syncing_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/syncing"
	"github.com/git-claw/git-claw/gitops"
)

// mute is a server that takes connections and says nothing.
func mute(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
		}
	}()
	return l.Addr().String()
}

// sleeper is a program that writes down its process id and hangs.
func sleeper(t *testing.T) (program string, pids func() []int) {
	t.Helper()
	dir := t.TempDir()
	program, list := filepath.Join(dir, "hang"), filepath.Join(dir, "pids")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho $$ >>"+list+"\nexec sleep 300\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, func() (out []int) {
		text, _ := os.ReadFile(list)
		for _, s := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, pid)
		}
		return out
	}
}

// hangs are remotes that never answer. Each returns the programs that hang.
var hangs = map[string]func(t *testing.T, f *fleet) func() []int{
	"git": func(t *testing.T, f *fleet) func() []int {
		t.Helper()
		f.m[0].Git("remote", "set-url", "origin", "git://"+mute(t)+"/memory.git")
		return nil
	},
	"http": func(t *testing.T, f *fleet) func() []int {
		t.Helper()
		f.m[0].Git("remote", "set-url", "origin", "http://"+mute(t)+"/memory.git")
		return nil
	},
	"ssh": func(t *testing.T, f *fleet) func() []int {
		t.Helper()
		program, pids := sleeper(t)
		f.m[0].Git("config", "core.sshCommand", program)
		f.m[0].Git("remote", "set-url", "origin", "ssh://far.example.org/memory.git")
		return pids
	},
	"path": func(t *testing.T, f *fleet) func() []int {
		t.Helper()
		program, pids := sleeper(t)
		f.m[0].Git("config", "remote.origin.uploadpack", program)
		return pids
	},
	"push": func(t *testing.T, f *fleet) func() []int {
		t.Helper()
		program, pids := sleeper(t)
		if err := os.Symlink(program, f.remote+"/hooks/pre-receive"); err != nil {
			t.Fatal(err)
		}
		return pids
	},
}

// heal makes the remote answer again.
func heal(f *fleet) {
	a := f.m[0]
	a.Git("remote", "set-url", "origin", f.remote)
	_, _ = a.TryGit("config", "--unset", "remote.origin.uploadpack")
	_, _ = a.TryGit("config", "--unset", "core.sshCommand")
	_, _ = a.TryGit("config", "--unset", "claw.syncTimeout")
	_ = os.Remove(f.remote + "/hooks/pre-receive")
}

// TestHangs: a remote that says nothing ends the sync after claw.syncTimeout, with all
// that was started for it; what stands here is saved, and the same command works later.
func TestHangs(t *testing.T) {
	t.Parallel()
	// Where git may ask, what it started is not in a group of its own.
	short := map[string]bool{"git false": true, "ssh true": true, "push false": true}
	for name, hang := range hangs {
		for _, ask := range []bool{false, true} {
			if !short[fmt.Sprint(name, " ", ask)] && os.Getenv("CLAW_TEST_BIG") == "" {
				continue
			}
			t.Run(fmt.Sprintf("%s,ask=%v", name, ask), func(t *testing.T) {
				t.Parallel()
				f := newFleet(t, 1, "MEMORY.md", "# Memory\n")
				a := f.m[0]
				pids := hang(t, f)
				limit := "800ms"
				if name == "push" {
					limit = "2s" // the fetch before is to get through
				}
				a.Git("config", "claw.syncTimeout", limit)
				a.Write("MEMORY.md", "# Memory\n\n- kept\n")
				there := f.at("for-each-ref")
				_, err := trySync(a, syncing.Options{Ask: ask})
				var silent *gitops.RemoteError
				if !errors.As(err, &silent) || silent.ExitCode() != 128 || err.Error() != "'origin' gave no sign of life for "+limit {
					t.Fatalf("%v", err)
				}
				gone(t, pids)
				if !strings.Contains(a.InHead("MEMORY.md"), "kept") || f.at("for-each-ref") != there {
					t.Error("it was not saved, or something moved there")
				}
				a.Check()
				heal(f)
				if res := doSync(a); !res.Pushed || f.at("rev-parse", "main") != a.Git("rev-parse", "HEAD") {
					t.Errorf("%+v", res)
				}
			})
		}
	}
}

func gone(t *testing.T, pids func() []int) {
	t.Helper()
	if pids == nil {
		return
	}
	all := pids()
	if len(all) == 0 {
		t.Error("nothing hung")
	}
	for _, pid := range all {
		for end := time.Now().Add(5 * time.Second); runs(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("process %d goes on", pid)
			}
		}
	}
}

// runs reports whether a process does; one that ended may wait to be asked how.
func runs(pid int) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

// TestInterruptedWhileHanging: who waits for a remote can stop waiting.
func TestInterruptedWhileHanging(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for name, hang := range hangs {
		if name != "ssh" && os.Getenv("CLAW_TEST_BIG") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 1, "MEMORY.md", "# Memory\n")
			a := f.m[0]
			pids := hang(t, f)
			a.Write("MEMORY.md", "# Memory\n\n- kept\n")
			ctx, stop := context.WithCancelCause(context.Background())
			time.AfterFunc(500*time.Millisecond, func() { stop(stopped) })
			_, err := syncing.Sync(ctx, a.Workspace(), agent.Caller{Actor: agent.Agent}, syncing.Options{})
			if !errors.Is(err, stopped) {
				t.Fatalf("%v", err)
			}
			gone(t, pids)
			a.Check()
			heal(f)
			doSync(a)
			f.settle()
		})
	}
}

// TestNobodyWaitsForTheNetwork: while a sync hangs others save, and a second sync says who
// is in its way.
func TestNobodyWaitsForTheNetwork(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"path", "push"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 1, "MEMORY.md", "# Memory\n")
			a := f.m[0]
			pids := hangs[name](t, f)
			a.Write("memory/a.md", "# A\n")
			ctx, stop := context.WithCancel(context.Background())
			done := make(chan error, 1)
			ws := a.Workspace()
			go func() {
				_, err := syncing.Sync(ctx, ws, agent.Caller{Actor: agent.Agent}, syncing.Options{})
				done <- err
			}()
			defer func() {
				stop()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("the first: %v", err)
				}
			}()
			for end := time.Now().Add(20 * time.Second); len(pids()) == 0 || a.InHead("memory/a.md") == ""; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("it does not hang")
				}
			}
			a.Write("memory/b.md", "# B\n")
			start := time.Now()
			save(a)
			if d := time.Since(start); d > 4*time.Second || a.InHead("memory/b.md") == "" {
				t.Errorf("the save took %s", d)
			}
			a.Git("config", "claw.lockTimeout", "100ms")
			_, err := trySync(a, syncing.Options{})
			var busy *syncing.UnderWayError
			want := fmt.Sprintf("another 'git claw sync' (pid %d, since 09:00) is under way", os.Getpid())
			if !errors.As(err, &busy) || busy.ExitCode() != 4 || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			if h := busy.Hints(); h[len(h)-1] != "to end it, without harm: kill "+strconv.Itoa(os.Getpid()) {
				t.Errorf("%q", h)
			}
		})
	}
}
