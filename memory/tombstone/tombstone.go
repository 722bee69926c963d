// Package tombstone reads `.claw/tombstones`, the list of what was erased and must
// not come back (SPEC GN-19): a line `<sha256> <date>` for each entry, and
// `purged <commit>` for each history that was replaced. It holds no text.
package tombstone

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/git-claw/git-claw/memory/daily"
	"github.com/git-claw/git-claw/memory/doc"
)

// Path is where the list lies, below the root.
const Path = ".claw/tombstones"

// Hash is the hash of an erased entry.
type Hash [sha256.Size]byte

// List is what a file says. The zero value is empty.
type List struct {
	Erased map[Hash]string // to the day of erasure
	Purged []string        // ids of commits
}

// Parse reads a list. Lines of another form are passed over: a newer git claw may
// write more.
func Parse(text []byte) List {
	l := List{Erased: map[Hash]string{}}
	for line := range bytes.Lines(text) {
		f := strings.Fields(string(line))
		if len(f) != 2 {
			continue
		}
		var h Hash
		switch {
		case f[0] == "purged" && isHex(f[1]) && (len(f[1]) == 40 || len(f[1]) == 64):
			l.Purged = append(l.Purged, f[1])
		case len(f[0]) == 2*len(h) && isHex(f[0]) && daily.IsDay(f[1]):
			_, _ = hex.Decode(h[:], []byte(f[0])) // isHex looked at it
			l.Erased[h] = f[1]
		}
	}
	return l
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// Of is the hash of an entry. The mark of a list item or a heading and white space do
// not count: text that comes back in another list is the same text.
func Of(entry []byte) Hash {
	return sha256.Sum256([]byte(doc.Normalise(string(withoutMark(entry)))))
}

// withoutMark takes the mark off the beginning of an entry: `-`, `*`, `+`, `1.`,
// `1)`, or up to six `#`.
func withoutMark(b []byte) []byte {
	b = bytes.TrimSpace(b)
	mark, rest, ok := bytes.Cut(b, []byte{' '})
	if !ok {
		return b
	}
	switch digits := bytes.TrimLeft(mark, "0123456789"); {
	case len(mark) == 1 && bytes.ContainsAny(mark, "-*+"),
		len(mark) <= 6 && len(bytes.Trim(mark, "#")) == 0,
		len(digits) < len(mark) && (string(digits) == "." || string(digits) == ")"):
		return bytes.TrimSpace(rest)
	}
	return b
}

// Entries calls yield for each entry of a text that the list holds, with its first
// line.
func (l List) Entries(d *doc.Doc, yield func(line int)) {
	if len(l.Erased) == 0 {
		return
	}
	for i := range d.Entries {
		e := &d.Entries[i]
		if _, ok := l.Erased[Of(e.Text())]; ok {
			yield(e.Line)
		}
	}
}
