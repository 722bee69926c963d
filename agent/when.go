package agent

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// dateForms are the absolute dates that are understood; those without a zone
// are in that of the clock.
var dateForms = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly,
}

// When reads a point in time as people write it to git: a date, `yesterday`,
// `3 days ago`, `2.weeks`. It is read here and not by git, whose reading depends
// on the system's clock, takes a bare date as this time of that day, and any
// other text as now. A bare date is the beginning of that day in the zone of
// now. What cannot be read is a *UsageError.
func When(now time.Time, s string) (time.Time, error) {
	text := strings.TrimSpace(s)
	for _, form := range dateForms {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, nil
		}
	}
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '.' || r == '_' })
	if n := len(words); n > 1 && words[n-1] == "ago" {
		words = words[:n-1]
	}
	switch {
	case len(words) == 1:
		switch words[0] {
		case "now":
			return now, nil
		case "today":
			return midnight, nil
		case "yesterday":
			return midnight.AddDate(0, 0, -1), nil
		}
		digits := len(words[0]) - len(strings.TrimLeft(words[0], "0123456789"))
		words = []string{words[0][:digits], words[0][digits:]}
	case len(words) == 2 && words[0] == "last":
		words[0] = "1"
	case len(words) != 2:
		return time.Time{}, badDate(s)
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 0 || n > 1e6 {
		return time.Time{}, badDate(s)
	}
	return back(now, s, n, words[1])
}

// back goes n units into the past.
func back(now time.Time, s string, n int, unit string) (time.Time, error) {
	switch strings.TrimSuffix(unit, "s") {
	case "second", "sec":
		return now.Add(-time.Duration(n) * time.Second), nil
	case "minute", "min":
		return now.Add(-time.Duration(n) * time.Minute), nil
	case "hour", "h":
		return now.Add(-time.Duration(n) * time.Hour), nil
	case "day", "d":
		return now.AddDate(0, 0, -n), nil
	case "week", "w":
		return now.AddDate(0, 0, -7*n), nil
	case "month":
		return now.AddDate(0, -n, 0), nil
	case "year", "y":
		return now.AddDate(-n, 0, 0), nil
	}
	return time.Time{}, badDate(s)
}

func badDate(s string) error {
	return &UsageError{
		Problem: fmt.Sprintf("cannot read date '%s'", s),
		Hint:    "write 2026-05-02, 2026-05-02T09:00:00Z, yesterday, '3 days ago' or 2.weeks",
	}
}

// gitDate writes a time so that git reads it as the same.
func gitDate(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// Until reads a point of time that is still to come: a date, `tomorrow`, `3 days`, `2w`.
func Until(now time.Time, s string) (time.Time, error) {
	text := strings.TrimSpace(s)
	t, err := When(now, text)
	relative := true
	for _, form := range dateForms {
		if _, ferr := time.ParseInLocation(form, text, now.Location()); ferr == nil {
			relative = false
		}
	}
	switch {
	case strings.EqualFold(text, "tomorrow"):
		t, err = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location()), nil
	case err == nil && relative:
		t = now.Add(now.Sub(t))
	}
	if err != nil {
		return t, err
	}
	if !t.After(now) {
		return t, &UsageError{Problem: fmt.Sprintf("'%s' is not in the future", s), Hint: "write a day to come, or a time such as 3d"}
	}
	return t, nil
}
