package header

import (
	"bytes"
	"strings"
	"time"

	"github.com/git-claw/git-claw/memory/doc"
)

// Field is a line `name: value` of a header.
type Field struct {
	Value string
	Line  int // from 1

	from, to int // offsets of the value
}

// Day returns the value as a calendar day, YYYY-MM-DD; false when it is none.
func (f Field) Day() (string, bool) {
	_, err := time.Parse(time.DateOnly, f.Value)
	return f.Value, err == nil
}

const (
	verifiedKey = "last_verified:"
	updatedKey  = "last_updated:"
	tagsKey     = "#tags:"
	tagsLine    = 2
)

// HotTitle is the first line of MEMORY.md.
const HotTitle = "# Agent Memory"

// Verified finds the first line `last_verified: …` of a note, plain or as a quote, outside of code
// fences.
func Verified(src []byte) (Field, bool) {
	var fences doc.Fences
	at, number := 0, 0
	for l := range bytes.Lines(src) {
		number++
		if !fences.Next(l) && bytes.Contains(l, []byte(verifiedKey)) {
			if f, ok := fieldOf(l, verifiedKey, at, number); ok {
				return f, true
			}
		}
		at += len(l)
	}
	return Field{}, false
}

// fieldOf reads a line at an offset as the field of a key.
func fieldOf(line []byte, key string, at, number int) (Field, bool) {
	text := strings.TrimRight(string(line), " \t\r\n")
	body := strings.TrimPrefix(text, "\ufeff")
	if quoted, ok := strings.CutPrefix(body, ">"); ok {
		body = strings.TrimLeft(quoted, " ")
	}
	value, ok := strings.CutPrefix(body, key)
	if !ok {
		return Field{}, false
	}
	value = strings.TrimLeft(value, " \t")
	return Field{Value: value, Line: number, from: at + len(text) - len(value), to: at + len(text)}, true
}

// Problem is a header line that is not as it must be.
type Problem struct {
	Line     int // from 1
	Expected string
	Actual   string // "" for none
}

// Hot compares the first four lines of MEMORY.md with SPEC OM-05.
func Hot(src []byte) []Problem {
	lines := make([]string, 0, 4)
	for l := range bytes.Lines(bytes.TrimPrefix(src, []byte("\ufeff"))) {
		if lines = append(lines, strings.TrimRight(string(l), " \t\r\n")); len(lines) == cap(lines) {
			break
		}
	}
	var out []Problem
	day := func(key string) func(string) bool {
		return func(s string) bool {
			f, ok := fieldOf([]byte(s), key, 0, 0)
			_, good := f.Day()
			return ok && good && !strings.HasPrefix(s, ">")
		}
	}
	for i, want := range []struct {
		shown string
		good  func(string) bool
	}{
		{HotTitle, func(s string) bool { return s == HotTitle }},
		{"#tags: <tags>", func(s string) bool { return strings.HasPrefix(s, tagsKey) }},
		{verifiedKey + " YYYY-MM-DD", day(verifiedKey)},
		{updatedKey + " YYYY-MM-DD", day(updatedKey)},
	} {
		if i >= len(lines) {
			out = append(out, Problem{i + 1, want.shown, ""})
		} else if !want.good(lines[i]) {
			out = append(out, Problem{i + 1, want.shown, lines[i]})
		}
	}
	return out
}

// Tags reads the tags on line 2; false when there is no such line there.
func Tags(src []byte) ([]string, bool) {
	number := 0
	for l := range bytes.Lines(src) {
		if number++; number == tagsLine {
			list, ok := strings.CutPrefix(strings.TrimRight(string(l), " \t\r\n"), tagsKey)
			if !ok {
				return nil, false
			}
			return strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" \t,|", r) }), true
		}
	}
	return nil, false
}

// SetVerified writes a day into last_verified. Where there is none it goes to line 3, as a quote.
func SetVerified(src []byte, day string) []byte {
	f, ok := Verified(src)
	if ok {
		return setField(src, f, day)
	}
	at := 0
	for range tagsLine {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			return doc.AppendLines(src, []string{"> " + verifiedKey + " " + day})
		}
		at += n + 1
	}
	return doc.Replace(src, at, at, "> "+verifiedKey+" "+day+doc.EOL(src))
}

// SetUpdated writes a day into last_updated on line 4 of MEMORY.md. Without the header nothing
// changes.
func SetUpdated(src []byte, day string) []byte {
	if _, ok := Tags(src); !ok {
		return src
	}
	at, number := 0, 0
	for l := range bytes.Lines(src) {
		if number++; number == 4 {
			if f, ok := fieldOf(l, updatedKey, at, number); ok {
				return setField(src, f, day)
			}
		}
		at += len(l)
	}
	return src
}

func setField(src []byte, f Field, value string) []byte {
	if src[f.from-1] == ':' {
		value = " " + value
	}
	return doc.Replace(src, f.from, f.to, value)
}
