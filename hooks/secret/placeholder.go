package secret

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// placeholder reports whether a value of the right shape only stands for a
// secret: a word that says so, a masked value, a run on the keyboard. Each test
// is one that a random value of 16 characters or more practically never meets.
func placeholder(value []byte) bool {
	if printed(value) {
		return true
	}
	lower := strings.ToLower(string(value))
	for _, word := range []string{"example", "placeholder", "redacted", "changeme", "replace", "your-", "your_", "yourapi", "yourkey", "yoursecret", "yourtoken"} {
		if strings.Contains(lower, word) && !restIsSecret(lower, word) {
			return true
		}
	}
	return dull(value) || wordy(value)
}

// printed reports the values that providers print in their manuals and that
// everybody has: the key of the storage emulator, the test key of Stripe, the
// signature of the first token on jwt.io.
func printed(value []byte) bool {
	for _, known := range []string{
		"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/", "test_4eC39HqLyjWDarjtT1zdp7dc", "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	} {
		if bytes.Contains(value, []byte(known)) {
			return true
		}
	}
	return false
}

// restIsSecret keeps a word from hiding a secret that the same match holds: a
// greedy pattern takes `sk-your-key-sk-proj-…` whole.
func restIsSecret(lower, word string) bool {
	rest := strings.ReplaceAll(lower, word, " ")
	for _, part := range strings.Fields(rest) {
		if len(part) >= 32 && !dull([]byte(part)) && !wordy([]byte(part)) {
			return true
		}
	}
	return false
}

// dull reports a value that nobody drew by chance: few distinct characters,
// long runs (`xxxxxxxx`, `12345678`, `abcdefgh`), or one short piece repeated.
func dull(value []byte) bool {
	return len(value) < 4 || longestRun(value) >= 8 || flat(value)
}

// flat is dull without the test for one long run: real keys in base64 do hold
// runs of zero bytes, `AAAAAAAAA`.
func flat(value []byte) bool {
	if len(value) >= 16 && entropy(value) < 2.5 {
		return true
	}
	steps := 0
	for i := 1; i < len(value); i++ {
		a, b := fold(value[i-1]), fold(value[i])
		if a == b || follows(a, b) || follows(b, a) {
			steps++
		}
	}
	return steps*10 >= len(value)*6 || repeats(value)
}

// longestRun is the length of the longest piece that says one character again
// and again, or goes up or down by one.
func longestRun(value []byte) int {
	same, up, down, longest := 1, 1, 1, min(1, len(value))
	for i := 1; i < len(value); i++ {
		a, b := fold(value[i-1]), fold(value[i])
		same, up, down = runOn(a == b, same), runOn(follows(a, b), up), runOn(follows(b, a), down)
		longest = max(longest, same, up, down)
	}
	return longest
}

func runOn(more bool, run int) int {
	if more {
		return run + 1
	}
	return 1
}

// follows reports whether b comes after a in the order of digits, of letters,
// or where one begins again.
func follows(a, b byte) bool {
	switch {
	case a == '9':
		return b == '0' || b == 'a'
	case a == 'z':
		return b == 'a' || b == '0'
	case a == 'f' && b == '0':
		return true
	}
	return alnum(a) && b == a+1
}

// repeats reports whether value is one piece of at most 10 bytes said at least
// three times.
func repeats(value []byte) bool {
	for p := 2; p <= 10 && p*3 <= len(value); p++ {
		if bytes.Equal(value[p:], value[:len(value)-p]) {
			return true
		}
	}
	return false
}

// wordy reports whether value reads as words: letters of one case between
// separators, as in `this-is-not-a-real-key`.
func wordy(value []byte) bool {
	parts := bytes.FieldsFunc(value, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	if len(parts) == 1 && len(value) < 20 {
		return false // short values over letters and few digits can miss the digits by chance
	}
	for _, p := range parts {
		lower, upper := 0, 0
		for i, c := range p {
			switch {
			case c >= 'a' && c <= 'z':
				lower++
			case c >= 'A' && c <= 'Z':
				if i > 0 {
					upper++
				}
			default:
				return false
			}
		}
		if lower > 0 && upper > 0 || len(p) > 24 {
			return false
		}
	}
	return true
}

// entropy is the Shannon entropy of value in bits a byte.
func entropy(value []byte) float64 {
	var count [256]int
	for _, b := range value {
		count[b]++
	}
	n, h := float64(len(value)), 0.0
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			h -= p * math.Log2(p)
		}
	}
	return h
}

// port reports a "password" that is the port of a URL whose `@` comes later, as
// in `http://host:80?mail=a@b`.
func port(pass string) bool {
	digits := len(pass) - len(strings.TrimLeft(pass, "0123456789"))
	return digits > 0 && digits <= 5 && digits < len(pass) && strings.IndexByte(",?#;&)", pass[digits]) >= 0
}

// reservedHost reports a host that cannot exist (RFC 2606, RFC 6761) or is a
// word for one.
func reservedHost(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, ".,;)]"))
	switch host {
	case "host", "hostname", "server", "servername", "domain", "address", "example":
		return true
	}
	for _, s := range []string{"example.com", "example.org", "example.net", "example", "test", "invalid"} {
		if host == s && strings.Contains(s, ".") || strings.HasSuffix(host, "."+s) {
			return true
		}
	}
	return strings.IndexByte("{$<", host[0]) >= 0
}

// passwordPlaceholder reports a password of an example: a variable, a mask, a
// word for "password", or the user's name again (the default of many servers).
func passwordPlaceholder(user, pass string) bool {
	if strings.EqualFold(user, pass) || strings.Trim(pass, ".…*•·xX-_#?") == "" {
		return true
	}
	switch pass[0] {
	case '$', '{', '[', '(', '<', '%':
		// ${PASS}, $PASS, $(pass show x), {pass}, [pass], %s, %PASS%; a percent
		// escape begins real passwords too.
		if pass[0] != '%' || len(pass) < 3 || !hexPair(pass[1:3]) {
			return true
		}
	}
	parts := strings.FieldsFunc(strings.ToLower(pass), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	for _, p := range parts {
		if !dummyWord(p) {
			return false
		}
	}
	return true
}

func hexPair(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// dummyWord reports a word that stands for a password in examples.
func dummyWord(w string) bool {
	for _, p := range []string{"your", "my", "the", "some", "db", "user", "super", "test", "dummy", "fake", "demo", "old", "new"} {
		if rest := strings.TrimPrefix(w, p); rest != w && (rest == "" || dummyWord(rest)) {
			return true
		}
	}
	return slices.Contains([]string{
		"password", "passwd", "passwort", "pass", "pwd", "pw", "passphrase", "secret", "token", "apikey", "api", "key", "access",
		"username", "name", "admin", "root", "guest", "test", "testing", "example", "sample", "demo", "dummy", "fake",
		"changeme", "change", "me", "here", "redacted", "hidden", "placeholder", "value", "string", "foo", "bar", "baz",
		"postgres", "mysql", "redis", "rabbitmq", "mongo", "oauth", "basic", "x",
	}, w)
}
