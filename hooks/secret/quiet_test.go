package secret

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// noise draws a line as notes of agents have them: full of values that look
// random, and none of them a secret.
func noise(m maker) string {
	upper32 := "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	uuid := func() string {
		return m.of(hexes, 8) + "-" + m.of(hexes, 4) + "-4" + m.of(hexes, 3) + "-" + m.of("89ab", 1) + m.of(hexes, 3) + "-" + m.of(hexes, 12)
	}
	sri := func(bytes int) string {
		b := make([]byte, bytes)
		for i := range b {
			b[i] = byte(m.r.IntN(256))
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	pick := func(s ...string) string { return s[m.r.IntN(len(s))] }
	dig := func(n int) string { return m.of("123456789", 1) + m.of("0123456789", n-1) }
	forms := []func() string{
		func() string { return "- fixed in " + m.of(hexes, 40) + ", released as v1." + dig(2) },
		func() string { return "commit " + m.of(hexes, 10) + ": rework the token bucket" },
		func() string { return "sha256: " + m.of(hexes, 64) },
		func() string { return m.of(hexes, 64) + "  dist/app-1." + dig(1) + ".tar.gz" },
		func() string { return "md5 of the dump is " + m.of(hexes, 32) },
		func() string { return "- run id: " + uuid() },
		func() string { return "request " + uuid() + " failed with 500 after the password prompt" },
		func() string { return "| " + uuid() + " | key | " + dig(3) + " |" },
		func() string { return "session: " + uuid() + ", trace: " + m.of(hexes, 32) },
		func() string { return "cache key: " + m.of(hexes, 40) },
		func() string { return "the cache key is " + uuid() },
		func() string { return "key: " + m.of(hexes, 64) },
		func() string { return "primary key " + uuid() + ", foreign key " + uuid() },
		func() string { return "idempotency-key: " + uuid() },
		func() string { return "![shot](data:image/png;base64,iVBORw0KGgo" + sri(300) + ")" },
		func() string { return sri(57) },
		func() string { return strings.Repeat(" ", 4) + sri(48) },
		func() string { return "- " + "01" + m.of(upper32, 24) + " note added" },
		func() string { return "ulid " + "01" + m.of(upper32, 24) + " key moved" },
		func() string { return `      "integrity": "sha512-` + sri(64) + `",` },
		func() string {
			return `      "resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-` + dig(1) + ".0.0.tgz#" + m.of(hexes, 40) + `",`
		},
		func() string { return "github.com/a/token v1." + dig(1) + ".0 h1:" + sri(32) },
		func() string { return "image: registry.internal/auth@sha256:" + m.of(hexes, 64) },
		func() string { return "etag: W/\"" + m.of(base62, 27) + "\"" },
		func() string { return "message " + dig(18) + " in channel " + dig(19) },
		func() string { return "chat id: -100" + dig(10) + ", user id: " + dig(9) },
		func() string { return "at 17" + m.of("0123456789", 11) + " ms, 17" + m.of("0123456789", 17) + " ns" },
		func() string { return "order " + dig(10) + ", tracking 1Z" + m.of(upper32, 16) },
		func() string {
			return "call +49 " + dig(3) + " " + dig(7) + ", meeting id " + dig(3) + " " + dig(4) + " " + dig(4)
		},
		func() string { return "ports: 5432 6379 8080 9200, rows 4100 4200 4300 4400 4500" },
		func() string {
			return "https://docs.internal/d/" + m.of(url64, 33) + "/edit?tab=t." + m.of(hexes, 6) + "&key=value"
		},
		func() string { return "see https://chat.internal/archives/C" + m.of(upper32, 10) + "/p" + dig(16) },
		func() string {
			return "password: " + pick("<password>", "${PASSWORD}", "********", "xxxxxxxx", "your-password", "changeme", "…")
		},
		func() string {
			return "API_KEY=" + pick("<key>", "${API_KEY}", "sk-your-key", "xxxxxxxxxxxxxxxxxxxx", "your_api_key_here", "...")
		},
		func() string {
			return "token: " + pick("<token>", "$TOKEN", "REPLACE_ME", "{{token}}", "ghp_xxxxxxxxxxxx", "see 1Password")
		},
		func() string {
			return "secret: " + pick("see vault", "rotate-me", "none", "TODO", "op://vault/item/field")
		},
		func() string { return "- the access token expires after " + dig(4) + "s, refresh token after 90days" },
		func() string { return "used " + dig(6) + " tokens, max_tokens=" + dig(5) + ", tokens: " + dig(7) },
		func() string { return "public key: " + m.of(base62, 43) + "=" },
		func() string { return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + m.of(base62, 43) + " bob@host" },
		func() string { return "fingerprint SHA256:" + m.of(base62+"+/", 43) },
		func() string { return "id: " + m.of(base62, 21) + ", name: key-" + dig(2) },
		func() string { return "docker run -u 1000:1000 app:" + m.of(hexes, 12) },
		func() string {
			return "mac 02:42:" + m.of(hexes, 2) + ":" + m.of(hexes, 2) + ":ac:11, ip 10.0." + dig(2) + "." + dig(2)
		},
		func() string { return "csrf_token = " + m.of(base62, 40) },
		func() string { return "nextPageToken: " + m.of(base62, 60) },
		func() string { return "ISBN 978-3-16-" + dig(6) + "-0, ticket KEY-" + dig(4) },
		func() string {
			return fmt.Sprintf("%s tok/s, %s ms, key press %s", dig(3), dig(4), dig(2))
		},
		func() string {
			return "- [ ] rotate the deploy key (owner: bob, due 2026-0" + dig(1) + "-1" + dig(1) + ")"
		},
		func() string {
			return "model: gpt-" + dig(1) + "o-2024-0" + dig(1) + "-13, seed " + dig(8) + ", key hash " + m.of(hexes, 16)
		},
	}
	return forms[m.r.IntN(len(forms))]()
}

// TestQuiet: of a thousand lines of notes full of hashes, UUIDs, commit ids,
// pictures, ULIDs, checksums of packages and placeholders, at most one is held
// back.
func TestQuiet(t *testing.T) {
	t.Parallel()
	const lines = 40_000
	m := newMaker(11)
	var b strings.Builder
	for range lines {
		b.WriteString(noise(m) + "\n")
	}
	text := b.String()
	got := New().Scan([]byte(text))
	if len(got) > lines/1000 {
		t.Errorf("%d findings in %d lines", len(got), lines)
	}
	all := strings.Split(text, "\n")
	for _, f := range got {
		t.Logf("%v %.90s / %.120s", f, all[f.Line-2], all[f.Line-1])
	}
}
