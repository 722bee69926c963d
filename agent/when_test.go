package agent

import (
	"errors"
	"testing"
	"time"
)

func TestWhen(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*3600)
	now := time.Date(2026, 5, 2, 1, 30, 0, 0, zone)
	for in, want := range map[string]string{
		"2026-05-01":                "2026-05-01T00:00:00+02:00",
		"2026-05-01 12:30":          "2026-05-01T12:30:00+02:00",
		"2026-05-01T12:30:05Z":      "2026-05-01T12:30:05Z",
		"2026-05-01 12:30:00 -0700": "2026-05-01T12:30:00-07:00",
		"now":                       "2026-05-02T01:30:00+02:00",
		"today":                     "2026-05-02T00:00:00+02:00",
		"Yesterday":                 "2026-05-01T00:00:00+02:00",
		"3 days ago":                "2026-04-29T01:30:00+02:00",
		"7.days":                    "2026-04-25T01:30:00+02:00",
		"2.weeks.ago":               "2026-04-18T01:30:00+02:00",
		"90d":                       "2026-02-01T01:30:00+02:00",
		"1 hour ago":                "2026-05-02T00:30:00+02:00",
		"last month":                "2026-04-02T01:30:00+02:00",
	} {
		got, err := When(now, in)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("When(%q) = %s, %v; want %s", in, got.Format(time.RFC3339), err, want)
		}
	}
	for _, in := range []string{"", "garbage", "three days ago", "2026-13-01", "2026-02-30", "5 lightyears ago", "-3 days", "99999999999 days"} {
		got, err := When(now, in)
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("When(%q) = %s, %v; want a UsageError", in, got, err)
		}
	}
}
