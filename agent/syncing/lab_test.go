package syncing_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/agent/syncing"
)

// fleet is some machines with one memory, and the bare repository that they share.
type fleet struct {
	t      testing.TB
	remote string
	m      []*agenttest.Lab
}

// newFleet makes n machines that are in sync. files are names and contents by turns.
func newFleet(t testing.TB, n int, files ...string) *fleet {
	t.Helper()
	return newFleetIn(t, n, "", files...)
}

func newFleetIn(t testing.TB, n int, sub string, files ...string) *fleet {
	t.Helper()
	a := agenttest.New(t, sub, files...)
	f := &fleet{t: t, remote: filepath.Join(t.TempDir(), "memory.git"), m: []*agenttest.Lab{a}}
	a.Git("init", "-q", "--bare", "-b", "main", f.remote)
	a.Git("remote", "add", "origin", f.remote)
	a.Git("push", "-q", "-u", "origin", "main")
	for i := range n - 1 {
		c := a.Clone(byte(i + 2))
		f.m = append(f.m, c)
	}
	url := f.url()
	for _, l := range f.m {
		l.Git("remote", "set-url", "origin", url)
	}
	return f
}

// at is the remote's side of git.
func (f *fleet) at(args ...string) string {
	f.t.Helper()
	return f.m[0].Git(append([]string{"--git-dir=" + f.remote}, args...)...)
}

func trySync(l *agenttest.Lab, opt syncing.Options) (*syncing.Result, error) {
	l.Later(time.Second)
	return syncing.Sync(context.Background(), l.Workspace(), agent.Caller{Actor: agent.Agent}, opt)
}

func doSync(l *agenttest.Lab) *syncing.Result {
	l.T.Helper()
	res, err := trySync(l, syncing.Options{})
	if err != nil {
		l.T.Fatalf("sync: %v", err)
	}
	return res
}

// settle syncs all machines until nothing moves, and checks that they are the same.
func (f *fleet) settle() {
	f.t.Helper()
	for range 2 {
		for _, l := range f.m {
			doSync(l)
		}
	}
	want := f.at("rev-parse", "main")
	for i, l := range f.m {
		if got := l.Git("rev-parse", "HEAD"); got != want {
			f.t.Errorf("machine %d is at %s, the remote at %s", i, got, want)
		}
		l.Check()
	}
}

func save(l *agenttest.Lab) {
	l.T.Helper()
	l.Later(time.Second)
	if _, err := agent.Save(context.Background(), l.Workspace(), agent.Caller{Actor: agent.Agent}, agent.SaveOptions{}); err != nil {
		l.T.Fatal(err)
	}
}
