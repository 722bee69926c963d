package agent

import (
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

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
