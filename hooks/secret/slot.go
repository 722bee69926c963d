package secret

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// slotBehind looks for the value of a label that ends at text[end:]: over the rest of its
// word, over further words of the kind "for the server", to an operator. ok is
// false where the label is the name of something else, or of nothing.
func (c *scan) slotBehind(kind labelKind, end int) (s slot, ok bool) {
	text := c.text
	p, joined, ok := restOfName(text, end)
	if !ok {
		return s, false
	}
	s.joined = joined
	limit := min(len(text), end+maxBetween)
	word := p
	for p < limit {
		from := p
		if p = overMarks(text, p); p >= limit {
			break
		}
		if n, o := operatorAt(text, from, p); n > 0 {
			var b [12]byte
			if s.op = o; notBehindWord(lowered(b[:0], text[word:from])) {
				return s, false // secret ls -f id=…
			}
			return c.open(s, p+n), true
		}
		if text[p] == '(' || text[p] == '[' {
			if p = closing(text, p, limit); p < 0 {
				return s, false
			}
			continue
		}
		// A word, or a value.
		stop, is := wordAt(text, p)
		is = is || s.words == 0 && saysIs(text[max(0, end-12):end], text[p:stop])
		switch {
		case is:
			s.op = opProse
			return c.open(s, overFillers(text, stop)), true
		case stop == p:
			return c.bare(s, from, p)
		case stop-p > 15 && text[p] >= 0xE3:
			return s, false // a sentence without spaces
		}
		if s.words == 0 && !s.joined && (kind == labelPassword || kind == labelUser || kind == labelToken || kind == labelHeader) && from < p && valueLike(text[p:stop]) {
			return c.bare(s, from, p)
		}
		if s.words == 0 && notBehind(text[p:stop]) {
			return s, false
		}
		if string(text[p:stop]) != "value" || stop >= len(text) || text[stop] != '=' { // key="Password" value="…"
			if s.words++; s.words > 6 {
				return s, false
			}
		}
		word, p = p, stop
	}
	if p < len(text) {
		return s, false
	}
	s.at = len(text)
	return s, true
}

// restOfName goes over the rest of the name that a label is a part of:
// token_for_ci, credentialsId. ok is false where that is the name of something
// else.
func restOfName(text []byte, end int) (p int, joined, ok bool) {
	p = end
	for p < len(text) && p-end < 40 && (alnum(text[p]) || text[p] == '_' || text[p] == '-' || text[p] == '.' && p+1 < len(text) && alnum(text[p+1])) {
		p++
	}
	rest := end
	if rest < p && fold(text[rest]) == 's' && (rest+1 == p || !lower(text[rest+1])) {
		rest++ // more than one of them
	}
	if rest = skip(text[:p], rest, "_-."); rest == p {
		return p, false, true
	}
	return p, true, !notBehind(text[rest:p])
}

// bare is a value with nothing but space before it.
func (c *scan) bare(s slot, from, p int) (slot, bool) {
	if from == p || s.words > 0 {
		return s, false
	}
	s.op = opSpace
	return c.open(s, p), true
}

// overMarks goes over space, quotes and Markdown behind a word.
func overMarks(text []byte, p int) int {
	for p < len(text) {
		switch {
		case has(" \t\r\"'`*)]}~", text[p]):
			p++
		case text[p] == 0xC2 && p+1 < len(text) && text[p+1] == 0xA0:
			p += 2
		case text[p] == 0xE3 && p+2 < len(text) && text[p+1] == 0x80 && (text[p+2] == 0x80 || text[p+2] == 0x8D || text[p+2] == 0x8F): // ideographic space, 」, 』
			p += 3
		default:
			return p
		}
	}
	return p
}

// operatorAt returns the length and kind of the operator at text[p:]; from is
// where the marks before it begin.
func operatorAt(text []byte, from, p int) (n int, o op) {
	switch text[p] {
	case '=', ':':
		for n < 4 && p+n < len(text) && (text[p+n] == '=' || text[p+n] == ':' || text[p+n] == '>') {
			n++
		}
		return n, opTight
	case '?', '.', '+':
		if p+1 < len(text) && text[p+1] == '=' {
			return 2, opTight
		}
	case '-':
		if p+1 < len(text) && text[p+1] == '>' {
			return 2, opTight
		}
		if from < p && p+1 < len(text) && text[p+1] == ' ' {
			return 2, opTight // `token - value`
		}
	case '>':
		if from == p {
			return 1, opCell
		}
	case '|':
		if p+1 < len(text) && text[p+1] == '|' {
			return 2, opTight
		}
		return 1, opCell
	case ',':
		if from < p && (text[p-1] == '"' || text[p-1] == '\'') {
			return 1, opCell
		}
	case 0xE2, 0xEF:
		r, size := utf8.DecodeRune(text[p:])
		switch r {
		case '：', '＝', '→', '⇒', '–', '—', '➜':
			return size, opTight
		}
	}
	return 0, opNone
}

