package secret

import "bytes"

// rule is one shape of secret on a line.
type rule struct {
	// id names the kind; it is printed and stays the same for ever.
	id string

	// words, apart by '|', are what a match begins with: the rarer they are in
	// prose the less a rule costs. They have three bytes or more.
	words string

	// fold: the words match in any case.
	fold bool

	// body is the shape of what follows the word: characters that stand for
	// themselves and, in braces, the letter of a set and how many of it:
	// `{a36}`, `{h8-12}`, `{w20+}`. A piece takes as many as it can and nothing
	// alphanumeric follows the last one. Nothing alphanumeric stands before a
	// match.
	body string

	// back: the match begins this many bytes before the word, and body is the
	// shape of all of it.
	back int

	// assign: an operator stands between word and body, `=` or `:`, and quotes.
	assign bool

	// accept, if set, judges the value, which is what the last piece of the
	// body holds, in place of the test for placeholders; with all, the whole
	// body is the value.
	accept func(value []byte) bool
	all    bool

	// find judges a place in a way of its own: the kind it finds, and where to
	// go on.
	find func(c *scan, at, end int) (kind string, next int)

	// label: the words say that a value follows.
	label labelKind

	// tight: a label that is no part of a longer word.
	tight bool
}

// guarded reports whether something may begin at text[at:]: no letter or digit
// stands before it, except where it ends an escape sequence of JSON or of a URL.
func guarded(text []byte, at int) bool {
	if at <= 0 || !alnum(text[at-1]) {
		return true
	}
	if at >= 2 && text[at-2] == '\\' {
		c := text[at-1]
		return c == 'n' || c == 'r' || c == 't'
	}
	if at >= 3 && text[at-3] == '%' {
		return hexDigit(text[at-1]) && hexDigit(text[at-2])
	}
	if at >= 6 && text[at-6] == '\\' && text[at-5] == 'u' {
		return hexDigit(text[at-1]) && hexDigit(text[at-2]) && hexDigit(text[at-3]) && hexDigit(text[at-4])
	}
	return false
}

// shaped judges a rule with a body.
func (c *scan) shaped(r *rule, at, end int) (kind string, next int) {
	text := c.text
	from := end
	if r.back > 0 {
		if at -= r.back; at < 0 {
			return "", 0
		}
		from = at
	}
	if !r.fold && r.back == 0 && !r.spells(text[at:end]) || !guarded(text, at) {
		return "", 0
	}
	if r.assign {
		if from = operator(text, end); from < 0 {
			return "", 0
		}
	}
	value, stop, ok := c.match(r.body, from)
	if !ok {
		return "", 0
	}
	if r.all {
		value = text[from:stop]
	}
	if r.accept != nil {
		ok = r.accept(value)
	} else {
		ok = !placeholder(value)
	}
	if !ok {
		return "", stop
	}
	return r.id, stop
}

// spells reports whether got is one of the rule's words, letter for letter.
func (r *rule) spells(got []byte) bool {
	words := r.words
	for words != "" {
		var w string
		if w, words = cutWord(words); w == string(got) {
			return true
		}
	}
	return false
}

// match reads a body from text[at:] and returns what its last piece holds.
func (c *scan) match(body string, at int) (value []byte, next int, ok bool) {
	text := c.text
	open := false // the last piece may go on
	for i := 0; i < len(body); {
		if body[i] != '{' {
			if at >= len(text) || text[at] != body[i] {
				return nil, 0, false
			}
			at++
			i++
			continue
		}
		letter := body[i+1]
		lo, hi, n := counts(body[i+2:])
		i += 2 + n
		end := c.runEnd(letter, at)
		if end-at < lo {
			return nil, 0, false
		}
		if open = hi == 0; !open {
			end = min(end, at+hi)
		}
		value, at = text[at:end], end
	}
	if !open && at < len(text) && alnum(text[at]) {
		return nil, 0, false
	}
	return value, at, true
}

// counts reads `8}`, `8-12}` or `8+}`, the last with hi 0, and returns its
// length.
func counts(s string) (lo, hi, n int) {
	for ; digit(s[n]); n++ {
		lo = lo*10 + int(s[n]-'0')
	}
	switch s[n] {
	case '+':
		return lo, 0, n + 2
	case '-':
		for n++; digit(s[n]); n++ {
			hi = hi*10 + int(s[n]-'0')
		}
		return lo, hi, n + 1
	}
	return lo, lo, n + 1
}

// run is a piece of the line all of one set; the last two are kept, so that a
// line of one endless word is not read again for every word of a rule in it.
type run [2]struct{ from, to int }

// classes is the number of sets that are kept apart.
const classes = 32

// runEnd returns the end of the bytes from text[at:] that are in the set.
func (c *scan) runEnd(letter byte, at int) int {
	r := &c.runs[letter&(classes-1)]
	for i := range r {
		if at >= r[i].from && at < r[i].to {
			return r[i].to
		}
	}
	in := set(letter)
	end := at
	for end < len(c.text) && c.s.chars[c.text[end]]&in != 0 {
		end++
	}
	if end-at > 32 {
		r[1] = r[0]
		r[0] = struct{ from, to int }{at, end}
	}
	return end
}

// operator returns where a value begins that is assigned to the word which ends
// at text[at:], or -1.
func operator(text []byte, at int) int {
	at = skip(text, at, "\"'`* \t")
	switch {
	case at < len(text) && (text[at] == '=' || text[at] == ':'):
		at++
		if at < len(text) && text[at] == '>' {
			at++
		}
	case bytes.HasPrefix(text[at:], []byte("：")):
		at += len("：")
	default:
		return -1
	}
	return skip(text, at, "\"'`* \t")
}

// skip goes over at most eight of the bytes.
func skip(text []byte, at int, over string) int {
	for n := 0; n < 8 && at < len(text) && has(over, text[at]); n++ {
		at++
	}
	return at
}

func has(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}
