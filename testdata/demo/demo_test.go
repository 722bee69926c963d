package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/testdata/sandbox"
)

func TestLayOut(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "juniper")
	if err := layOut(t.Context(), box, dir); err != nil {
		t.Fatal(err)
	}
	count, err := box.Git(t.Context(), dir, "rev-list", "--count", "HEAD")
	if err != nil || count != "5" {
		t.Errorf("commits: %s, %v", count, err)
	}
	if out, err := box.Git(t.Context(), dir, "fsck", "--strict"); err != nil || out != "" {
		t.Errorf("fsck: %q, %v", out, err)
	}
	status, err := box.Git(t.Context(), dir, "status", "--short")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" M memory/wishlist.md", "?? memory/2026-11-20.md", " M drafts/blog-celadon.md"} {
		if !strings.Contains(status, want) {
			t.Errorf("status lacks %q:\n%s", want, status)
		}
	}
	// The edits of the scripted agent must fit the text they change.
	soul, err := os.ReadFile(filepath.Join(dir, "SOUL.md"))
	if err != nil || strings.Count(string(soul), "no mail, no order, no post.") != 1 {
		t.Errorf("SOUL.md: %v\n%s", err, soul)
	}
}

func TestParseDayRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "commit: x\n", "date: yesterday\n", "date: 2026-11-02T17:40:00Z\nmood: good\n"} {
		if _, err := parseDay([]byte(bad + "-- a --\n")); err == nil {
			t.Errorf("parseDay(%q) has no error", bad)
		}
	}
}

func TestFreshKeepsForeignFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := fresh(dir); err != nil {
		t.Fatal(err)
	}
	if err := fresh(dir); err != nil {
		t.Errorf("a demo's own folder: %v", err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fresh(foreign); err == nil {
		t.Error("a foreign folder was taken")
	}
}

// TestHost feeds a hook that writes down what it gets.
func TestHost(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	hook := func(matcher string) string {
		return `[{"matcher":"` + matcher + `","hooks":[{"type":"command","command":"cat >>seen; echo >>seen"}]}]`
	}
	config := `{"hooks":{"Stop":` + hook("") + `,"PostToolUse":` + hook("Write|MultiEdit") + `}}`
	if err := put(filepath.Join(box.Home, ".claude", "settings.json"), []byte(config), false); err != nil {
		t.Fatal(err)
	}
	h := &host{box: box, dir: dir, session: "s"}
	if err := h.turn(t.Context(), "hello", edit{"a/b.md", "", "one\n"}, edit{"a/b.md", "one", "two"}); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(filepath.Join(dir, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(seen)), "\n")
	if len(lines) != 2 || h.ran != 2 || !strings.Contains(lines[0], `"tool_name":"Write"`) || !strings.Contains(lines[1], `"hook_event_name":"Stop"`) {
		t.Errorf("ran %d, seen:\n%s", h.ran, seen)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a", "b.md")); err != nil || string(text) != "two\n" {
		t.Errorf("file %q, %v", text, err)
	}
	if err := h.turn(t.Context(), "again", edit{"a/b.md", "three", "four"}); err == nil {
		t.Error("an edit of text that is not there has no error")
	}
}

// TestTour runs the whole demo. The tour itself checks what its text claims.
func TestTour(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "git-claw"), "../../cmd/git-claw")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	var out bytes.Buffer
	tour, err := newTour(&out, bin, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := tour.run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if strings.Contains(out.String(), fakeKey()) {
		t.Error("the key is in the output")
	}
	for _, state := range []struct{ args, want string }{
		// The note with the key, and a draft outside the managed paths.
		{"status --porcelain", " M drafts/blog-celadon.md\n M " + today},
		{"rev-list --count --merges HEAD", "2"},
	} {
		got, err := tour.box.Git(t.Context(), tour.dir, strings.Fields(state.args)...)
		if err != nil || got != state.want {
			t.Errorf("git %s: %q, %v", state.args, got, err)
		}
	}
}
