package header

import (
	"bytes"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// VocabularyPath is where the tags are listed that notes may use, one a line (SPEC OM-12).
const VocabularyPath = ".claw/tags.txt"

// Vocabulary is the list of tags.
type Vocabulary struct{ tags map[string]place }

// place is where a tag stands: the offsets of its line, and the last line of its group.
type place struct {
	from, to int
	group    string
}

// ParseVocabulary reads .claw/tags.txt. Lines that begin with # are comments and open a group.
func ParseVocabulary(src []byte) Vocabulary {
	v := Vocabulary{tags: map[string]place{}}
	group, at := "", 0
	for l := range bytes.Lines(src) {
		text := strings.TrimSpace(strings.TrimPrefix(string(l), "\ufeff"))
		switch {
		case strings.HasPrefix(text, "#"):
			group = strings.TrimSpace(strings.TrimLeft(text, "#"))
		case text != "":
			if !v.Has(text) {
				v.tags[text] = place{at, at + len(l), group}
			}
		}
		at += len(l)
	}
	return v
}

// Has reports whether a tag is in the vocabulary.
func (v Vocabulary) Has(tag string) bool {
	_, ok := v.tags[tag]
	return ok
}

// ValidTag reports whether a tag has the form of one: [a-z0-9-]+ (SPEC OM-13).
func ValidTag(tag string) bool {
	return tag != "" && strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// AddTag puts a tag at the end of a group, or of the list where there is no such group.
func AddTag(src []byte, tag, group string) []byte {
	v := ParseVocabulary(src)
	if v.Has(tag) {
		return src
	}
	at := -1
	for _, p := range v.tags {
		if p.group == group && group != "" {
			at = max(at, p.to)
		}
	}
	if at < 0 {
		at = len(src)
	}
	text := tag + doc.EOL(src)
	if at > 0 && src[at-1] != '\n' {
		text = doc.EOL(src) + text
	}
	return doc.Replace(src, at, at, text)
}

// RemoveTag takes a tag out of the list.
func RemoveTag(src []byte, tag string) []byte {
	p, ok := ParseVocabulary(src).tags[tag]
	if !ok {
		return src
	}
	return doc.Cut(src, p.from, p.to)
}
