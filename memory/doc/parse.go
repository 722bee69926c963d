package doc

import (
	"bytes"
	"sort"
)

// Kind says what an entry is.
type Kind uint8

// The kinds of entry. A thematic break, a table, a quote, indented code and HTML are paragraphs; a
// Comment is an HTML comment that no entry follows.
const (
	Paragraph Kind = iota
	Heading
	Item
	Fence
	Comment
	Frontmatter
)

var kindNames = [...]string{"paragraph", "heading", "item", "fence", "comment", "frontmatter"}

func (k Kind) String() string { return kindNames[k] }

// Entry is one entry of a Doc. Src[Start:End] is the entry with the terminator of its last line,
// Src[End:Next] the blank lines behind it.
type Entry struct {
	Kind  Kind
	Level int // heading: 1 to 6; list item and what stands inside one: depth of nesting from 0
	Line  int // first line, from 1
	// EndLine is the last line, inclusive; blank lines behind the entry do not count.
	EndLine          int
	Start, End, Next int // byte offsets
	// Own and OwnLine are where the entry itself begins, behind the comment lines before it.
	Own, OwnLine int

	section int // index of the heading the entry stands under, -1 for none
	doc     *Doc
}

// Text returns the bytes of the entry, comment lines before it included, without the terminator of
// its last line.
func (e *Entry) Text() []byte {
	return trimEOL(e.doc.Src[e.Start:e.End])
}

// OwnText returns the entry without the comment lines before it.
func (e *Entry) OwnText() []byte {
	return trimEOL(e.doc.Src[e.Own:e.End])
}

