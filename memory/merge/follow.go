package merge

import (
	"bytes"
	"slices"

	"github.com/git-claw/git-claw/memory/doc"
)

// Follow makes edits of entries in the archive that they were moved to, and hands back those whose entry
// does not stand there. No other byte of the archive changes.
func Follow(archive []byte, edits []Edit) ([]byte, []Edit) {
	var left []Edit
	for _, e := range edits {
		d := doc.Parse(archive)
		i := slices.IndexFunc(d.Entries, func(x doc.Entry) bool {
			return bytes.Equal(trimLines(x.Text()), trimLines(e.Old))
		})
		if i < 0 {
			left = append(left, e)
			continue
		}
		text := e.New
		if doc.EOL(archive) == "\r\n" {
			text = bytes.ReplaceAll(toLF(text), newline, crlfEnd)
		}
		x := &d.Entries[i]
		archive = slices.Concat(archive[:x.Start], text, archive[x.Start+len(x.Text()):])
	}
	return archive, left
}