// closing returns the place behind the bracket that closes text[p:], or -1.
func closing(text []byte, p, limit int) int {
	for i := p + 1; i < limit; i++ {
		switch text[i] {
		case ')', ']':
			return i + 1
		case '(', '[', '<', '{':
			return -1
		}
	}
	return -1
}

// wordAt returns the end of the word at text[p:], p where there is none, and
// whether it says "is".
func wordAt(text []byte, p int) (stop int, is bool) {
	stop = p
	for stop < len(text) && stop-p < 32 {
		if b := text[stop]; b < 0x80 {
			if !alnum(b) && b != '_' && b != '-' && b != '/' && b != '&' && b != '#' {
				break
			}
			if stop > p && text[stop-1] >= 0x80 && isWord(text[p:stop]) {
				return stop, true // 密码是abc
			}
			stop++
			continue
		}
		r, size := utf8.DecodeRune(text[stop:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || r > 0x3000 && stop-p > 15 {
			break
		}
		stop += size
	}
	return stop, isWord(text[p:stop])
}

// overFillers goes over what people say between "is" and a value.
func overFillers(text []byte, p int) int {
	for range 3 {
		next := skip(text, p, " \t")
		stop, _ := wordAt(text, next)
		var b [20]byte
		switch string(lowered(b[:0], text[next:stop])) {
		case "now", "set", "to", "just", "simply", "still", "again", "currently", "jetzt", "nun", "noch", "ahora", "maintenant", "agora", "adesso", "теперь", "现在", "現在":
			p = stop
		default:
			return p
		}
	}
	return p
}

// isWord reports whether a word says "is", or ends with a particle that does.
func isWord(word []byte) bool {
	var b [20]byte
	switch string(lowered(b[:0], word)) {
	case "is", "was", "are", "equals", "being", "ist", "lautet", "sind", "war", "est", "sont", "es", "era", "é", "são", "foi", "è", "sono",
		"zijn", "luidt", "är", "er", "brzmi", "jest", "je", "zní", "là", "adalah", "ialah", "είναι", "это", "есть", "це", "هي", "هو", "है", "היא", "הוא":
		return true
	}
	if len(word) < 3 || word[len(word)-3] < 0x80 {
		return false
	}
	switch string(word[len(word)-3:]) {
	case "是", "为", "為", "は", "が", "는", "은", "이", "가":
		return true
	}
	return false
}

// saysIs reports words that say "is" in the language of the label and something else in
// others.
func saysIs(label, word []byte) bool {
	var b [4]byte
	ends := func(w string) bool { return bytes.HasSuffix(bytes.ToLower(label), []byte(w)) }
	switch string(lowered(b[:0], word)) {
	case "on":
		return ends("salasana") || ends("parool")
	case "to":
		return ends("hasło") || ends("haslo")
	case "az":
		return ends("jelszó") || ends("jelszo")
	}
	return false
}

// open goes to the value behind an operator that ends at text[p:].
func (c *scan) open(s slot, p int) slot {
	text := c.text
	for bold := 0; p < len(text); {
		switch b := text[p]; {
		case b == ' ' || b == '\t' || b == '\r':
		case b == '*' && bold < 2:
			bold++ // more of them are a mask
		case b == '=' || b == ':':
		case b == '"' || b == '\'' || b == '`':
			s.quote = b
		case b == '|' && s.op == opCell:
		case b == 0xC2 && p+1 < len(text) && text[p+1] == 0xA0:
			p++
		case b == 0xE3 && p+2 < len(text) && text[p+1] == 0x80 && (text[p+2] == 0x80 || text[p+2] == 0x8C || text[p+2] == 0x8E): // space, 「, 『
			p += 2
		case b == 0xE2 && p+2 < len(text) && text[p+1] == 0x80 && (text[p+2] == 0x9C || text[p+2] == 0x9E || text[p+2] == 0x98): // “, „, ‘
			p += 2
		default:
			s.at = p
			return s
		}
		p++
	}
	s.at = p
	return s
}

// valueLike reports a word with letters and digits.
func valueLike(word []byte) bool {
	n := digits(word)
	return n > 0 && n < len(word) && len(word) >= 6
}