// Path returns the titles of the headings the entry stands under, outermost first.
func (e *Entry) Path() []string {
	var path []string
	for s := e.section; s >= 0; s = e.doc.Entries[s].section {
		path = append(path, e.doc.Entries[s].Title())
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

// Title returns the text of a heading without its marks and "" for any other entry.
func (e *Entry) Title() string {
	if e.Kind != Heading {
		return ""
	}
	lines := bytes.Split(e.Text(), []byte("\n"))
	last := len(lines) - 1
	if _, text := indentOf(lines[last]); headingLevel(text) > 0 {
		text = bytes.TrimLeft(trimRight(text), "#")
		if cut := bytes.TrimRight(text, "#"); len(cut) == 0 || cut[len(cut)-1] == ' ' || cut[len(cut)-1] == '\t' {
			text = cut
		}
		return string(bytes.TrimSpace(text))
	}
	return string(bytes.TrimSpace(lines[max(0, last-1)]))
}

// Doc is a text cut into entries. Src[:Lead] is a byte order mark and the blank lines before the
// first entry; from there on the entries follow each other without a gap, so that Src[:Lead] and all
// Src[e.Start:e.Next] together are Src.
type Doc struct {
	Src     []byte
	Lead    int
	Entries []Entry
}

// At returns the entry that holds a line (from 1), or that the blank line stands behind; nil for the
// lines before the first entry.
func (d *Doc) At(line int) *Entry {
	i := sort.Search(len(d.Entries), func(i int) bool { return d.Entries[i].Line > line })
	if i == 0 {
		return nil
	}
	return &d.Entries[i-1]
}

var bom = []byte("\xef\xbb\xbf")

// Parse cuts src into entries. It keeps src and never changes it; no input is an error.
func Parse(src []byte) *Doc {
	p := &parser{doc: &Doc{Src: src}, lastClose: bytes.LastIndex(src, []byte("-->"))}
	from := 0
	if bytes.HasPrefix(src, bom) {
		from = len(bom)
	}
	p.split(from)
	line := p.skipBlank(0)
	p.doc.Lead = p.starts[line]
	if end := p.frontmatter(line); end > line {
		p.own = line
		line = p.add(Frontmatter, 0, line, end)
	}
	for line < p.count() {
		line = p.entry(line)
	}
	return p.doc
}

type parser struct {
	doc       *Doc
	starts    []int // offset of each line, and of the end
	items     []int // content offsets of the open list items, outermost first
	sections  []int // indices of the open headings
	lastClose int   // offset of the last comment end, -1 for none
	own       int   // first line of the current entry that is no comment before it
}

func (p *parser) split(from int) {
	src := p.doc.Src
	for at := from; at < len(src); {
		p.starts = append(p.starts, at)
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	p.starts = append(p.starts, len(src))
}

func (p *parser) count() int { return len(p.starts) - 1 }

// line returns line i without its terminator.
func (p *parser) line(i int) []byte {
	return trimEOL(p.doc.Src[p.starts[i]:p.starts[i+1]])
}

func (p *parser) skipBlank(i int) int {
	for i < p.count() && isBlank(p.line(i)) {
		i++
	}
	return i
}

// add appends the entry of lines [from, end) and returns the first line behind its blank lines.
func (p *parser) add(kind Kind, level, from, end int) int {
	next := p.skipBlank(end)
	section := -1
	if kind == Heading {
		for n := len(p.sections); n > 0 && p.doc.Entries[p.sections[n-1]].Level >= level; n-- {
			p.sections = p.sections[:n-1]
		}
	}
	if n := len(p.sections); n > 0 {
		section = p.sections[n-1]
	}
	if kind == Heading {
		p.sections = append(p.sections, len(p.doc.Entries))
	}
	p.doc.Entries = append(p.doc.Entries, Entry{
		Kind: kind, Level: level, Line: from + 1, EndLine: end,
		Start: p.starts[from], End: p.starts[end], Next: p.starts[next],
		Own: p.starts[p.own], OwnLine: p.own + 1,
		section: section, doc: p.doc,
	})
	return next
}

// frontmatter returns the line behind a frontmatter block that opens at line i, or i.
func (p *parser) frontmatter(i int) int {
	from, to := Front(p.doc.Src)
	if from == to || i >= p.count() || from != p.starts[i] {
		return i
	}
	return sort.SearchInts(p.starts, to)
}

// entry adds the entry that starts at line i, which is not blank, and returns the next one.
func (p *parser) entry(i int) int {
	from := i
	for i < p.count() {
		end := p.commentEnd(i)
		if end == i {
			break
		}
		next := p.skipBlank(end)
		if next == p.count() {
			p.own = from
			return p.add(Comment, 0, from, end)
		}
		i = next
	}
	p.own = i
	indent, text := indentOf(p.line(i))
	if fence, ok := fenceOpen(indent, text); ok && p.blockIndent(indent) {
		p.leaveItems(indent)
		return p.add(Fence, len(p.items), from, p.fenceEnd(i+1, fence))
	}
	if level := headingLevel(text); level > 0 && indent < tabStop {
		p.items = p.items[:0]
		return p.add(Heading, level, from, i+1)
	}
	if isBreak(text) && indent < tabStop {
		p.items = p.items[:0]
		return p.add(Paragraph, 0, from, i+1)
	}
	if item, ok := itemOpen(indent, text); ok && p.blockIndent(indent) {
		p.leaveItems(indent)
		level := len(p.items)
		p.items = append(p.items, item.offset)
		return p.add(Item, level, from, p.itemEnd(i, item))
	}
	p.leaveItems(indent)
	kind, level, end := p.paragraphEnd(i)
	return p.add(kind, level, from, end)
}

// blockIndent reports whether a block mark at this indent counts: four columns and more make it code,
// but inside a list people indent as they like.
func (p *parser) blockIndent(indent int) bool { return indent < tabStop || len(p.items) > 0 }

func (p *parser) leaveItems(indent int) {
	for n := len(p.items); n > 0 && p.items[n-1] > indent; n-- {
		p.items = p.items[:n-1]
	}
}

// commentEnd returns the line behind the HTML comment that opens line i, or i when line i is not a
// comment. A comment that never closes is text.
func (p *parser) commentEnd(i int) int {
	indent, text := indentOf(p.line(i))
	if !p.blockIndent(indent) {
		return i
	}
	for bytes.HasPrefix(text, []byte("<!--")) {
		end := bytes.Index(text[4:], []byte("-->"))
		if end < 0 {
			return p.commentTail(i)
		}
		text = bytes.TrimLeft(text[4+end+3:], " \t")
		if len(trimRight(text)) == 0 {
			return i + 1
		}
	}
	return i
}

func (p *parser) commentTail(i int) int {
	if p.starts[i+1] > p.lastClose {
		return i
	}
	at := p.starts[i+1]
	at += bytes.Index(p.doc.Src[at:], []byte("-->"))
	return sort.SearchInts(p.starts, at+1)
}

// fenceEnd returns the line behind the fence whose content starts at line i.
func (p *parser) fenceEnd(i int, fence fenceMark) int {
	for ; i < p.count(); i++ {
		if fence.closedBy(p.line(i)) {
			return i + 1
		}
	}
	return i
}

// opens reports whether line i starts an entry of its own although text stands right before it.
// Fences are the caller's to judge.
func (p *parser) opens(i int) bool {
	indent, text := indentOf(p.line(i))
	if p.commentEnd(i) > i {
		return true
	}
	if indent < tabStop && (headingLevel(text) > 0 || isBreak(text)) {
		return true
	}
	item, ok := itemOpen(indent, text)
	return ok && p.blockIndent(indent) && (len(p.items) > 0 || (item.first && len(item.content) > 0))
}

// paragraphEnd returns kind, level and end of the paragraph, or setext heading, of line i.
func (p *parser) paragraphEnd(i int) (Kind, int, int) {
	depth := len(p.items)
	for j := i + 1; j < p.count(); j++ {
		indent, text := indentOf(p.line(j))
		if isBlank(text) {
			return Paragraph, depth, j
		}
		if level := underlineLevel(text); level > 0 && indent < tabStop && depth == 0 {
			return Heading, level, j + 1
		}
		if _, ok := fenceOpen(indent, text); (ok && p.blockIndent(indent)) || p.opens(j) {
			return Paragraph, depth, j
		}
	}
	return Paragraph, depth, p.count()
}

// itemEnd returns the line behind the list item of line i: its lazy continuation, and after a blank
// line or a fence whatever is indented to its content.
func (p *parser) itemEnd(i int, item itemMark) int {
	j := i + 1
	lazy := len(item.content) > 0 // text may go on without indent
	if fence, ok := fenceOpen(item.offset, item.content); ok {
		j, lazy = p.fenceEnd(j, fence), false
	}
	for j < p.count() {
		at := p.skipBlank(j)
		if at == p.count() {
			return j
		}
		indent, text := indentOf(p.line(at))
		inside := indent >= item.offset
		if p.opens(at) || (!inside && (at > j || !lazy)) {
			return j
		}
		if fence, ok := fenceOpen(indent, text); ok {
			if !inside {
				return j
			}
			j, lazy = p.fenceEnd(at+1, fence), false
			continue
		}
		j, lazy = at+1, true
	}
	return j
}
