package lessons

import (
	"bytes"
	"slices"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
	"github.com/git-claw/git-claw/memory/stamp"
)

// categories are what stands for a name in the heading of a lesson (SPEC LR-07).
var categories = []string{"correction", "insight", "knowledge_gap", "best_practice"}

// maxFields bounds the fields of a block; templates have a dozen.
const maxFields = 200

// block reads a lesson of form (b): the entries [from, to) of the text.
func (f *File) block(d *doc.Doc, from, to int, id, name string) {
	head := &d.Entries[from]
	last := &d.Entries[to-1]
	n := Entry{ID: id, Block: true, Line: head.OwnLine, EndLine: last.EndLine, start: head.Start, end: last.End, src: f.Src}
	n.body = n.end
	if own := last.OwnText(); to > from+1 {
		if at := bytes.LastIndexByte(own, '\n') + 1; isBreak(own[at:]) {
			n.body = last.Own + at
		}
	}
	section, free := "", ""
	for i := from; i < to; i++ {
		e := &d.Entries[i]
		switch e.Kind {
		case doc.Heading:
			if i > from && !setextBreak(e) {
				section = strings.ToLower(e.Title())
				continue
			}
			if i == from {
				n.Pinned = n.Pinned || pinned(e.OwnText())
				continue
			}
		case doc.Fence, doc.Comment, doc.Frontmatter:
			continue
		}
		n.Pinned = n.Pinned || pinned(e.OwnText())
		rest := n.readFields(e)
		if n.Text == "" && section == "summary" {
			n.Text = rest
		}
		if free == "" && e.Kind != doc.Item {
			free = rest
		}
	}
	if l := n.get("logged"); l != nil {
		n.Time, _ = stamp.Loose(l.value)
	}
	if name = strings.TrimSpace(name); n.Text == "" && free == "" && !slices.Contains(categories, strings.ToLower(name)) {
		free = name
	}
	if n.Text == "" {
		n.Text = free
	}
	f.add(n)
}

// readFields takes the fields out of an entry of the text and returns the words of its other lines.
func (n *Entry) readFields(e *doc.Entry) string {
	var rest []string
	at := e.Own
	for l := range bytes.Lines(n.src[e.Own:e.End]) {
		if fd, ok := fieldOf(string(l), at); ok {
			if len(n.fields) < maxFields && n.get(fd.name) == nil {
				n.fields = append(n.fields, fd)
			}
		} else if s := strings.TrimSpace(string(l)); s != "" && !isBreak([]byte(s)) {
			rest = append(rest, s)
		}
		at += len(l)
	}
	return strings.Join(rest, " ")
}

// fieldOf reads `**Name**: value`, `**Name:** value`, `- Name: value` or `- **Name**: value` at an
// offset. A full-width colon counts as well.
func fieldOf(line string, at int) (field, bool) {
	text := strings.TrimRight(line, " \t\r\n")
	body := strings.TrimLeft(text, " \t")
	item := false
	if len(body) > 1 && strings.Contains("-*+", body[:1]) && body[1] == ' ' {
		item = true
		body = strings.TrimLeft(body[1:], " ")
	}
	bold := strings.HasPrefix(body, "**")
	if !item && !bold {
		return field{}, false
	}
	name, value, ok := strings.Cut(body, ":")
	if wide, v, found := strings.Cut(body, "："); found && (!ok || len(wide) < len(name)) {
		name, value, ok = wide, v, true
	}
	if !ok || len(name) > 40 {
		return field{}, false
	}
	if rest, cut := strings.CutPrefix(value, "**"); cut && bold { // **Name:** value
		value = rest
	}
	name = strings.ToLower(strings.TrimSpace(strings.Trim(strings.TrimSpace(name), "*")))
	value = strings.TrimLeft(value, " \t")
	switch name {
	case "":
		return field{}, false
	case "to": // not any line of a list that begins so
		ok = strings.Contains(value, ".md")
	case "seen":
		first, _, _ := strings.Cut(value, ",")
		_, ok = stamp.Loose(strings.TrimSpace(first))
	default:
		ok = true
	}
	return field{name: name, value: value, from: at + len(text) - len(value), to: at + len(text), begin: at, next: at + len(line), item: item}, ok
}
