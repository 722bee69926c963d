// Package stamp reads the time stamps that memory files hold.
package stamp

import (
	"strings"
	"time"
)

// Parse reads `YYYY-MM-DDThh:mm:ss`, an optional fraction behind `.` or `,`, then `Z` or `±hh:mm`
// (SPEC OM-22).
func Parse(s string) (time.Time, bool) {
	const shape = "0000-00-00T00:00:00"
	if len(s) <= len(shape) || !fits(s[:len(shape)], shape) {
		return time.Time{}, false
	}
	zone := strings.TrimLeft(s[len(shape):], ".,0123456789")
	if zone != "Z" && !fits(zone, "+00:00") && !fits(zone, "-00:00") {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}

// fits reports whether s has digits where shape has them, and its other characters.
func fits(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		if shape[i] == '0' {
			if s[i] < '0' || s[i] > '9' {
				return false
			}
		} else if s[i] != shape[i] {
			return false
		}
	}
	return true
}

// looser are forms that people and agents write besides; they name no zone.
var looser = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// Loose reads what Parse does, and also a day or a time without a zone, which is taken as UTC.
func Loose(s string) (time.Time, bool) {
	if t, ok := Parse(s); ok {
		return t, true
	}
	for _, layout := range looser {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Format writes a time as Parse reads it, to the second.
func Format(t time.Time) string { return t.Format(time.RFC3339) }
