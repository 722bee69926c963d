package doc

import (
	"strconv"
	"strings"
	"unicode"
)

// Slug is the anchor that forges and editors give a heading: lower case, spaces as hyphens, and no
// other character than letters, digits, hyphens and underscores.
func Slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(linkTexts(title))) {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ', r == '\t':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// linkTexts puts the words of `[words](target)` in place of the link.
func linkTexts(title string) string {
	for from := 0; ; {
		mid := strings.Index(title[from:], "](")
		if mid < 0 {
			return title
		}
		mid += from
		open, end := strings.LastIndexByte(title[:mid], '['), strings.IndexByte(title[mid:], ')')
		if open < 0 || end < 0 {
			from = mid + 2
			continue
		}
		title = title[:open] + title[open+1:mid] + title[mid+end+1:]
		from = mid - 1
	}
}

// Anchors returns the anchors of all headings. A second heading of one title has `-1` behind it, the
// third `-2`.
func (d *Doc) Anchors() map[string]bool {
	out := make(map[string]bool)
	seen := make(map[string]int)
	for i := range d.Entries {
		if d.Entries[i].Kind != Heading {
			continue
		}
		slug := Slug(d.Entries[i].Title())
		n := seen[slug]
		seen[slug]++
		if n > 0 {
			slug += "-" + strconv.Itoa(n)
		}
		out[slug] = true
	}
	return out
}
