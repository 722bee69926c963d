package chunk

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/doc"
)

// maxTitle is how many bytes of a heading its path keeps. A path is stored with every chunk below it,
// and nothing stops a line of megabytes from being a heading.
const maxTitle = 200

// outline is the headings of a file.
type outline struct {
	heads []head
	cur   int // the heading whose path is kept in path, -1 for none
	path  []string
}

type head struct {
	entry      *doc.Entry
	start, end int // byte range of the heading's lines, comments before it included
	next       int // offset of the first line behind it that is not blank
	level      int
	parent     int // index of the heading above it, -1 for none
	known      bool
	title      string
	date       string
}

func newOutline(d *doc.Doc) *outline {
	o := &outline{cur: -1}
	var open []int
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Kind != doc.Heading {
			continue
		}
		for len(open) > 0 && o.heads[open[len(open)-1]].level >= e.Level {
			open = open[:len(open)-1]
		}
		parent := -1
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		open = append(open, len(o.heads))
		o.heads = append(o.heads, head{entry: e, start: e.Start, end: e.End, next: e.Next, level: e.Level, parent: parent})
	}
	return o
}

// load reads title and date of a heading; most headings of a long log are never asked for.
func (o *outline) load(i int) *head {
	h := &o.heads[i]
	if !h.known {
		title := []byte(h.entry.Title())
		h.title, h.date, h.known = shorten(clean(title, 0, len(title), annotations(title))), day(title), true
	}
	return h
}

func (o *outline) name(i int) string { return o.load(i).title }

// shorten returns the first maxTitle bytes of a title, whole characters.
func shorten(title []byte) string {
	title = bytes.Trim(title, white)
	if len(title) > maxTitle {
		n := maxTitle
		for !utf8.RuneStart(title[n]) {
			n--
		}
		title = bytes.TrimRight(title[:n], white)
	}
	return string(title)
}

// title returns the first title that is not empty.
func (o *outline) title() string {
	for i := range o.heads {
		if t := o.name(i); t != "" {
			return t
		}
	}
	return ""
}

// last returns the index of the last heading that starts at or before an offset, or -1.
func (o *outline) last(at int) int {
	return sort.Search(len(o.heads), func(i int) bool { return o.heads[i].start > at }) - 1
}

// at returns the heading path in force at the start of a chunk, and the day it belongs to: that of the
// innermost heading in force at the chunk's first line of text that names one. A heading beside the
// path, one of an earlier section, says nothing about this one.
func (o *outline) at(start, end int) ([]string, string) {
	i := o.last(start)
	if i != o.cur {
		o.cur, o.path = i, nil
		for h := i; h >= 0; h = o.heads[h].parent {
			if t := o.name(h); t != "" {
				o.path = append(o.path, t)
			}
		}
		slices.Reverse(o.path)
		o.path = slices.Clip(o.path)
	}
	for i >= 0 && start < o.heads[i].end && o.heads[i].next < end {
		start = o.heads[i].next
		i = o.last(start)
	}
	for ; i >= 0; i = o.heads[i].parent {
		if d := o.load(i).date; d != "" {
			return o.path, d
		}
	}
	return o.path, ""
}
