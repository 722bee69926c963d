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
	for _, r := range strings.ToLower(strings.TrimSpace(withoutTargets(title))) {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ', r == '\t':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// withoutTargets takes the targets out of links: `[words](target)` becomes `[words]`.
func withoutTargets(title string) string {
	var b strings.Builder
	open := false
	for i := 0; i < len(title); i++ {
		b.WriteByte(title[i])
		switch title[i] {
		case '[':
			open = true
		case ']':
			if open && strings.HasPrefix(title[i+1:], "(") {
				end := strings.IndexByte(title[i:], ')')
				if end < 0 {
					return b.String() + title[i+1:]
				}
				i += end
			}
			open = false
		}
	}
	return b.String()
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
