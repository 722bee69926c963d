package health

import (
	"fmt"
	"strings"

	"github.com/git-claw/git-claw/memory/prefs"
)

// candidate is a candidate file and its path.
func candidate(change ...string) (rel, text string) {
	l := prefs.Line{Context: "writing:report", Pattern: "long introduction", Preference: "start with the result"}
	at := date("2026-02-20T09:00:00Z")
	text = string(prefs.NewCandidate(l, "preference", "correction", prefs.Occurrence{At: at, Session: "a1", Quote: "skip the intro"}))
	return "self-improving/pending/" + l.ID() + ".md", strings.NewReplacer(change...).Replace(text)
}

func waiting(change ...string) tree {
	rel, text := candidate(change...)
	return tree{rel: text}
}

// preference is a line of a tier.
func preference(id, want, since string) string {
	return fmt.Sprintf("- [writing:report] \"long introduction\" -> \"%s\" <!-- id=cand-%s pin=0 since=%s -->\n", want, id, since)
}

func prefsCases() []checkCase {
	const si = "self-improving/"
	const hot, warm, project = si + "memory.md", si + "domains/writing.md", si + "projects/site.md"
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	corrections := func(n int) string { return "## 2026-02-20\n" + strings.Repeat("- [09:00] again\n", n) }
	pending, _ := candidate()
	reflection := func(days ...string) string {
		var b strings.Builder
		for i, d := range days {
			fmt.Fprintf(&b, "== %sT09:00:00Z r-0000000%d\nCONTEXT: writing a report\nREFLECTION: too long\nLESSON: Start with the result\n\n", d, i)
		}
		return b.String()
	}
	const one = "CONTEXT: writing a report\nLESSON: Start with the result\n\n"
	learned := prefs.Line{Context: "writing-a-report", Pattern: "writing a report", Preference: "start with the result"}
	index := func(hotLines int, day string) string {
		return string(prefs.RenderIndex([]prefs.IndexRow{{Path: "memory.md", Lines: hotLines, Day: day}}, ""))
	}
	active := "## " + prefs.Active + "\n"
	return []checkCase{
		{id: "PRF-001", name: "100 lines", edge: true, files: tree{hot: lines(100)}},
		{id: "PRF-001", name: "101 lines", edge: true, files: tree{hot: lines(101)}, want: []string{"FAIL " + hot}},
		{id: "PRF-002", name: "200 lines", edge: true, files: tree{warm: lines(200), project: lines(200)}},
		{id: "PRF-002", name: "201 lines", edge: true, files: tree{warm: lines(201), project: lines(201)}, want: []string{"WARN " + warm, "WARN " + project}},

		{id: "PRF-003", name: "a candidate", files: waiting()},
		{id: "PRF-003", name: "no line", files: waiting("-> ", ""), want: []string{"FAIL " + pending + ":11"}},
		{id: "PRF-003", name: "no status of that name", files: waiting("status: pending", "status: open"), want: []string{"FAIL " + pending}},
		{id: "PRF-003", name: "another line", edge: true, files: waiting("start with", "begin with"), want: []string{"FAIL " + pending}},
		{id: "PRF-003", name: "without quotes, in another case", edge: true, files: waiting(`"long introduction"`, "Long  introduction.")},
		{id: "PRF-003", name: "a note in the folder", edge: true, files: tree{si + "pending/README.md": "# Pending\n"}},

		{id: "PRF-004", name: "waits", files: waiting("asks: 0", "asks: 2", "ignored: 0", "ignored: 2")},
		{id: "PRF-004", name: "decided", files: waiting("status: pending", "status: confirmed"), want: []string{"FAIL " + pending}},
		{id: "PRF-004", name: "ignored but never asked", files: waiting("ignored: 0", "ignored: 1"), want: []string{"FAIL " + pending}},
		{id: "PRF-004", name: "ignored three times", edge: true, files: waiting("asks: 0", "asks: 3", "ignored: 0", "ignored: 3"), want: []string{"FAIL " + pending}},
		{id: "PRF-004", name: "occurred after it was seen last", edge: true, files: waiting("- 2026-02-20T09:00:00Z", "- 2026-02-20T09:00:01Z"), want: []string{"FAIL " + pending + ":14"}},
		{id: "PRF-004", name: "the same time in another zone", edge: true, files: waiting("- 2026-02-20T09:00:00Z", "- 2026-02-20T10:00:00+01:00")},

		{id: "PRF-005", name: "50", edge: true, files: tree{si + "corrections.md": corrections(50)}},
		{id: "PRF-005", name: "51", edge: true, files: tree{si + "corrections.md": corrections(51)}, want: []string{"WARN " + si + "corrections.md"}},

		{id: "PRF-006", name: "30 days", edge: true, files: tree{hot: active + preference("000000000001", "a", "2026-01-30")}},
		{id: "PRF-006", name: "31 days", edge: true, files: tree{hot: active + preference("000000000001", "a", "2026-01-29")}, want: []string{"WARN " + hot + ":2"}},
		{id: "PRF-006", name: "used since", edge: true, files: tree{hot: active + strings.Replace(preference("000000000001", "a", "2026-01-01"), " -->", " n=2 last=2026-02-20 -->", 1)}},
		{id: "PRF-006", name: "asked for again", edge: true, files: tree{
			hot:                           active + "- " + learned.String() + " <!-- id=" + learned.ID() + " pin=0 since=2026-01-01 -->\n",
			si + "corrections.md":         "## 2026-01-15\n- [09:00] " + learned.String() + "\n", // 45 days ago
			si + "archive/corrections.md": "## 2026-02-20\n- [09:00] " + learned.String() + "\n",
		}},
		{id: "PRF-006", name: "asked for again long ago", edge: true, files: tree{
			hot:                   active + "- " + learned.String() + " <!-- id=" + learned.ID() + " pin=0 since=2026-01-01 -->\n",
			si + "corrections.md": "## 2026-01-15\n- [09:00] " + learned.String() + "\n",
		}, want: []string{"WARN " + hot + ":2"}},
		{id: "PRF-006", name: "pinned, by hand, cold", files: tree{hot: "## " + prefs.Confirmed + "\n" + preference("000000000001", "a", "2025-01-01") + active + "- short answers\n", si + "archive/2025/01.md": preference("000000000002", "a", "2025-01-01")}},
		{id: "PRF-006", name: "90 and 91 days in a domain", edge: true, files: tree{warm: preference("000000000001", "a", "2025-12-01") + preference("000000000002", "b", "2025-11-30")}, want: []string{"WARN " + warm + ":2"}},

		{id: "PRF-007", name: "equal", files: tree{hot: "a\nb\n", si + "index.md": index(2, "")}},
		{id: "PRF-007", name: "another number", files: tree{hot: "a\nb\n", si + "index.md": index(3, "")}, want: []string{"WARN " + si + "index.md"}},
		{id: "PRF-007", name: "none", edge: true, files: tree{hot: "a\n"}, want: []string{"WARN " + si + "index.md"}},
		{id: "PRF-007", name: "nothing to list", edge: true, files: tree{si + "corrections.md": ""}},
		{id: "PRF-007", name: "CRLF, a day", edge: true, files: tree{hot: preference("000000000001", "a", "2026-02-20"), si + "index.md": strings.ReplaceAll(index(1, "2026-02-20"), "\n", "\r\n")}},

		{id: "PRF-008", name: "records and bare blocks", files: tree{si + "reflections.log": one + reflection("2026-02-20")}},
		{id: "PRF-008", name: "no id", files: tree{si + "reflections.log": "== 2026-02-20T09:00:00Z\nLESSON: x\n"}, want: []string{"WARN " + si + "reflections.log:1"}},
		{id: "PRF-008", name: "no lesson", edge: true, files: tree{si + "reflections.log": "== 2026-02-20T09:00:00Z r-00000000\nCONTEXT: x\n"}, want: []string{"WARN " + si + "reflections.log:1"}},
		{id: "PRF-008", name: "empty, and a heading", edge: true, files: tree{si + "reflections.log": "", si + "reflections.md": "# Reflections\n\nWhat went well.\n"}},

		{id: "PRF-010", name: "the same", files: tree{warm: preference("000000000001", "a", "2026-02-20"), si + "domains/b.md": preference("000000000001", "a", "2026-02-20")}},
		{id: "PRF-010", name: "two domains", files: tree{si + "domains/b.md": preference("000000000002", "b", "2026-02-20"), warm: preference("000000000001", "a", "2026-02-20")}, want: []string{"WARN " + warm + ":1"}},
		{id: "PRF-010", name: "one is later", edge: true, files: tree{warm: preference("000000000001", "a", "2026-02-20"), si + "domains/b.md": preference("000000000002", "b", "2026-02-21")}},
		{id: "PRF-010", name: "two levels, or cold", edge: true, files: tree{warm: preference("000000000001", "a", "2026-02-20"), project: preference("000000000002", "b", "2026-02-20"), hot: preference("000000000003", "c", "2026-02-20"), si + "archive/2026/02.md": preference("000000000004", "d", "2026-02-20")}},

		{id: "PRF-011", name: "words", files: tree{hot: "- the card number is asked for twice\n"}},
		{id: "PRF-011", name: "a card", files: tree{hot: "- card 4539 1488 0343 6467\n"}, want: []string{"FAIL " + hot + ":1"}},
		{id: "PRF-011", name: "an IBAN", files: tree{si + "corrections.md": "- IBAN DE89 3704 0044 0532 0130 00\n"}, want: []string{"FAIL " + si + "corrections.md:1"}},
		{id: "PRF-011", name: "a wrong check digit", edge: true, files: tree{hot: "- card 4539 1488 0343 6468\n"}},
		{id: "PRF-011", name: "allowed", edge: true, files: tree{hot: "- card 4539 1488 0343 6467 <!-- claw:allow -->\n"}},

		{id: "PRF-013", name: "twice", files: tree{si + "reflections.log": reflection("2026-02-20", "2026-02-21")}},
		{id: "PRF-013", name: "three times in 7 days", edge: true, files: tree{si + "reflections.log": reflection("2026-02-20", "2026-02-21", "2026-02-27")}, want: []string{"INFO " + si + "reflections.log:1"}},
		{id: "PRF-013", name: "three times in 8 days", edge: true, files: tree{si + "reflections.log": reflection("2026-02-20", "2026-02-21", "2026-02-28")}},
		{id: "PRF-013", name: "bare blocks of one day", edge: true, files: tree{si + "reflections.log": one + one + one}, git: &fakeGit{lines: map[string]string{si + "reflections.log:1": "2026-02-20T00:00:00Z", si + "reflections.log:4": "2026-02-20T00:00:00Z", si + "reflections.log:7": "2026-02-20T00:00:00Z"}}, want: []string{"INFO " + si + "reflections.log:1"}},
		{id: "PRF-013", name: "not committed", edge: true, files: tree{si + "reflections.log": one + one + one}},
		{id: "PRF-013", name: "a candidate, rejected", files: tree{si + "reflections.log": reflection("2026-02-20", "2026-02-21", "2026-02-22"), si + "archive/rejected.md": "- " + learned.ID() + " 2026-02-23 no\n"}},
	}
}
