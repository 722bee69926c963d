package prefs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
)

func TestSound(t *testing.T) {
	t.Parallel()
	id := ParseCandidate(sample()).ID
	edit := func(old, new string) []byte { return []byte(strings.Replace(string(sample()), old, new, 1)) }
	for name, c := range map[string]struct {
		src  []byte
		want string
	}{
		"as written":       {sample(), ""},
		"another id":       {edit("id: cand-c9c2066bd344", "id: cand-000000000001"), "its id is 'cand-000000000001', not that of its name"},
		"other words":      {edit("start with", "begin with"), "its words have the id 'cand-9d6fe2560db3'"},
		"no status":        {edit("status: pending", "status: soon"), "no status is called 'soon'"},
		"decided":          {edit("status: pending", "status: confirmed"), "it is 'confirmed', and waits still"},
		"no frontmatter":   {edit("---\nid", "id"), "line 1: it has no frontmatter"},
		"no number":        {edit("asks: 0", "asks: many"), "line 8: 'asks' is no number"},
		"a bad occurrence": {append(sample(), "- often\n"...), ""},
	} {
		err := ParseCandidate(c.src).Sound(id)
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return at("2026-05-01T09:00:00Z").AddDate(0, 0, n) }
	for name, c := range map[string]struct {
		days []int
		ok   bool
	}{
		"three at once":        {[]int{0, 0, 0}, true},
		"seven days":           {[]int{7, 0, 3}, true},
		"eight days":           {[]int{0, 4, 8}, false},
		"the last three":       {[]int{0, 20, 22, 27}, true},
		"two":                  {[]int{0, 1}, false},
		"before the beginning": {[]int{-3, 0, 4}, true},
	} {
		var times []time.Time
		for _, n := range c.days {
			times = append(times, day(n))
		}
		if _, ok := Within(times, 3, 7); ok != c.ok {
			t.Errorf("%s: %v", name, ok)
		}
	}
	if _, ok := Within([]time.Time{day(0), day(7).Add(time.Second), day(1)}, 3, 7); ok {
		t.Error("a second more than seven days")
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	c := &Candidate{Occurrences: []Occurrence{{At: at("2026-05-01T09:00:00Z")}, {At: at("2026-05-01T13:00:00Z")}, {At: at("2026-05-03T00:00:00Z")}}}
	for zone, want := range map[*time.Location]int{time.UTC: 1, time.FixedZone("east", 14*3600): 2, time.FixedZone("west", -9*3600): 1} {
		if got := c.Since("2026-05-02", zone); got != want {
			t.Errorf("%s: %d, want %d", zone, got, want)
		}
	}
}

func TestArchiveCorrections(t *testing.T) {
	t.Parallel()
	var src []byte
	for i := range 12 {
		src = AddCorrection(src, Correction{Day: fmt.Sprintf("2026-05-%02d", 1+i/3), Time: fmt.Sprintf("10:%02d", i), Text: fmt.Sprintf(`[code] "a%d" -> "b"`, i), Type: "fact", Confirmed: "yes"})
	}
	src = []byte(strings.Replace(string(src), "  Confirmed: yes\n", "  Confirmed: yes\n  Remark: by hand\n", 1))
	rest, old := ArchiveCorrections(src, []byte("# Corrections\n\n## 2026-04-30\n- [08:00] x\n"), 4)
	if n := len(ParseCorrections(rest)); n != 4 || strings.Contains(string(rest), "2026-05-01") || strings.Contains(string(rest), "2026-05-02") {
		t.Errorf("%d stay:\n%s", n, rest)
	}
	all := ParseCorrections(old)
	if len(all) != 9 || all[1].Day != "2026-05-01" || all[8].Day != "2026-05-03" || !strings.Contains(string(old), "  Remark: by hand\n") {
		t.Errorf("%d in the archive:\n%s", len(all), old)
	}
	if again, same := ArchiveCorrections(rest, old, 4); string(again) != string(rest) || string(same) != string(old) {
		t.Error("a second time it moves something")
	}
	uses := Uses(rest, old)
	if l := (Line{"code", "a11", "b"}); uses[l.ID()] != "2026-05-04" || len(uses) != 12 {
		t.Errorf("%v", uses)
	}
}

func TestAddReversed(t *testing.T) {
	t.Parallel()
	all := ParseTier([]byte(hot))
	src := AddReversed(nil, all[1], "2026-06-01")
	src = AddReversed(src, all[0], "2026-06-01")
	want := "# Reversed\n\n## 2026-06-01\n- [code] \"tabs\" -> \"spaces\" <!-- id=cand-000000000002 pin=0 since=2026-02-03 n=4 last=2026-02-20 -->\n  - only in Go\n" +
		"- Answer in German <!-- id=cand-000000000001 pin=1 since=2026-01-02 -->\n"
	if string(src) != want {
		t.Errorf("%s", src)
	}
	if tier, _, _ := Place(Reversed); tier != NoTier {
		t.Errorf("it is in the tier %s", tier)
	}
}

func TestLineOf(t *testing.T) {
	t.Parallel()
	for context, want := range map[string]Line{
		"Deploy the web  shop": {"deploy-the-web-shop", "deploy the web shop", "build first"},
		"発表の準備":                {"reflection", "発表の準備", "build first"},
		"Übung macht":          {"bung-macht", "übung macht", "build first"},
	} {
		got := Reflection{Context: context, Lesson: "build  first"}.LineOf()
		if got != want || got.Check() != nil {
			t.Errorf("%s: %+v %v", context, got, got.Check())
		}
		if again := (Reflection{Context: strings.ToUpper(context), Lesson: "Build first."}).LineOf(); doc.Normalise(context) == doc.Normalise(strings.ToUpper(context)) && again.ID() != got.ID() {
			t.Errorf("%s: in capitals it is %+v", context, again)
		}
	}
}
