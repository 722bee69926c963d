package secret

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxBetween is how far behind its label a value stands.
const maxBetween = 72

// op is what stands between a label and its value.
type op uint8

const (
	opNone  op = iota
	opTight    // an operator: `=`, `:`, `=>`
	opCell     // the edge of a table's cell, a comma between quoted words, a closing tag
	opProse    // a word such as "is"
	opSpace    // nothing but space, as behind an option of a command
)

// slot is the place behind a label.
type slot struct {
	op     op
	at     int  // where the value begins; the end of the line if it is not on it
	quote  byte // around the value, 0 for none
	words  int  // between label and operator
	joined bool // the label goes on: `token_for_ci`
	env    bool // the label ends the name of a variable: `DB_PASSWORD=`
}

// candidate is a label whose value is not yet judged.
type candidate struct {
	rule *rule // nil for none
	at   int   // where the label begins
	sure bool  // a key that opens something: API key
	slot slot
}

// labelled takes note of the value behind the label text[at:end]. It is judged
// when the next one is found: where a label stands in a value, as in
// `key=api_key=…`, the value is that of the inner one, and no piece of a line is
// judged twice.
func (c *scan) labelled(r *rule, at, end int) {
	text := c.text
	for end > at && (text[end-1] == ':' || text[end-1] == '=') {
		end-- // a label too short to be looked for without its operator
	}
	sure := r.label == labelKey && opens(text, at)
	if r.tight && !sure && !tight(text, at, end) || !sure && notHere(text, at) {
		return
	}
	if r.label == labelUser {
		c.context.user = c.line
	}
	s, ok := c.slotBehind(r.label, end)
	if !ok || c.context.label(c, r.label, at, s) || s.at >= len(text) || s.op == opSpace && r.label != labelHeader && !c.spaced(r.label, at) {
		return
	}
	if held := &c.candidate; held.rule != nil && c.runEnd('n', held.slot.at) <= at {
		c.judge()
	}
	c.candidate = candidate{r, at, sure, s}
}

// judge judges the value of the label that waits for it.
func (c *scan) judge() {
	held := c.candidate
	c.candidate.rule = nil
	if held.rule == nil || c.guess != "" {
		return
	}
	s := held.slot
	switch held.rule.label {
	case labelUser:
		c.guess = c.userAndPassword(s)
		return
	case labelHeader:
		c.guess = c.header(s)
		return
	}
	v, label := c.valueAt(s), held.rule.label
	if held.sure {
		label = labelToken
	}
	switch label {
	case labelPassword:
		s.env = c.environment(held.at, s)
		if v.password(s) || c.phrase(held.at, s) {
			c.guess = KindPassword
		}
	case labelToken:
		if s.words < 4 && v.key(s.op != opProse || v.last || v.quote != 0) {
			c.guess = KindLabelled
		}
	case labelKey:
		if s.words < 3 && v.key(true) && (v.key(false) || named(c.text, held.at)) {
			c.guess = KindLabelled
		}
	case labelService:
		if (s.op == opTight || s.op == opCell) && s.words == 0 && v.service() {
			c.guess = KindService
		}
	}
}

// tight reports whether the word text[at:end] is one by itself, or a part of a
// name such as apiKey or DB_PASS.
func tight(text []byte, at, end int) bool {
	if at > 0 && letter(text[at-1]) && letter(text[at]) && !(lower(text[at-1]) && upper(text[at])) {
		return false
	}
	if end < len(text) && letter(text[end-1]) && letter(text[end]) {
		return lower(text[end-1]) && upper(text[end])
	}
	// A letter beyond ASCII before a word of letters beyond ASCII is a part of it.
	if at > 0 && text[at] >= 0x80 && text[at-1] >= 0x80 {
		r, _ := utf8.DecodeLastRune(text[:at])
		return !unicode.IsLetter(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}
	return true
}

// opens reports whether the words before "key" say that it opens something: API
// key, secretKey, signing_key.
func opens(text []byte, at int) bool {
	end := at
	if end > 0 && has("_- ", text[end-1]) {
		end--
	}
	from := end
	for from > 0 && end-from < 12 && letter(text[from-1]) {
		from--
	}
	var b [12]byte
	word := lowered(b[:0], text[from:end])
	for _, w := range [...]string{
		"api", "access", "secret", "private", "auth", "encryption", "decryption", "signing", "master", "license", "licence", "service", "role", "account",
		"deploy", "admin", "subscription", "consumer", "app", "recovery", "unlock",
	} {
		if n := len(word) - len(w); n >= 0 && string(word[n:]) == w {
			return true
		}
	}
	return false
}

// notHere reports whether what stands before a label makes it something else:
// `public_key`, `cache key`, a part of a URL, the token of a badge.
func notHere(text []byte, at int) bool {
	if at >= 4 && (text[at-1] == '/' && text[at-2] == '/' || string(text[at-4:at]) == "svg?") {
		return true
	}
	end := at
	for end > 0 && at-end < 2 && has("_-. ", text[end-1]) {
		end--
	}
	from := end
	for from > 0 && end-from < 16 && alnum(text[from-1]) {
		if from < end && upper(text[from]) && lower(text[from-1]) {
			break // maxTokens, publicKey
		}
		from--
	}
	var b [16]byte
	return from < end && notBefore(lowered(b[:0], text[from:end]))
}

// lowered returns a word in lower case in a buffer, as much of it as it holds.
func lowered(buf, word []byte) []byte {
	for _, ch := range word[:min(len(word), cap(buf))] {
		buf = append(buf, fold(ch))
	}
	return buf
}

// named reports whether a key has the name of a service before it, in one word
// with it.
func named(text []byte, at int) bool {
	from := at
	for from > 0 && at-from < 40 && (alnum(text[from-1]) || has("_-.", text[from-1])) {
		from--
	}
	head := bytes.ToLower(text[from:at])
	for words := services; words != ""; {
		var w string
		if w, words = cutWord(words); bytes.Contains(head, []byte(w)) {
			return true
		}
	}
	return false
}
