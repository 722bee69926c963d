package secret

import "bytes"

// limits of a URL with a user and a password in it, in bytes; some hosts hand
// out passwords that are long tokens.
const (
	maxUser     = 256
	maxPassword = 4096
)

// findURL judges `scheme://user:password@host`.
func findURL(c *scan, at, end int) (string, int) {
	text := c.text
	if at == 0 || !alnum(text[at-1]) {
		return "", 0
	}
	user := end
	for user < len(text) && user-end <= maxUser && !has(" \t\r/:?#@\"'<>|`", text[user]) {
		user++
	}
	if user >= len(text) || text[user] != ':' {
		return "", 0
	}
	// The last `@` before the path: passwords hold it too.
	pass, host := user+1, -1
	stop := pass
	for stop < len(text) && stop-pass <= maxPassword && !has(" \t\r/\"'<>|`", text[stop]) {
		if text[stop] == '@' && stop+1 < len(text) && hostBegins(text[stop+1]) {
			host = stop + 1
		}
		stop++
	}
	if host < 0 || host-1-pass < 3 {
		return "", stop
	}
	end = host
	for end < len(text) && end-host < 256 && !has(" \t\r/?#:\"'`", text[end]) {
		end++
	}
	if !acceptURL(text[at+3:user], text[pass:host-1], text[host:end]) {
		return "", end
	}
	return KindURL, end
}

func hostBegins(c byte) bool { return alnum(c) || has("[{$<", c) }

// acceptURL judges the parts of `scheme://user:password@host`.
func acceptURL(user, pass, host []byte) bool {
	if bytes.HasPrefix(host, []byte("sha256")) || port(string(pass)) || reservedHost(string(host)) {
		return false
	}
	return !passwordPlaceholder(string(user), string(pass))
}
