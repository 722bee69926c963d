package prefs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const corrections = "# Corrections\n\n## 2026-05-01\n- [14:32] Shorter answers\n  Type: communication\n  Context: chat\n  - **Confirmed:** pending (1/3)\n- no time\n\n" +
	"## 2026-04-30 (older)\n- [25:00] not a time\n- [09:00] first\n"

func TestCorrections(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range ParseCorrections([]byte(corrections)) {
		got = append(got, fmt.Sprintf("%d %s %s %s|%s|%s|%s", c.Line, c.Day, c.Time, c.Text, c.Type, c.Context, c.Confirmed))
	}
	want := []string{
		"4 2026-05-01 14:32 Shorter answers|communication|chat|pending (1/3)", "8 2026-05-01  no time|||",
		"11 2026-04-30  [25:00] not a time|||", "12 2026-04-30 09:00 first|||",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	next := AddCorrection([]byte(corrections), Correction{Day: "2026-05-02", Time: "10:00", Text: "use pnpm", Type: "technical", Confirmed: "no"})
	if want := corrections + "\n## 2026-05-02\n- [10:00] use pnpm\n  Type: technical\n  Confirmed: no\n"; string(next) != want {
		t.Errorf("%q", next)
	}
	again := AddCorrection(next, Correction{Day: "2026-05-02", Time: "10:01", Text: "x"})
	if want := string(next) + "- [10:01] x\n"; string(again) != want {
		t.Errorf("%q", again)
	}
	if got := string(AddCorrection(nil, Correction{Day: "2026-05-02", Time: "10:01", Text: "x"})); got != "# Corrections\n\n## 2026-05-02\n- [10:01] x\n" {
		t.Errorf("%q", got)
	}
}

func TestCutCorrections(t *testing.T) {
	t.Parallel()
	if rest, old := cutCorrections([]byte(corrections), 4); string(rest) != corrections || old != nil {
		t.Errorf("%q %v", rest, old)
	}
	rest, old := cutCorrections([]byte(corrections), 2)
	if want := strings.Replace(corrections, "- [25:00] not a time\n- [09:00] first\n", "", 1); string(rest) != want {
		t.Errorf("%q", rest)
	}
	if len(old) != 2 || old[0].Text != "[25:00] not a time" || old[1].Text != "first" {
		t.Errorf("%+v", old)
	}
}

func FuzzCorrections(f *testing.F) {
	f.Add([]byte(corrections))
	f.Add([]byte("- a\r\n  ```\n  b"))
	f.Fuzz(func(t *testing.T, src []byte) {
		all := ParseCorrections(src)
		rest, old := cutCorrections(src, 1)
		if len(all) > 1 && (len(old) != len(all)-1 || len(rest) >= len(src)) || len(all) <= 1 && !bytes.Equal(rest, src) {
			t.Fatalf("%d corrections, %d cut from %q: %q", len(all), len(old), src, rest)
		}
		if n := len(ParseCorrections(AddCorrection(src, Correction{Day: "2026-05-02", Time: "10:00", Text: "x"}))); n != len(all)+1 {
			t.Fatalf("%d corrections, then %d in %q", len(all), n, src)
		}
	})
}

func TestReflections(t *testing.T) {
	t.Parallel()
	r := NewReflection(at("2026-05-01T10:00:00Z"), "deploy\nweb", "slow", "build first")
	log := AppendReflection([]byte("CONTEXT: bare\nLESSON: one\n  more\n"), r)
	if want := "CONTEXT: bare\nLESSON: one\n  more\n\n== 2026-05-01T10:00:00Z " + r.ID + "\nCONTEXT: deploy web\nREFLECTION: slow\nLESSON: build first\n\n"; string(log) != want {
		t.Errorf("%q", log)
	}
	for name, c := range map[string]struct {
		src      string
		want     []string
		problems []string
	}{
		"log": {string(log), []string{"1-3 bare||one more", "5-8 " + r.ID + " 2026-05-01T10:00 deploy web|slow|build first"}, nil},
		"bare blocks": {
			"CONTEXT: a\nREFLECTION: b\nLESSON: c\n\nCONTEXT: d\n\nLESSON: e\nCONTEXT: f\n",
			[]string{"1-3 a|b|c", "5-7 d||e", "8-8 f||"},
			[]string{"8 it has no LESSON"},
		},
		"broken": {
			"== yesterday r-1\nLESSON: a\n\n== 2026-05-01T10:00:00Z r-0123abcd\n\n",
			[]string{"1-2 ||a", "4-4 r-0123abcd 2026-05-01T10:00 ||"},
			[]string{"1 a record begins with '== <time> r-<8 hex>'", "4 it has no LESSON"},
		},
		"Markdown": {
			"# Log\n\n```\n## 2026-01-01 template\n**Lesson:** x\n```\n## 2026-02-25 Task\n\n**What I did:** wrote\n**Outcome:** good\n**Reflection:** slow\n- **Lesson:** plan\n**Status:** promoted\n\n## 2026-02-26\ntext\n",
			[]string{"7-12 2026-02-25T00:00 wrote|slow|plan"},
			nil,
		},
		"nothing": {"# Log\n\nNo reflections: yet\n", nil, nil},
	} {
		records, problems := ParseReflections([]byte(c.src))
		var got, gotProblems []string
		for _, r := range records {
			s := fmt.Sprintf("%d-%d ", r.Line, r.EndLine)
			if r.ID != "" {
				s += r.ID + " "
			}
			if !r.At.IsZero() {
				s += r.At.Format("2006-01-02T15:04 ")
			}
			got = append(got, s+r.Context+"|"+r.Reflection+"|"+r.Lesson)
		}
		for _, p := range problems {
			gotProblems = append(gotProblems, fmt.Sprintf("%d %s", p.Line, p.What))
		}
		if !slices.Equal(got, c.want) || !slices.Equal(gotProblems, c.problems) {
			t.Errorf("%s:\n%q %q\nwant\n%q %q", name, got, gotProblems, c.want, c.problems)
		}
	}
}

func FuzzReflections(f *testing.F) {
	f.Add([]byte("== 2026-05-01T10:00:00Z r-0123abcd\nCONTEXT: a\nLESSON: b\n\nx"))
	f.Add([]byte("```\n"))
	r := NewReflection(at("2026-05-01T10:00:00Z"), "c", "r", "l")
	f.Fuzz(func(t *testing.T, src []byte) {
		records, _ := ParseReflections(src)
		for i, r := range records {
			if r.Line < 1 || r.EndLine < r.Line || i > 0 && r.Line <= records[i-1].EndLine {
				t.Fatalf("record %d: lines %d to %d", i, r.Line, r.EndLine)
			}
		}
		fences := bytes.Contains(src, []byte("```")) || bytes.Contains(src, []byte("~~~"))
		again, _ := ParseReflections(AppendReflection(src, r))
		if !fences && (len(again) != len(records)+1 || again[len(records)].ID != r.ID) {
			t.Fatalf("%d records, then %d: %q", len(records), len(again), AppendReflection(src, r))
		}
	})
}

func TestRejected(t *testing.T) {
	t.Parallel()
	src := AddRejected(nil, Rejection{ID: "cand-000000000001", Day: "2026-05-03", Reason: "not a\nhabit"})
	src = AddRejected(src, Rejection{ID: "cand-000000000002", Day: "2026-05-04"})
	if want := "# Rejected\n\n- cand-000000000001 2026-05-03 not a habit\n- cand-000000000002 2026-05-04\n"; string(src) != want {
		t.Errorf("%q", src)
	}
	got := ParseRejected(append(src, "- other\n"...))
	if want := []Rejection{{"cand-000000000001", "2026-05-03", "not a habit", 3}, {"cand-000000000002", "2026-05-04", "", 4}}; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
