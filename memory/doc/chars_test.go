package doc

import (
	"strings"
	"testing"
)

func TestChars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"abc", 3},
		{"abc \t\r\n\u3000\ufeff\n", 3},
		{" a\n\nb", 5},
		{"née", 3},
		{"記憶", 2},
		{"\U0001f331", 2},
		{"a\xe9b", 3},
		{"a\u0085", 2}, // JavaScript keeps it
		// What is not UTF-8, as a TextDecoder reads it.
		{"\xff", 1},
		{"\xe4\xb8", 1},
		{"\xe4\xb8a", 2},
		{"\xf0\x9f\x98", 1},
		{"\xf0\x9f", 1},
		{"\xc3A", 2},
		{"\xe0\x80", 2},
		{"\xed\xa0\x80", 3},
		{"\xf4\x90\x80\x80", 4},
		{"\xf0\x80\x80\x80", 4},
		{"\xc0\xaf", 2},
		{"\xe0\xa0", 1},
		{"\xed\x9f", 1},
		{"\xf4\x8f\xbf", 1},
		{"\x80\xbf", 2},
		{"\xe4\xb8\xe4\xb8\xad", 2},
		{"\xf0\x9f\x98\U0001f600", 3},
		{strings.Repeat("x", 20000) + "\n", 20000},
	} {
		if got := Chars([]byte(c.text)); got != c.want {
			t.Errorf("Chars(%.20q) = %d, want %d", c.text, got, c.want)
		}
	}
}
