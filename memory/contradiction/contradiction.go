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
	begin = "<!-- claw:conflict "
	end   = "-->"
)

// maxEntries bounds how many entries a line covers; a larger number is somebody's
// text.
const maxEntries = 1000

// Find lists the marks of a Markdown text. In a code fence they are text.
func Find(text []byte) []Mark {
	if !bytes.Contains(text, []byte(begin)) {
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
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(begin))
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
	return fmt.Sprintf("%sid=%s kind=%s n=%d %s", begin, m.ID, kind, m.N, end)
}

func isHex(b []byte) bool {
	const digits = "0123456789abcdef"
	return len(b) == 8 && len(bytes.Trim(b, digits)) == 0
}
