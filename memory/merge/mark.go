package merge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/git-claw/git-claw/memory/contradiction"
)

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
