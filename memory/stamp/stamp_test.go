package stamp

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2026-05-02T08:10:00Z":          "2026-05-02T08:10:00Z",
		"2026-05-02T08:10:00+02:00":     "2026-05-02T08:10:00+02:00",
		"2026-05-02T08:10:00.5-07:30":   "2026-05-02T08:10:00-07:30",
		"2026-05-02T08:10:00,123456Z":   "2026-05-02T08:10:00Z",
		"2026-05-02T08:10:00":           "",
		"2026-05-02 08:10:00Z":          "",
		"2026-05-02T8:10:00Z":           "",
		"2026-05-02T08:10:00.Z":         "",
		"2026-05-02T08:10:00..5Z":       "",
		"2026-05-02T08:10:00+0200":      "",
		"2026-05-02T08:10:00z":          "",
		"2026-05-02T08:10:00+25:00":     "",
		"2026-02-30T08:10:00Z":          "",
		"2026-05-02T25:10:00Z":          "",
		"2026-05-02T08:10:00Z trailing": "",
		"2026-05-02":                    "",
		"":                              "",
	} {
		got, ok := Parse(s)
		if ok != (want != "") || ok && Format(got) != want {
			t.Errorf("Parse(%q) = %v %v, want %q", s, got, ok, want)
		}
	}
}

func TestLoose(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2026-05-02T08:10:00+02:00": "2026-05-02T08:10:00+02:00",
		"2026-05-02":                "2026-05-02T00:00:00Z",
		"2026-05-02 08:10":          "2026-05-02T08:10:00Z",
		"2026-05-02T08:10:11":       "2026-05-02T08:10:11Z",
		"yesterday":                 "",
		"2026-5-2":                  "",
	} {
		got, ok := Loose(s)
		if ok != (want != "") || ok && Format(got) != want {
			t.Errorf("Loose(%q) = %v %v, want %q", s, got, ok, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2026-05-02T08:10:00,123Z")
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := Parse(s)
		if !ok {
			return
		}
		again, ok := Parse(Format(at))
		if !ok || !again.Equal(at.Truncate(time.Second)) {
			t.Errorf("%q: %v, written again %v", s, at, again)
		}
	})
}
