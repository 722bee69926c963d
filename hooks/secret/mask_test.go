package secret

import (
	"bytes"
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	t.Parallel()
	key := "sk_" + "live_" + "edfc089719c0a061bec08afa"
	block := "-----BEGIN " + "RSA PRIVATE KEY-----\r\n" + strings.Repeat("MIIEpAIBAAKCAQEA7bq3kd9", 2) + "\r\n-----END RSA PRIVATE KEY-----\r\n"
	for text, want := range map[string]string{
		"plain\n":                           "plain\n",
		"a\n  - key: " + key + "\nb":        "a\n  - <secret: stripe-key>\nb",
		"> " + key:                          "> <secret: stripe-key>",
		"- x\r\n" + block + "- y\r\n":       "- x\r\n<secret: private-key>\r\n<secret: private-key>\r\n<secret: private-key>\r\n- y\r\n",
		key + " claw:allow\n":               key + " claw:allow\n",
		"\xef\xbb\xbf" + key + "\r\nrest\n": "<secret: stripe-key>\r\nrest\n",
	} {
		got := string(New().Mask([]byte(text)))
		if got != want {
			t.Errorf("Mask(%q) = %q, want %q", text, got, want)
		}
		if strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("Mask(%q) changed the lines", text)
		}
	}
}

// FuzzMask: no line is lost and nothing that is masked is found again.
func FuzzMask(f *testing.F) {
	f.Add([]byte("a\n- AKIA" + "QWERTYUIOPASDF12" + "\nb"))
	for _, text := range []string{
		"password: {9}\n{R}\n", "### API key\n\n```\n{R}\n```\n", "kind: Secret\ndata:\n  a: QWxhZGRpbjpvcGVu\n", "token: {R}\ntoken:\n{L}\n", "curl -u a:{9} \\\n -u b:{9}\n",
		"- user: root / {9}\n", "IBAN and {R}\n", "a\u200b: secret: {R}\n{9}\n",
	} {
		f.Add([]byte(fill(text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := New()
		got := s.Mask(text)
		if bytes.Count(got, []byte{'\n'}) != bytes.Count(text, []byte{'\n'}) {
			t.Fatalf("lines of %q changed: %q", text, got)
		}
		if found := s.Scan(got); len(found) > 0 && len(s.Scan(text)) > 0 {
			t.Fatalf("%q still holds %v", got, found)
		}
	})
}
