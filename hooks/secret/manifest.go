package secret

import "bytes"

// manifest is what was seen of a Kubernetes manifest: its kind and its data come
// in either order.
type manifest struct {
	at     int // line on which it was last heard of
	secret bool
	data   int // indentation of `data:`, -1 before it
	block  bool
	found  []Finding // of data whose kind is not yet known
}

// findManifest takes note of the lines `kind: Secret` and `data:`.
func findManifest(c *scan, at, end int) (string, int) {
	if c.apart {
		return "", 0
	}
	m := &c.context.manifest
	indent := c.lead()
	if at-indent > len("string") || at < indent {
		return "", 0
	}
	var b [16]byte
	word := string(lowered(b[:0], c.text[indent:end]))
	rest := bytes.ToLower(bytes.Trim(c.text[end:min(len(c.text), end+32)], " \t\r\"'"))
	switch {
	case word == "kind:" && string(rest) == "secret":
		if m.at == 0 {
			*m = manifest{data: -1}
		}
		m.secret, m.at = true, c.line
		c.pending = append(c.pending, m.found...)
		m.found = nil
	case (word == "data:" || word == "stringdata:") && len(rest) == 0:
		if m.at == 0 {
			*m = manifest{}
		}
		m.data, m.at = indent, c.line
	}
	return "", 0
}

// manifest judges a line of one.
func (c *scan) manifest() {
	m := &c.context.manifest
	if m.at == c.line || c.flagged() {
		return
	}
	indent := c.lead()
	trimmed := bytes.TrimRight(c.text[indent:], " \t\r")
	switch {
	case c.line-m.at > reachData, bytes.HasPrefix(trimmed, []byte("---")):
		*m = manifest{}
		return
	case len(trimmed) == 0 || trimmed[0] == '#' || m.data < 0:
		return
	case indent <= m.data:
		m.data = -1
		return
	}
	value := trimmed
	if !m.block {
		i := bytes.IndexByte(trimmed, ':')
		if i < 0 {
			return
		}
		value = bytes.Trim(trimmed[i+1:], " \t\"'")
		if blockScalar(value) {
			m.block = true
			return
		}
	}
	m.block = false
	if !encoded(value) || c.allowed {
		return
	}
	m.at++ // what is taken out does not count
	f := Finding{c.line, c.line, KindManifest}
	if m.secret {
		c.pending = append(c.pending, f)
	} else {
		m.found = append(m.found, f)
	}
}

// encoded reports base64 of some length, and nothing else.
func encoded(value []byte) bool {
	value = bytes.TrimRight(value, "=")
	if len(value) < 10 {
		return false
	}
	for _, b := range value {
		if !alnum(b) && b != '+' && b != '/' {
			return false
		}
	}
	return true
}
