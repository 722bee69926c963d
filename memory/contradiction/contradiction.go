// Package contradiction finds the places where a merge kept two versions of one
// entry, which wait for somebody to choose (SPEC GN-15). They stand one after the
// other, in byte order, behind one comment line:
//
//	<!-- claw:conflict id=<8 hex> kind=edit|delete n=2 -->
//
// Where the line is gone, the choice was made.
package contradiction

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/git-claw/git-claw/memory/doc"
)

// Mark is one comment line.
type Mark struct {
	Line    int // from 1
	ID      string
	Deleted bool // one side deleted what the other edited
	N       int  // entries it covers
}

const (
	// Begin is how each comment line begins.
	Begin = "<!-- claw:conflict "
	end   = "-->"
)

// maxEntries bounds how many entries a line covers; a larger number is somebody's
// text.
const maxEntries = 1000

// Find lists the marks of a Markdown text. In a code fence they are text.
func Find(text []byte) []Mark {
	if !bytes.Contains(text, []byte(Begin)) {
		return nil
	}
	var out []Mark
	var fences doc.Fences
	for i, line := range doc.SplitLines(text) {
		if fences.Next(line) {
			continue
		}
		if m, ok := Parse(line); ok {
			m.Line = i + 1
			out = append(out, m)
		}
	}
	return out
}

// Parse reads one line.
func Parse(line []byte) (Mark, bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(Begin))
	if !ok {
		return Mark{}, false
	}
	f := bytes.Fields(rest)
	if len(f) != 4 || string(f[3]) != end {
		return Mark{}, false
	}
	id, ok := bytes.CutPrefix(f[0], []byte("id="))
	if !ok || !isHex(id) {
		return Mark{}, false
	}
	count, ok := bytes.CutPrefix(f[2], []byte("n="))
	n, err := strconv.Atoi(string(count))
	if !ok || err != nil || n < 1 || n > maxEntries {
		return Mark{}, false
	}
	kind := string(f[1])
	return Mark{ID: string(id), Deleted: kind == "kind=delete", N: n}, kind == "kind=delete" || kind == "kind=edit"
}

// String writes the comment line, without its line end.
func (m Mark) String() string {
	kind := "edit"
	if m.Deleted {
		kind = "delete"
	}
	return fmt.Sprintf("%sid=%s kind=%s n=%d %s", Begin, m.ID, kind, m.N, end)
}

func isHex(b []byte) bool {
	const digits = "0123456789abcdef"
	return len(b) == 8 && len(bytes.Trim(b, digits)) == 0
}

// Versions are the entries that a mark covers, without line ends at their ends; none
// where there are not as many.
func Versions(text []byte, m Mark) [][]byte {
	entries, _ := covered(text, m)
	out := make([][]byte, len(entries))
	for i := range entries {
		out[i] = entries[i].OwnText()
		if i > 0 {
			out[i] = entries[i].Text()
		}
	}
	return out
}

// covered are the entries behind a mark, with what is nested in them: the versions of an
// item are items of its own depth.
func covered(text []byte, m Mark) (entries []doc.Entry, ends []int) {
	d := doc.Parse(text)
	for i := range d.Entries {
		e := &d.Entries[i]
		if m.Line < e.Line || m.Line >= e.OwnLine {
			continue
		}
		if i+m.N > len(d.Entries) {
			return nil, nil
		}
		for _, e := range d.Entries[i : i+m.N] {
			entries = append(entries, e)
			ends = append(ends, e.End)
		}
		return entries, ends
	}
	return nil, nil
}

// Resolve puts what choose makes of the versions into the place of a mark and its
// entries. It returns false where there is no such mark.
func Resolve(text []byte, id string, choose func(versions [][]byte) [][]byte) ([]byte, bool) {
	for _, m := range Find(text) {
		if m.ID != id {
			continue
		}
		entries, ends := covered(text, m)
		if len(entries) == 0 {
			return nil, false
		}
		first, last := entries[0], len(entries)-1
		from := markStart(text, m)
		keep := choose(Versions(text, m))
		out := append([]byte(nil), text[:from]...)
		out = append(out, text[from+markLength(text, from):first.Own]...) // other comments
		eol := doc.EOL(text)
		for i, v := range keep {
			out = append(out, v...)
			if i+1 < len(keep) {
				out = append(out, eol...)
				if !StandsAlone(keep[i+1]) {
					out = append(out, eol...)
				}
			}
		}
		tail := ends[last]
		end := entries[last].Start + len(entries[last].Text())
		if len(keep) == 0 { // nor the comments, which were theirs
			return append(append([]byte(nil), text[:first.Start]...), text[entries[last].Next:]...), true
		}
		out = append(out, text[end:tail]...)
		return append(out, text[tail:]...), true
	}
	return nil, false
}

// StandsAlone reports whether a version is an entry of its own right behind another one:
// two paragraphs, or tables, would become one, so that a blank line parts them.
func StandsAlone(version []byte) bool {
	entries := doc.Parse(version).Entries
	return len(entries) > 0 && (entries[0].Kind == doc.Item || entries[0].Kind == doc.Fence)
}

// markStart is the offset of the line of a mark.
func markStart(text []byte, m Mark) int {
	at := 0
	for i, line := range doc.SplitLines(text) {
		if i+1 == m.Line {
			break
		}
		at += len(line)
	}
	return at
}

// markLength is the length of the line at an offset, its end included.
func markLength(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return i + 1
	}
	return len(text) - at
}

// Lines are the lines, from 1, on which the versions of a mark begin.
func Lines(text []byte, m Mark) []int {
	entries, _ := covered(text, m)
	out := make([]int, len(entries))
	for i := range entries {
		out[i] = entries[i].OwnLine
	}
	return out
}
