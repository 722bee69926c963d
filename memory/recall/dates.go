package recall

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/lexical"
)

// monthNames are how months are written, by number, in the languages notes are
// written in.
var monthNames = [12]string{
	"january jan januar janeiro enero janvier gennaio января январь",
	"february feb februar fevereiro febrero février febbraio февраля февраль",
	"march mar märz março marzo mars марта март",
	"april apr abril avril aprile апреля апрель",
	"may mai maio mayo maggio мая май",
	"june jun juni junho junio juin giugno июня июнь",
	"july jul juli julho julio juillet luglio июля июль",
	"august aug agosto août августа август",
	"september sep sept setembro septiembre septembre settembre сентября сентябрь",
	"october oct oktober outubro octubre octobre ottobre октября октябрь",
	"november nov novembro noviembre novembre ноября ноябрь",
	"december dec dezember dez dezembro diciembre décembre dicembre декабря декабрь",
}

var weekdays = map[string]time.Weekday{
	"monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday, "thursday": time.Thursday,
	"friday": time.Friday, "saturday": time.Saturday, "sunday": time.Sunday,
	"montag": time.Monday, "dienstag": time.Tuesday, "mittwoch": time.Wednesday, "donnerstag": time.Thursday,
	"freitag": time.Friday, "samstag": time.Saturday, "sonntag": time.Sunday,
}

var relativeDays = map[string]int{
	"today": 0, "yesterday": -1, "heute": 0, "gestern": -1, "vorgestern": -2, "hoje": 0, "ontem": -1,
	"сегодня": 0, "вчера": -1, "今天": 0, "昨天": -1, "前天": -2, "今日": 0, "昨日": -1, "오늘": 0, "어제": -1,
}

// numericDates are compiled for a search that holds a digit: every other command
// would pay for them at its start.
func numericDates() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b`),
		regexp.MustCompile(`(\d{4})年(\d{1,2})月(\d{1,2})日`),
	}
}

// dates finds the days, months and years that a query names. "Last Tuesday" and
// "yesterday" are counted from now.
func dates(query string, now time.Time) []lexical.Day {
	var out []lexical.Day
	seen := map[lexical.Day]bool{}
	add := func(d lexical.Day) {
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	lower := strings.ToLower(query)
	if strings.ContainsAny(lower, "0123456789") {
		for _, re := range numericDates() {
			for _, m := range re.FindAllStringSubmatch(lower, -1) {
				if day, ok := isoDay(m[1], m[2], m[3]); ok {
					add(lexical.OnDay(day))
				}
			}
		}
		for _, m := range regexp.MustCompile(`\b(\d{1,2})\.\s?(\d{1,2})\.(\d{4})?`).FindAllStringSubmatch(lower, -1) {
			addDay(add, m[3], m[2], m[1])
		}
		for _, m := range regexp.MustCompile(`(?:^|[^\d年])(\d{1,2})月(\d{1,2})[日号]`).FindAllStringSubmatch(lower, -1) {
			addDay(add, "", m[1], m[2])
		}
	}
	for _, day := range slices.Sorted(maps.Keys(relativeDays)) {
		if hasWord(lower, day) {
			add(lexical.OnDay(now.AddDate(0, 0, relativeDays[day]).Format(time.DateOnly)))
		}
	}
	namedDates(lower, now, add)
	return out
}

func hasWord(text, word string) bool {
	if word[0] >= 0x80 {
		return strings.Contains(text, word)
	}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !('a' <= r && r <= 'z') }) {
		if w == word {
			return true
		}
	}
	return false
}

func addDay(add func(lexical.Day), year, month, day string) {
	if year != "" {
		if d, ok := isoDay(year, month, day); ok {
			add(lexical.OnDay(d))
		}
		return
	}
	if d, ok := isoDay("2024", month, day); ok { // a leap year: any day may be meant
		add(lexical.EachYearOn(d[5:]))
	}
}

// isoDay checks and formats a calendar day.
func isoDay(year, month, day string) (string, bool) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	s := fmt.Sprintf("%04d-%02d-%02d", y, m, d)
	_, err := time.Parse(time.DateOnly, s)
	return s, err == nil
}

// namedDates reads dates with names of months, and weekdays after "last".
func namedDates(lower string, now time.Time, add func(lexical.Day)) {
	words := strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune(" \t\n,?!;:()\"", r) })
	for i, w := range words {
		if wd, ok := weekdays[w]; ok && i > 0 && isLast(words[i-1]) {
			back := (int(now.Weekday()) - int(wd) + 6) % 7
			add(lexical.OnDay(now.AddDate(0, 0, -back-1).Format(time.DateOnly)))
			continue
		}
		month := monthOf(w)
		if month == "" {
			continue
		}
		day, year := "", ""
		for _, j := range []int{i - 1, i + 1, i - 2, i + 2} { // 4 March, March 4, 4 de março
			if j < 0 || j >= len(words) {
				continue
			}
			n := strings.TrimRight(words[j], "stndrh.ªº°")
			switch {
			case len(n) <= 2 && day == "" && isNumber(n) && (abs(j-i) == 1 || words[(i+j)/2] == "de" || words[(i+j)/2] == "of"):
				day = n
			case len(n) == 4 && year == "" && isNumber(n):
				year = n
			}
		}
		switch {
		case day != "":
			addDay(add, year, month, day)
		case year != "":
			add(lexical.InMonth(year + "-" + month))
		case ambiguous[w]: // "may", "mar": only with a number
		default:
			add(lexical.EachYearIn(month))
		}
	}
}

var ambiguous = map[string]bool{"may": true, "mar": true, "march": true, "mars": true, "jan": true, "sep": true, "dec": true, "mai": true, "май": true}

func isLast(w string) bool {
	switch w {
	case "last", "on", "letzten", "letzter", "am", "vergangenen":
		return true
	}
	return false
}

func abs(n int) int { return max(n, -n) }

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func monthOf(w string) string {
	w = strings.TrimRight(w, ".")
	if len(w) < 3 {
		return ""
	}
	for i, names := range monthNames {
		for n := range strings.FieldsSeq(names) {
			if n == w {
				return fmt.Sprintf("%02d", i+1)
			}
		}
	}
	return ""
}
