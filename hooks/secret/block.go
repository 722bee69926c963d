package secret

// Limits of a key block. A private key of any use has more characters than
// minMaterial; a lone marker, as in a sentence about key files, has none.
const (
	minMaterial = 40
	minRunLen   = 16   // a run of base64 this long is key material by itself
	maxStrays   = 3    // lines in a row that are no key: the block ended without saying so
	maxLines    = 4000 // far above a 16384-bit key or a key ring
)

// block reads private key blocks line by line. The zero value is ready.
type block struct {
	active   bool
	allowed  bool
	kind     string
	start    int // line of the first marker
	last     int // last line with key material
	material int // characters of it
	strays   int
}

// read takes the next line and returns the blocks that ended on it.
func (b *block) read(line int, text []byte) []Finding {
	var out []Finding
	for {
		m := findMark(text)
		if m.kind == "" {
			if b.active {
				out = append(out, b.body(line, text)...)
			}
			return out
		}
		if b.active {
			out = append(out, b.body(line, text[:m.from])...)
		}
		if m.begin {
			out = append(out, b.close()...)
			*b = block{active: true, kind: m.kind, start: line, last: line}
		} else if b.active {
			b.last = line
			out = append(out, b.close()...)
		}
		text = text[m.to:]
	}
}

// body weighs a line between the markers.
func (b *block) body(line int, text []byte) []Finding {
	n, long, stray := weigh(text)
	switch {
	case long, n > 0 && b.last >= line-1 && b.material > 0:
		b.material += n
		b.last, b.strays = line, 0
	case stray, n > 0:
		if line != b.start {
			b.strays++
		}
	default:
		b.strays = 0
	}
	if b.strays >= maxStrays || line-b.start > maxLines {
		return b.close()
	}
	return nil
}

// allow passes the block that begins on the line.
func (b *block) allow(line int) {
	if b.active && b.start == line {
		b.allowed = true
	}
}

// close ends the block, if one is open, at the last line that belongs to it.
func (b *block) close() []Finding {
	ok := b.active && !b.allowed && b.material >= minMaterial
	f := Finding{b.start, b.last, b.kind}
	*b = block{}
	if !ok {
		return nil
	}
	return []Finding{f}
}

// weigh counts the base64 characters of a line in words that may be key
// material. long says that a word is long enough to be nothing else; stray that
// the line is prose: neither key, nor header, nor blank. Quotation marks, list
// and comment signs, escaped line ends and the like around a key do not count.
func weigh(text []byte) (n int, long, stray bool) {
	short, words := 0, 0
	for len(text) > 0 {
		i := 0
		for i < len(text) && base64Char(text[i]) {
			i++
		}
		word := text[:i]
		switch {
		case i >= minRunLen && !flat(word):
			n += i
			long = true
		case i > 0:
			short += i
			words++
		}
		text = text[i:]
		switch {
		case len(text) > 1 && text[0] == '\\' && (text[1] == 'n' || text[1] == 'r'):
			text = text[2:]
		case len(text) > 0:
			if text[0] == ':' && words > 0 && n == 0 {
				return 0, false, false // a header such as Proc-Type: or Comment:
			}
			text = text[1:]
		}
	}
	switch {
	case long:
		return n + short, true, false
	case words == 1:
		return short, false, false // the short last line of a key, or one word
	}
	return 0, false, words > 1
}

func base64Char(c byte) bool { return alnum(c) || c == '+' || c == '/' || c == '=' }
