package daily

import (
	"testing"
	"time"
)

func TestName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		day     string
		verdict Verdict
	}{
		"2026-03-01.md":                    {"2026-03-01", Dated},
		"memory/a/2026-03-01-summary.md":   {"2026-03-01", Dated},
		"2026-02-23-2203.md":               {"2026-02-23", Dated},
		"2026-03-01T0930.md":               {"2026-03-01", Dated},
		"2026-03-01 evening.md":            {"2026-03-01", Dated},
		"2026_03_01.md":                    {"2026-03-01", Dated},
		"20260225_0710_app development.md": {"2026-02-25", Dated},
		"20260225.md":                      {"2026-02-25", Dated},
		"2026-03-01日报.md":                  {"2026-03-01", Dated},
		"2024-02-29.md":                    {"2024-02-29", Dated},
		"2026-02-29.md":                    {"", NoSuchDay},
		"2026-13-01-x.md":                  {"", NoSuchDay},
		"20261301.md":                      {"", NoSuchDay},
		"2026-3-1.md":                      {"", OddForm},
		"2026.03.01.md":                    {"", OddForm},
		"2026-03-01b.md":                   {"", OddForm},
		"2026-03.md":                       {"", NotDated},
		"2026-W10.md":                      {"", NotDated},
		"2026 plans.md":                    {"", NotDated},
		"202603011200.md":                  {"", NotDated},
		"1234-56-78.md":                    {"", NotDated},
		"12345678.md":                      {"", NotDated},
		"client-onboarding.md":             {"", NotDated},
		"2026-03_01.md":                    {"", NotDated},
		"20260.md":                         {"", NotDated},
		".md":                              {"", NotDated},
		"":                                 {"", NotDated},
	} {
		if day, verdict := Name(name); day != want.day || verdict != want.verdict {
			t.Errorf("%s: %q %d, want %q %d", name, day, verdict, want.day, want.verdict)
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("memory/2026-03-01-x.md")
	f.Add("2026-3-1")
	f.Fuzz(func(t *testing.T, name string) {
		if day, verdict := Name(name); (verdict == Dated) != IsDay(day) {
			t.Errorf("%q: %q %d", name, day, verdict)
		}
	})
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for rel, active := range map[string]bool{
		"memory/2026-03-01.md":                    true,
		"memory/episodic/2026-03-01.md":           true,
		"memory/2026/03/2026-03-01.md":            true,
		"memory/2026/2026-03-01.md":               true,
		"memory/2026-03/2026-03-01.md":            true,
		"memory/2026/04/2026-03-01.md":            false,
		"memory/2026-03-01-x.md":                  false,
		"memory/dreaming/light/2026-03-01.md":     false,
		"memory/archive/2026/03/2026-03-01.md":    false,
		"2026-03-01.md":                           false,
		"memory/2026-02-30.md":                    false,
		"memory/2026-03-01.markdown":              false,
		"memory/archive/learnings/2026/03/LRN.md": false,
	} {
		if _, ok := Active(rel); ok != active {
			t.Errorf("Active(%s) = %v", rel, ok)
		}
	}
	for rel, archived := range map[string]bool{
		"memory/archive/2026/03/2026-03-01.md":               true,
		"memory/archive/2026-03-01-x.md":                     true,
		"memory/archive/2026/03/notes.md":                    false,
		"memory/archive/learnings/2026/03/2026-03-01-log.md": false,
		"memory/2026-03-01.md":                               false,
	} {
		if _, ok := Archived(rel); ok != archived {
			t.Errorf("Archived(%s) = %v", rel, ok)
		}
	}
	if got := ArchivePath("2026-03-01", "2026-03-01-x.md"); got != "memory/archive/2026/03/2026-03-01-x.md" {
		t.Error(got)
	}
}

// TestAge: days of the calendar, whatever the hour and the summer time.
func TestAge(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 13*3600)
	for _, c := range []struct {
		day   string
		today time.Time
		want  int
	}{
		{"2026-05-02", time.Date(2026, 5, 2, 0, 0, 0, 0, zone), 0},
		{"2026-05-02", time.Date(2026, 5, 2, 23, 59, 0, 0, zone), 0},
		{"2026-05-01", time.Date(2026, 5, 2, 0, 0, 1, 0, zone), 1},
		{"2026-04-01", time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC), 31},
		{"2026-05-03", time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC), -1},
		{"2025-05-02", time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC), 365},
	} {
		if got := Age(c.day, c.today); got != c.want {
			t.Errorf("Age(%s, %s) = %d, want %d", c.day, c.today, got, c.want)
		}
	}
}
