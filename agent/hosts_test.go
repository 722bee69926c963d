package agent

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/git-claw/git-claw/agent/connect"
)

// TestUnattended: the dashboard says that nobody saves, and how somebody would,
// unless a host or a watch does or that is not known.
func TestUnattended(t *testing.T) {
	t.Parallel()
	none := []connect.Connection{{Host: "claude-code"}, {Host: "openclaw"}}
	claude := []connect.Connection{{Host: "claude-code", Connected: true}, {Host: "openclaw"}}
	claw := []connect.Connection{{Host: "claude-code"}, {Host: "openclaw", Connected: true}}
	unread := []connect.Connection{{Host: "claude-code", Unknown: true}, {Host: "openclaw", Unknown: true}}
	tests := []struct {
		host  string
		hosts []connect.Connection
		want  string
	}{
		{"claude-code", none, "git claw connect claude-code"},
		{"openclaw", none, "git claw connect openclaw"},
		{"generic", none, "git claw watch"},
		{"claude-code", claude, ""},
		{"claude-code", claw, "git claw connect claude-code"},
		{"openclaw", claude, ""},
		{"openclaw", claw, ""},
		{"generic", claw, ""},
		{"claude-code", unread, ""},
		{"openclaw", nil, ""},
	}
	s := newAdopted(t, nil)
	for _, tt := range tests {
		s.Git("config", "claw.host", tt.host)
		ws := s.open()
		d := &Dashboard{Adopted: true}
		d.AdviseHosts(ws, tt.hosts)
		got := ""
		if len(d.Next) > 0 {
			got = d.Next[0].Command
		}
		if got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.host, tt.hosts, got, tt.want)
		}
		for _, d := range []*Dashboard{{}, {Adopted: true, Progress: "merge"}} {
			if d.AdviseHosts(ws, tt.hosts); len(d.Next) > 0 {
				t.Errorf("%s: %+v", tt.host, d)
			}
		}
	}
	s.CheckClean()
}

// TestWatched: a watch is known while it runs, and only in its workspace.
func TestWatched(t *testing.T) {
	t.Parallel()
	s := newAdopted(t, nil)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	ws := s.open()
	go func() { done <- Watch(ctx, ws, Caller{Actor: Unknown}, WatchOptions{Quiet: 20 * time.Millisecond}) }()
	seen := s.open()
	for range 500 {
		if Watched(seen) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !Watched(seen) {
		t.Error("the watch is not known")
	}
	other := *seen
	other.Prefix = "a/b/"
	if Watched(&other) {
		t.Error("another workspace is not watched")
	}
	findings, err := Doctor(context.Background(), seen.Repo.Git, seen, DoctorOptions{Hosts: []connect.Connection{{Host: "openclaw"}}})
	if err != nil || !slices.ContainsFunc(findings, func(f Finding) bool {
		return f.Name == "hosts" && f.Verdict == OK && f.Text == "openclaw not connected, a watch runs"
	}) {
		t.Errorf("doctor: %+v, %v", findings, err)
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if Watched(seen) {
		t.Error("the watch ended")
	}
	s.CheckClean()
}
