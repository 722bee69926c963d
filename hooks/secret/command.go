package secret

import "bytes"

// findCommand takes note of a command whose options may hold a password.
func findCommand(c *scan, at, end int) (string, int) {
	if !c.apart && c.context.command == 0 && guarded(c.text, at) && (end >= len(c.text) || !alnum(c.text[end])) {
		x := &c.context
		x.command, x.until, x.name, x.args = c.line, c.line+reachCommand, fold(c.text[at]), end
	}
	return "", 0
}

// command judges the options of a command, on its line and on those that go it
// on. One line more is looked at where no mark says that it goes on.
func (c *scan) command() {
	x := &c.context
	from := 0
	if x.command == c.line {
		from = x.args
	}
	switch x.name {
	case 's', 'm':
		c.passwordOption(from)
	default:
		c.userOption(from)
	}
	if c.flagged() {
		x.until++
		return
	}
	line := bytes.TrimRight(c.text, " \t\r")
	goes := len(line) > 0 && has("\\^`|", line[len(line)-1])
	if c.line >= x.until || !goes && x.command != c.line {
		x.command = 0
	}
}

// userOption judges `-u name:password` and `--user name:password`.
func (c *scan) userOption(from int) {
	text := c.text
	for at := from; at < len(text); at++ {
		i := bytes.Index(text[at:], []byte("-u"))
		if i < 0 {
			return
		}
		at += i
		if at > 0 && !has(" \t-", text[at-1]) {
			continue
		}
		p := at + 2
		if bytes.HasPrefix(text[p:], []byte("ser")) {
			p += 3
		}
		for p < len(text) && has("= \t", text[p]) {
			p++
		}
		if name, pass, ok := credentials(text[p:min(len(text), p+maxValue)]); ok && !passwordPlaceholder(name, pass) {
			c.note(KindBasicAuth)
			return
		}
		at = p
	}
}

// passwordOption judges `-pPassword`, and with a space what sshpass takes.
func (c *scan) passwordOption(from int) {
	text := c.text
	for at := from; at < len(text); at++ {
		i := bytes.Index(text[at:], []byte(" -p"))
		if i < 0 {
			return
		}
		at += i + len(" -p")
		s := slot{op: opTight, at: at}
		for c.context.name == 's' && s.at < len(text) && text[s.at] == ' ' {
			s.at++
		}
		if s.at < len(text) && has("\"'", text[s.at]) {
			s.quote = text[s.at]
			s.at++
		}
		if v := c.valueAt(s); v.pair() {
			c.note(KindPassword)
			return
		}
	}
}

// credentials reads `name:password`, either of them quoted or both together.
func credentials(text []byte) (name, pass string, ok bool) {
	var b []byte
	quote, colon := byte(0), -1
	for _, ch := range text {
		if quote == 0 && ch <= ' ' {
			break
		}
		switch {
		case quote != 0 && ch == quote:
			quote = 0
			continue
		case quote == 0 && (ch == '"' || ch == '\''):
			quote = ch
			continue
		case ch == ':' && colon < 0:
			colon = len(b)
		}
		b = append(b, ch)
	}
	if quote != 0 || colon < 0 || b[0] == '<' {
		return "", "", false
	}
	name, pass = string(b[:colon]), string(b[colon+1:])
	if n := len(pass) - 1; n > 1 && pass[0] == '{' && pass[n] == '}' && (value{text: []byte(pass[1:n])}).key(true) {
		pass = pass[1:n]
	}
	if pass == "" {
		name, pass = "", name // a key in place of the name
	}
	variable := len(pass) > 1 && has("$<{[%(", pass[0]) && (letterOrBrace(pass[1]) || digit(pass[1]))
	return name, pass, len(pass) >= 4 && !variable
}
