package secret

import (
	"bytes"
	"encoding/base64"
)

// acceptAny is for a body that nothing else looks like.
func acceptAny([]byte) bool { return true }

// acceptTestKey passes the test key of Stripe's manual.
func acceptTestKey(value []byte) bool {
	return !printed(append([]byte("test_"), value...)) && !placeholder(value)
}

// acceptSlack judges the last part of a token; what is before it are numbers. The
// oldest kinds have little of it.
func acceptSlack(value []byte) bool {
	last := value[bytes.LastIndexByte(value, '-')+1:]
	n := digits(last)
	return len(last) >= 10 && (n > 0 && n < len(last) || len(last) >= 18) && !placeholder(last) && !words(last, 6)
}

// acceptMixed takes what capitals are mixed into, as they are into random
// letters and not into names.
func acceptMixed(value []byte) bool {
	t := count(value)
	return t.upper > 0 && t.lower > 0 && t.turns*4 >= len(value) && !placeholder(value)
}

// findAzureSignature judges the signature of a shared access URL, which ends
// with an equals sign, escaped or not.
func findAzureSignature(c *scan, at, end int) (string, int) {
	if !guarded(c.text, at) {
		return "", 0
	}
	stop := c.runEnd('q', end)
	value := c.text[end:stop]
	if len(value) < 40 || !bytes.HasSuffix(value, []byte("%3D")) && !bytes.HasSuffix(value, []byte("%3d")) && (stop >= len(c.text) || c.text[stop] != '=') {
		return "", 0
	}
	if placeholder(value) {
		return "", stop
	}
	return "azure-sas", stop
}

// findNPMAuth judges a line of an .npmrc.
func findNPMAuth(c *scan, _, end int) (string, int) {
	from := operator(c.text, end)
	if from < 0 {
		return "", 0
	}
	stop := max(c.runEnd('x', from), c.runEnd('v', from))
	if stop-from < 20 || placeholder(c.text[from:stop]) {
		return "", stop
	}
	return "npm-auth", stop
}

// findJWT judges a JSON web token: two objects in base64 and a signature. One
// without a signature opens nothing.
func findJWT(c *scan, at, end int) (string, int) {
	text := c.text
	if !guarded(text, at) {
		return "", 0
	}
	head := c.runEnd('w', end)
	if head-at < 11 || head+2 >= len(text) || text[head] != '.' || text[head+1] != 'e' || text[head+2] != 'y' {
		return "", 0
	}
	body := c.runEnd('w', head+1)
	if body-head < 11 || body >= len(text) || text[body] != '.' {
		return "", body
	}
	stop := c.runEnd('w', body+1)
	if value := text[body+1 : stop]; len(value) < 10 || placeholder(value) {
		return "", stop
	}
	return "jwt", stop
}

// findEncodedJWT judges a JSON web token that is in base64 once more, as
// manifests hold them.
func findEncodedJWT(c *scan, at, end int) (string, int) {
	if !guarded(c.text, at) {
		return "", 0
	}
	stop := c.runEnd('b', end)
	value := c.text[at:min(stop, at+4096)]
	plain := make([]byte, base64.RawStdEncoding.DecodedLen(len(value)))
	n, _ := base64.RawStdEncoding.Decode(plain, value[:len(value)/4*4])
	if !bytes.HasPrefix(plain[:n], []byte("eyJ")) || !bytes.Contains(plain[:n], []byte(".ey")) {
		return "", stop
	}
	return "jwt", stop
}

// dots looks for the tokens of Discord's bots, which begin with nothing of their
// own: the id of a user in base64, six characters between two dots, a signature.
func (c *scan) dots() {
	const between = 6
	text := c.text
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '.')
		if i < 0 {
			return
		}
		dot := at + i
		at = dot + 1
		if dot+1+between >= len(text) || text[dot+1+between] != '.' || dot < 23 {
			continue
		}
		if c.runEnd('w', dot+1) != dot+1+between {
			continue
		}
		stop := c.runEnd('w', dot+2+between)
		if stop-(dot+2+between) < 27 || placeholder(text[dot+2+between:stop]) {
			continue
		}
		for n := 23; n <= 28 && n <= dot; n++ {
			if guarded(text, dot-n) && numberIn64(text[dot-n:dot]) {
				c.note("discord-bot-token")
				break
			}
		}
	}
}

// numberIn64 reports whether base64 begins with digits: sixteen characters are
// twelve of them.
func numberIn64(value []byte) bool {
	var plain [12]byte
	if n, err := base64.RawStdEncoding.Decode(plain[:], value[:16]); err != nil || n != len(plain) {
		return false
	}
	return digits(plain[:]) == len(plain) && c64(value)
}

// c64 reports whether all of value may be base64 of a URL.
func c64(value []byte) bool {
	for _, b := range value {
		if !alnum(b) && b != '-' && b != '_' {
			return false
		}
	}
	return true
}

// digits counts them.
func digits(value []byte) int {
	n := 0
	for _, b := range value {
		if digit(b) {
			n++
		}
	}
	return n
}
