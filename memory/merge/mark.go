package merge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/git-claw/git-claw/memory/contradiction"
)

// findMark looks for the comment line that opens a contradiction among those before an entry: where it
// begins, and its length, which is 0 when there is none.
func findMark(raw []byte, own int) (mark contradiction.Mark, at, size int) {
	for at < max(own, 1) {
		if mark, size = readMark(raw[at:]); size > 0 {
			return mark, at, size
		}
		n := bytes.IndexByte(raw[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return mark, 0, 0
}

// readMark reads the comment line that opens a contradiction, where an entry begins with one. size is
// the length of the line, its end included.
func readMark(raw []byte) (mark contradiction.Mark, size int) {
	line, _, more := bytes.Cut(raw, newline)
	if !more || !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("<!-- claw:")) {
		return mark, 0
	}
	mark, ok := contradiction.Parse(line)
	if !ok || len(raw) <= len(line)+1 {
		return mark, 0
	}
	return mark, len(line) + 1
}

// markID names a contradiction by its versions.
func (m *merger) markID(s state) string {
	h := sha256.New()
	for _, k := range s.keys {
		h.Write(m.pool.texts[k])
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// markKey is the key of a contradiction in the pool; equal ones have one.
func (m *merger) markKey(s state) int {
	return m.pool.key(m.markLine(s, nil))
}

// markLine writes the comment line; nothing in it depends on which side merged.
func (m *merger) markLine(s state, indent []byte) []byte {
	mark := contradiction.Mark{ID: m.markID(s), Deleted: s.gone, N: len(s.keys)}
	return append(indent, mark.String()...)
}

// indentOf returns the white space a text begins with.
func indentOf(raw []byte) []byte {
	return raw[:len(raw)-len(bytes.TrimLeft(raw, " \t"))]
}
