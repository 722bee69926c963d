package health

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/git-claw/git-claw/hooks/secret"
	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/unseen"
)

// hiddenFamily looks for text that a model reads and a person does not see: memory
// that somebody poisoned. It is shown and never taken out, for only a person knows
// what was meant.
func hiddenFamily() Family {
	scanner := sync.OnceValue(secret.New)
	return Family{
		Name: "hidden",
		Checks: []Check{
			{
				ID: "TXT-001", Severity: Warning, Rule: "GN-25", Meaning: "no invisible characters, and none that show a line in another order",
				Fix: "read the line as it is shown here, and take out the characters that you did not mean",
			},
			{
				ID: "TXT-002", Severity: Warning, Rule: "GN-25", Meaning: "no instructions in comments, no encoded text, no elements that are not shown",
				Fix: "read what is shown here; take it out, or write it where everybody sees it",
			},
			{
				ID: "TXT-003", Severity: Warning, Rule: "GN-25", Meaning: "no links and elements that run a script",
				Fix: "take it out, or link to the page itself",
			},
		},
		Look: Over(isAnyFile, func(_ *Run, n *Note, out *Out) struct{} {
			p := &peek{n: n, scanner: scanner}
			p.unseen(out)
			if isMarkdown(n.Path) {
				p.concealed(out)
			}
			return struct{}{}
		}, nil),
	}
}

// peek shows pieces of a note: secrets masked, everything visible.
type peek struct {
	n       *Note
	scanner func() *secret.Scanner
	masked  [][]byte
	fences  []bool // of each line, comments not looked into; nil: those of the note
}

// line is a line without secrets.
func (p *peek) line(number int) []byte {
	if p.masked == nil {
		p.masked = Lines(p.scanner().Mask(p.n.Text))
	}
	if number >= 1 && number <= len(p.masked) {
		return p.masked[number-1]
	}
	return nil
}

// around shows a line near one of its bytes.
func (p *peek) around(number, at int) string {
	const before = 40
	if at < before {
		return show(p.from(number, 0))
	}
	line := p.from(number, at-before)
	for len(line) > 0 && !utf8.RuneStart(line[0]) {
		line = line[1:]
	}
	return "…" + show(line)
}

// from is a line without secrets from a byte on; all of it where secrets were masked.
func (p *peek) from(number, at int) []byte {
	line := p.line(number)
	if len(line) != len(p.n.Line(number)) {
		return line
	}
	return line[at:]
}

// decoded shows a text that was written in other characters.
func (p *peek) decoded(text []byte) string { return show(p.scanner().Mask(text)) }

// show makes a text one line that hides nothing, and not a long one.
func show(text []byte) string {
	const most = 160
	if len(text) > 8*most {
		text = text[:8*most]
	}
	s := []rune(unseen.Escape(string(bytes.Join(bytes.Fields(text), []byte{' '}))))
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}

func (p *peek) fenced(number int) bool {
	if p.fences == nil {
		return p.n.Fenced(number)
	}
	return p.fences[number-1]
}

// unseen looks for characters that are not seen. A file with a NUL is no text.
func (p *peek) unseen(out *Out) {
	if !unseen.Suspect(p.n.Text) || bytes.IndexByte(p.n.Text, 0) >= 0 {
		return
	}
	for i, line := range p.n.Lines() {
		s := unseen.Look(line)
		if s.Count == 0 || !utf8.Valid(line) && !isMarkdown(p.n.Path) {
			continue
		}
		f := Finding{ID: "TXT-001", Path: p.n.Path, Line: i + 1, Expected: "characters that everybody sees", Severity: Info, Actual: p.around(i+1, s.At)}
		if s.Grave {
			f.Severity = Warning
		}
		switch {
		case s.Reorders:
			f.Message = "it is shown in another order than it stands: " + s.Names()
		case s.Text != "":
			f.Message = fmt.Sprintf("%d invisible characters hold a text: %s", s.Count, s.Names())
			f.Actual = p.decoded([]byte(s.Text))
		case s.Count == 1:
			f.Message = "an invisible character: " + s.Names()
		default:
			f.Message = fmt.Sprintf("%d invisible characters: %s", s.Count, s.Names())
		}
		out.Add(f)
	}
}

// concealed looks at what Markdown does not show.
func (p *peek) concealed(out *Out) {
	for _, c := range p.comments() {
		p.comment(c, out)
	}
	for i, line := range p.n.Lines() {
		number := i + 1
		tag := bytes.IndexByte(line, '<') >= 0
		link := bytes.Contains(line, []byte("](")) || bytes.Contains(line, []byte("]:"))
		uri := hasData(line)
		far := len(line) > farRight && bytes.Contains(line, wideGap())
		if !tag && !link && !uri && !far || p.fenced(number) {
			continue
		}
		if link {
			p.aside(number, line, out)
		}
		if tag {
			p.element(number, line, out)
		}
		if tag || link {
			p.script(number, line, out)
		}
		if uri {
			p.dataURIs(number, line, out)
		}
		if far {
			p.far(number, line, out)
		}
	}
}

// comment is an HTML comment.
type comment struct {
	from, to int // lines
	at       int // byte of the first one
	text     []byte
	open     bool // it has no end, so that it hides all that follows
}

var (
	commentStart = []byte("<!--")
	commentEnd   = []byte("-->")
)

