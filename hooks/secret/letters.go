package secret

import "bytes"

// lettersOnly reports whether a value of nothing but letters behind an operator is a
// password: its capitals and small letters change as nobody writes them, or the name
// before it is that of a variable of the environment, which holds no prose.
func (v value) lettersOnly(s slot, t tally) bool {
	text := v.text
	n := len(text)
	switch {
	case t.mark > 0:
		return false
	case n >= 10 && t.upper > 2 && t.lower > 2 && t.turns > 2 && !words(text, 3) && !plain(text):
		return true
	}
	return s.env && n >= 10 && !common(text) && !plain(text) && !namesItself(text)
}

// namesItself reports a value that says what it is, as manuals write it.
func namesItself(text []byte) bool {
	low := bytes.ToLower(text)
	for _, w := range []string{"pass", "secret", "your", "example", "sample", "test", "change", "default", "dummy", "postgres", "none", "value"} {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	return false
}

// environment reports whether a label is the end of the name of a variable, with its
// value right behind the operator: `DB_PASSWORD=…`.
func (c *scan) environment(at int, s slot) bool {
	from := at
	for from > 0 && (upper(c.text[from-1]) || digit(c.text[from-1]) || c.text[from-1] == '_') {
		from--
	}
	name := c.text[from:s.at]
	end := bytes.IndexByte(name, '=')
	if from == at || end < 0 || end+1 != len(name) && (end+2 != len(name) || s.quote == 0) {
		return false
	}
	for _, b := range name[:end] {
		if !upper(b) && !digit(b) && b != '_' {
			return false
		}
	}
	return c.text[at-1] == '_'
}

// phrase reports whether what stands behind `passphrase:`, up to the end of the line,
// is one: words without any of those that make a sentence of them.
func (c *scan) phrase(at int, s slot) bool {
	const label = "passphrase"
	if s.op != opTight || s.words > 0 || at+len(label) > len(c.text) || string(bytes.ToLower(c.text[at:at+len(label)])) != label {
		return false
	}
	n := 0
	for word := range bytes.FieldsFuncSeq(bytes.Trim(c.text[s.at:min(len(c.text), s.at+maxValue)], " \t\r\"'`*.,;"), func(r rune) bool { return r == ' ' || r == '-' }) {
		if n++; n > 12 || len(word) < 3 || len(word) > 10 || inSentence(string(word)) {
			return false
		}
		for _, b := range word {
			if !lower(b) {
				return false
			}
		}
	}
	return n >= 4
}

// inSentence reports words that a sentence about a passphrase has, and a passphrase
// seldom.
func inSentence(word string) bool {
	switch word {
	case "the", "and", "for", "from", "with", "are", "was", "has", "have", "not", "none", "see", "ask", "use", "used", "uses", "using", "must", "should", "can", "may",
		"will", "stored", "kept", "keep", "saved", "set", "sets", "your", "you", "our", "his", "her", "their", "this", "that", "when", "where", "which", "what", "who", "how",
		"any", "all", "each", "every", "some", "same", "only", "never", "always", "before", "after", "into", "under", "over", "least", "most", "more", "than", "about",
		"words", "word", "random", "required", "optional", "empty", "string", "characters", "letters", "password", "passphrase", "secret", "vault", "manager", "example",
		"generated", "changed", "unknown", "missing", "asked", "given", "entered", "known", "correct", "horse", "battery", "staple":
		return true
	}
	return false
}
