package secret

import (
	"bytes"
	"strings"
)

// notSecret reports a value of a form that secrets do not have: a variable, a
// call, a date, a version, a path, an address.
func notSecret(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	switch text[0] {
	case '$', '{', '[', '(', '<', '%', '#', '@', '!', '^', '.', '~', ',', ')':
		if has("$%#@!^", text[0]) && len(text) > 7 && !letterOrBrace(text[1]) {
			return false // such passwords there are
		}
		return true
	}
	s := string(text)
	switch {
	case angled(s), strings.Contains(s, "://"), strings.Contains(s, "${"), strings.Contains(s, "{{"), strings.HasSuffix(s, "()"), strings.Contains(s, "..."),
		strings.HasPrefix(s, "sha256-"), strings.HasPrefix(s, "sha512-"), strings.HasPrefix(s, "sha384-"), strings.HasPrefix(s, "sha1-"),
		strings.HasPrefix(s, "ENC["), strings.HasPrefix(s, "ENC("), strings.HasPrefix(s, "sha256:"), strings.HasPrefix(s, "env:"), strings.HasPrefix(s, "op:"), strings.HasPrefix(s, "file:"), strings.HasPrefix(s, "vault:"):
		return true
	}
	if i := strings.LastIndexByte(s, '-'); i > 0 && version(text[i+1:]) {
		return true // name-1.2.3
	}
	return call(s) || constant(text) || dated(text) || version(text) || address(s) || pathLike(s)
}

// angled reports a name in angle brackets within a value: sk-<key>.
func angled(s string) bool {
	_, rest, ok := strings.Cut(s, "<")
	return ok && strings.IndexByte(rest, '>') > 0
}

// constant reports the name of one: PKIX_ECDSA_P256.
func constant(text []byte) bool {
	marks := 0
	for i, b := range text {
		switch {
		case b == '_' || b == '-':
			marks++
		case lower(b), !upper(b) && !digit(b), upper(b) && i > 0 && digit(text[i-1]):
			return false
		}
	}
	return marks > 1 && upper(text[0])
}

func letterOrBrace(b byte) bool { return letter(b) || has("{([_$", b) }

// call reports an expression: f(x), a[0], process.env.KEY.
func call(s string) bool {
	if i := strings.IndexAny(s, "(["); i > 0 && words([]byte(s[:i]), 5) {
		return true
	}
	first, rest, ok := strings.Cut(s, ".")
	if !ok {
		return false
	}
	switch first {
	case "process", "os", "env", "config", "settings", "secrets", "vars", "var", "self", "this", "ctx", "cfg", "req", "res", "import", "options", "opts", "local", "data":
		return true
	}
	for rest != "" {
		if !identifier([]byte(first)) && !words([]byte(first), 8) {
			return false
		}
		first, rest, _ = strings.Cut(rest, ".")
	}
	return words([]byte(first), 6)
}

// dated reports what begins with a date or a time.
func dated(text []byte) bool {
	var form [8]byte
	n := 0
	for n < len(form) && n < len(text) {
		if form[n] = text[n]; digit(text[n]) {
			form[n] = '0'
		}
		n++
	}
	switch f := string(form[:n]); {
	case f == "0000-00-", f == "0000/00/", f == "0000.00.", f == "00.00.00", f == "00/00/00", strings.HasPrefix(f, "00:00"):
		return true
	}
	return false
}

// version reports 1.2.3, v1.2, 10.0.0.1.
func version(text []byte) bool {
	at := 0
	if len(text) > 1 && (text[0] == 'v' || text[0] == 'V') {
		at = 1
	}
	parts := 0
	for at < len(text) && digit(text[at]) {
		for at < len(text) && digit(text[at]) {
			at++
		}
		parts++
		if at >= len(text) || text[at] != '.' {
			break
		}
		at++
	}
	return parts > 1 && (at >= len(text) || has("-+/:", text[at]) || parts > 2) || parts == 1 && at >= len(text) && (text[0] == 'v' || text[0] == 'V')
}

// address reports a host with a known ending, or mail.
func address(s string) bool {
	if at := strings.IndexByte(s, '@'); at > 0 && strings.IndexByte(s[at:], '.') > 1 && !strings.ContainsAny(s, ":!#$%&*") {
		return true
	}
	host, _, _ := strings.Cut(s, ":")
	host, _, _ = strings.Cut(host, "/")
	i := strings.LastIndexByte(host, '.')
	if i <= 0 {
		return false
	}
	switch host[i+1:] {
	case "com", "org", "net", "io", "dev", "app", "ai", "local", "internal", "lan", "cloud", "example", "test", "invalid", "de", "eu", "uk", "cn", "jp", "ru", "fr":
		return words([]byte(host), 3)
	}
	return false
}

