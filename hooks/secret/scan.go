package secret

import "bytes"

// scan is the state of one pass over a text.
type scan struct {
	s     *Scanner
	apart bool // invisible things are spaces

	dropped bool   // something invisible was left out
	line    int    // number of the line
	base    int    // where it begins in the text
	text    []byte // its visible characters
	buf     []byte // holds them where they are not a piece of the text
	allowed bool   // it says claw:allow
	marker  bool   // it may begin or end a key block

	done []int // by rule: no match begins before this place of the whole text
	runs [classes]run

	pending []Finding // of this line, by shape
	guess   string    // kind of what a label or the like says is on this line

	candidate candidate // label whose value is judged next
	account   int       // end of the last account number of this line
	leads     int       // 1 + where its words begin, 0 if not yet known

	block   block
	context context
	found   []Finding
}

// read reads all lines.
func (c *scan) read(text []byte) {
	for {
		end := bytes.IndexByte(text[c.base:], '\n')
		if end < 0 {
			c.readLine(text[c.base:])
			return
		}
		c.readLine(text[c.base : c.base+end])
		c.base += end + 1
	}
}

// readLine judges a line.
func (c *scan) readLine(line []byte) {
	c.line++
	c.text = c.visible(line)
	c.allowed, c.marker, c.guess, c.candidate, c.account = false, false, "", candidate{}, 0
	c.leads = 0
	c.pending = c.pending[:0]
	c.runs = [classes]run{}
	c.words()
	c.dots()
	if c.judge(); !c.apart {
		c.around()
	}
	if c.guess != "" && len(c.pending) == 0 {
		c.pending = append(c.pending, Finding{c.line, c.line, c.guess})
	}
	if c.marker || c.block.active {
		c.pending = append(c.pending, c.block.read(c.line, c.text)...)
	}
	if c.allowed {
		c.block.allow(c.line)
	}
	for _, f := range c.pending {
		// A block passes by its first or its last line.
		if !c.allowed || f.Line != c.line && f.EndLine != c.line {
			c.found = append(c.found, f)
		}
	}
}

// visible returns the characters of a line that a reader sees; the line itself
// where that is all of them.
func (c *scan) visible(line []byte) []byte {
	at := 0
	for at < len(line) {
		k := c.s.kinds[line[at]]
		if k == byteDrop || k == byteLook && invisible(line[at:]) > 0 {
			break
		}
		at++
	}
	if at == len(line) {
		return line
	}
	c.dropped = true
	c.buf = append(c.buf[:0], line[:at]...)
	for at < len(line) {
		n := 0
		switch c.s.kinds[line[at]] {
		case byteDrop:
			n = 1
		case byteLook:
			n = invisible(line[at:])
		}
		switch {
		case n == 0:
			c.buf = append(c.buf, line[at])
			at++
		default:
			at += n
			if c.apart {
				c.buf = append(c.buf, ' ')
			}
		}
	}
	return c.buf
}

// words looks for the words of the rules and tries the rules.
func (c *scan) words() {
	f := &c.s.filter
	var key uint32
	for i, b := range c.text {
		key = (key<<5 | uint32(f.class[b])) & keyBits
		if f.bits[key>>6]&(1<<(key&63)) != 0 {
			c.ends(i+1, uint16(key))
		}
	}
}

// ends tries the rules that have a word which ends here.
func (c *scan) ends(end int, key uint16) {
	f := &c.s.filter
	for i := f.heads[list(key)]; i != 0; {
		e := &f.entries[i-1]
		i = e.next
		if e.key != key {
			continue
		}
		at := end - 3
		if e.word != "" {
			if !e.ends(c.text[:end]) {
				continue
			}
			at = end - len(e.word)
		}
		if at >= 0 {
			c.try(int(e.rule), at, end)
		}
	}
}

// try judges what begins at a word, text[at:end], of a rule.
func (c *scan) try(n, at, end int) {
	r := &c.s.rules[n]
	if c.base+at < c.done[n] {
		return
	}
	next, kind := 0, ""
	switch {
	case r.label != 0:
		if !c.apart && c.guess == "" {
			c.labelled(r, at, end)
		}
		return
	case r.find != nil:
		kind, next = r.find(c, at, end)
	default:
		kind, next = c.shaped(r, at, end)
	}
	if next > 0 {
		c.done[n] = c.base + next
	}
	if kind != "" {
		c.note(kind)
	}
}

// note adds a finding on this line, once for each kind.
func (c *scan) note(kind string) {
	for _, f := range c.pending {
		if f.Kind == kind {
			return
		}
	}
	c.pending = append(c.pending, Finding{c.line, c.line, kind})
}

// allow, marker: what a line says about itself.
func findAllow(c *scan, _, _ int) (string, int) {
	c.allowed = true
	return "", 0
}

func findMarker(c *scan, _, _ int) (string, int) {
	c.marker = true
	return "", 0
}
