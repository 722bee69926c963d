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
		{strings.Repeat("x", 20000) + "\n", 20000},
	} {
		if got := Chars([]byte(c.text)); got != c.want {
			t.Errorf("Chars(%.20q) = %d, want %d", c.text, got, c.want)
		}
	}
}
