package agent

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// The functions of this file are how text is put into a file of the user's: by
// inserting whole lines, and changing no byte of the others.

// said cuts what was said into lines: line ends as LF, blank lines around it
// gone, no line changed but for white space at the end of the text.
func said(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(strings.TrimRight(text, " \t\n"), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// asEntry makes one plain line a list item; Markdown of its own and several
// lines stay as they are.
func asEntry(lines []string) []string {
	if len(lines) != 1 {
		return lines
	}
	line := strings.TrimSpace(lines[0])
	if e := doc.Parse([]byte(line)).Entries; len(e) != 1 || e[0].Kind != doc.Paragraph || strings.ContainsAny(line[:1], "|>") {
		return []string{line}
	}
	return []string{"- " + line}
}

// asItems makes every line that is not blank a list item.
func asItems(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		switch {
		case l == "":
		case strings.HasPrefix(l, "- "), strings.HasPrefix(l, "* "), strings.HasPrefix(l, "+ "):
			out = append(out, "- "+strings.TrimSpace(l[2:]))
		default:
			out = append(out, "- "+l)
		}
	}
	return out
}

// appendBlock puts lines behind the last line of text that is not blank.
func appendBlock(text []byte, lines []string) []byte { return insertBlock(text, len(text), lines) }

// insertBlock puts lines before offset at, which is the beginning of a line or
// the end: behind the last line there that is not blank, with blank lines where
// two entries would otherwise run into each other. Line ends are those of text.
func insertBlock(text []byte, at int, lines []string) []byte {
	eol := doc.EOL(text)
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
	entries := doc.Parse(before).Entries
	next := doc.Parse([]byte(line)).Entries
	return len(entries) > 0 && len(next) > 0 && next[0].Kind == doc.Item && entries[len(entries)-1].Kind == doc.Item
}

// openFence returns the line that closes a code fence which reaches to the end of
// a text, or "". What is appended would otherwise be code.
func openFence(text []byte) string {
	last := len(doc.Parse(text).Entries)
	if last == 0 || entriesWith(text, "") > last {
		return ""
	}
	e := doc.Parse(text).Entries[last-1]
	for line := range strings.SplitSeq(string(e.Text()), "\n") {
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

// entriesWith counts the entries of a text that goes on with more and, after a
// blank line, a paragraph.
func entriesWith(text []byte, more string) int {
	return len(doc.Parse(slices.Concat(text, []byte(more+"\nx\n"))).Entries)
}

// summaryOf is the first line of what was said, without Markdown marks, for a
// subject.
func summaryOf(lines []string) string {
	for _, l := range lines {
		l = strings.TrimLeft(strings.TrimSpace(l), "#->*+ \t")
		if l != "" {
			return l
		}
	}
	return ""
}
