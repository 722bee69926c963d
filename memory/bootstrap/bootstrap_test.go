package bootstrap

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory"
	"github.com/git-claw/git-claw/memory/doc"
)

func host(t testing.TB, name string) memory.Host {
	h, ok := memory.HostNamed(name)
	if !ok {
		t.Fatal(name)
	}
	return h
}

func text(name, s string) Source { return Source{Name: name, Path: "/w/" + name, Text: []byte(s)} }

func absent(name string) Source {
	return Source{Name: name, Path: "/w/" + name, Presence: Absent}
}

// show writes a file as `SOUL.md cut 25000>19999 of 20000 near approx [1-1 14920-20027]`.
func show(f File) string {
	s := fmt.Sprintf("%s %s %d>%d of %d", f.Name, f.State, f.Chars, f.Loaded, f.Limit)
	if f.Near {
		s += " near"
	}
	if f.Approx {
		s += " approx"
	}
	for _, r := range f.Lost {
		s += fmt.Sprintf(" [%d-%d %d-%d]", r.From, r.To, r.FromByte, r.ToByte)
	}
	return s
}

// TestLoad compares with cuts computed by hand. In a SOUL.md of 25,000 characters
// the marker takes 104 and its two line feeds 2: 75 % of 19,894 are 14,920, 25 %
// are 4,973.
func TestLoad(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	for _, tt := range []struct {
		name, host string
		files      []Source
		want       []string
	}{
		{"at the limit", "openclaw", []Source{text("SOUL.md", rep("a", 20000)+" \n\n")}, []string{"SOUL.md whole 20000>20000 of 20000 near"}},
		{"one over", "openclaw", []Source{text("SOUL.md", rep("a", 20001))}, []string{"SOUL.md cut 20001>19999 of 20000 [1-1 14920-15028]"}},
		{"85 %", "openclaw", []Source{text("SOUL.md", rep("a", 17000)), text("IDENTITY.md", rep("a", 16999))}, []string{"SOUL.md whole 17000>17000 of 20000 near", "IDENTITY.md whole 16999>16999 of 20000"}},
		{"ascii", "openclaw", []Source{text("SOUL.md", rep("a", 25000))}, []string{"SOUL.md cut 25000>19999 of 20000 [1-1 14920-20027]"}},
		{"lines", "openclaw", []Source{text("SOUL.md", rep("123456789\n", 2500)+"x")}, []string{"SOUL.md cut 25001>19999 of 20000 [1493-2003 14920-20028]"}},
		{"emoji", "openclaw", []Source{text("SOUL.md", rep("😀", 12500))}, []string{"SOUL.md cut 25000>19998 of 20000 [1-1 29840-40056]"}},
		{"pair at the cut", "openclaw", []Source{text("SOUL.md", "a"+rep("😀", 12500))}, []string{"SOUL.md cut 25001>19997 of 20000 [1-1 29837-40057]"}},
		{"han", "openclaw", []Source{text("SOUL.md", rep("記", 25000))}, []string{"SOUL.md cut 25000>19999 of 20000 [1-1 44760-60081]"}},
		{"user", "openclaw", []Source{text("USER.md", rep("a", 4000)), text("MEMORY.md", rep("a", 4001))}, []string{"USER.md whole 4000>4000 of 4000 near", "MEMORY.md whole 4001>4001 of 20000"}},
		{"absent", "openclaw", []Source{absent("AGENTS.md"), absent("USER.md"), absent("MEMORY.md"), absent("BOOTSTRAP.md")}, []string{
			"AGENTS.md marked 0>35 of 0", "USER.md absent 0>0 of 0", "MEMORY.md absent 0>0 of 0", "BOOTSTRAP.md absent 0>0 of 0",
		}},
		{"classic absent", "openclaw-classic", []Source{absent("USER.md"), absent("MEMORY.md")}, []string{"USER.md marked 0>33 of 0", "MEMORY.md absent 0>0 of 0"}},
		{"63 left", "openclaw", []Source{text("SOUL.md", rep("a", 20000)), text("IDENTITY.md", rep("a", 20000)), text("BOOTSTRAP.md", rep("a", 19937)), text("MEMORY.md", "b"), absent("AGENTS.md")}, []string{
			"SOUL.md whole 20000>20000 of 20000 near", "IDENTITY.md whole 20000>20000 of 20000 near",
			"BOOTSTRAP.md whole 19937>19937 of 20000 near", "MEMORY.md dropped 1>0 of 63 [1-1 0-1]", "AGENTS.md absent 0>0 of 0",
		}},
		{"64 left, short marker", "openclaw", []Source{text("SOUL.md", rep("a", 20000)), text("IDENTITY.md", rep("a", 20000)), text("BOOTSTRAP.md", rep("a", 19936)), text("MEMORY.md", rep("b", 100))}, []string{
			"SOUL.md whole 20000>20000 of 20000 near", "IDENTITY.md whole 20000>20000 of 20000 near",
			"BOOTSTRAP.md whole 19936>19936 of 20000 near", "MEMORY.md cut 100>63 of 64 [1-1 31-90]",
		}},
		{"classic", "openclaw-classic", []Source{text("SOUL.md", rep("a", 25000))}, []string{"SOUL.md cut 25000>18106 of 20000 [1-1 14000-21000]"}},
		{"rules", "openclaw", []Source{text("AGENTS.md", rep("a", 25000))}, []string{"AGENTS.md cut 25000>12116 of 20000 approx [1-1 9000-22000]"}},
		{"200 lines", "claude-code", []Source{text("MEMORY.md", rep("x\n", 200))}, []string{"MEMORY.md whole 399>399 of 0 near"}},
		{"201 lines", "claude-code", []Source{text("CLAUDE.md", rep("x\n", 30000)), text("MEMORY.md", rep("x\n", 201))}, []string{"CLAUDE.md whole 59999>59999 of 0", "MEMORY.md cut 401>400 of 0 [201-201 400-401]"}},
		{"169 lines", "claude-code", []Source{text("MEMORY.md", rep("x\n", 169))}, []string{"MEMORY.md whole 337>337 of 0"}},
		{"25600 bytes", "claude-code", []Source{text("MEMORY.md", rep("é", 12800))}, []string{"MEMORY.md whole 12800>12800 of 0 near"}},
		{"25601 bytes", "claude-code", []Source{text("MEMORY.md", "a"+rep("é", 12800))}, []string{"MEMORY.md cut 12801>12800 of 0 [1-1 25599-25601]"}},
		{"unread", "openclaw", []Source{{Name: "SOUL.md", Presence: Unreadable}}, []string{"SOUL.md unread 0>46 of 0 approx"}},
		{"generic", "generic", []Source{text("AGENTS.md", rep("a", 200000))}, []string{"AGENTS.md whole 200000>200000 of 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range Load(host(t, tt.host), tt.files) {
				got = append(got, show(f))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	f := Load(host(t, "openclaw"), []Source{text("SOUL.md", strings.Repeat("a", 25000))})[0]
	want := strings.Repeat("a", 14920) + "\n\n[...truncated, read SOUL.md for full content...]\n…(truncated SOUL.md: kept 14920+4973 chars of 25000)…\n\n" + strings.Repeat("a", 4973)
	if got := string(f.Render()); got != want {
		t.Errorf("%d characters, want %d", len(got), len(want))
	}
	f = Load(host(t, "openclaw"), []Source{absent("SOUL.md")})[0]
	if got := string(f.Render()); got != "[MISSING] Expected at: /w/SOUL.md" {
		t.Error(got)
	}
	rules := "# Rules\n\nIn short:\n- you must ask\n\nprose\n" + strings.Repeat("prose without end\n", 40) + "Never push.\n" + strings.Repeat("z\n", 300)
	h := host(t, "openclaw")
	h.FileChars = 400
	f = Load(h, []Source{text("AGENTS.md", rules)})[0]
	got := string(f.Render())
	want = "[Policy digest from AGENTS.md]\n# Rules\nIn short:\n- you must ask\nprose without end\nNever push.\n"
	if !strings.Contains(got, want) || f.Loaded > 400 {
		t.Errorf("%d: %s", f.Loaded, got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	all := func(string) bool { return true }
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
		got := strings.ReplaceAll(strings.Join(Names(host(t, tt.host), tt.kind, all), " "), ".md", "")
		if got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.host, tt.kind, got, tt.want)
		}
	}
	none := func(name string) bool { return name == "CLAUDE.md" }
	if got := Names(host(t, "generic"), Main, none); !reflect.DeepEqual(got, []string{"CLAUDE.md"}) {
		t.Error(got)
	}
	for in, want := range map[string]string{"": Main, "main": Main, "cron": Cron, "subagent": Subagent, "group": Group, "who": Group} {
		if got := KindOf(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// check holds for every file: ranges neither overlap nor touch what is kept, and
// together with it they are the file; what is printed are the kept parts and
// markers; nothing is longer than its limit.
func check(t *testing.T, h memory.Host, files []File) {
	t.Helper()
	total := 0
	for _, f := range files {
		total += f.Loaded
		end := len(doc.TrimEnd(f.Text))
		at, printed := 0, []byte{}
		lost := f.Lost
		for _, p := range f.Pieces {
			if p.Text != "" {
				printed = append(printed, p.Text...)
				continue
			}
			if len(lost) > 0 && lost[0].FromByte == at && lost[0].ToByte == p.From {
				lost, at = lost[1:], p.From
			}
			if p.From != at || p.To <= p.From {
				t.Fatalf("%s: piece %+v behind %d, lost %+v", f.Name, p, at, f.Lost)
			}
			printed = append(printed, f.Text[p.From:p.To]...)
			at = p.To
		}
		if len(lost) == 1 && lost[0].FromByte == at && lost[0].ToByte == end {
			lost, at = nil, end
		}
		if f.Presence == There && (len(lost) > 0 || at < end) {
			t.Fatalf("%s: %d of %d bytes accounted for, lost %+v", f.Name, at, end, f.Lost)
		}
		if !bytes.Equal(printed, f.Render()) {
			t.Fatalf("%s: prints other than its pieces", f.Name)
		}
		for _, r := range f.Lost {
			from := 1 + bytes.Count(f.Text[:r.FromByte], []byte("\n"))
			to := 1 + bytes.Count(f.Text[:r.ToByte-1], []byte("\n"))
			if r.From != from || r.To != to || r.FromByte >= r.ToByte {
				t.Fatalf("%s: range %+v, lines %d-%d", f.Name, r, from, to)
			}
		}
		if (len(f.Lost) > 0) != (f.State == Cut || f.State == Dropped && end > 0) {
			t.Fatalf("%s is %s, lost %+v", f.Name, f.State, f.Lost)
		}
		if h.Name == memory.OpenClaw && f.State == Cut && f.Loaded > f.Limit {
			t.Fatalf("%s: %d characters, the limit is %d", f.Name, f.Loaded, f.Limit)
		}
	}
	if h.TotalChars > 0 && total > h.TotalChars {
		t.Fatalf("%d characters in all, the limit is %d", total, h.TotalChars)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("# Rules\n\n- must 😀 not\n", "記憶\r\n必須 x\n\xff\xf0\x9f", uint16(40), uint16(200), uint8(9))
	f.Add("a", "\u2003", uint16(1), uint16(70), uint8(200))
	f.Fuzz(func(t *testing.T, a, b string, file, total uint16, times uint8) {
		for _, name := range []string{memory.OpenClaw, memory.OpenClawClassic, memory.ClaudeCode, memory.Generic} {
			h := host(t, name)
			if h.TotalChars > 0 {
				h.FileChars, h.UserChars, h.TotalChars = 1+int(file)%3000, 1+int(file)%900, 1+int(total)%9000
			} else if h.IndexLines > 0 {
				h.IndexLines, h.IndexBytes = 1+int(file)%50, 1+int(total)%900
			}
			var src []Source
			for i, n := range h.Injected {
				switch (int(times) + i) % 5 {
				case 0:
					src = append(src, absent(n))
				case 1:
					src = append(src, text(n, strings.Repeat(b+a, int(times))))
				default:
					src = append(src, text(n, strings.Repeat(a, int(times))+b))
				}
			}
			check(t, h, Load(h, src))
		}
	})
}
