package secret

import "bytes"

// value is what stands behind a label.
type value struct {
	text  []byte
	end   int  // where it ends in the line
	quote byte // around it, 0 for none
	last  bool // nothing but punctuation stands behind it in its clause
}

// maxValue is as much of a value as is looked at, in bytes.
const maxValue = 512

// valueAt reads the value of a slot: what is between its quotes, or up to space
// and what a query or a connection string goes on with.
func (c *scan) valueAt(s slot) value {
	text := c.text[:min(len(c.text), s.at+maxValue)]
	end := min(c.runEnd('n', s.at), len(text))
	if s.quote != 0 {
		// Quotes of the other kinds may be a part of what is quoted.
		for end = s.at; end < len(text) && text[end] != s.quote && text[end] > ' ' && text[end] < 0x7F && text[end] != '\\'; {
			end++
		}
	}
	v := value{text: text[s.at:end], end: end, quote: s.quote}
	if bytes.HasSuffix(v.text, []byte("...")) || bytes.HasPrefix(text[end:], []byte("…")) {
		return value{end: end} // the rest is left out
	}
	if s.quote != 0 && (end >= len(text) || text[end] != s.quote) {
		v.quote = 0 // a sentence stands in the quotes
	}
	if v.quote == 0 {
		v.trim()
	}
	v.last = clauseEnds(text, end)
	return v
}

// trim takes the punctuation of the sentence from the end of a value.
func (v *value) trim() {
	for len(v.text) > 0 && has(".,;:!?)]}>*_~", v.text[len(v.text)-1]) {
		v.text = v.text[:len(v.text)-1]
	}
}

// clauseEnds reports whether no further word goes on a sentence at text[at:].
func clauseEnds(text []byte, at int) bool {
	for at < len(text) && has(" \t\r*\"'`_~", text[at]) {
		at++
	}
	return at >= len(text) || !alnum(text[at])
}

// kinds of characters of a value.
type tally struct {
	lower, upper, digit, mark int // mark: neither letter nor digit
	odd                       int // marks that keys do not hold
	turns                     int // changes from one kind of character to another
}

func count(text []byte) (t tally) {
	last := byte(0)
	for _, b := range text {
		kind := byte(0)
		switch {
		case lower(b):
			t.lower++
			kind = 'a'
		case upper(b):
			t.upper++
			kind = 'A'
		case digit(b):
			t.digit++
			kind = '0'
		default:
			t.mark++
			kind = '.'
			if !has("_-.=+/~", b) {
				t.odd++
			}
		}
		if last != 0 && kind != last {
			t.turns++
		}
		last = kind
	}
	return t
}

// key reports whether a value is random enough for a key or a token. Where the
// label is sure to mean one, a hash or a UUID is taken for one too.
func (v value) key(sure bool) bool {
	text := v.text
	if rest := bytes.TrimLeft(text, "A"); len(rest) > 40 && len(text)-len(rest) > 8 {
		text = rest // some tokens begin with zeros
	}
	n := len(text)
	if n < 10 || !sure && n < 16 || notSecret(text) {
		return false
	}
	t := count(text)
	letters := t.lower + t.upper
	switch {
	case t.odd*5 > n, t.odd > 0 && v.quote == 0 && !sure:
		return false
	case letters == 0:
		return sure && t.mark == 0 && n >= 15 && !plain(text)
	case t.digit == 0:
		return (sure && n >= 12 || n >= 20) && t.upper > 2 && t.lower > 2 && t.turns*4 >= n && !words(text, 3) && !plain(text)
	case plain(text) || words(text, 5) || t.mark > 0 && t.upper == 0 && partsOnly(text):
		return false
	}
	hash := hexOnly(text)
	if sure {
		return entropy(text) >= 2.6 && (hash || t.digit > 1 || t.turns*4 >= n || t.odd > 0 || !words(text, 3))
	}
	return !hash && entropy(text) >= 3.4 && t.digit > 1 && (t.upper > 0 && t.lower > 0 || t.turns*4 >= n) && t.turns*6 >= n
}

// service reports whether a value is that of a service whose name is its label.
func (v value) service() bool {
	if i := bytes.IndexByte(v.text, ':'); i > 0 && digits(v.text[:i]) < i {
		return false // telegram:group:…, the name of a conversation
	}
	if hexOnly(v.text) {
		n := len(v.text)
		t := count(v.text)
		usual := n == 36 || n == 40 || n == 64 // a UUID, a commit, a SHA-256
		return n >= 32 && (!usual || t.upper > 0 && t.lower > 0) && v.key(true)
	}
	return v.key(false)
}

