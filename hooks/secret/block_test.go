package secret

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mark writes a marker; the words are apart so that this file is no key.
func mark(word, kind string) string { return "-----" + word + " " + kind + " KEY-----" }

// key is the body of a key, lines of 64 characters and a shorter one.
func key(lines int) string {
	m := newMaker(uint64(lines))
	var b strings.Builder
	for range lines - 1 {
		b.WriteString(m.of(base62+"+/", 64) + "\n")
	}
	return b.String() + m.of(base62, 22) + "==\n"
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	begin, end := mark("BEGIN", "RSA PRIVATE"), mark("END", "RSA PRIVATE")
	whole := begin + "\n" + key(5) + end + "\n"
	oneLine := strings.ReplaceAll(strings.TrimSpace(whole), "\n", `\n`)
	tests := []struct {
		name, text string
		want       []Finding
	}{
		{"whole", "a\n" + whole + "b\n", []Finding{{2, 8, KindPrivateKey}}},
		{"at the end, no newline", "a\n" + strings.TrimSuffix(whole, "\n"), []Finding{{2, 8, KindPrivateKey}}},
		{"unterminated", "a\n" + begin + "\n" + key(5) + "\nSome words follow here.\nAnd go on.\nAnd on.\nAnd on.\n", []Finding{{2, 7, KindPrivateKey}}},
		{"unterminated to the end", begin + "\n" + key(4), []Finding{{1, 5, KindPrivateKey}}},
		{"two", whole + "x\n" + whole, []Finding{{1, 7, KindPrivateKey}, {9, 15, KindPrivateKey}}},
		{"the second begins before the first ends", begin + "\n" + key(3) + whole, []Finding{{1, 4, KindPrivateKey}, {5, 11, KindPrivateKey}}},
		{"crlf", strings.ReplaceAll("a\n"+whole, "\n", "\r\n"), []Finding{{2, 8, KindPrivateKey}}},
		{"old mac", strings.ReplaceAll(whole, "\n", "\r"), []Finding{{1, 1, KindPrivateKey}}},
		{"byte order mark", "\xef\xbb\xbf" + whole, []Finding{{1, 7, KindPrivateKey}}},
		{"utf-16", utf16le(whole), []Finding{{1, 7, KindPrivateKey}}},
		{"invisible", strings.ReplaceAll(whole, "\n", "\u200b\n\u2060"), []Finding{{1, 7, KindPrivateKey}}},
		{"invalid utf-8", strings.ReplaceAll(whole, "\n", "\xff\n"), []Finding{{1, 7, KindPrivateKey}}},
		{"blank lines between", strings.ReplaceAll(whole, "\n", "\n\n"), []Finding{{1, 13, KindPrivateKey}}},
		{"a line of words between", strings.Replace(whole, "\n", "\nwords that do not belong\n", 1), []Finding{{1, 8, KindPrivateKey}}},
		{"quoted", "> " + strings.ReplaceAll(whole, "\n", "\n> "), []Finding{{1, 7, KindPrivateKey}}},
		{"fenced in a list", "- key:\n  ```\n  " + strings.ReplaceAll(whole, "\n", "\n  ") + "```\n", []Finding{{3, 9, KindPrivateKey}}},
		{"source code", "k := \"" + strings.ReplaceAll(strings.TrimSpace(whole), "\n", "\\n\" +\n  \"") + "\"\n", []Finding{{1, 7, KindPrivateKey}}},
		{"one line of json", `{"private_key":"` + oneLine + `"}`, []Finding{{1, 1, KindPrivateKey}}},
		{"folded without line ends", strings.ReplaceAll(whole, "\n", " "), []Finding{{1, 1, KindPrivateKey}}},
		{"typographic dashes", strings.ReplaceAll(whole, "-----", "—–-"), []Finding{{1, 7, KindPrivateKey}}},
		{"headers", begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011223344556677\n\n" + key(3) + end + "\n", []Finding{{1, 8, KindPrivateKey}}},
		{"openssh", mark("BEGIN", "OPENSSH PRIVATE") + "\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n" + key(4) + mark("END", "OPENSSH PRIVATE"), []Finding{{1, 7, KindPrivateKey}}},
		{"plain and encrypted pkcs8", mark("BEGIN", "PRIVATE") + "\n" + key(2) + mark("END", "PRIVATE") + "\n" + mark("BEGIN", "ENCRYPTED PRIVATE") + "\n" + key(2) + mark("END", "ENCRYPTED PRIVATE"), []Finding{{1, 4, KindPrivateKey}, {5, 8, KindPrivateKey}}},
		{"pgp", "-----BEGIN PGP PRIVATE KEY" + " BLOCK-----\nVersion: 1\n\n" + key(6) + "=aBc1\n-----END PGP PRIVATE KEY" + " BLOCK-----\n", []Finding{{1, 11, KindPGPPrivateKey}}},
		{"putty", "PuTTY-User-" + "Key-File-2: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 2\n" + key(2) + "Private-Lines: 2\n" + key(2) + "Private-MAC: 00ff\n", []Finding{{1, 10, KindPuTTYKey}}},
		{"allowed by its first line", strings.Replace(whole, "\n", " claw:allow\n", 1), nil},
		{"allowed by its last line", strings.TrimSuffix(whole, "\n") + " # claw:allow\n", nil},
		{"an allowed line elsewhere", "claw:allow\n" + whole, []Finding{{2, 8, KindPrivateKey}}},
		{"certificate", mark("BEGIN", "CERTIFICATE"), nil},
		{"public key", "-----BEGIN PUBLIC" + " KEY-----\n" + key(4) + "-----END PUBLIC" + " KEY-----\n", nil},
		{"a sentence", "A file that begins with `" + begin + "` is a secret.\nIt has many lines.\nDo not add it.\nEver.\n" + key(3), nil},
		{"dots", begin + "\n...\n" + end, nil},
		{"first characters and dots", begin + "\nMIIEpAIBAAKCAQEA...\n" + end, nil},
		{"masked", begin + "\n" + strings.Repeat("x", 64) + "\n" + strings.Repeat("x", 64) + "\n" + end, nil},
		{"a name", begin + "\n<your private key>\n" + end, nil},
	}
	s := New()
	for _, tt := range tests {
		if got := s.Scan([]byte(tt.text)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestBlockAdded: a block counts when any line of it is new.
func TestBlockAdded(t *testing.T) {
	t.Parallel()
	text := []byte("a\n" + mark("BEGIN", "EC PRIVATE") + "\n" + key(3) + mark("END", "EC PRIVATE") + "\nb\n")
	for line := 1; line <= 8; line++ {
		got := New().ScanAdded(text, func(n int) bool { return n == line })
		if want := line >= 2 && line <= 6; (len(got) == 1) != want {
			t.Errorf("line %d is new: %v", line, got)
		}
	}
}

func TestBlockIsBounded(t *testing.T) {
	t.Parallel()
	text := mark("BEGIN", "RSA PRIVATE") + "\n" + strings.Repeat(key(2), 10_000) + mark("END", "RSA PRIVATE")
	for _, f := range New().Scan([]byte(text)) {
		if f.EndLine-f.Line > maxLines+1 {
			t.Errorf("a block of %d lines", f.EndLine-f.Line)
		}
	}
}

func utf16le(s string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, r := range s {
		fmt.Fprintf(&b, "%c\x00", r)
	}
	return b.String()
}