// pathLike reports a path, or the name of a file.
func pathLike(s string) bool {
	slashes := strings.Count(s, "/")
	if i := strings.LastIndexByte(s, '.'); i > 0 {
		switch strings.ToLower(s[i+1:]) {
		case "md", "txt", "json", "yml", "yaml", "toml", "ini", "env", "conf", "cfg", "pem", "key", "crt", "cer", "p12", "pfx", "gpg", "asc", "age",
			"go", "js", "ts", "tsx", "py", "rb", "rs", "java", "c", "h", "sh", "sql", "html", "css", "xml", "csv", "log", "png", "jpg", "jpeg", "svg",
			"pdf", "zip", "gz", "tar", "db", "sqlite", "lock", "git", "so", "exe", "tf", "hcl", "proto", "vue", "php":
			return true
		}
	}
	if slashes == 0 {
		return false
	}
	spoken, parts := 0, strings.FieldsFunc(s, func(r rune) bool { return r == '/' })
	for _, p := range parts {
		if words([]byte(p), 5) || s[0] == '/' && len(p) < 4 {
			spoken++
		}
	}
	return spoken*2 >= len(parts)
}

// identifier reports words joined by marks or by capitals, with or without a
// number: test_foo2, TestSettings2, feature-x-2.
func identifier(text []byte) bool {
	parts := bytes.FieldsFunc(text, func(r rune) bool { return r == '_' || r == '.' || r == '-' || r == ':' || r == '/' })
	if len(parts) > 1 {
		plain := 0
		for _, p := range parts {
			if words(p, 6) || digits(p) == len(p) || digits(p) == 0 && len(p) < 4 {
				plain++
			}
		}
		return plain == len(parts)
	}
	capitals := 0
	for i := 1; i < len(text); i++ {
		if upper(text[i]) && lower(text[i-1]) {
			capitals++
		}
	}
	return capitals > 0 && words(text, 8)
}

// partsOnly reports the name of a thing put together from short parts and words:
// k8s-tls-crt, app_db_pw1.
func partsOnly(text []byte) bool {
	parts := bytes.FieldsFunc(text, func(r rune) bool { return r == '_' || r == '-' })
	for _, p := range parts {
		if len(p) > 4 && !words(p, 7) {
			return false
		}
	}
	return len(parts) > 1
}

// amount reports a number with a unit: 12-character, 90days, 2fa.
func amount(text []byte) bool {
	n := 0
	for n < len(text) && (digit(text[n]) || n > 0 && has(".,x", text[n])) {
		n++
	}
	if n == 0 || n == len(text) {
		return false
	}
	switch strings.Trim(strings.ToLower(string(text[n:])), "-_+s") {
	case "char", "character", "digit", "letter", "word", "day", "week", "month", "year", "hour", "h", "min", "minute", "sec", "econd", "m", "bit",
		"byte", "kb", "mb", "gb", "k", "t", "nd", "rd", "th", "fa", "factor", "x", "%", "time", "user", "attempt", "item", "entrie", "file", "line", "row",
		"token", "key", "zeichen", "tage", "stellig", "password", "pw":
		return true
	}
	return false
}

// technical reports the names of algorithms and the like, which have digits.
func technical(text []byte) bool {
	var b []byte
	for _, c := range text {
		if alnum(c) {
			b = append(b, fold(c))
		}
	}
	switch string(b) {
	case "base64", "base32", "base58", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3", "md4", "md5", "utf8", "utf16", "ipv4", "ipv6", "oauth2", "oauth20",
		"argon2", "argon2id", "argon2i", "pbkdf2", "scrypt", "x509", "rs256", "hs256", "es256", "ps256", "ed25519", "x25519", "curve25519", "p256", "secp256k1",
		"aes128", "aes192", "aes256", "aes256gcm", "aes256cbc", "aes128gcm", "rsa2048", "rsa4096", "http2", "http3", "tls12", "tls13", "wpa2", "wpa3",
		"1password", "keepass2", "keepassxc", "bitwarden", "log4j", "k8s", "i18n", "l10n", "a11y", "python3", "php7", "php8", "html5", "css3", "web3",
		"s3", "ec2", "gpt4", "gpt4o", "gpt5", "claude3", "llama3", "win10", "win11", "windows10", "windows11", "utf8mb4", "blake2b", "blake3", "sha2", "pkcs8", "pkcs12",
		"pkcs1", "pkcs5", "bcrypt2", "2fa", "mp3", "mp4", "h264", "h265", "x86", "amd64", "arm64", "int32", "int64", "uint8", "uint32", "uint64", "float64", "string8":
		return true
	}
	return false
}
