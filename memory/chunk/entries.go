package chunk

import "github.com/git-claw/git-claw/memory/doc"

// section is a part of a file that is cut on its own, from an offset to that of the next one.
type section struct {
	start int
	skip  bool // a heading: its text is in the path of what follows
}

// sections cuts a file into its top-level entries: a bullet with all that is nested in it, a paragraph,
// a fence. A heading that nothing follows is one as well, or nothing would find it.
func (s *source) sections() []section {
	out := []section{{start: 0}}
	entries := s.doc.Entries
	for i := range entries {
		e := &entries[i]
		switch {
		case i == 0:
			out[0].skip = e.Kind == doc.Heading && !isBare(entries, i)
		case e.Kind == doc.Heading:
			out = append(out, section{e.Start, !isBare(entries, i)})
		case e.Kind == doc.Comment && entries[i-1].Kind == doc.Heading:
			// The last comment of a file belongs to the bare heading before it.
		case e.Level == 0 || out[len(out)-1].skip || entries[i-1].Kind == doc.Heading:
			out = append(out, section{e.Start, false})
		}
	}
	return out
}

// isBare reports whether nothing stands under heading i, no deeper heading either.
func isBare(entries []doc.Entry, i int) bool {
	if i+1 == len(entries) {
		return true
	}
	next := &entries[i+1]
	return next.Kind == doc.Comment || (next.Kind == doc.Heading && next.Level <= entries[i].Level)
}
