package section

import (
	"strconv"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// HostPromoted begins the heading of what OpenClaw's nightly job adds to MEMORY.md; what
// others add stands above it.
const HostPromoted = "Promoted From Short-Term Memory"

// None is the index of no heading.
const None = -1

// Anchor is the anchor of heading i of a note: where a title is there twice, the second
// has `-1` behind it.
func Anchor(d *doc.Doc, i int) string {
	slug := doc.Slug(d.Entries[i].Title())
	n := 0
	for j := range i {
		if d.Entries[j].Kind == doc.Heading && doc.Slug(d.Entries[j].Title()) == slug {
			n++
		}
	}
	if n > 0 {
		slug += "-" + strconv.Itoa(n)
	}
	return slug
}

// ByAnchor finds a heading by its anchor, None when there is no such heading.
func ByAnchor(d *doc.Doc, anchor string) int {
	for i := range d.Entries {
		if d.Entries[i].Kind == doc.Heading && strings.EqualFold(Anchor(d, i), anchor) {
			return i
		}
	}
	return None
}

// ByTitle finds the first heading that has one of the titles, in the order of the titles.
// Case, marks such as emoji and the stop at the end do not matter.
func ByTitle(d *doc.Doc, titles ...string) int {
	for _, want := range titles {
		for i := range d.Entries {
			if d.Entries[i].Kind == doc.Heading && plain(d.Entries[i].Title()) == plain(want) {
				return i
			}
		}
	}
	return None
}

func plain(title string) string {
	return strings.Trim(doc.Slug(doc.Normalise(title)), "-")
}

// End is where the own text of the section of heading i ends: before the next heading.
func End(d *doc.Doc, i int) int {
	for j := i + 1; j < len(d.Entries); j++ {
		if d.Entries[j].Kind == doc.Heading {
			return d.Entries[j].Start
		}
	}
	return len(d.Src)
}

// Body is the own text of the section of heading i.
func Body(d *doc.Doc, i int) []byte {
	return d.Src[d.Entries[i].End:End(d, i)]
}

// Add puts lines behind the own text of the section of heading i.
func Add(d *doc.Doc, i int, lines []string) []byte {
	return doc.InsertLines(d.Src, End(d, i), lines)
}

// Replace puts lines in the place of the own text of the section of heading i. Sections
// below it stay.
func Replace(d *doc.Doc, i int, lines []string) []byte {
	head, end := d.Entries[i].End, End(d, i)
	if end == len(d.Src) {
		return doc.InsertLines(d.Src[:head], head, lines)
	}
	// The blank lines before the next heading stay.
	text := doc.Cut(d.Src, head, lastText(d, i))
	return doc.InsertLines(text, head, lines)
}

// lastText is where the last line of the own text of a section ends, blank lines behind it
// left out.
func lastText(d *doc.Doc, i int) int {
	at := d.Entries[i].End
	for j := i + 1; j < len(d.Entries) && d.Entries[j].Kind != doc.Heading; j++ {
		at = d.Entries[j].End
	}
	return at
}

// New adds a section `## title` with lines at the end of a note, above what a host
// promoted there, and returns the anchor of its heading.
func New(src []byte, title string, lines []string) (text []byte, anchor string) {
	d := doc.Parse(src)
	at := len(src)
	for _, e := range d.Entries {
		if e.Kind == doc.Heading && strings.HasPrefix(e.Title(), HostPromoted) {
			at = e.Start
			break
		}
	}
	text = doc.InsertLines(src, at, append([]string{"## " + title, ""}, lines...))
	before := headings(doc.Parse(src[:at]))
	d = doc.Parse(text)
	for i := range d.Entries {
		if d.Entries[i].Kind != doc.Heading {
			continue
		}
		if before == 0 {
			return text, Anchor(d, i)
		}
		before--
	}
	return text, doc.Slug(title)
}

func headings(d *doc.Doc) int {
	n := 0
	for i := range d.Entries {
		if d.Entries[i].Kind == doc.Heading {
			n++
		}
	}
	return n
}
