package daily

import (
	"path"
	"strings"
	"time"
)

// Verdict says what the beginning of a file name is.
type Verdict uint8

// The verdicts on a name.
const (
	NotDated  Verdict = iota
	Dated             // YYYY-MM-DD, YYYY_MM_DD or YYYYMMDD, alone or with a suffix
	NoSuchDay         // such a form, but no calendar has the day
	OddForm           // a day in another form, or with letters right behind it
)

// Name reads the day that a file's name begins with, as YYYY-MM-DD. Times and slugs behind it are
// suffixes (SPEC OM-40, LY-04).
func Name(rel string) (day string, verdict Verdict) {
	base := strings.TrimSuffix(path.Base(rel), path.Ext(rel))
	if len(base) < 8 || base[:2] != "19" && base[:2] != "20" || digits(base) < 4 {
		return "", NotDated
	}
	year, rest := base[:4], base[4:]
	var month, date string
	sep := ""
	if n := digits(rest); n == 4 {
		month, date, rest = rest[:2], rest[2:4], rest[4:]
	} else {
		if n > 0 || rest == "" || !strings.Contains("-_.", rest[:1]) {
			return "", NotDated
		}
		sep, rest = rest[:1], rest[1:]
		if month, rest = rest[:digits(rest)], rest[digits(rest):]; month == "" || len(month) > 2 || !strings.HasPrefix(rest, sep) {
			return "", NotDated
		}
		rest = rest[1:]
		if date, rest = rest[:digits(rest)], rest[digits(rest):]; date == "" || len(date) > 2 {
			return "", NotDated
		}
	}
	switch {
	case len(month) != 2 || len(date) != 2 || sep == ".", rest != "" && isAlnum(rest[0]) && !isTime(rest):
		return "", OddForm
	}
	day = year + "-" + month + "-" + date
	if !IsDay(day) {
		return "", NoSuchDay
	}
	return day, Dated
}

func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isTime recognises a time behind a day, as in 2026-03-01T0930.
func isTime(s string) bool { return s[0] == 'T' && digits(s[1:]) >= 2 }

// IsDay recognises a calendar day, YYYY-MM-DD.
func IsDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// Active returns the day of a daily file that is not archived: YYYY-MM-DD.md in memory/, in
// memory/episodic/ or in a folder of its year or month there (SPEC LY-01, LY-04).
func Active(rel string) (day string, ok bool) {
	dir, base := path.Split(rel)
	day, md := strings.CutSuffix(base, ".md")
	if !md || !IsDay(day) {
		return "", false
	}
	dir, memory := strings.CutPrefix(dir, "memory/")
	dir = strings.TrimPrefix(dir, "episodic/")
	year, month := day[:4], day[5:7]
	switch dir {
	case "", year + "/", year + "/" + month + "/", year + "-" + month + "/":
		return day, memory
	}
	return "", false
}

const archive = "memory/archive/"

// ArchivePath is where a dated note goes in the archive (SPEC OM-44).
func ArchivePath(day, base string) string {
	return archive + day[:4] + "/" + day[5:7] + "/" + base
}

// Archived returns the day of a dated note in the archive. Archived lessons are no notes.
func Archived(rel string) (day string, ok bool) {
	if !strings.HasPrefix(rel, archive) || strings.HasPrefix(rel, archive+"learnings/") {
		return "", false
	}
	day, verdict := Name(rel)
	return day, verdict == Dated
}

// Age returns how many calendar days a day lies before today, which is in the workspace's time zone.
func Age(day string, today time.Time) int {
	from, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0
	}
	year, month, date := today.Date()
	return int(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Sub(from) / (24 * time.Hour))
}
