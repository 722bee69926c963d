package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/bootstrap"
	"github.com/git-claw/git-claw/memory/doc"
)

// T24: the limits of hosts in characters, which are UTF-16 code units.
func TestT24(t *testing.T) {
	t.Parallel()
	s := newListed(t, everyProfile, nil)
	letters := func(n int) string { return strings.Repeat("a", n) + "\n" }
	put := func(sizes map[string]int) {
		for name, n := range sizes {
			s.Write(name, letters(n))
		}
	}
	const ids = "L1-001 L1-002"
	for _, tt := range []struct {
		name  string
		sizes map[string]int
		want  []string
	}{
		{"AGENTS.md at the limit", map[string]int{"AGENTS.md": 20000}, nil},
		{"AGENTS.md over it", map[string]int{"AGENTS.md": 20001}, []string{"L1-001 FAIL AGENTS.md"}},
		{"USER.md at the limit", map[string]int{"AGENTS.md": 1, "USER.md": 4000}, nil},
		{"USER.md over it", map[string]int{"USER.md": 4001}, []string{"L1-001 FAIL USER.md"}},
		{"60,000 together", map[string]int{"AGENTS.md": 20000, "SOUL.md": 15000, "IDENTITY.md": 11000, "USER.md": 4000, "MEMORY.md": 10000}, nil},
		{"TOOLS.md does not count", map[string]int{"TOOLS.md": 30000}, nil},
		{"60,001 together", map[string]int{"MEMORY.md": 10001}, []string{"L1-002 FAIL "}},
	} {
		put(tt.sizes)
		s.check(tt.name, ids, tt.want...)
	}
	put(map[string]int{"SOUL.md": 1, "IDENTITY.md": 1, "USER.md": 1, "MEMORY.md": 1, "TOOLS.md": 1})
	s.Write("AGENTS.md", strings.Repeat("😀", 10000))
	s.check("10,000 emoji", ids)
	s.Write("AGENTS.md", strings.Repeat("😀", 10000)+"a")
	s.check("10,000 emoji and a letter", ids, "L1-001 FAIL AGENTS.md")

	s.Git("config", "-f", ".claw/config", "claw.host", "openclaw-classic")
	all := map[string]int{"AGENTS.md": 20000, "SOUL.md": 20000, "TOOLS.md": 20000, "IDENTITY.md": 20000, "USER.md": 20000, "HEARTBEAT.md": 20000, "BOOTSTRAP.md": 10000, "MEMORY.md": 20000}
	put(all)
	s.check("classic: 150,000 together", ids)
	put(map[string]int{"BOOTSTRAP.md": 10001})
	s.check("classic: 150,001 together", ids, "L1-002 FAIL ")
	put(map[string]int{"BOOTSTRAP.md": 1, "TOOLS.md": 20001})
	s.check("classic: TOOLS.md counts", ids, "L1-001 FAIL TOOLS.md")
	s.Git("checkout", "-q", ".")
	s.Git("clean", "-qfd")
	s.CheckClean()
}

