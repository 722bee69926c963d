package merge

import (
	"bytes"
	"slices"

	"github.com/git-claw/git-claw/memory/doc"
)

// text is one of the three versions, cut into entries: lead and then every entry with its sep are the
// version, byte for byte.
type text struct {
	lead    []byte // byte order mark and blank lines before the first entry
	entries []entry
}

// entry is an entry of one version, or a contradiction with all its versions.
type entry struct {
	kind doc.Kind
	rank int
	raw  []byte // without the last line end; comment lines before it included
	own  int    // where the entry itself begins in raw, behind the comment lines
	sep  []byte // that line end, and the blank lines behind it
	key  int    // of the text in the merger's pool; of a contradiction that of its comment line
	bare int    // key of the text without its indent
	id   string // of a lesson or a preference, or ""
	body state
	// up is the heading or list item it stands in, -1 for none.
	up int
}

// indent returns the white space before the entry itself.
func (e *entry) indent() []byte { return indentOf(e.text()) }

// text returns the entry without the comment lines before it.
func (e *entry) text() []byte { return e.raw[e.own:] }

// state is what an entry is in one version: one text, or several that contradict each other, or gone.
type state struct {
	keys []int // sorted by text
	gone bool  // deleted; with keys beside it a deletion that an edit contradicts
}

// plain reports whether nothing waits for a choice.
func (s state) plain() bool { return len(s.keys) == 1 && !s.gone }

// The ranks of entries: what stands in something has a higher rank than that. A heading takes all of
// its section, an item what is nested in it. A paragraph or a fence takes the list that follows it:
// lists are often introduced so, and must not be parted from it. No rank below rankFront occurs.
const (
	rankFront     = 0
	rankParagraph = 7 // headings have 1 to 6
	rankFence     = 8
	rankItem      = 9 // plus the depth of nesting
)

func rankOf(e *doc.Entry) int {
	switch {
	case e.Kind == doc.Frontmatter:
		return rankFront
	case e.Kind == doc.Heading:
		return e.Level
	case e.Kind == doc.Item || e.Level > 0:
		return rankItem + e.Level
	case e.Kind == doc.Fence:
		return rankFence
	}
	return rankParagraph
}

// pool interns texts: equal ones, but for white space at the ends of lines, have one key.
type pool struct {
	ids   map[string]int
	texts [][]byte // by key, without white space at the ends of lines
	raws  [][]byte // by key, as written; of several the smallest
}

func newPool() *pool { return &pool{ids: make(map[string]int)} }

func (p *pool) key(raw []byte) int {
	norm := trimLines(raw)
	if fence := openFence(norm); fence != nil {
		// A fence that the end of the file closes gets its closing line when something follows it, and
		// is the same one then.
		norm = slices.Concat(norm, newline, fence)
	}
	id, ok := p.ids[string(norm)]
	if !ok {
		id = len(p.texts)
		p.ids[string(norm)] = id
		p.texts, p.raws = append(p.texts, norm), append(p.raws, raw)
	} else if bytes.Compare(raw, p.raws[id]) < 0 {
		p.raws[id] = raw
	}
	return id
}

// trimLines cuts white space off the end of every line; it returns raw itself where there is none.
func trimLines(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(" \n")) && !bytes.ContainsAny(raw, "\t\r") {
		return bytes.TrimRight(raw, " ")
	}
	lines := bytes.Split(raw, newline)
	for i, l := range lines {
		lines[i] = bytes.TrimRight(l, " \t\r")
	}
	return bytes.Join(lines, newline)
}

// parse cuts a version into entries.
func (m *merger) parse(src []byte) *text {
	d := doc.Parse(src)
	t := &text{lead: src[:d.Lead], entries: make([]entry, 0, len(d.Entries))}
	for rest := d.Entries; len(rest) > 0; {
		body, n := m.contradiction(src, rest)
		first, last := &rest[0], &rest[n-1]
		end := first.Start + len(chomp(src[first.Start:last.End]))
		e := entry{kind: first.Kind, rank: rankOf(first), raw: src[first.Start:end], own: first.Own - first.Start, sep: src[end:last.Next], body: body}
		if len(body.keys) > 0 {
			e.key = m.markKey(body)
			e.bare = e.key
		} else {
			e.key = m.pool.key(e.raw)
			e.body.keys = []int{e.key}
			e.bare = e.key
			if indent := e.indent(); len(indent) > 0 {
				e.bare = m.pool.key(indented(e.raw, indent, nil))
			}
		}
		e.id = m.idOf(&e)
		t.entries = append(t.entries, e)
		rest = rest[n:]
	}
	t.nest()
	return t
}

