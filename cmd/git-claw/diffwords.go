package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-claw/git-claw/memory/doc"
)

// wholeWords widens changes to whole words, dates and paths: a reader looks for
// '2026-12-16', not for '2026-12-' with a '16' in marks behind it. Text without
// spaces, such as Chinese, is left as it is.
func wholeWords(spans []doc.Span) []doc.Span {
	var changes []change
	for _, s := range spans {
		n := len(changes)
		if n == 0 || s.Op == doc.Equal {
			changes = append(changes, change{})
			n++
		}
		switch c := &changes[n-1]; s.Op {
		case doc.Equal:
			c.before = s.Text
		case doc.Delete:
			c.old += s.Text
		case doc.Insert:
			c.new += s.Text
		}
	}
	for i := range changes {
		c := &changes[i]
		if !c.changed() {
			continue
		}
		// The end of the common text before it.
		if begins(c.old) || begins(c.new) {
			cut := len(c.before) - wordSuffix(c.before)
			c.take(c.before[cut:], "")
			c.before = c.before[:cut]
		}
		// The beginning of the common text behind it.
		if next := i + 1; next < len(changes) && (ends(c.old) || ends(c.new)) {
			cut := wordPrefix(changes[next].before)
			c.take("", changes[next].before[:cut])
			changes[next].before = changes[next].before[cut:]
		}
	}
	return joinChanges(changes)
}

// change is a text that both have, and behind it what one lost and the other
// has instead.
type change struct{ before, old, new string }

func (c change) changed() bool { return c.old != "" || c.new != "" }

func (c *change) take(head, tail string) {
	c.old, c.new = head+c.old+tail, head+c.new+tail
}

// joinChanges makes spans again; changes that touch now are one.
func joinChanges(changes []change) []doc.Span {
	changes = slices.Clone(changes)
	for i := len(changes) - 1; i > 0; i-- {
		if changes[i].before == "" && changes[i-1].changed() {
			changes[i-1].old += changes[i].old
			changes[i-1].new += changes[i].new
			changes = slices.Delete(changes, i, i+1)
		}
	}
	var out []doc.Span
	add := func(op doc.Op, text string) {
		if text != "" {
			out = append(out, doc.Span{Op: op, Text: text})
		}
	}
	for _, c := range changes {
		add(doc.Equal, c.before)
		add(doc.Delete, c.old)
		add(doc.Insert, c.new)
	}
	return out
}

// wordRune reports whether r holds a word together.
func wordRune(r rune) bool {
	const firstCJK = 0x2e80
	return r < firstCJK && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) || r < utf8.RuneSelf && strings.ContainsRune("-_./:@%+", r)
}

func begins(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && wordRune(r)
}

func ends(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && wordRune(r)
}

// wordPrefix is the length of the word that s begins with, in bytes.
func wordPrefix(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !wordRune(r) }); i >= 0 {
		return i
	}
	return len(s)
}

func wordSuffix(s string) int {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !wordRune(r) })
	if i < 0 {
		return len(s)
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return len(s) - i - size
}
