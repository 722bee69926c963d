package buffer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// RotatedTitle begins the heading under which a rotated body stands in a daily note (SPEC OM-32).
const RotatedTitle = "## Buffer "

const hashPrefix = "sha256:"

// ContentHash is the value of the trailer Claw-Content-Hash for the body of a rotated buffer: sha256
// of its lines, each with LF and without white space at its end; blank lines at both ends of the body
// are left out.
func ContentHash(body []byte) string {
	hash := ""
	prefixes(body, func(sum string) bool {
		hash = sum
		return true
	})
	return hash
}

// HasContent reports whether a text holds the body of a hash, below a heading of RotatedTitle. Where
// the body ends nothing tells, for it has headings of its own: it may be after any line.
func HasContent(text []byte, hash string) bool {
	at, found := 0, false
	for l := range bytes.Lines(text) {
		at += len(l)
		if bytes.HasPrefix(l, []byte(RotatedTitle)) {
			prefixes(text[at:], func(sum string) bool {
				found = found || sum == hash
				return !found
			})
		}
	}
	return found
}

// prefixes yields the hash of no line at all, and of the lines up to each that is not blank, until
// yield returns false.
func prefixes(text []byte, yield func(sum string) bool) {
	sum := sha256.New()
	now := func() bool { return yield(hashPrefix + hex.EncodeToString(sum.Sum(nil))) }
	if !now() {
		return
	}
	begun := false
	for l := range bytes.Lines(text) {
		l = bytes.TrimRight(l, " \t\r\n")
		if begun = begun || len(l) > 0; !begun {
			continue
		}
		sum.Write(l)
		sum.Write([]byte("\n"))
		if len(l) > 0 && !now() {
			return
		}
	}
}