// contradiction reads the versions that stand behind a comment line, where the first of some entries
// has one, and returns how many entries they are; else a state without keys, and 1. The comments before
// that line are those of all versions.
func (m *merger) contradiction(src []byte, entries []doc.Entry) (state, int) {
	mark, at, size := findMark(src[entries[0].Start:entries[0].End], entries[0].Own-entries[0].Start)
	if size == 0 {
		return state{}, 1
	}
	comments := src[entries[0].Start : entries[0].Start+at]
	n := min(mark.N, len(entries))
	keys := make([]int, n)
	for i := range keys {
		raw := chomp(src[entries[i].Start:entries[i].End])
		if i == 0 {
			raw = raw[at+size:]
		}
		if at > 0 {
			raw = slices.Concat(comments, raw)
		}
		keys[i] = m.pool.key(raw)
	}
	s := state{keys: slices.Clone(keys), gone: mark.Deleted}
	m.order(&s)
	if m.markID(s) == mark.ID {
		return s, n
	}
	// Somebody edited a version, or took one out and forgot the line: what is unlike the first is the
	// next entry of the file.
	for i := 1; i < n; i++ {
		if entries[i].Kind != entries[0].Kind || rankOf(&entries[i]) != rankOf(&entries[0]) || doc.Likeness(m.words(keys[0]), m.words(keys[i])) < related {
			n = i
		}
	}
	if n == 1 && !mark.Deleted {
		return state{}, 1
	}
	s.keys = keys[:n]
	m.order(&s)
	return s, n
}

// related is the likeness that two edits of one entry have at least, in thousandths.
const related = 250

// chomp cuts off the last line end.
func chomp(raw []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(raw, newline), []byte("\r"))
}

// order sorts the texts of a state by their bytes, each once.
func (m *merger) order(s *state) {
	slices.SortFunc(s.keys, func(a, b int) int { return bytes.Compare(m.pool.texts[a], m.pool.texts[b]) })
	s.keys = slices.Compact(s.keys)
}

// nest finds what every entry stands in: the heading of its section, or the item it is nested in. A
// paragraph or a fence takes a list along when it moves, but is no more than its neighbour otherwise.
func (t *text) nest() {
	var open []int
	for i := range t.entries {
		e := &t.entries[i]
		for len(open) > 0 && t.entries[open[len(open)-1]].rank >= e.rank {
			open = open[:len(open)-1]
		}
		e.up = -1
		if len(open) > 0 {
			e.up = open[len(open)-1]
		}
		if e.kind == doc.Heading || e.kind == doc.Item {
			open = append(open, i)
		}
	}
}

// openFence returns the line that closes the code fence which is open at the end of an entry, nil when
// none is.
func openFence(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("```")) && !bytes.Contains(raw, []byte("~~~")) {
		return nil
	}
	var fences doc.Fences
	var opening []byte
	inside := false
	for _, line := range doc.SplitLines(raw) {
		was := inside
		fenced := fences.Next(line)
		next := fences // whether a line behind this one would be inside
		inside = next.Next([]byte("x"))
		if fenced && !was {
			opening = line
		}
	}
	if !inside {
		return nil
	}
	at := bytes.IndexAny(opening, "`~")
	mark := opening[at:]
	mark = mark[:len(mark)-len(bytes.TrimLeft(mark, string(mark[0])))]
	return slices.Concat(bytes.Repeat([]byte(" "), at), mark)
}

// indented returns a text with another indent: what all its lines begin with is replaced, as far as they
// do.
func indented(raw, old, indent []byte) []byte {
	if bytes.Equal(old, indent) {
		return raw
	}
	lines := bytes.Split(raw, newline)
	for i, l := range lines {
		if rest, ok := bytes.CutPrefix(l, old); ok && len(l) > 0 {
			lines[i] = slices.Concat(indent, rest)
		}
	}
	return bytes.Join(lines, newline)
}
