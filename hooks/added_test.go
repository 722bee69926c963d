package hooks

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/git-claw/git-claw/hooks/secret"
)

// The values of these tests, in two parts each so that no scanner stops here.
var (
	password = "Passw" + "0rd99"
	token    = "Zx9vQ2" + "LmT4bK7cWpR8sJ"
)

func fill(s string) string {
	return strings.NewReplacer("{9}", password, "{R}", token).Replace(s)
}

func TestWithoutSecrets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, old, text, kept string
		lines                 []int
	}{
		{"nothing", "a\n", "a\nb\n", "a\nb\n", nil},
		{"added", "a\n", "a\npassword: {9}\nb\n", "a\nb\n", []int{2}},
		{"in place of a line", "a\nold\n", "a\ntoken: {R}\nb\n", "a\nold\nb\n", []int{2}},
		{"an old one stays", "token: {R}\n", "token: {R}\nb\n", "token: {R}\nb\n", nil},
		{"an old one moves", "a\nb\ntoken: {R}\n", "token: {R}\na\nb\n", "token: {R}\na\nb\n", nil},
		{"an old one moves and changes", "a\nb\ntoken: {R}\n", "token: {R}x\na\nb\n", "a\nb\n", []int{1}},
		{"below its label", "a\n", "a\nPassword:\n{9}\n", "a\nPassword:\n", []int{3}},
		{"more of them below it", "a\n", "a\nPassword:\n{9}\n{9}x\nb\n", "a\nPassword:\nb\n", []int{3, 4}},
		{"the label comes back", "Password:\nask me\n", "Password: {9}\n{9}x\n", "Password:\nask me\n", []int{1, 2}},
		{"the file is new", "", "token: {R}\n", "", []int{1}},
	}
	scan := secret.New()
	for _, tt := range tests {
		kept, found := WithoutSecrets(scan, []byte(fill(tt.old)), []byte(fill(tt.text)))
		var lines []int
		for _, f := range found {
			lines = append(lines, f.Line)
		}
		if string(kept) != fill(tt.kept) || !slices.Equal(lines, tt.lines) {
			t.Errorf("%s: kept %q, lines %v; want %q, %v", tt.name, kept, lines, tt.kept, tt.lines)
		}
	}
}

// FuzzWithoutSecrets: what is kept adds no secret, and no line but those of old and
// text is in it.
func FuzzWithoutSecrets(f *testing.F) {
	for _, pair := range [][2]string{
		{"Password:\nask\n", "Password: {9}\n{9}x\n"},
		{"# API key\n\nx\n", "# API key\n\n{R}\n{R}a\n"},
		{"kind: Secret\ndata:\n a: QQ==\n", "kind: Secret\ndata:\n a: QWxhZGRpbjpvcGVu\n"},
		{"", "-----BEGIN EC " + "PRIVATE KEY-----\n" + strings.Repeat("MHcCAQEEIEU5hQ8vT2Lk\n", 4)},
		{"a\nb\nc", "c\nuser: root / {9}\na"},
	} {
		f.Add([]byte(fill(pair[0])), []byte(fill(pair[1])))
	}
	scan := secret.New()
	f.Fuzz(func(t *testing.T, old, text []byte) {
		kept, found := WithoutSecrets(scan, old, text)
		if more := AddedSecrets(scan, old, kept); len(more) > 0 {
			t.Fatalf("old %q, text %q: kept %q with %v", old, text, kept, more)
		}
		if len(found) == 0 && !bytes.Equal(kept, text) {
			t.Fatalf("old %q, text %q: nothing found, kept %q", old, text, kept)
		}
		lines := bytes.Count(text, []byte("\n")) + 1
		for _, x := range found {
			if x.Line < 1 || x.EndLine < x.Line || x.EndLine > lines {
				t.Fatalf("%v of %d lines", x, lines)
			}
		}
	})
}
