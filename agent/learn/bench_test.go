package learn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/agent/agenttest"
	"github.com/git-claw/git-claw/memory/prefs"
)

// largeStore fills a store with 5,000 preferences: 90 in memory.md, the others in files
// of domains and in the archive.
func largeStore(tb testing.TB) desk {
	tb.Helper()
	d := desk{agenttest.New(tb, "", ".gitignore", si+"heartbeat-state.md\n")}
	n := 0
	fill := func(name, head string, count int) {
		var b strings.Builder
		b.WriteString(head)
		for range count {
			n++
			l := prefs.Line{Context: "code:go", Pattern: fmt.Sprintf("pattern number %d of many", n), Preference: fmt.Sprintf("what is wanted instead of %d", n)}
			b.WriteString(prefs.Entry{ID: l.ID(), Text: l.String(), Since: "2026-05-01"}.String() + "\n")
		}
		d.Write(si+name, b.String())
	}
	fill(prefs.Hot, "# Preferences\n\n## "+prefs.Confirmed+"\n\n## "+prefs.Active+"\n", 90)
	for i := range 25 {
		fill(fmt.Sprintf("domains/d%d.md", i), fmt.Sprintf("# d%d\n\n", i), 100)
	}
	for i := range 10 {
		fill(fmt.Sprintf("archive/2025/%02d.md", i+1), "# Archive\n\n", 241)
	}
	for i := range 40 {
		l := prefs.Line{Context: "ui", Pattern: fmt.Sprintf("pattern %d", i), Preference: "another"}
		d.Write(si+pendingName(l.ID()), string(prefs.NewCandidate(l, "preference", "correction", prefs.Occurrence{At: clock(d.Workspace()), Quote: "no"})))
	}
	d.Commit("a large store")
	return d
}

// BenchmarkCorrect is to be compared with BenchmarkSave (issue: at most 1.3 times that).
func BenchmarkCorrect(b *testing.B) {
	d := largeStore(b)
	ws := d.Workspace()
	for i := 0; b.Loop(); i++ {
		l := prefs.Line{Context: "ui", Pattern: fmt.Sprintf("pattern %d", i%40), Preference: "another"}
		c := agent.Caller{Actor: agent.Agent, Session: fmt.Sprint(i)}
		if _, err := Correct(context.Background(), ws, c, Correction{Line: l, Quote: "no, another"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSave saves a note of one line.
func BenchmarkSave(b *testing.B) {
	d := largeStore(b)
	ws := d.Workspace()
	for i := 0; b.Loop(); i++ {
		d.Write("memory/2026-05-02.md", fmt.Sprintf("# Day\n\n- note %d\n", i))
		if _, err := agent.Save(context.Background(), ws, bot, agent.SaveOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTick has nothing to do (issue: at most 50 ms).
func BenchmarkTick(b *testing.B) {
	d := largeStore(b)
	ws := d.Workspace()
	if _, err := Tick(context.Background(), ws, bot); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got, err := Tick(context.Background(), ws, bot); err != nil || len(got.Actions) > 0 {
			b.Fatal(got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(d.Dir, ".git", "index.lock")); err == nil {
		b.Error("a lock was left behind")
	}
}
