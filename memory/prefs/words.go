package prefs

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The largest line, in code points.
const (
	maxContext = 100
	maxSide    = 500
)

// WordsError: words cannot be written as data of one line.
type WordsError struct {
	Part string // "pattern", "preference", "context", ...
	What string // what is wrong with it
}

func (e *WordsError) Error() string { return fmt.Sprintf("the %s %s", e.Part, e.What) }

// ExitCode is git's code for wrong usage.
func (e *WordsError) ExitCode() int { return 129 }

// Check refuses a line that would not stay the one entry that it is: control and
// invisible characters, more than one line, and the marks of comments, in which ids
// stand.
func (l Line) Check() error {
	if !IsContext(l.Context) {
		return &WordsError{"context", "has other characters than a-z, 0-9, '_', '.', '-' in words parted by ':'"}
	}
	if len(l.Context) > maxContext {
		return &WordsError{"context", fmt.Sprintf("has more than %d characters", maxContext)}
	}
	for _, side := range [][2]string{{"pattern", l.Pattern}, {"preference", l.Preference}} {
		if err := CheckWords(side[0], side[1]); err != nil {
			return err
		}
	}
	return nil
}

// CheckWords is Check for one of its sides, or for a field of a reflection.
func CheckWords(part, s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return &WordsError{part, "is empty"}
	case !utf8.ValidString(s):
		return &WordsError{part, "is not UTF-8"}
	case strings.ContainsAny(s, "\r\n"):
		return &WordsError{part, "has more than one line"}
	case strings.Contains(s, "<!--"), strings.Contains(s, "-->"):
		return &WordsError{part, "holds the mark of a comment"}
	case utf8.RuneCountInString(s) > maxSide:
		return &WordsError{part, fmt.Sprintf("has more than %d characters", maxSide)}
	}
	for _, r := range s {
		if unseen(r) {
			return &WordsError{part, fmt.Sprintf("holds a character that cannot be seen, U+%04X", r)}
		}
	}
	return nil
}

// unseen recognises characters that control or hide something. Those that scripts and
// emoji need to join their parts are none.
func unseen(r rune) bool {
	switch {
	case r == '\t', r == 0x200c, r == 0x200d, r == 0xfe0e, r == 0xfe0f:
		return false
	case unicode.IsControl(r), r == unicode.ReplacementChar:
		return true
	case unicode.In(r, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Bidi_Control):
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) || r&0xfffe == 0xfffe
}

// MaxQuote is how much of what somebody said is kept, in code points.
const MaxQuote = 200

// CleanQuote makes somebody's words fit for a line: white space becomes one space,
// what cannot be seen goes, marks of comments are parted, and the rest behind MaxQuote
// is cut.
func CleanQuote(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unseen(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	for _, mark := range [][2]string{{"<!--", "<! --"}, {"-->", "-- >"}} {
		s = strings.ReplaceAll(s, mark[0], mark[1])
	}
	if runes := []rune(s); len(runes) > MaxQuote {
		s = strings.TrimSpace(string(runes[:MaxQuote-1])) + "…"
	}
	return s
}