// password reports whether a value is one, as people choose them.
func (v value) password(s slot) bool {
	text := v.text
	if name, rest, ok := bytes.Cut(text, []byte("/")); ok && valueLike(rest) && digits(name) == 0 && bytes.IndexByte(rest, '/') < 0 && !identifier(rest) {
		text = rest // user/password: root/…
	}
	n := len(text)
	if n < 5 || passwordPlaceholder("", string(text)) || notSecret(text) || technical(text) {
		return false
	}
	t := count(text)
	letters := t.lower + t.upper
	sure := s.op == opTight && s.words == 0
	switch {
	case masked(text):
		return false
	case letters == 0 && t.odd == 0:
		return sure && !s.joined && v.last && t.mark == 0 && n >= 6 && n <= 12 && !year(text)
	case t.digit == 0 && t.odd == 0:
		mixed := t.upper > 1 && t.lower > 1 && t.turns*3 >= n && !words(text, 5)
		return sure && ((v.quote != 0 || mixed) && n >= 8 && !common(text) || v.lettersOnly(s, t))
	case t.digit == 0:
		return (sure || v.quote != 0) && n >= 8 && t.mark == t.odd && !common(text)
	case amount(text):
		return false
	}
	if n < 6 {
		return sure && (t.upper > 0 && t.lower > 0 || v.quote != 0)
	}
	if s.op == opTight && s.words < 4 || v.quote != 0 && s.op != opSpace {
		return !(v.quote == 0 && identifier(text))
	}
	strong := t.odd > 0 || t.turns > 2 || n >= 8 && t.turns > 1
	return (v.last || strong && t.digit > 1) && (strong || s.op == opProse || s.op == opCell) && !identifier(text)
}

// plain reports a value that nobody drew by chance, or that says what it is.
func plain(text []byte) bool {
	steps := 0
	for i := 1; i < len(text); i++ {
		if a, b := fold(text[i-1]), fold(text[i]); a == b || follows(a, b) || follows(b, a) {
			steps++
		}
	}
	return steps*10 >= len(text)*4 || placeholder(text)
}

// masked reports `xxxxx`, `*****`, `…`.
func masked(text []byte) bool {
	for i := 1; i < len(text); i++ {
		if text[i] != text[0] {
			return false
		}
	}
	return true
}

// hexOnly reports a hash, or a UUID.
func hexOnly(text []byte) bool {
	for _, b := range text {
		if !hexDigit(b) && b != '-' {
			return false
		}
	}
	return true
}

// words reports whether the letters of a value spell words: of ten characters,
// so many or more stand in pieces that can be spoken. Random letters seldom do.
func words(text []byte, tenths int) bool {
	spoken := 0
	for i := 0; i < len(text); {
		if !letter(text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && letter(text[end]) && !(upper(text[end]) && lower(text[end-1])) {
			end++
		}
		if end-i >= 4 && spoken4(text[i:end]) {
			spoken += end - i
		}
		i = end
	}
	return spoken*10 >= len(text)*tenths
}

// spoken4 reports whether a piece of letters, one case but for its first, can be
// spoken: vowels at the usual distances.
func spoken4(piece []byte) bool {
	vowels, consonants, run := 0, 0, 0
	for i, b := range piece {
		if i > 1 && upper(b) != upper(piece[1]) {
			return false
		}
		if has("aeiouy", fold(b)) {
			vowels++
			run = 0
			continue
		}
		consonants++
		if run++; run > 3 || has("jqxz", fold(b)) && i+1 < len(piece) && !has("aeiouy", fold(piece[i+1])) {
			return false
		}
	}
	return vowels > 0 && vowels*5 >= len(piece) && consonants*6 >= len(piece)
}

// year reports four digits, or a date without marks.
func year(text []byte) bool {
	s := string(text)
	return len(s) == 8 && (s[:2] == "19" || s[:2] == "20") && s[4:6] <= "12" && s[6:] <= "31"
}

// common reports a value that is a word of a form or of code rather than a
// password somebody has.
func common(text []byte) bool {
	var b [20]byte
	switch string(lowered(b[:0], text)) {
	case "required", "optional", "mandatory", "disabled", "enabled", "incorrect", "forgotten", "undefined", "kennwort", "passwort", "contrasena",
		"wachtwoord", "not-set", "not set", "plaintext", "encrypted", "prompted", "interactive", "environment", "generated", "unchanged", "confidential":
		return true
	}
	return bytes.IndexByte(text, '(') >= 0 || bytes.Contains(bytes.ToLower(text), []byte("password")) && len(text) < 14
}
