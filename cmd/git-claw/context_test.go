package main

import (
	"strings"
	"testing"

	"github.com/git-claw/git-claw/agent"
	"github.com/git-claw/git-claw/cmd/git-claw/term"
	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/bootstrap"
)

// A terminal gets a bar for each file; each is as wide as the others.
func TestContextBars(t *testing.T) {
	t.Parallel()
	h, _ := memory.HostNamed(memory.OpenClaw)
	c := &agent.Context{Host: h, Kind: bootstrap.Main}
	for _, f := range bootstrap.Load(h, []bootstrap.Source{
		{Name: "AGENTS.md", Text: []byte(strings.Repeat("a", 25000))},
		{Name: "SOUL.md", Text: []byte(strings.Repeat("a", 17000))},
		{Name: "IDENTITY.md", Text: []byte("a")},
		{Name: "USER.md", Presence: bootstrap.Absent},
	}) {
		c.Files = append(c.Files, agent.ContextFile{File: f})
	}
	p := contextPrinter{c: c, style: term.Style{}, bars: true}
	lines := strings.Split(strings.TrimSpace(p.page(&memory.Workspace{Adopted: true})), "\n")[1:]
	for i, full := range []int{20, 17, 1, 0} {
		want := "  " + strings.Repeat("█", full) + strings.Repeat("░", 20-full)
		if !strings.Contains(lines[i], want) || strings.Count(lines[i], "█") != full {
			t.Errorf("%s, want %d cells", lines[i], full)
		}
	}
	p = contextPrinter{c: c, style: term.Style{On: true}, bars: true}
	if got := p.page(&memory.Workspace{Adopted: true}); !strings.Contains(got, "\x1b[31m█") || !strings.Contains(got, "\x1b[33m█") {
		t.Errorf("no colours: %q", got)
	}
}
