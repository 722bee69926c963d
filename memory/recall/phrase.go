package recall

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// verify takes the marks of quoted words from a candidate in which their parts do
// not stand side by side: the index knows words, not their places.
func (r *ranking) verify(held uint64, x *ranked) uint64 {
	var text string
	for i, w := range r.words {
		if i == 64 || held&(1<<i) == 0 || !w.Quoted {
			continue
		}
		if text == "" {
			content, err := r.opt.Read(x.note.Path, x.note.Blob)
			if err != nil || x.piece.Start > x.piece.End || x.piece.End > len(content) {
				return held
			}
			text = plain(string(content[x.piece.Start:x.piece.End]))
		}
		if !strings.Contains(text, plain(w.Text)) {
			held &^= 1 << i
		}
	}
	return held
}

// plain makes texts comparable: forms of characters, case and white space.
func plain(s string) string { return strings.Join(strings.Fields(folded(s)), " ") }

// folded is plain with the white space as it is.
func folded(s string) string {
	return strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(s, "\ufffd")))
}
