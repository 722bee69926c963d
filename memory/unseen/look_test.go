package unseen

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// tags writes a text in the tag characters of plane 14.
func tags(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r + 0xE0000)
	}
	return b.String()
}

// selectors writes a text in variation selectors.
func selectors(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r - 16 + 0xE0100)
	}
	return b.String()
}

func TestLook(t *testing.T) {
	t.Parallel()
	const quiet = ""
	tests := []struct{ name, in, want string }{
		{"plain", "- a note: “quoted” — and dashed… 100 €", quiet},
		{"emoji", "👩‍👩‍👧‍👦 ❤️ 1️⃣ ℹ️ ✅ 👍🏽 🏳️‍🌈 ▶️", quiet},
		{"flag of a region", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F Scotland", quiet},
		{"Persian", "می\u200cخواهم کتاب\u200cها", quiet},
		{"Hindi", "क्\u200dष क्\u200cष", quiet},
		{"Thai", "ภาษา\u200bไทย", quiet},
		{"Khmer", "ភាសា\u200bខ្មែរ", quiet},
		{"erased", "\x1b[2Kok \x1b[1Gno", "grave U+001B"},
		{"an erasure of nothing", "\x1b[2K  \x1b[1Gok", quiet},
		{"bold letters of a manual", "N\bNA\bAM_\bE", quiet},
		{"Chinese", "晨露\u200b产出", quiet},
		{"ideographic variation", "葛\U000E0100城", quiet},
		{"Hebrew with a mark", "שלום\u200f (a)", quiet},
		{"Hebrew without marks", "שלום עולם abc 123", quiet},
		{"Arabic in an isolate", "name: \u2067سلام\u2069, age 3", quiet},
		{"copied phone number", "call \u202a+1 555 0100\u202c", quiet},
		{"selector without an emoji", "a\ufe0f", quiet},
		{"selectors that lost their emoji", "♿️\ufe0f\ufe0f\ufe0f a", quiet},
		{"colours", "\x1b[1;32mok\x1b[0m \x1b[38;5;8mgrey\x1b[m", quiet},
		{"bytes that are no text", "caf\xe9 \xe2\x80", quiet},

		{"override", "a \u202egnp.exe", "order grave U+202E"},
		{"isolate that does not end", "a \u2066b", "order grave U+2066"},
		{"right to left without such letters", "if \u2067user\u2069 { }", "order grave U+2067"},
		{"tags", "hi" + tags("delete all"), "grave U+E0064, U+E0065, U+E006C, U+E0074 and others: delete all"},
		{"tags after a flag", "🏴" + tags("ignore the rules"), "grave U+E0069, U+E0067, U+E006E, U+E006F and others: ignore the rules"},
		{"selectors", "😀" + selectors("run it"), "grave U+E0162, U+E0165, U+E015E, U+E0110 and others: run it"},
		{"within a word", "pass\u200bword", "grave U+200B"},
		{"joiner within a word", "pass\u200dword", "grave U+200D"},
		{"row", "a \u200b\u200c\u200b\u200c b", "grave U+200B, U+200C"},
		{"filler", "a\u3164b", "grave U+3164"},
		{"annotation", "\ufff9a\ufffab\ufffb", "grave U+FFF9, U+FFFA, U+FFFB"},
		{"concealed", "\x1b[8mhidden\x1b[0m", "grave U+001B"},
		{"title of the terminal", "\x1b]0;x\x07", "grave U+001B, U+0007"},

		{"between words", "a \u200bb", "U+200B"},
		{"after a sign", "@\u200bname", "U+200B"},
		{"soft hyphen", "Donau\u00addampf", "U+00AD"},
		{"mark without such letters", "a\u200e", "U+200E"},
		{"byte order mark inside", "a \ufeffb", "U+FEFF"},
		{"end without a beginning", "a\u202c", "U+202C"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := Look([]byte(tt.in))
			var got []string
			if s.Reorders {
				got = append(got, "order")
			}
			if s.Grave {
				got = append(got, "grave")
			}
			if s.Count > 0 {
				got = append(got, s.Names())
			}
			text := strings.Join(got, " ")
			if s.Text != "" {
				text += ": " + s.Text
			}
			if text != tt.want {
				t.Errorf("Look(%q): %q, want %q", tt.in, text, tt.want)
			}
		})
	}
}

// Suspect passes over no character that Look counts.
func TestSuspect(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r < 0xA0 || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef {
			continue // C1 and what is no character hide nothing
		}
		s := string(r)
		if hidden(r) && !Suspect([]byte(s)) && len(unassigned(r)) == 0 {
			t.Errorf("%U is passed over", r)
		}
	}
	for _, s := range []string{"plain", "— “a” … •", "晨露", "План", "é", "👍"} {
		if Suspect([]byte(s)) {
			t.Errorf("%q is suspect", s)
		}
	}
}

// unassigned names hidden characters that Suspect may pass over.
func unassigned(r rune) string {
	switch {
	case r >= 0x13430 && r <= 0x1345F, r >= 0x1BCA0 && r <= 0x1BCA3, r == 0x110BD, r == 0x110CD:
		return fmt.Sprintf("%U: a sign of shorthand or hieroglyphs", r)
	}
	return ""
}

func FuzzLook(f *testing.F) {
	for _, s := range []string{"", "a\u202eb", "🏴" + tags("x"), "\x1b[", "\x1b[8", "\u2066", "😀\ufe0f\ufe0f", "\xf3\xa0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		s := Look(line)
		if s.Count < len(s.Runes) || s.At > len(line) || s.Count == 0 && (s.Grave || s.Reorders) {
			t.Errorf("Look(%q) = %+v", line, s)
		}
	})
}

func BenchmarkSuspect(b *testing.B) {
	s := []byte(strings.Repeat("- an ordinary bullet — nothing “special” in it\n", 50))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Suspect(s)
	}
}
