package lessons

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/stamp"
)

// block is the template that agents fill in, filled in.
const block = `## [LRN-20260310-001] correction

**Logged**: 2026-03-10T09:00:00Z
**Priority**: high
**Status**: pending
**Area**: backend

### Summary
Use pnpm, not npm.

### Details
- one: two
` + "```" + `
## [LRN-20260310-002] in a fence
` + "```" + `

### Metadata
- Source: user_feedback
- Pattern-Key: deps.wrong-manager
- See Also: LRN-20250110-001, ERR-20250111-A2B (older)
- Last-Seen: 2026-03-12

---
`

func brief(e Entry) string {
	form := "line"
	if e.Block {
		form = "block"
	}
	s := fmt.Sprintf("%s %d-%d %s %s x%d last %s %s: %s", e.ID, e.Line, e.EndLine, form, e.Time.Format(time.DateOnly), e.Count(), e.Last().Format(time.DateOnly), e.Status, e.Text)
	for name, v := range map[string]string{"raw": e.Raw} {
		if v != "" && v != string(e.Status) {
			s += " " + name + "=" + v
		}
	}
	if e.Key != "" {
		s += " key=" + e.Key
	}
	if len(e.Tasks) > 0 {
		s += " tasks=" + strings.Join(e.Tasks, "+")
	}
	if e.To != "" {
		s += " to=" + e.To
	}
	if len(e.SeeAlso) > 0 {
		s += " see=" + strings.Join(e.SeeAlso, "+")
	}
	if e.Pinned {
		s += " pinned"
	}
	return s
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  string
		want []string
	}{
		"nothing": {"# Errors\n\nNo errors yet.\n", nil},
		"a line": {
			"- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=deps.module-not-found task=T1 seen=2026-05-02T09:10:00Z,2026-05-03T10:00:00Z Install first. #pinned\n",
			[]string{"ERR-20260502-k3f 1-1 line 2026-05-02 x2 last 2026-05-03 pending: Install first. key=deps.module-not-found tasks=T1 pinned"},
		},
		"over several lines, no time": {
			"- [LRN-20260502-abc] status=promoted to=memory/a%20b.md#c one\n  two\n\n  three, see also LRN-20260501-xyz. #pinned:\n- plain\n",
			[]string{"LRN-20260502-abc 1-4 line 2026-05-02 x1 last 2026-05-02 promoted: one two three, see also LRN-20260501-xyz. to=memory/a b.md#c see=LRN-20260501-xyz pinned"},
		},
		"a field twice is text": {
			"- 2026-05-02T09:10:00Z [FEAT-20260502-k3f] status=pending status=500 should retry\n",
			[]string{"FEAT-20260502-k3f 1-1 line 2026-05-02 x1 last 2026-05-02 pending: status=500 should retry"},
		},
		"what is no field is text": {
			"- 2026-05-02T09:10:00Z [ERR-20260502-k3f] PATH=/x must be set\n",
			[]string{"ERR-20260502-k3f 1-1 line 2026-05-02 x1 last 2026-05-02 pending: PATH=/x must be set"},
		},
		"a block": {
			"# Learnings\n\n" + block,
			[]string{"LRN-20260310-001 3-25 block 2026-03-10 x1 last 2026-03-12 pending: Use pnpm, not npm. key=deps.wrong-manager see=LRN-20250110-001+ERR-20250111-A2B"},
		},
		"templates are text": {
			"```\n## [LRN-20260310-001] x\n```\n## [LRN-YYYYMMDD-XXX] category\n**Status**: pending\n## [LRN-20260310-XXX] y\n- [ERR-YYYYMMDD-XXX] z\n" +
				"<!-- ## [LRN-20260310-009] hidden -->\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] real\n",
			[]string{"ERR-20260502-k3f 9-9 line 2026-05-02 x1 last 2026-05-02 pending: real"},
		},
		"an odd number of fences": {
			"- 2026-05-02T09:10:00Z [ERR-20260502-k3f] real\n```\n- 2026-05-02T09:10:00Z [ERR-20260502-k3g] text\n```\n```\n## [LRN-20260310-001] text\n",
			[]string{"ERR-20260502-k3f 1-1 line 2026-05-02 x1 last 2026-05-02 pending: real"},
		},
		"localised and free status": {
			"## [LRN-20260310-001] a\n**Status**: aktiv\nText a\n## [LRN-20260310-001] b\n- 状态：已解决\n\nText b\n## [LRN-20260310-002] c\n**Status**: promoted (to TOOLS.md \"Macro data\")\n" +
				"Text c\n## [LRN-20260310-003] d\n**Promoted**: MEMORY.md\n## [LRN-20260310-004] e\n**Status:** Won't fix\n",
			[]string{
				"LRN-20260310-001 1-3 block 2026-03-10 x1 last 2026-03-10 pending: Text a raw=aktiv",
				"LRN-20260310-001 4-7 block 2026-03-10 x1 last 2026-03-10 pending: Text b",
				"LRN-20260310-002 8-10 block 2026-03-10 x1 last 2026-03-10 promoted: Text c raw=promoted (to TOOLS.md \"Macro data\")",
				"LRN-20260310-003 11-12 block 2026-03-10 x1 last 2026-03-10 promoted: d",
				"LRN-20260310-004 13-14 block 2026-03-10 x1 last 2026-03-10 wont_fix: e raw=Won't fix",
			},
		},
		"a line behind an open block": {
			"## [LRN-20260310-001] name\n\nText\n- Tags: a\n- 2026-05-02T09:10:00Z [ERR-20260502-k3f] real\n",
			[]string{
				"LRN-20260310-001 1-4 block 2026-03-10 x1 last 2026-03-10 pending: Text",
				"ERR-20260502-k3f 5-5 line 2026-05-02 x1 last 2026-05-02 pending: real",
			},
		},
		"an end right below text": {
			"## [LRN-20260310-001] name\nText\n---\n## [LRN-20260310-002] name two\n- Seen: 2026-03-10, 2026-03-12T10:00:00Z\n---\n## Other\n",
			[]string{
				"LRN-20260310-001 1-3 block 2026-03-10 x1 last 2026-03-10 pending: Text",
				"LRN-20260310-002 4-6 block 2026-03-10 x2 last 2026-03-12 pending: name two",
			},
		},
		"CRLF and BOM": {
			"\xef\xbb\xbf## [LRN-20260310-001] n\r\n**Status**: resolved\r\n\r\n### Summary\r\nText\r\n",
			[]string{"LRN-20260310-001 1-5 block 2026-03-10 x1 last 2026-03-10 resolved: Text"},
		},
	} {
		f := Parse([]byte(c.src))
		var got []string
		for i := range f.Entries {
			got = append(got, brief(f.Entries[i]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	src := "## [LRN-20261399-001] no such day\n## [lrn-x] other\n- [ERR-20260310] short\n- [ERR](x.md) link\n- [LRN-YYYYMMDD-XXX] template\n- [LRN-20260310-001]\n" +
		"- [LRN-20260310-002] seen=never x\n"
	var got []string
	for _, p := range Parse([]byte(src)).Problems {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.What))
	}
	want := []string{"1 the id is not TYPE-YYYYMMDD-XXX", "3 the id is not TYPE-YYYYMMDD-XXX", "6 it says nothing", "7 seen= holds what is no time"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)
	a, b := NewID("ERR", day, "Install first.", nil), NewID("ERR", day, "  install  FIRST", nil)
	if _, d, ok := splitID(a); a != b || !ok || d != "2026-05-02" || len(a) != len("ERR-20260502-xxx") {
		t.Errorf("ids %s, %s", a, b)
	}
	if c := NewID("ERR", day, "Install first.", func(id string) bool { return id == a }); c == a {
		t.Error("a taken id was given again")
	}
	if got := ArchivePath(".learnings/ERRORS.md", day); got != "memory/archive/learnings/2026/05/ERRORS.md" {
		t.Error(got)
	}
}

func mustStamp(s string) time.Time {
	t, ok := stamp.Loose(s)
	if !ok {
		panic(s)
	}
	return t
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	e := Entry{ID: "ERR-20260502-k3f", Time: mustStamp("2026-05-02T09:10:00Z"), Key: "deps.module-not-found", Tasks: []string{"T1"}, Text: "Install\nfirst.", Pinned: true}
	want := "- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=deps.module-not-found task=T1 seen=2026-05-02T09:10:00Z Install first. #pinned"
	if got := OneLine(e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, text := range []string{"status=500 again", "key=x is unset", "to=y went wrong", "task=a b", "seen=it", "a b"} {
		e := Entry{ID: e.ID, Time: e.Time, Text: text}
		back := Parse([]byte(OneLine(e))).Entries
		if len(back) != 1 || back[0].Text != text || back[0].Key != "" || back[0].To != "" || len(back[0].Tasks) != 0 || back[0].Status != Pending {
			t.Errorf("%q was read as %+v", OneLine(e), back)
		}
	}
	if got := string(Append([]byte("# Errors\n"), e)); got != "# Errors\n\n"+want+"\n" {
		t.Errorf("%q", got)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	const line = "- 2026-05-02T09:10:00Z [ERR-20260502-k3f] text\n"
	at := mustStamp("2026-05-03T10:00:00Z")
	const bare = "## [LRN-20260310-001] name\nText\n\n---\n"
	for name, c := range map[string]struct {
		src  string
		edit func(src []byte, e *Entry) []byte
		want string
	}{
		"seen of a line": {line, func(s []byte, e *Entry) []byte { return AddSeen(s, e, at, "T2") }, "- 2026-05-02T09:10:00Z [ERR-20260502-k3f] seen=2026-05-02T09:10:00Z,2026-05-03T10:00:00Z task=T2 text\n"},
		"seen once more": {
			"- [ERR-20260502-k3f] task=T1 seen=2026-05-01 x\n", func(s []byte, e *Entry) []byte { return AddSeen(s, e, at, "T2") },
			"- [ERR-20260502-k3f] task=T1,T2 seen=2026-05-01,2026-05-03T10:00:00Z x\n",
		},
		"seen already": {"- [ERR-20260502-k3f] seen=2026-05-03T10:00:00Z x\n", func(s []byte, e *Entry) []byte { return AddSeen(s, e, at, "") }, "- [ERR-20260502-k3f] seen=2026-05-03T10:00:00Z x\n"},
		"seen of a block": {
			block, func(s []byte, e *Entry) []byte { return AddSeen(s, e, at, "") },
			strings.Replace(block, "- Last-Seen: 2026-03-12\n", "- Last-Seen: 2026-03-12\n- Seen: 2026-03-10T09:00:00Z, 2026-05-03T10:00:00Z\n", 1),
		},
		"seen of a bare block":   {bare, func(s []byte, e *Entry) []byte { return AddSeen(s, e, at, "") }, "## [LRN-20260310-001] name\nText\n\n- Seen: 2026-03-10T00:00:00Z, 2026-05-03T10:00:00Z\n\n---\n"},
		"status of a line":       {line, func(s []byte, e *Entry) []byte { return SetStatus(s, e, Promoted, "memory/a.md#b") }, "- 2026-05-02T09:10:00Z [ERR-20260502-k3f] status=promoted to=memory/a.md#b text\n"},
		"status of a block":      {block, func(s []byte, e *Entry) []byte { return SetStatus(s, e, Resolved, "") }, strings.Replace(block, "**Status**: pending", "**Status**: resolved", 1)},
		"status of a bare block": {bare, func(s []byte, e *Entry) []byte { return SetStatus(s, e, Resolved, "") }, "## [LRN-20260310-001] name\n\n**Status**: resolved\n\nText\n\n---\n"},
		"status among bold ones": {
			"## [LRN-20260310-001] n\r\n**Logged**: 2026-03-10\r\nText\r\n", func(s []byte, e *Entry) []byte { return SetStatus(s, e, Resolved, "") },
			"## [LRN-20260310-001] n\r\n**Logged**: 2026-03-10\r\n**Status**: resolved\r\nText\r\n",
		},
		"to of a block": {
			block, func(s []byte, e *Entry) []byte { return SetStatus(s, e, Promoted, "TOOLS.md#x") },
			strings.Replace(strings.Replace(block, "- Last-Seen: 2026-03-12\n", "- Last-Seen: 2026-03-12\n- To: TOOLS.md#x\n", 1), "**Status**: pending", "**Status**: promoted", 1),
		},
		"pin a line":  {"- [ERR-20260502-k3f] a\n  b\n", Pin, "- [ERR-20260502-k3f] a #pinned\n  b\n"},
		"pin a block": {"<!-- c -->\n## [LRN-20260310-001] n\r\nb", Pin, "<!-- c -->\n## [LRN-20260310-001] n #pinned\r\nb"},
		"pinned":      {"- [ERR-20260502-k3f] a #pinned\n", Pin, "- [ERR-20260502-k3f] a #pinned\n"},
		"remove a line": {"# E\n\n- a\n" + line + "- b\n", func(s []byte, e *Entry) []byte {
			rest, out := Remove(s, e)
			if string(out) != line {
				t.Errorf("removed %q", out)
			}
			return rest
		}, "# E\n\n- a\n- b\n"},
		"remove a block":      {"# L\n\n" + block + "\n## Other\n", func(s []byte, e *Entry) []byte { rest, _ := Remove(s, e); return rest }, "# L\n\n## Other\n"},
		"remove the last one": {"# L\n\n- a\n" + line + "\n\n## X\n", func(s []byte, e *Entry) []byte { rest, _ := Remove(s, e); return rest }, "# L\n\n- a\n\n\n## X\n"},
	} {
		src := []byte(c.src)
		f := Parse(src)
		if len(f.Entries) != 1 {
			t.Fatalf("%s: %d entries", name, len(f.Entries))
		}
		if got := string(c.edit(src, &f.Entries[0])); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, c.want)
		}
		if string(src) != c.src {
			t.Errorf("%s: the text itself was changed", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		block, "- 2026-05-02T09:10:00Z [ERR-20260502-k3f] key=a task=b seen=2026-05-02 c #pinned\n  d\n```\nx", "## [LRN-20260310-001] a\r\n**Status:** x\r\ny\r\n---\r\n- [FEAT-20260310-1] z",
		"<!-- c -->\n## [LRN-20260310-001] n\n- Seen: 2026-01-01\n- [ERR-20260502-k3f]",
	} {
		f.Add([]byte(s))
	}
	at := mustStamp("2026-05-03T10:00:00Z")
	f.Fuzz(func(t *testing.T, src []byte) {
		entries := Parse(src).Entries
		end := 0
		for i := range entries {
			e := &entries[i]
			if e.start < end || e.end <= e.start || e.end > len(src) || e.body < e.start || e.body > e.end {
				t.Fatalf("entry %d: [%d %d) of %d behind %d", i, e.start, e.end, len(src), end)
			}
			end = e.end
			for what, out := range map[string][]byte{"seen": AddSeen(src, e, at, "T9"), "status": SetStatus(src, e, Promoted, "TOOLS.md#x"), "pin": Pin(src, e)} {
				again := Parse(out).Entries
				if len(again) != len(entries) {
					t.Fatalf("%s: %d entries, had %d:\n%q\n%q", what, len(again), len(entries), src, out)
				}
				n := again[i]
				switch {
				case what == "seen" && (!slices.ContainsFunc(n.Seen, at.Equal) || !slices.Contains(n.Tasks, "T9")),
					what == "status" && (n.Status != Promoted || n.To != "TOOLS.md#x"), what == "pin" && !n.Pinned:
					t.Fatalf("%s is not there:\n%q\n%q\n%+v", what, src, out, n)
				}
			}
			if rest, own := Remove(src, e); len(rest)+len(own) > len(src) {
				t.Fatal("removing adds")
			}
		}
	})
}
