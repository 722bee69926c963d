package chunk

import (
	"bytes"
	"fmt"
	"time"
)

// day returns the first calendar day that a title names, as YYYY-MM-DD, or "". It reads 2026-03-04,
// 2026/03/04, 2026.03.04, 2026年3月4日 and 2026년 3월 4일. One-digit months count only with the words:
// 2026.3.4 is a version more often than a day.
func day(title []byte) string {
	for i := 0; i+8 <= len(title); i++ {
		if !isDigit(title[i]) || (i > 0 && isAlnum(title[i-1])) {
			continue
		}
		year, rest, ok := number(title[i:], 4, 4)
		if !ok {
			continue
		}
		if d := numericDay(year, rest); d != "" {
			return d
		}
		if d := wordDay(year, rest); d != "" {
			return d
		}
	}
	return ""
}

func numericDay(year int, rest []byte) string {
	if len(rest) < 6 || (rest[0] != '-' && rest[0] != '/' && rest[0] != '.') || rest[3] != rest[0] {
		return ""
	}
	month, _, okMonth := number(rest[1:3], 2, 2)
	date, tail, okDate := number(rest[4:], 2, 2)
	if !okMonth || !okDate {
		return ""
	}
	if rest[0] == '.' && len(tail) > 1 && tail[0] == '.' && isDigit(tail[1]) {
		return "" // a version with four parts
	}
	return calendarDay(year, month, date)
}

func wordDay(year int, rest []byte) string {
	rest, ok := unit(rest, "年", "년")
	if !ok {
		return ""
	}
	month, rest, ok := number(rest, 1, 2)
	if !ok {
		return ""
	}
	if rest, ok = unit(rest, "月", "월"); !ok {
		return ""
	}
	date, rest, ok := number(rest, 1, 2)
	if !ok {
		return ""
	}
	if _, ok = unit(rest, "日", "일", "号"); !ok {
		return ""
	}
	return calendarDay(year, month, date)
}

// unit cuts one of the words off, with the spaces around it.
func unit(text []byte, words ...string) ([]byte, bool) {
	text = bytes.TrimLeft(text, " ")
	for _, w := range words {
		if bytes.HasPrefix(text, []byte(w)) {
			return bytes.TrimLeft(text[len(w):], " "), true
		}
	}
	return nil, false
}

// number reads a number of shortest to longest digits that no further digit follows.
func number(text []byte, shortest, longest int) (int, []byte, bool) {
	n, v := 0, 0
	for n < len(text) && n <= longest && isDigit(text[n]) {
		v = v*10 + int(text[n]-'0')
		n++
	}
	if n < shortest || n > longest {
		return 0, nil, false
	}
	return v, text[n:], true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// calendarDay returns "" for a day that no calendar has, such as February 30.
func calendarDay(year, month, date int) string {
	t := time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
	if year < 1 || t.Month() != time.Month(month) || t.Day() != date {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, date)
}
