package doc

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Normalise brings a text into the form that decides "the same lesson" and "the same fact" (SPEC
// 0.2): NFKC, lower case, runs of white space as one space, no full stop or exclamation mark at the
// end. Bytes that are not UTF-8 become U+FFFD.
func Normalise(text string) string {
	text = norm.NFKC.String(strings.ToValidUTF8(text, "\ufffd"))
	// Lower case takes some letters apart again.
	text = norm.NFKC.String(strings.ToLower(text))
	return strings.TrimRight(strings.Join(strings.Fields(text), " "), ".!。 ")
}