// T25: the files of each host and kind of session, and the range that is lost.
func TestT25(t *testing.T) {
	t.Parallel()
	s := newListed(t, everyProfile, nil)
	for _, name := range []string{"CLAUDE.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"} {
		s.Write(name, "# "+name+"\n")
	}
	for _, tt := range []struct{ host, kind, want string }{
		{"openclaw", "main", "AGENTS SOUL IDENTITY USER BOOTSTRAP MEMORY"},
		{"openclaw", "subagent", "AGENTS"},
		{"openclaw", "cron", "AGENTS SOUL IDENTITY USER"},
		{"openclaw", "group", "AGENTS SOUL IDENTITY USER BOOTSTRAP"},
		{"openclaw-classic", "main", "AGENTS SOUL TOOLS IDENTITY USER HEARTBEAT BOOTSTRAP MEMORY"},
		{"openclaw-classic", "subagent", "AGENTS TOOLS"},
		{"openclaw-classic", "cron", "AGENTS SOUL TOOLS IDENTITY USER"},
		{"openclaw-classic", "group", "AGENTS SOUL TOOLS IDENTITY USER HEARTBEAT BOOTSTRAP"},
		{"claude-code", "main", "CLAUDE MEMORY"},
		{"claude-code", "subagent", "CLAUDE"},
		{"claude-code", "cron", "CLAUDE MEMORY"},
		{"claude-code", "group", "CLAUDE"},
		{"generic", "main", "AGENTS CLAUDE MEMORY"},
		{"generic", "subagent", "AGENTS"},
		{"generic", "cron", "AGENTS CLAUDE MEMORY"},
		{"generic", "group", "AGENTS CLAUDE"},
	} {
		s.Git("config", "claw.host", tt.host)
		var got []string
		for _, f := range s.context(tt.kind).Files {
			got = append(got, strings.TrimSuffix(f.Name, ".md"))
		}
		if want := strings.Fields(tt.want); !slices.Equal(got, want) {
			t.Errorf("%s %s: %q, want %q", tt.host, tt.kind, got, want)
		}
	}

	// Of 25,000 characters the host keeps 20,000 less a marker of 104 and its two line
	// feeds: the first 75 % and the last 25 % of them.
	s.Git("config", "claw.host", "openclaw")
	text := strings.Repeat("123456789\n", 2500)
	s.Write("SOUL.md", text[:24999]+"x")
	for _, f := range s.context("main").Files {
		if f.Name != "SOUL.md" {
			continue
		}
		if len(f.Lost) != 1 || f.State != bootstrap.Cut || f.Chars != 25000 {
			t.Fatalf("%+v", f)
		}
		room := 20000 - 104 - 2
		from, to := room*3/4, 25000-room/4
		if r := f.Lost[0]; abs(r.FromByte-from) > 2 || abs(r.ToByte-to) > 2 || r.From != from/10+1 || r.To != to/10+1 {
			t.Errorf("lost %+v, want bytes %d to %d", r, from, to)
		}
	}
}

func abs(n int) int { return max(n, -n) }

func (s *space) context(kind string) *Context {
	s.t.Helper()
	c, err := ReadContext(context.Background(), s.open(), kind, false)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// T26: estimates of tokens, which warn and never fail.
func TestT26(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"Latin":          {strings.Repeat("a", 1000), 250},
		"Cyrillic":       {strings.Repeat("ж", 1000), 400},
		"Han":            {strings.Repeat("記", 1000), 1000},
		"Han in a fence": {"```\n" + strings.Repeat("記", 1000) + "\n```\n", 250 + 3}, // and the fence itself
	} {
		if got := doc.Tokens([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: %d tokens, want %d", name, got, tt.want)
		}
	}

	s := newListed(t, everyProfile, nil)
	for _, name := range []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md"} {
		s.Write(name, strings.Repeat("- a rule of some length.\n", 640)) // 16,000 characters, 4,000 tokens
	}
	s.saveAs(User, SaveOptions{})
	want := []string{
		"L1-003 WARN AGENTS.md", "L1-003 WARN HEARTBEAT.md", "L1-003 WARN IDENTITY.md", "L1-003 WARN SOUL.md", "L1-003 WARN TOOLS.md", "L1-004 WARN ",
	}
	const ids = "L1-001 L1-002 L1-003 L1-004"
	s.check("20,000 tokens", ids, want...)
	for _, where := range [][]string{{}, {"-f", ".claw/config"}} {
		for _, id := range []string{"L1-003", "L1-004"} {
			s.Git(append(append([]string{"config"}, where...), "claw.health.severity."+id, "F")...)
		}
		s.Git(append(append([]string{"config"}, where...), "claw.l1.strict", "true")...)
		s.check("set to fail", ids, want...)
	}
	s.CheckClean(" M .claw/config")
}
