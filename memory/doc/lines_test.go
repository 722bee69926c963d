package doc

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

func TestLineDiff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		old, new string
		want     []LineHunk
	}{
		{"", "", []LineHunk{}},
		{"a\nb\n", "a\r\nb", []LineHunk{}},
		{"a", "a\nb\n", []LineHunk{{1, 1, 1, 2}}},
		{"a\nb\nc\n", "a\nX\nY\nc\n", []LineHunk{{1, 2, 1, 3}}},
		{"a\n", "", []LineHunk{{0, 1, 0, 0}}},
		{"a\na\n", "a\na\na\n", []LineHunk{{2, 2, 2, 3}}}, // moved down
	}
	for _, tt := range tests {
		if got := LineDiff([]byte(tt.old), []byte(tt.new)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("LineDiff(%q, %q) = %v, want %v", tt.old, tt.new, got, tt.want)
		}
	}
}

func TestWithoutLines(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, want string }{
		{"nothing flagged", "a\n", "a\r\nb", "a\r\nb"},
		{"added line", "a\nb\n", "a\nSECRET\nb\n", "a\nb\n"},
		{"replaced line", "a\nold\nb\n", "a\nSECRET\nb\n", "a\nold\nb\n"},
		{"more new than old", "a\nold\nb\n", "a\nSECRET\nnew\nSECRET 2\nb\n", "a\nold\nnew\nb\n"},
		{"the harmless one first", "a\nold\nb\n", "a\nnew\nSECRET\nb\n", "a\nnew\nb\n"},
		{"an unchanged flagged line stays", "SECRET\n", "SECRET\nmore\n", "SECRET\nmore\n"},
		{"unchanged but for its line end", "SECRET", "SECRET\nmore\n", "SECRET\nmore\n"},
		{"last line without end", "a\n", "a\nSECRET", "a\n"},
		{"old last line gets an end", "a", "SECRET\nb", "a\nb"},
		{"old last line keeps its form", "a", "SECRET", "a"},
		{"CRLF", "a\r\nb\r\n", "a\r\nSECRET\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\n"},
		{"CRLF, end added", "a", "SECRET\r\nb\r\n", "a\r\nb\r\n"},
		{"new file of secrets", "", "SECRET\nSECRET\n", ""},
		{"removed elsewhere", "a\nb\nc\n", "b\nSECRET\nc\n", "b\nc\n"},
	}
	for _, tt := range tests {
		lines := SplitLines([]byte(tt.new))
		got := WithoutLines([]byte(tt.old), []byte(tt.new), func(line int) bool {
			return strings.Contains(string(lines[line-1]), "SECRET")
		})
		if string(got) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWithoutLinesRandom(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(6))
	for n := range 3000 {
		old := randomText(rng)
		new := mutate(rng, old)
		lines := SplitLines(new)
		flags := make([]bool, len(lines)+1)
		for range rng.Intn(4) {
			if len(lines) > 0 {
				at := rng.Intn(len(lines))
				lines[at] = []byte(fmt.Sprintf("SECRET %d\n", n))
				flags[at+1] = true
			}
		}
		checkWithout(t, old, bytes.Join(lines, nil), flags)
		checkWithout(t, toCRLF(old), toCRLF(bytes.Join(lines, nil)), flags)
	}
}

// checkWithout fails unless all unflagged lines of new are kept in order, no flagged one that old does
// not have is left, and without flags nothing changes.
func checkWithout(t *testing.T, old, new []byte, flags []bool) {
	t.Helper()
	flagged := func(line int) bool { return line < len(flags) && flags[line] }
	if got := WithoutLines(old, new, func(int) bool { return false }); !bytes.Equal(got, new) {
		t.Fatalf("nothing flagged: got %q, want %q", got, new)
	}
	got := SplitLines(WithoutLines(old, new, flagged))
	have := make(map[string]bool)
	for _, l := range SplitLines(old) {
		have[string(lineKey(l))] = true
	}
	at := 0
	for i, l := range SplitLines(new) {
		if flagged(i+1) && !have[string(lineKey(l))] {
			for _, g := range got {
				if bytes.Equal(lineKey(g), lineKey(l)) && !unflaggedTwin(new, l, flagged) {
					t.Fatalf("flagged line %q is left\nold %q\nnew %q", l, old, new)
				}
			}
		}
		if flagged(i + 1) {
			continue
		}
		for at < len(got) && !bytes.Equal(lineKey(got[at]), lineKey(l)) {
			at++
		}
		if at == len(got) {
			t.Fatalf("line %d %q is lost\nold %q\nnew %q\ngot %q", i+1, l, old, new, got)
		}
		at++
	}
}

func unflaggedTwin(new, line []byte, flagged func(int) bool) bool {
	for i, l := range SplitLines(new) {
		if !flagged(i+1) && bytes.Equal(lineKey(l), lineKey(line)) {
			return true
		}
	}
	return false
}

func FuzzWithoutLines(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte("a\nc\nb"), []byte{0, 1})
	f.Add([]byte("\r"), []byte("\r\r\n0"), []byte{1})
	f.Fuzz(func(t *testing.T, old, new, bits []byte) {
		flags := make([]bool, len(bits)+1)
		for i, b := range bits {
			flags[i+1] = b&1 == 1
		}
		checkWithout(t, old, new, flags)
	})
}

func TestEOL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "\n", "a": "\n", "a\n": "\n", "a\r\nb\r\n": "\r\n", "a\r\nb": "\r\n", "a\r\nb\n": "\n"} {
		if got := EOL([]byte(text)); got != want {
			t.Errorf("EOL(%q) = %q, want %q", text, got, want)
		}
	}
}
