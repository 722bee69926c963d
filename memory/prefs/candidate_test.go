package prefs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/frontmatter"
	"github.com/git-claw/git-claw/memory/stamp"
)

func at(s string) time.Time {
	t, ok := stamp.Loose(s)
	if !ok {
		panic(s)
	}
	return t
}

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Line{
		`[writing:report] "long introduction" -> "start with the result"`: {"writing:report", "long introduction", "start with the result"},
		`[code] use "tabs" -> spaces`:                                     {"code", `use "tabs"`, "spaces"},
		`[code]"a \"b\" \\ c"→"d -> e"`:                                   {"code", `a "b" \ c`, "d -> e"},
		"  [a.b_c-1:x]   one two->three  ":                                {"a.b_c-1:x", "one two", "three"},
		`[格式] a -> b`:                                                     {},
		`[a b] c -> d`:                                                    {},
		`[] a -> b`:                                                       {},
		`[a:] a -> b`:                                                     {},
		`[a] "b"`:                                                         {},
		`[a] "b" -> `:                                                     {},
		`[a] "" -> "c"`:                                                   {},
		`[a] "b" -> "c" -> "d"`:                                           {},
		`a -> b`:                                                          {},
		``:                                                                {},
	} {
		got, err := ParseLine(text)
		if got != want || (err == nil) != (want != Line{}) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// TestID pins the id: it is what makes two machines write the same file.
func TestID(t *testing.T) {
	t.Parallel()
	l := Line{"writing:report", "long introduction", "start with the result"}
	if l.ID() != (Line{"writing:report", "Long  Introduction.", "start with the RESULT!"}).ID() {
		t.Error("case and spaces make another candidate")
	}
	if got, want := l.ID(), "cand-c9c2066bd344"; got != want {
		t.Errorf("id %s, want %s", got, want)
	}
}

func FuzzLine(f *testing.F) {
	f.Add(`[a] "b \" c" -> d`)
	f.Add(`[a] b → "c`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLine(text)
		if err != nil {
			return
		}
		again, err := ParseLine(l.String())
		if err != nil || again.ID() != l.ID() {
			t.Errorf("%q is %+v, written %q, read %+v %v", text, l, l.String(), again, err)
		}
	})
}

func sample() []byte {
	return NewCandidate(Line{"writing:report", "long introduction", "start with the result"}, "preference", "correction",
		Occurrence{At: at("2026-05-01T09:00:00Z"), Session: "a1", Quote: `skip the "intro"`})
}

func TestNewCandidate(t *testing.T) {
	t.Parallel()
	want := `---
id: cand-c9c2066bd344
status: pending
kind: preference
source: correction
first_seen: 2026-05-01T09:00:00Z
last_seen: 2026-05-01T09:00:00Z
asks: 0
ignored: 0
---
[writing:report] "long introduction" -> "start with the result"

## Occurrences
- 2026-05-01T09:00:00Z session=a1 "skip the \"intro\""
`
	if got := string(sample()); got != want {
		t.Errorf("%s", got)
	}
	c := ParseCandidate(sample())
	if len(c.Problems) > 0 || c.ID != c.Line.ID() || c.Status != "pending" || len(c.Occurrences) != 1 || c.Occurrences[0] != (Occurrence{at("2026-05-01T09:00:00Z"), "a1", `skip the "intro"`, 14}) {
		t.Errorf("%+v", c)
	}
	next := AddOccurrence(sample(), Occurrence{At: at("2026-05-02T11:30:00Z"), Quote: "again"})
	want = strings.Replace(want, "last_seen: 2026-05-01T09:00:00Z", "last_seen: 2026-05-02T11:30:00Z", 1) + "- 2026-05-02T11:30:00Z \"again\"\n"
	if string(next) != want {
		t.Errorf("%s", next)
	}
	if again := AddOccurrence(next, Occurrence{At: at("2026-05-02T11:30:00Z"), Quote: "again"}); !bytes.Equal(again, next) {
		t.Errorf("the same occurrence twice:\n%s", again)
	}
	if got, _ := frontmatter.Set(next, "asks", "1"); ParseCandidate(got).Asks != 1 {
		t.Error("asks was not set")
	}
}

func TestCandidateProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  string
		want []string
	}{
		"nothing": {"", []string{"1 it has no frontmatter", "1 " + ErrLine.Error()}},
		"fields": {
			"---\nid: x\nfirst_seen: soon\nlast_seen: 2026-05-01\nasks: -1\nignored: two\n---\nnot a line\n\n## Occurrences\n- never\n",
			[]string{"1 'status' is missing", "3 'first_seen' is no time", "5 'asks' is no number", "6 'ignored' is no number", "8 " + ErrLine.Error(), "11 an occurrence begins with its time"},
		},
		"broken YAML is read": {
			"---\nid: cand-1\nstatus: pending\nsource: a: b\nfirst_seen: 2026-05-01T09:00:00Z\nlast_seen: 2026-05-01T09:00:00Z\n---\n[a] b -> c\n", nil,
		},
	} {
		var got []string
		for _, p := range ParseCandidate([]byte(c.src)).Problems {
			got = append(got, fmt.Sprintf("%d %s", p.Line, p.What))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func FuzzCandidate(f *testing.F) {
	f.Add(sample())
	f.Add([]byte("---\r\nid: x\r\n---\r\n[a] b -> c\r\n## Occurrences"))
	f.Add([]byte("## Occurrences\n```\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4096 {
			return
		}
		c := ParseCandidate(src)
		o := Occurrence{At: at("2026-05-02T11:30:00Z"), Session: "s", Quote: "q"}
		n := ParseCandidate(AddOccurrence(src, o))
		if !slices.ContainsFunc(n.Occurrences, func(p Occurrence) bool { return p.At.Equal(o.At) && p.Session == "s" }) || len(n.Occurrences) > len(c.Occurrences)+1 {
			t.Fatalf("%d occurrences, then %d:\n%q\n%q", len(c.Occurrences), len(n.Occurrences), src, AddOccurrence(src, o))
		}
	})
}
