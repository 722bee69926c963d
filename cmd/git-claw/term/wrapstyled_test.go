package term

import (
	"regexp"
	"strings"
	"testing"
)

func TestWrapStyled(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"short\n", "short\n"},
		{"one two three four", "one two\n  three\n  four"},
		{"abcdefghijklmnop", "abcdefgh\n  ijklmn\n  op"},
		{"\x1b[31mone two three\x1b[m four\n", "\x1b[31mone two\n  three\x1b[m\n  four\n"},
		{"漢字漢字漢字", "漢字漢字\n  漢字"},
		{"  one two three", "  one\n  two\n  three"},
	}
	for _, tt := range tests {
		if got := WrapStyled(tt.in, 8, 2); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzWrapStyled(f *testing.F) {
	f.Add("a b \x1b[1mc\x1b[m 漢", 8)
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	f.Fuzz(func(t *testing.T, s string, cols int) {
		s = Style{On: true}.Red(EscapeText(s))
		cols = 4 + cols&63
		got := WrapStyled(s, cols, 2)
		for line := range strings.SplitSeq(escape.ReplaceAllString(got, ""), "\n") {
			if Width(line) > cols+1 { // a wide character may not fit at all
				t.Fatalf("%q is wider than %d", line, cols)
			}
		}
		drop := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if drop(got) != drop(s) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
