package secret

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
)

// A text that is too large to be held is scanned in pieces. Each begins with the end of
// the one before it, so that a value and the label above it are in one of them.
const (
	pieceBytes   = 1 << 20
	overlapBytes = 16 << 10
	maxFromPiece = 10000 // findings that are kept of all pieces
)

// ScanReader is Scan for a text that is not held: it takes about two megabytes,
// whatever the length. A secret that is longer than 16 KiB, or stands so far below its
// label, may be told in parts or not at all. Of more than 10,000 findings the rest is
// left out.
func (s *Scanner) ScanReader(r io.Reader) ([]Finding, error) {
	var found []Finding
	buf := make([]byte, 0, pieceBytes+overlapBytes)
	before := 0 // lines in front of buf
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
		if len(found) < maxFromPiece {
			for _, f := range s.Scan(buf) {
				found = append(found, Finding{f.Line + before, f.EndLine + before, f.Kind})
			}
		}
		if err != nil {
			return once(found), nil
		}
		cut := len(buf) - overlapBytes
		if i := bytes.IndexByte(buf[cut:], '\n'); i >= 0 {
			cut += i + 1
		}
		before += bytes.Count(buf[:cut], []byte{'\n'})
		buf = append(buf[:0], buf[cut:]...)
	}
}

// once leaves each finding once; a block that was seen in parts is as long as the
// longest of them.
func once(found []Finding) []Finding {
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.EndLine, a.EndLine))
	})
	return slices.CompactFunc(found, func(a, b Finding) bool { return a.Line == b.Line && a.Kind == b.Kind })
}
