package unseen

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "git claw: 12 notes", "git claw: 12 notes"},
		{"empty", "", ""},
		{"chinese", "晨露/产出/报告（一）.md", "晨露/产出/报告（一）.md"},
		{"cyrillic", "Заметки/План [v2].md", "Заметки/План [v2].md"},
		{"accent", "cafe\u0301", "cafe\u0301"},
		{"escape sequence", "\x1b[31mred\x1b[m", "<U+001B>[31mred<U+001B>[m"},
		{"window title", "a\x1b]0;x\x07b", "a<U+001B>]0;x<U+0007>b"},
		{"C1 as UTF-8", "a\u009b31mb", "a<U+009B>31mb"},
		{"C1 as a byte", "a\x9b31mb", "a<0x9B>31mb"},
		{"stray byte", "caf\xe9 ", "caf<0xE9> "},
		{"delete", "a\x7f", "a<U+007F>"},
		{"line break", "a\nb\tc\r", "a<U+000A>b<U+0009>c<U+000D>"},
		{"override", "a\u202eb\u2066c\u200f", "a<U+202E>b<U+2066>c<U+200F>"},
		{"zero width", "a\u200bb\u200cc\u200dd\ufeff", "a<U+200B>b<U+200C>c<U+200D>d<U+FEFF>"},
		{"soft hyphen", "a\u00adb", "a<U+00AD>b"},
		{"tag characters", "a\U000e0041b", "a<U+E0041>b"},
		{"variation selector after a letter", "a\ufe0fb\U000e0100", "a<U+FE0F>b<U+E0100>"},
		{"separators", "a\u2028b\u2029", "a<U+2028>b<U+2029>"},
		{"filler", "\u3164\u115f\u034f", "<U+3164><U+115F><U+034F>"},
		{"noncharacter", "\uffff\ufdd0", "<U+FFFF><U+FDD0>"},
		{"replacement character", "\ufffd", "\ufffd"},
		{"emoji presentation", "\u26a0\ufe0f careful", "\u26a0\ufe0f careful"},
		{"emoji presentation twice", "\u26a0\ufe0f\ufe0f", "\u26a0\ufe0f<U+FE0F>"},
		{"information sign", "\u2139\ufe0f", "\u2139\ufe0f"},
		{"keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"digit with selector only", "1\ufe0f2", "1<U+FE0F>2"},
		{"family", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\U0001F468\u200d\U0001F469\u200d\U0001F467"},
		{"rainbow flag", "\U0001F3F3\ufe0f\u200d\U0001F308", "\U0001F3F3\ufe0f\u200d\U0001F308"},
		{"joiner after an emoji only", "\U0001F468\u200dx", "\U0001F468<U+200D>x"},
		{"joiner before a stray byte", "\U0001F468\u200d\xf0", "\U0001F468<U+200D><0xF0>"},
		{"persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"devanagari", "क्\u200dष", "क्\u200dष"},
		{"arabic number sign", "\u0600\u0661", "\u0600\u0661"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Escape(tt.in); got != tt.want {
				t.Errorf("Escape(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestEscapeText(t *testing.T) {
	t.Parallel()
	in := "one\n\ttwo\r\n\x1b[2Jthree\u200b\n"
	want := "one\n\ttwo<U+000D>\n<U+001B>[2Jthree<U+200B>\n"
	if got := EscapeText(in); got != want {
		t.Errorf("EscapeText(%q) = %q, want %q", in, got, want)
	}
}

// raw finds a character that Escape promises not to let through. It is
// written from the promise, not from the code: Unicode categories instead of
// the tables that hidden uses.
func raw(s string, multiline bool) (rune, bool) {
	for _, r := range s {
		switch {
		case multiline && (r == '\n' || r == '\t'):
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r), unicode.In(r, unicode.Zl, unicode.Zp):
			return r, true
		case r == '\u200c' || r == '\u200d' || r == '\ufe0e' || r == '\ufe0f': // see TestEscape
		case unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
			return r, true
		}
	}
	return 0, false
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x1b[31m", "a\u202eb", "\xff\xfe", "1\ufe0f\u20e3",
		"\U0001F468\u200d\U0001F469", "می\u200cخ", "\u200d\u200d", "\x00\n\t\r", "晨露", "<U+202E>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, multiline := range []bool{false, true} {
			got := escape(s, multiline)
			if !utf8.ValidString(got) {
				t.Errorf("escape(%q) = %q is not UTF-8", s, got)
			}
			if r, found := raw(got, multiline); found {
				t.Errorf("escape(%q) = %q holds %U raw", s, got, r)
			}
			if again := escape(got, multiline); again != got {
				t.Errorf("escape(%q) = %q, and again %q", s, got, again)
			}
			if strings.IndexFunc(s, hidden) < 0 && utf8.ValidString(s) && got != s {
				t.Errorf("escape(%q) = %q changes printable text", s, got)
			}
		}
	})
}

func BenchmarkEscapePlain(b *testing.B) {
	s := strings.Repeat("- a bullet of an ordinary note, nothing special in it\n", 100)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		EscapeText(s)
	}
}

func BenchmarkEscapeChinese(b *testing.B) {
	s := strings.Repeat("- 记忆里的一条普通的笔记，没有什么特别的\n", 100)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		EscapeText(s)
	}
}
