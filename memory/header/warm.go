package header

import (
	"strings"
)

// NewWarm is a WARM note without content: its title, its tags and the day it was verified
// (SPEC OM-06).
func NewWarm(title string, tags []string, day string) []byte {
	return []byte("# " + title + "\n" + tagsKey + " " + strings.Join(tags, " ") + "\n> " + verifiedKey + " " + day + "\n")
}

// Pick returns those of the tags that the vocabulary has, else the first tag it has at
// all. An empty vocabulary has every tag.
func (v Vocabulary) Pick(tags ...string) []string {
	if len(v.tags) == 0 {
		return tags
	}
	var out []string
	for _, t := range tags {
		if v.Has(t) {
			out = append(out, t)
		}
	}
	if len(out) > 0 {
		return out
	}
	first, at := "", -1
	for t, p := range v.tags {
		if ValidTag(t) && (at < 0 || p.from < at) {
			first, at = t, p.from
		}
	}
	if at < 0 {
		return tags
	}
	return []string{first}
}
