package secret

// Sizes of the windows in which a long line is read. before and after bound the
// text around a keyword that a pattern sees; all shapes fit, or enough of them.
const (
	window  = 64 << 10
	overlap = 8 << 10
	before  = 160
	after   = 2 << 10
)

// span is the part of the window in which one rule has to be tried.
type span struct{ from, to int }

// scan is the state of one pass over a text.
type scan struct {
	s     *Scanner
	added func(int) bool
	apart bool // invisible things are spaces

	dropped bool // something invisible was left out
	line    int
	wanted  bool // findings on this line are asked for
	allowed bool // this line says claw:allow
	marker  bool // this window may begin or end a key block

	buf   []byte // the visible characters of the line, its last window
	state uint32 // of the keyword automaton
	run   int    // length of the word that ends here
	spans []span
	open  []int // rules with a span

	block   block
	pending []Finding // of this line
	found   []Finding
}

// begin starts a line.
func (c *scan) begin() {
	c.buf, c.state, c.run = c.buf[:0], 0, 0
	c.allowed, c.marker = false, false
	c.wanted = c.added == nil || c.added(c.line)
	c.pending = c.pending[:0]
}

// text reads all bytes.
func (c *scan) text(text []byte) {
	for i := 0; i < len(text); {
		b := text[i]
		switch c.s.kinds[b] {
		case byteNewline:
			c.endLine()
			c.line++
			c.begin()
			i++
			continue
		case byteDrop:
			c.drop()
			i++
			continue
		case byteLook:
			if n := invisible(text[i:]); n > 0 {
				c.drop()
				i += n
				continue
			}
		}
		i++
		c.byte(b)
	}
}

// drop leaves something invisible out.
func (c *scan) drop() {
	if c.dropped = true; c.apart {
		c.byte(' ')
	}
}

// byte takes one visible byte into the window.
func (c *scan) byte(b byte) {
	c.buf = append(c.buf, b)
	words := c.s.words
	c.state = words.next[c.state+uint32(words.class[b])]
	if out := words.out[c.state/words.classes]; out != nil {
		c.keywords(out)
	}
	if c.s.runByte[b] {
		c.run++
		if c.run == c.s.minRun {
			for _, r := range c.s.runs {
				c.hit(r)
			}
		}
	} else {
		c.run = 0
	}
	if len(c.buf) == window {
		c.slide()
	}
}

// keywords takes note of the keywords that end at this byte.
func (c *scan) keywords(ends []ending) {
	rules := len(c.s.rules)
	for _, e := range ends {
		switch g := int(e.group); g - rules {
		case 0:
			c.allowed = true
		case 1:
			c.marker = true
		default:
			// Most keywords in prose are the end of a word: ta`sk-`, m`sg.`.
			if c.s.rules[g].Inside || guarded(c.buf, len(c.buf)-int(e.length)) {
				c.hit(g)
			}
		}
	}
}

// hit asks for a rule to be tried around the end of the window as it is now.
func (c *scan) hit(r int) {
	if !c.wanted {
		return
	}
	at := len(c.buf)
	next := span{max(0, at-before), at + after}
	switch sp := &c.spans[r]; {
	case sp.to == 0:
		*sp = next
		c.open = append(c.open, r)
	case next.from <= sp.to:
		sp.to = next.to
	default:
		c.try(r)
		*sp = next
	}
}

// try runs a rule on its span.
func (c *scan) try(r int) {
	rule := &c.s.rules[r]
	for _, f := range c.pending {
		if f.Kind == rule.ID {
			return
		}
	}
	sp := c.spans[r]
	if rule.in(c.buf[sp.from:min(sp.to, len(c.buf))]) {
		c.pending = append(c.pending, Finding{c.line, c.line, rule.ID})
	}
}

// slide drops all but the end of a full window. A span that reaches beyond the
// window is tried again in the next one.
func (c *scan) slide() {
	const cut = window - overlap
	c.blockText()
	keep := c.open[:0]
	for _, r := range c.open {
		c.try(r)
		if sp := &c.spans[r]; sp.to > window {
			*sp = span{max(0, sp.from-cut), sp.to - cut}
			keep = append(keep, r)
		} else {
			*sp = span{}
		}
	}
	c.open = keep
	c.buf = c.buf[:copy(c.buf, c.buf[cut:])]
}

// endLine judges what is left of the line.
func (c *scan) endLine() {
	for _, r := range c.open {
		c.try(r)
		c.spans[r] = span{}
	}
	c.open = c.open[:0]
	c.blockText()
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

// blockText hands the window to the reader of key blocks.
func (c *scan) blockText() {
	if c.marker || c.block.active {
		c.pending = append(c.pending, c.block.read(c.line, c.buf)...)
	}
}
