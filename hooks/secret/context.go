package secret

import "bytes"

// How far a label reaches to a value on a line of its own: below a heading over
// some lines of prose and into a fence, below `Password:` to the next line.
const (
	reachHeading = 8
	reachLine    = 3
	reachFence   = 16
	reachCommand = 8
	reachData    = 40
)

// context is what lines before this one say of it.
type context struct {
	kind    labelKind // of the label that is open, 0 for none
	left    int       // lines that it still reaches
	heading bool      // it is a heading
	fence   bool      // a fence has begun below it
	next    labelKind // label of this line
	nextIn  bool      // it is in a heading

	user    int  // line that names a user
	command int  // line of a command that takes passwords
	until   int  // line that it does not go beyond
	name    byte // how it begins
	args    int  // where its options do on its line

	manifest manifest
	column   column
}

// label takes note of a label whose value may stand on a later line, and reports
// whether it does.
func (x *context) label(c *scan, kind labelKind, at int, s slot) bool {
	if kind == labelUser || kind == labelService {
		return false
	}
	line := c.text[c.lead():]
	heading := len(line) > 0 && line[0] == '#'
	switch {
	case heading:
		if x.next == 0 || kind < x.next {
			x.next, x.nextIn = kind, true
		}
		return s.at >= len(c.text)
	case s.at < len(c.text) && !blockScalar(c.text[s.at:]):
		return false
	case s.op == opTight, s.op == opCell && len(line) > 0 && line[0] == '<', alone(line, at-(len(c.text)-len(line))):
		x.next, x.nextIn = kind, false
		return true
	}
	return false
}

// lead is where a line begins behind space and the marks of quotes.
func (c *scan) lead() int {
	if c.leads == 0 {
		c.leads = len(c.text) - len(bytes.TrimLeft(c.text, " \t>")) + 1
	}
	return c.leads - 1
}

// blockScalar reports what YAML writes before a value on the next line.
func blockScalar(text []byte) bool {
	if len(text) > 8 {
		return false
	}
	switch string(bytes.TrimRight(text, " \t\r")) {
	case "|", ">", "|-", ">-", "|+", ">+":
		return true
	}
	return false
}

// alone reports whether a label is all that a line says: `**API key**`, or the
// name of a variable in YAML.
func alone(line []byte, at int) bool {
	if at < 0 {
		return false
	}
	head := bytes.TrimLeft(line, "-*+ \t_")
	return len(line)-len(head) < len(line) && (len(line) > 3 && line[0] == '*' && line[1] == '*' && at < 24 ||
		bytes.HasPrefix(head, []byte("name:")) || bytes.HasPrefix(head, []byte("\"name\":")))
}

// around judges a line by the lines before it, and keeps what it says of the
// next. A line that holds a secret says nothing: what is found does not change
// when it is taken out.
func (c *scan) around() {
	x := &c.context
	c.mails()
	if c.marker || c.block.active {
		x.next = 0
		return
	}
	if x.kind != 0 && !c.flagged() {
		c.below()
	}
	if x.command > 0 {
		c.command()
	}
	if x.manifest.at > 0 {
		c.manifest()
	}
	c.table()
	if x.next == 0 {
		return
	}
	if !c.flagged() && !bytes.Contains(c.text, []byte("<secret: ")) { // not a line of Mask, which says nothing
		x.kind, x.heading, x.fence = x.next, x.nextIn, false
		x.left = reachLine
		if x.heading {
			x.left = reachHeading
		}
	}
	x.next = 0
}

// flagged reports whether this line will be held back.
func (c *scan) flagged() bool { return !c.allowed && (c.guess != "" || len(c.pending) > 0) }

// below judges a line below a label.
func (c *scan) below() {
	x := &c.context
	line := bytes.Trim(c.text, " \t\r>")
	x.left--
	switch {
	case x.left < 0 || len(line) > maxValue:
		x.kind = 0
	case len(line) == 0 || line[0] == '<' && line[len(line)-1] == '>':
	case bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")):
		if x.fence {
			x.kind = 0
			return
		}
		x.fence, x.left = true, reachFence
	case line[0] == '#' && !x.fence:
		x.kind = 0
	default:
		if c.guess = lone(line, x.kind, x.heading); c.flagged() {
			x.left++
		} else if !x.fence && !x.heading {
			x.kind = 0
		}
	}
}

// lone judges a line that may be nothing but a value.
func lone(line []byte, kind labelKind, heading bool) string {
	line = bytes.TrimLeft(line, "-*+ \t")
	for _, name := range []string{"value:", "\"value\":", "value="} {
		line = bytes.TrimPrefix(line, []byte(name))
	}
	line = bytes.Trim(line, "\"'`* \t,;")
	if bytes.IndexByte(line, ' ') >= 0 {
		return ""
	}
	v := value{text: line, quote: '`', last: true}
	switch kind {
	case labelPassword:
		t := count(line)
		if s := (slot{op: opProse}); t.digit > 0 && t.lower+t.upper > 0 && len(line) <= 40 && v.password(s) && !identifier(line) && (!heading || !hexOnly(line) || len(line) < 16) {
			return KindPassword
		}
	case labelKey:
		if v.key(false) {
			return KindLabelled
		}
	default:
		if v.key(true) && !uuidOrCommit(line, heading) {
			return KindLabelled
		}
	}
	return ""
}

// uuidOrCommit reports what below a heading is more often the name of something
// than a key.
func uuidOrCommit(line []byte, heading bool) bool {
	n := len(line)
	return heading && hexOnly(line) && (n == 36 || n == 40)
}
