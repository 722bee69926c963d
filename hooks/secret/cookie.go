package secret

import "bytes"

// findCookie judges what stands behind `Cookie:` and `Set-Cookie:`: the value of a
// session is as good as a password for as long as it lives.
func findCookie(c *scan, _, end int) (string, int) {
	rest := c.text[end:min(len(c.text), end+4*maxValue)]
	for pair := range bytes.SplitSeq(rest, []byte{';'}) {
		name, text, ok := bytes.Cut(bytes.Trim(pair, " \t\r\"'`"), []byte{'='})
		if !ok || !sessionName(name) {
			continue
		}
		if i := bytes.IndexAny(text, " \t\"'`<>"); i >= 0 {
			text = text[:i]
		}
		v := value{text: bytes.Trim(text, "\""), quote: '`', last: true}
		if len(v.text) >= 16 && v.key(true) {
			return KindLabelled, end
		}
	}
	return "", end
}

// sessionName reports the names that cookies of sessions have.
func sessionName(name []byte) bool {
	low := bytes.ToLower(name)
	for _, w := range []string{"sess", "sid", "auth", "token", "jwt", "remember", "login"} {
		if bytes.Contains(low, []byte(w)) {
			return !bytes.Contains(low, []byte("csrf")) && !bytes.Contains(low, []byte("xsrf"))
		}
	}
	return false
}
