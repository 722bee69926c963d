package doc

import (
	"bytes"
	"slices"
	"strings"
)

// AppendLines puts lines behind the last line of a text that is not blank, see InsertLines.
func AppendLines(text []byte, lines []string) []byte { return InsertLines(text, len(text), lines) }

// InsertLines puts lines before offset at, which is the beginning of a line or the end: behind the last
// line there that is not blank, with blank lines where two entries would otherwise run into each
// other. A code fence that is open there is closed first. Line ends are those of the text, and no
// byte of it changes.
func InsertLines(text []byte, at int, lines []string) []byte {
	eol := EOL(text)
	before := text[:at]
	at = len(bytes.TrimRight(before, " \t\r\n\v\f"))
	if n := bytes.IndexByte(text[at:], '\n'); at > 0 && n >= 0 {
		at += n + 1
	} else if at > 0 {
		at = len(text)
	}
	before, after := text[:at], text[at:]
	out := make([]byte, 0, len(text)+len(lines)*80)
	out = append(out, before...)
	if len(before) > 0 {
		if before[len(before)-1] != '\n' {
			out = append(out, eol...)
		}
		if fence := openFence(out); fence != "" {
			out = append(out, fence+eol...)
		}
		if !continuesList(out, lines[0]) {
			out = append(out, eol...)
		}
	}
	for _, l := range lines {
		out = append(out, l+eol...)
	}
	if first, _, _ := bytes.Cut(after, []byte{'\n'}); len(after) > 0 && len(bytes.TrimSpace(first)) > 0 {
		out = append(out, eol...)
	}
	return append(out, after...)
}

// continuesList reports whether line is a list item behind another one.
func continuesList(before []byte, line string) bool {
	entries := Parse(before).Entries
	next := Parse([]byte(line)).Entries
	return len(entries) > 0 && len(next) > 0 && next[0].Kind == Item && entries[len(entries)-1].Kind == Item
}

// CloseFence closes a code fence that reaches to the end of a text; without one the text
// is returned as it is.
func CloseFence(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	out := text
	if text[len(text)-1] != '\n' {
		out = slices.Concat(text, []byte(EOL(text)))
	}
	if fence := openFence(out); fence != "" {
		return slices.Concat(out, []byte(fence+EOL(text)))
	}
	return text
}

// openFence returns the line that closes a code fence which reaches to the end of a text, or "". What
// is appended would otherwise be code.
func openFence(text []byte) string {
	entries := Parse(text).Entries
	last := len(entries)
	if last == 0 || entriesWith(text, "") > last {
		return ""
	}
	for line := range strings.SplitSeq(string(entries[last-1].Text()), "\n") {
		for _, mark := range []string{"`", "~"} {
			from := strings.Index(line, strings.Repeat(mark, 3))
			if from < 0 {
				continue
			}
			run := line[from:]
			closing := strings.Repeat(" ", from) + run[:len(run)-len(strings.TrimLeft(run, mark))]
			if entriesWith(text, closing+"\n") > last {
				return closing
			}
		}
	}
	return ""
}

// entriesWith counts the entries of a text that goes on with more and, after a blank line, a
// paragraph.
func entriesWith(text []byte, more string) int {
	return len(Parse(slices.Concat(text, []byte(more+"\nx\n"))).Entries)
}

// Cut returns a text without src[from:to].
func Cut(src []byte, from, to int) []byte { return Replace(src, from, to, "") }

// Replace returns a text with other bytes in place of src[from:to]. It never writes into src.
func Replace(src []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(src)+len(text)-(to-from))
	out = append(out, src[:from]...)
	out = append(out, text...)
	return append(out, src[to:]...)
}
