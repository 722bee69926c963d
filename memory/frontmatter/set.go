package frontmatter

import (
	"encoding/json"
	"strings"

	"github.com/git-claw/git-claw/memory/doc"
)

// Set gives a key of the frontmatter a value: in place of the old one, comments behind it kept, or on
// a line of its own at the end of the block. False when the text has no frontmatter. No other byte
// changes.
func Set(src []byte, key, value string) ([]byte, bool) {
	b := Parse(src)
	if !b.Present() {
		return src, false
	}
	value = Quote(value)
	f := b.Field(key)
	if f == nil {
		_, to := b.inner()
		return doc.Replace(src, to, to, key+": "+value+doc.EOL(src[b.From:b.To])), true
	}
	to := f.to
	if !onlyComments(src[f.to:f.end]) { // over several lines
		to = f.from + len(strings.TrimRight(string(src[f.from:f.end]), " \t\r\n"))
	}
	if f.from == to && src[f.from-1] == ':' {
		value = " " + value
	}
	if f.from == to && f.from < f.end && src[f.from] == '#' {
		value += " "
	}
	return doc.Replace(src, f.from, to, value), true
}

func onlyComments(rest []byte) bool {
	for l := range strings.Lines(string(rest)) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return false
		}
	}
	return true
}

// Quote writes a value so that YAML reads it as this text.
func Quote(value string) string {
	values, err := parseYAML([]byte("v: " + value + "\n"))
	if n, ok := values["v"]; err == nil && ok && n.scalar && n.text == value && !strings.ContainsAny(value, "\r\n\"'") {
		return value
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return value // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
