package secret

import (
	"bytes"
	"encoding/base64"
)

// spaced reports whether a value may follow the label text[at:] with nothing but
// space between: behind an option of a command, or beside the name of a user.
func (c *scan) spaced(kind labelKind, at int) bool {
	text := c.text
	from := at
	for from > 0 && at-from < 40 && (alnum(text[from-1]) || has("_-.", text[from-1])) {
		from--
	}
	if text[from] == '-' && (from == 0 || text[from-1] <= ' ') {
		return true
	}
	return kind == labelPassword && c.context.user == c.line
}

// header judges the value of an Authorization header, or what follows the word
// Bearer.
func (c *scan) header(s slot) string {
	text := c.text
	word, basic := s.at, false
	for word < len(text) && (letter(text[word]) || text[word] == '-') {
		word++
	}
	if word < len(text) && text[word] == ' ' {
		var b [20]byte
		switch string(lowered(b[:0], text[s.at:word])) {
		case "basic":
			basic = true
		case "bearer", "token", "bot", "key", "apikey", "api-key", "api-token", "oauth", "digest", "aws4-hmac-sha256", "sso-key", "genie-key", "snowflake":
		default:
			return ""
		}
		s.at = word + 1
	}
	v := c.valueAt(s)
	if basic {
		plain := make([]byte, base64.StdEncoding.DecodedLen(len(v.text)))
		n, err := base64.StdEncoding.Decode(plain, v.text)
		user, pass, ok := bytes.Cut(plain[:n], []byte(":"))
		if err != nil || !ok || len(pass) < 4 || passwordPlaceholder(string(user), string(pass)) {
			return ""
		}
		return KindBasicAuth
	}
	if s.op == opProse {
		return ""
	}
	if v.key(true) {
		return KindLabelled
	}
	return ""
}

// userAndPassword judges `root / Passw0rd99`, the value of a label such as user
// or login.
func (c *scan) userAndPassword(s slot) string {
	if s.op != opTight && s.op != opCell {
		return ""
	}
	text := c.text[:min(len(c.text), s.at+maxValue)]
	name := s.at
	for name < len(text) && text[name] > ' ' && text[name] < 0x7F && !has("/|:,\"'`", text[name]) {
		name++
	}
	p := name
	for p < len(text) && has(" \"'`*", text[p]) {
		p++
	}
	if name == s.at || p >= len(text) || !has("/|:,", text[p]) || text[p] != '/' && text[p] != '|' && p > name {
		return ""
	}
	for p++; p < len(text) && has(" \"'`*", text[p]); p++ {
		if has("\"'`", text[p]) {
			s.quote = text[p]
		}
	}
	s.at, s.op = p, opProse
	v := c.valueAt(s)
	if bytes.IndexByte(v.text, '/') >= 0 || !paired(text[s.at-1:]) && !v.last {
		return ""
	}
	if v.pair() {
		return KindPassword
	}
	return ""
}

// paired reports that what follows is set off by space.
func paired(text []byte) bool { return len(text) > 0 && text[0] == ' ' }

// pair reports whether a value is the password beside a name: what stands beside
// a name may be anything, so it has a digit and a letter at least.
func (v value) pair() bool {
	t := count(v.text)
	n := len(v.text)
	return n >= 6 && t.digit > 0 && t.lower+t.upper > 0 && !notSecret(v.text) && !technical(v.text) && !amount(v.text) && !identifier(v.text) &&
		!hexOnly(v.text) && !passwordPlaceholder("", string(v.text))
}

// mails judges `name@host.tld:password`, as lists of logins have it.
func (c *scan) mails() {
	text := c.text
	for at := 0; c.guess == ""; at++ {
		i := bytes.IndexByte(text[at:], '@')
		if i < 0 {
			return
		}
		at += i
		host := at + 1
		for host < len(text) && host-at < 64 && (alnum(text[host]) || text[host] == '.' || text[host] == '-') {
			host++
		}
		if at == 0 || !alnum(text[at-1]) || host >= len(text) || bytes.IndexByte(text[at:host], '.') < 2 {
			continue
		}
		s := slot{op: opProse, at: host}
		switch {
		case text[host] == ':' || text[host] == '|' || text[host] == ';':
			s.at++
		case bytes.HasPrefix(text[host:], []byte(" / ")), bytes.HasPrefix(text[host:], []byte(" | ")), bytes.HasPrefix(text[host:], []byte(" : ")):
			s.at += 3
		default:
			continue
		}
		v := c.valueAt(s)
		if v.last && bytes.IndexByte(v.text, '/') < 0 && v.pair() {
			c.guess = KindPassword
		}
		at = max(at, v.end-1)
	}
}
