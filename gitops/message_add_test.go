package gitops_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-claw/git-claw/gitops"
	"github.com/git-claw/git-claw/gitops/gittest"
)

// TestAddTrailers: the message keeps its bytes, and git reads the trailers back,
// whatever the user configured.
func TestAddTrailers(t *testing.T) {
	t.Parallel()
	const added = "Claw-Event: l1.edit\nClaw-Id: 1\n"
	tests := []struct {
		name, message string
		edited        bool
		want          string
	}{
		{"subject", "Subject\n", false, "Subject\n\n" + added},
		{"no newline", "Subject", false, "Subject\n\n" + added},
		{"looks like a trailer", "docs: subject\n", false, "docs: subject\n\n" + added},
		{"trailers", "Subject\n\nFixes: 7\n", false, "Subject\n\nFixes: 7\n" + added},
		{"quoted id", "Subject\n\n  Claw-Id: 0\n\nend\n", false, "Subject\n\n  Claw-Id: 0\n\nend\n\n" + added},
		{"id", "Subject\n\nClaw-Id: 0\n", false, "Subject\n\nClaw-Id: 0\nClaw-Event: l1.edit\n"},
		{"event", "Subject\n\nClaw-Event: writeback\nClaw-Id: 0\n", false, "Subject\n\nClaw-Event: l1.edit\nClaw-Id: 0\n"},
		{"two events", "Subject\n\nClaw-Event: a\nClaw-Id: 0\nclaw-event: b\n", false, "Subject\n\nClaw-Event: l1.edit\nClaw-Id: 0\nclaw-event: b\n"},
		{"only where it is", "Subject\n\nClaw-Actor: user\nClaw-Id: 0\n", false, "Subject\n\nClaw-Actor: agent\nClaw-Id: 0\nClaw-Event: l1.edit\n"},
		{"patch", "Subject\n\n---\ntext\n", false, "Subject\n\n---\ntext\n\n" + added},
		{"their comment is text", "Subject\n\n; text\n", false, "Subject\n\n; text\n\n" + added},
		{"comments", "Subject\n\n; Please enter\n; on main\n", true, "Subject\n\n" + added + "\n; Please enter\n; on main\n"},
		{"scissors", "Subject\n; ------------------------ >8 ------------------------\n; below\ndiff\n", true, "Subject\n\n" + added + "; ------------------------ >8 ------------------------\n; below\ndiff\n"},
	}
	r := gittest.New(t, gittest.Config("core.commentChar", ";"), gittest.Config("trailer.separators", "="), gittest.Config("trailer.where", "start"),
		gittest.Config("trailer.ifexists", "add"), gittest.Config("trailer.ifmissing", "doNothing"))
	repo, err := gitops.Open(context.Background(), gitops.NewGit(r.Env()), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	for _, tt := range tests {
		file := filepath.Join(r.Base, "message")
		if err := os.WriteFile(file, []byte(tt.message), 0o666); err != nil {
			t.Fatal(err)
		}
		err := repo.AddTrailers(context.Background(), file, tt.edited, []gitops.MessageTrailer{
			{Key: "Claw-Event", Value: "l1.edit", Replace: true},
			{Key: "Claw-Id", Value: "1\n"},
			{Key: "Claw-Session", Value: " \n"},
			{Key: "Claw-Actor", Value: "agent", Only: true},
		})
		got, rerr := os.ReadFile(file)
		if err != nil || rerr != nil || string(got) != tt.want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", tt.name, err, got, tt.want)
		}
	}
	if err := repo.AddTrailers(context.Background(), filepath.Join(r.Base, "none"), false, nil); err == nil {
		t.Error("a message that is not there")
	}
}

// TestMark: one holds it, others see it, and nothing is left.
func TestMark(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo, err := gitops.Open(context.Background(), gitops.NewGit(r.Env()), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	marked := func(want bool) {
		t.Helper()
		if repo.Marked("x") != want || repo.Marked("y") {
			t.Errorf("marked %t, want %t", !want, want)
		}
	}
	marked(false)
	release, err := repo.Mark("x")
	if err != nil {
		t.Fatal(err)
	}
	second, err := repo.Mark("x")
	if err != nil {
		t.Fatal(err)
	}
	second()
	marked(true)
	release()
	marked(false)
	// What a killed process leaves behind marks nothing.
	left := filepath.Join(repo.ClawDir(), "x")
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	marked(false)
	if release, err = repo.Mark("x"); err != nil {
		t.Fatal(err)
	}
	marked(true)
	release()
	r.CheckClean()
}
