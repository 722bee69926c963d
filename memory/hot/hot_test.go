package hot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/memory/doc"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	src := "# Agent Memory\n- not one\n\n### ❓ Open Questions (now)\n- a\n  more\n  - nested\n* b\n#### Sub\n1. c\n```\n- code\n```\n### Other\n- no\n## open questions\ntext\n- d\n"
	if got, want := Questions(doc.Parse([]byte(src))), []int{5, 8, 10, 18}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const to = "memory/semantic/decisions.md#"
	items := map[string]string{
		"- Nightly job → " + to + "nightly-job":     "Nightly job|nightly-job|",
		"- A -> B -> `" + to + "a-1`":               "A -> B|a-1|",
		"- Because it is late":                      "Because it is late||no link",
		"- x → reference/x.md#a":                    "x||the link does not lead to memory/semantic/decisions.md",
		"- x → memory/semantic/decisions.md":        "x||the link names no heading",
		"- x → " + to + "a because it is late":      "x||more than a label and a link",
		"- → " + to + "a":                           "||no label",
		"- x → " + to + "a\n  because it is late":   "x → " + to + "a||more than one line",
		"- x → " + to + "a\n  - because it is late": "x|a|more than a label and a link",
		"- none":            "",
		"- (None)":          "",
		"text, and no item": "",
		"```\n- x\n```":     "",
	}
	for item, want := range items {
		var got []string
		for _, d := range Decisions(doc.Parse([]byte("# A\n## Active Decisions\n" + item + "\n## Else\n- y\n"))) {
			got = append(got, fmt.Sprintf("%s|%s|%s", d.Label, d.Anchor, d.Wrong))
			if d.Line != 3 {
				t.Errorf("%q: line %d", item, d.Line)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", item, s, want)
		}
	}
}

func FuzzHot(f *testing.F) {
	f.Add([]byte("## Active Decisions\n- x → memory/semantic/decisions.md#a\n  - y\n## Open Questions\n- z"))
	f.Fuzz(func(t *testing.T, src []byte) {
		d := doc.Parse(src)
		Questions(d)
		for _, n := range Decisions(d) {
			if n.Anchor == "" && n.Wrong == "" {
				t.Fatalf("%+v of %q", n, src)
			}
		}
	})
}