// comments lists the HTML comments outside of fences and code spans. What looks like
// a fence within one is part of it.
func (p *peek) comments() []comment {
	if !bytes.Contains(p.n.Text, commentStart) {
		return nil
	}
	lines := p.n.Lines()
	p.fences = make([]bool, len(lines))
	var fences doc.Fences
	var out []comment
	plain := 0 // up to this line nothing ends a comment within a paragraph
	for i := 0; i < len(lines); i++ {
		if p.fences[i] = fences.Next(lines[i]); p.fences[i] {
			continue
		}
		for at := 0; ; {
			k := bytes.Index(lines[i][at:], commentStart)
			if k < 0 {
				break
			}
			at += k
			if inSpan(lines[i], at) {
				at += len(commentStart)
				continue
			}
			block := at < 4 && len(bytes.TrimLeft(lines[i][:at], " ")) == 0
			if !block && i < plain {
				break
			}
			c, end := commentAt(lines, i, at, block)
			if end < 0 { // no comment: nothing ends it
				plain = c.to
				break
			}
			out = append(out, c)
			i, at = c.to-1, end
		}
	}
	return out
}

// commentAt reads the comment that begins at a byte of a line, and returns the byte of
// its last line behind it, -1 where there is none. A block, which begins its line, goes
// on to the end of the file where nothing ends it, others not over an empty line.
func commentAt(lines [][]byte, i, at int, block bool) (comment, int) {
	c := comment{from: i + 1, at: at}
	from := at + len(commentStart)
	for k := i; k < len(lines) && (block || k == i || len(bytes.TrimSpace(lines[k])) > 0); k++ {
		text, _, ended := bytes.Cut(lines[k][from:], commentEnd)
		c.text = append(append(c.text, text...), '\n')
		c.to = k + 1
		if ended {
			return c, from + len(text) + len(commentEnd)
		}
		from = 0
	}
	if c.open = block; block {
		return c, len(lines[c.to-1])
	}
	return c, -1
}

// inSpan reports whether a byte of a line lies in a code span, which is not very long.
func inSpan(line []byte, at int) bool {
	const most = 2 << 10
	return bytes.Count(line[max(0, at-most):at], []byte{'`'})%2 == 1 && bytes.IndexByte(line[at:min(len(line), at+most)], '`') >= 0
}

// comment judges what a comment says.
func (p *peek) comment(c comment, out *Out) {
	f := Finding{ID: "TXT-002", Path: p.n.Path, Line: c.from, EndLine: c.to, Expected: "a note that a person reads too"}
	severity, what := judgeHidden(c.text)
	_, rest, _ := bytes.Cut(c.text, []byte{'\n'})
	switch {
	case what != "":
		f.Severity, f.Message = severity, "a comment "+what
	case c.open && len(bytes.TrimSpace(rest)) > 0:
		f.Severity, f.Message = Warning, fmt.Sprintf("a comment that does not end hides the rest of the file, %d lines", c.to-c.from+1)
	default:
		return
	}
	f.Actual = p.lines(c)
	out.Add(f)
}

// lines shows the lines of a comment from its beginning.
func (p *peek) lines(c comment) string {
	const most = 2 << 10
	text := bytes.Clone(head(p.from(c.from, c.at), most))
	for k := c.from + 1; k <= c.to && len(text) < most; k++ {
		text = append(append(text, ' '), head(p.line(k), most)...)
	}
	return show(text)
}

func head(b []byte, n int) []byte { return b[:min(len(b), n)] }

// aside looks at a comment in the form of a link's address: `[//]: # (text)`.
func (p *peek) aside(number int, line []byte, out *Out) {
	t := bytes.TrimLeft(line, " ")
	_, rest, ok := bytes.Cut(t, []byte("]:"))
	if len(t) == 0 || t[0] != '[' || !ok {
		return
	}
	rest = bytes.TrimSpace(rest)
	if !bytes.HasPrefix(rest, []byte("#")) && !bytes.HasPrefix(rest, []byte("<>")) {
		return
	}
	if severity, what := judgeHidden(rest); what != "" {
		out.Add(Finding{
			ID: "TXT-002", Path: p.n.Path, Line: number, Severity: severity, Message: "a comment " + what,
			Expected: "a note that a person reads too", Actual: p.around(number, 0),
		})
	}
}

// farRight is how many blanks move a text out of sight.
const farRight = 160

var wideGap = sync.OnceValue(func() []byte { return []byte(strings.Repeat(" ", farRight)) })

// far looks for text behind so many blanks that it stands beside the screen; in the
// cells of a table it does not.
func (p *peek) far(number int, line []byte, out *Out) {
	i := bytes.Index(line, wideGap())
	behind := bytes.TrimSpace(line[i:])
	if len(behind) == 0 || bytes.IndexByte(line, '|') >= 0 || len(bytes.TrimSpace(line[:i])) == 0 && behind[0] == '<' {
		return
	}
	actual := bytes.TrimSpace(p.line(number))
	if k := bytes.Index(actual, wideGap()); k >= 0 {
		actual = actual[k:]
	}
	out.Add(Finding{
		ID: "TXT-002", Path: p.n.Path, Line: number, Message: fmt.Sprintf("text far to the right, behind %d blanks", len(line[i:])-len(bytes.TrimLeft(line[i:], " "))),
		Expected: "text in sight", Actual: show(actual),
	})
}
