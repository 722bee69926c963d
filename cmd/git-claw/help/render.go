package help

import (
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"

	"github.com/git-claw/git-claw/cmd/git-claw/term"
)

const (
	indent   = "    "
	maxWidth = 80 // longer lines are hard to read
)

// Render is the page for a terminal of so many columns.
func (p *Page) Render(columns int, style term.Style) string {
	width := min(columns, maxWidth)
	var out strings.Builder
	for i, b := range p.blocks {
		if i > 0 && !(b.kind == item && p.blocks[i-1].kind == item) {
			out.WriteByte('\n')
		}
		switch b.kind {
		case heading:
			fmt.Fprintln(&out, style.Bold(b.text))
		case paragraph:
			fill(&out, b.text, indent, indent, width, style)
		case item:
			fill(&out, b.text, indent+"- ", indent+"  ", width, style)
		case code:
			for line := range strings.SplitSeq(b.text, "\n") {
				fmt.Fprintln(&out, strings.TrimRight(indent+indent+line, " "))
			}
		case definition:
			define(&out, b, width, style)
		}
	}
	return out.String()
}

// define writes a term and what it means; a short term shares the line.
func define(out *strings.Builder, b block, width int, style term.Style) {
	first := indent + indent
	if name := plain(b.text); len(name) < len(indent) {
		first = indent + style.Bold(name) + indent[len(name):]
	} else {
		fill(out, b.text, indent, indent, width, style)
	}
	for j, par := range b.body {
		if j > 0 {
			out.WriteByte('\n')
		}
		fill(out, par, first, indent+indent, width, style)
		first = indent + indent
	}
}

// fill writes a paragraph in lines.
func fill(out *strings.Builder, text, first, next string, width int, style term.Style) {
	prefix := first
	unmarked := func(word string) int { return term.Width(plain(word)) }
	for _, line := range term.Wrap(protect(text), width-len(next), unmarked) {
		fmt.Fprintln(out, prefix+mark(line, style))
		prefix = next
	}
}

// noBreak holds code together while a paragraph is wrapped.
const noBreak = "\x00"

func protect(text string) string {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		// No page holds a NUL.
		parts[i] = strings.ReplaceAll(parts[i], " ", noBreak)
	}
	return strings.Join(parts, "`")
}

// mark shows code in bold.
func mark(line string, style term.Style) string {
	parts := strings.Split(line, "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = style.Bold(strings.ReplaceAll(parts[i], noBreak, " "))
	}
	return strings.Join(parts, "")
}

// Usage is the short form for -h: the synopsis, and each option with the first
// sentence about it.
func (p *Page) Usage(columns int, style term.Style) string {
	width := min(columns, maxWidth)
	var out strings.Builder
	prefix := "usage: "
	for _, line := range p.Synopsis() {
		fmt.Fprintf(&out, "%s%s\n", prefix, line)
		prefix = "   or: "
	}
	if len(p.Options()) > 0 {
		out.WriteByte('\n')
	}
	for _, b := range p.blocks {
		if b.kind != definition || !strings.HasPrefix(b.text, "`-") {
			continue
		}
		fill(&out, b.text, indent, indent, width, style)
		sentence, _, _ := strings.Cut(b.body[0]+" ", ". ")
		fill(&out, strings.TrimSuffix(sentence, "."), indent+indent, indent+indent, width, style)
	}
	fmt.Fprintf(&out, "\nThe whole page: git %s --help\n", strings.Replace(p.Name[len("git-"):], "-", " ", 1))
	return out.String()
}

// Man is the page in roff.
func (p *Page) Man(version string) []byte {
	title := fmt.Sprintf("%% %q \"1\" \"\" %q %q\n\n", strings.ToUpper(p.Name), "git claw "+version, "git claw manual")
	return md2man.Render([]byte(title + p.source))
}
